//! The platform's interrupt controller (RISC-V PLIC specification 1.0.0), one context for the supervisor mode of each hart.

use serde::{Deserialize, Serialize};

/// Sources are numbered from 1 on.
pub const SOURCES: usize = 32;
const PENDING: u64 = 0x1000;
const ENABLES: u64 = 0x2000;
const ENABLE_STRIDE: u64 = 0x80;
const CONTEXTS: u64 = 0x20_0000;
const CONTEXT_STRIDE: u64 = 0x1000;
const THRESHOLD: u64 = 0;
const CLAIM: u64 = 4;
const PRIORITY_BITS: u32 = 7;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Context {
    enabled: u32,
    threshold: u32,
}

/// The controller. Lines are levels; a source that was claimed is not offered again before it is completed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InterruptController {
    lines: u32,
    claimed: u32,
    priorities: [u32; SOURCES],
    contexts: Vec<Context>,
}

impl InterruptController {
    /// Controller for `harts` harts.
    pub fn new(harts: usize) -> Self {
        let contexts = vec![Context::default(); harts];
        Self { lines: 0, claimed: 0, priorities: [0; SOURCES], contexts }
    }

    /// True if it is a controller for `harts` harts.
    pub(crate) fn serves(&self, harts: usize) -> bool {
        self.contexts.len() == harts
    }

    /// Sets the level of a source's line.
    pub fn set_line(&mut self, source: usize, is_high: bool) {
        self.lines = self.lines & !(1 << source) | u32::from(is_high) << source;
    }

    fn pending(&self) -> u32 {
        self.lines & !self.claimed & !1
    }

    /// The source that a context would claim: of the highest priority above its threshold, the lowest number.
    fn best(&self, context: &Context) -> Option<usize> {
        let offered = self.pending() & context.enabled;
        let candidates = (1..SOURCES).filter(|source| offered >> source & 1 != 0);
        let above = candidates.filter(|source| self.priorities[*source] > context.threshold);
        above.min_by_key(|source| (u32::MAX - self.priorities[*source], *source))
    }

    /// True if a hart is interrupted.
    pub fn interrupts(&self, hart: usize) -> bool {
        self.best(&self.contexts[hart]).is_some()
    }

    /// Reads the register at an offset. Unassigned offsets read as 0.
    pub fn read(&mut self, offset: u64) -> u32 {
        match offset {
            0..PENDING => self.priorities.get((offset / 4) as usize).copied().unwrap_or(0),
            PENDING => self.pending(),
            _ if offset >= CONTEXTS => {
                let number = ((offset - CONTEXTS) / CONTEXT_STRIDE) as usize;
                let Some(context) = self.contexts.get(number) else { return 0 };
                match offset % CONTEXT_STRIDE {
                    THRESHOLD => context.threshold,
                    CLAIM => {
                        let source = self.best(context).unwrap_or(0);
                        self.claimed |= 1 << source & !1;
                        source as u32
                    }
                    _ => 0,
                }
            }
            _ => self.enables(offset).map_or(0, |enabled| *enabled),
        }
    }

    /// Writes the register at an offset.
    pub fn write(&mut self, offset: u64, value: u32) {
        match offset {
            0..PENDING => {
                if let Some(priority) = self.priorities.get_mut((offset / 4) as usize) {
                    *priority = value & PRIORITY_BITS;
                }
            }
            _ if offset >= CONTEXTS => {
                let number = ((offset - CONTEXTS) / CONTEXT_STRIDE) as usize;
                let Some(context) = self.contexts.get_mut(number) else { return };
                match offset % CONTEXT_STRIDE {
                    THRESHOLD => context.threshold = value & PRIORITY_BITS,
                    // Completion counts only from a context that the source is enabled for.
                    CLAIM if value < 32 && context.enabled >> value & 1 != 0 => self.claimed &= !(1 << value),
                    _ => {}
                }
            }
            _ => {
                if let Some(enabled) = self.enables(offset) {
                    *enabled = value & !1;
                }
            }
        }
    }

    fn enables(&mut self, offset: u64) -> Option<&mut u32> {
        let place = offset.checked_sub(ENABLES)?;
        let is_first_word = place % ENABLE_STRIDE == 0;
        let context = self.contexts.get_mut((place / ENABLE_STRIDE) as usize)?;
        is_first_word.then_some(&mut context.enabled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_offered_until_claimed_and_again_when_completed_while_its_line_is_high() {
        let mut controller = InterruptController::new(2);
        for source in [3, 5] {
            controller.write(4 * source, 1);
        }
        controller.write(ENABLES + ENABLE_STRIDE, 1 << 3 | 1 << 5);
        controller.set_line(5, true);
        assert!(controller.interrupts(1) && !controller.interrupts(0));
        controller.set_line(3, true);
        let claim = CONTEXTS + CONTEXT_STRIDE + CLAIM;
        assert_eq!([controller.read(claim), controller.read(claim), controller.read(claim)], [3, 5, 0]);
        assert!(!controller.interrupts(1));
        controller.write(claim, 3);
        assert_eq!(controller.read(PENDING), 1 << 3);
        controller.set_line(3, false);
        controller.write(claim, 5);
        assert_eq!(controller.read(claim), 5);
    }

    #[test]
    fn the_priority_decides_and_must_exceed_the_threshold() {
        let mut controller = InterruptController::new(1);
        controller.write(4, 2);
        controller.write(8, 3);
        controller.write(ENABLES, 0b110);
        controller.set_line(1, true);
        controller.set_line(2, true);
        controller.write(CONTEXTS, 3);
        assert!(!controller.interrupts(0));
        controller.write(CONTEXTS, 2);
        assert_eq!([controller.read(CONTEXTS + CLAIM), controller.read(CONTEXTS + CLAIM)], [2, 0]);
    }
}
