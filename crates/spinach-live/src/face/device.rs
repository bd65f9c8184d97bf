//! Common behaviour of faces, and their names and errors.

use std::io;
use std::os::fd::BorrowedFd;

/// Bytes of the longest message that is read from a face.
pub const LONGEST_MESSAGE: usize = 1 << 16;

/// A device through which frames come and go, without their check sequence. Nothing here waits.
pub trait Face: Send {
    /// Puts the next incoming frame into `buffer`, which holds [`LONGEST_MESSAGE`] bytes, and returns its length; nothing if none
    /// waits. A longer frame is truncated.
    ///
    /// # Errors
    /// If the device is gone.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>>;

    /// Passes a frame to the machine.
    ///
    /// # Errors
    /// If the device is gone.
    fn send(&mut self, frame: &[u8]) -> io::Result<Sent>;

    /// Number of frames that the machine dropped before they were read; `None` if unknown.
    fn missed(&self) -> Option<u64> {
        None
    }

    /// Readable when a frame may have come.
    fn readiness(&self) -> BorrowedFd<'_>;
}

/// Fate of a frame that was handed to the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// It took it.
    Taken,
    /// It has no room now.
    Later,
    /// It does not take it, and why.
    Refused(&'static str),
}

/// Why a face cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct FaceError {
    /// Problem, in one line.
    pub message: String,
    /// Instruction that mends the problem.
    pub help: String,
}

impl FaceError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// The longest name that the kernel gives a network device.
const LONGEST_NAME: usize = 15;

pub(super) fn check_name(name: &str) -> Result<(), FaceError> {
    let is_odd = |byte: u8| byte == b'/' || byte == b':' || byte.is_ascii_whitespace() || byte == 0;
    if name.len() > LONGEST_NAME || name.bytes().any(is_odd) || matches!(name, "." | "..") {
        let message = format!("{name:?} cannot be the name of a network device");
        let help = format!("give at most {LONGEST_NAME} bytes, without spaces, slashes and colons");
        return Err(FaceError::new(message, help));
    }
    Ok(())
}

// True for errors of a read or a write that is to be retried later.
pub(super) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        || error.raw_os_error() == Some(nix::libc::ENOBUFS)
}

// Why the kernel does not take a frame, if the device may take others later.
pub(super) fn refusal(error: &io::Error) -> Option<&'static str> {
    match error.raw_os_error()? {
        nix::libc::EIO | nix::libc::ENETDOWN => Some("device_down"),
        nix::libc::EMSGSIZE => Some("longer_than_mtu"),
        nix::libc::EINVAL => Some("malformed"),
        _ => None,
    }
}
