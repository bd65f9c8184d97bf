//! Control memory of an assist that works on a ring of descriptors.

use spinach_engine::parameters;

use super::mover::Mover;
use super::registers::Ring;

parameters! {
    /// Parameters of the control memory of an assist.
    pub struct ControlMemory {
        /// Bytes of a reference to control memory: 1, 2, 4, 8 or 16.
        pub control_width: u32 = 4 => power_of_two 1..=16,
        /// Maximum number of unanswered references to control memory.
        pub control_outstanding: u32 = 4 => in 1..=64,
        /// Value of producer and consumer after reset, such as shortly before 2^32 to see firmware wrap around.
        pub first_index: u32 = 0,
        /// Source of its references and blocks.
        pub source: u32 = 0 => in 0..=65535,
    }
}

impl ControlMemory {
    /// The master of control memory.
    ///
    /// # Errors
    /// If references cannot have that width.
    pub(crate) fn mover(&self) -> Result<Mover, String> {
        Mover::new(self.control_width, self.control_outstanding, self.source as u16)
    }
}

/// Fetches the next descriptor of `bytes` bytes if the firmware has put one into the ring and fewer than `held_maximum` are held.
/// `asked` counts those that were fetched. Returns whether it did.
///
/// # Errors
/// If the firmware has put more into the ring than fit.
pub(crate) fn fetch_descriptor(
    ring: &Ring,
    asked: &mut u32,
    held_maximum: usize,
    (tag, bytes): (u64, usize),
    mover: &mut Mover,
) -> Result<bool, String> {
    if let Some(overrun) = ring.overrun() {
        return Err(overrun);
    }
    let held = asked.wrapping_sub(ring.consumer) as usize;
    if !ring.is_enabled || *asked == ring.producer || held >= held_maximum {
        return Ok(false);
    }
    mover.read(tag, ring.slot(*asked, bytes), bytes);
    *asked = asked.wrapping_add(1);
    Ok(true)
}
