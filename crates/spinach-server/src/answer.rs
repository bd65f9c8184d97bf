//! Answers of firmware to calls of supervisor mode (RISC-V Supervisor Binary Interface 1.0, chapter 3).

/// Standard errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Error {
    NotSupported = -2,
    InvalidParameter = -3,
    InvalidAddress = -5,
    AlreadyAvailable = -6,
    AlreadyStarted = -7,
    AlreadyStopped = -8,
    NoResources = -14,
}

/// Value that a call returns.
pub(crate) type Answer = Result<u64, Error>;
