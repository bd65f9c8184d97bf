//! Firmware calls of guest software to the simulator's user: regions of interest, checkpoints, the exit status of a program.
//!
//! They are a firmware-specific extension of the supervisor binary interface. Unlike all others, user mode may make them, with the same
//! registers: Linux answers `ENOSYS` where there is no such simulator, so that a program runs everywhere.

/// Number of this implementation of the supervisor binary interface, which the specification's list does not have.
pub(crate) const IMPLEMENTATION: u64 = 0x5350_494e;
/// General register with the number of the extension.
pub(crate) const EXTENSION_REGISTER: usize = 17;
/// Number of the extension: the firmware-specific one of this implementation.
pub const EXTENSION: u64 = 0x0a00_0000 | IMPLEMENTATION & 0xff_ffff;
/// Maximum length of the name of a region, in bytes.
pub const NAME_MAXIMUM_BYTES: usize = 128;
/// Maximum calls kept until they are taken.
pub(crate) const KEPT_MAXIMUM: usize = 1 << 12;

pub(crate) const BEGIN: u64 = 0;
pub(crate) const END: u64 = 1;
pub(crate) const CHECKPOINT: u64 = 2;
pub(crate) const EXIT: u64 = 3;

/// A call of guest software.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// A region of interest begins.
    Begin(String),
    /// The region that began last ends.
    End,
    /// The caller asks for a checkpoint.
    Checkpoint,
    /// The program has ended with this status, and the machine with it.
    Exit(u8),
}

impl Call {
    /// Kind of the call, and the name or the number that comes with it.
    pub fn words(&self) -> (&'static str, String) {
        match self {
            Self::Begin(name) => ("begin", name.clone()),
            Self::End => ("end", String::new()),
            Self::Checkpoint => ("checkpoint", String::new()),
            Self::Exit(status) => ("exit", status.to_string()),
        }
    }
}

/// Reasons why a call is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// The function is unassigned.
    Unknown,
    /// The name is too long or not UTF-8.
    Name,
    /// The caller cannot read the name.
    Address,
    /// Too many calls wait for the user.
    Full,
}
