//! Waiting for one of several devices.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

/// Waits until one of `devices` is readable, for `patience` at most; a signal ends it too.
pub(crate) fn wait<'a>(devices: impl Iterator<Item = BorrowedFd<'a>>, patience: Duration) {
    let mut devices: Vec<PollFd> = devices.map(|device| PollFd::new(device, PollFlags::POLLIN)).collect();
    // The caller looks at the devices afterwards, whether one is ready or the time is up.
    let _ = ppoll(&mut devices, Some(TimeSpec::from_duration(patience)), None);
}
