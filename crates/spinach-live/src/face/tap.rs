//! A TAP device: a network interface of the kernel whose other end is this process.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::errno::Errno;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use super::device::{Face, FaceError, Sent, check_name, is_later, refusal};

pub(super) struct Tap {
    device: SyncDevice,
    name: String,
    missed_before: Option<u64>,
}

impl Tap {
    /// Attaches to the device `name`; one that does not exist is made and vanishes with the process. The kernel gives whole frames:
    /// with checksums, and no longer than its MTU allows.
    pub(super) fn open(name: &str) -> Result<Self, FaceError> {
        check_name(name)?;
        let device = DeviceBuilder::new().name(name).layer(Layer::L2).inherit_enable_state().build_sync();
        let device = device.map_err(|error| explained(name, &error))?;
        let opened = device.set_nonblocking(true);
        opened.map_err(|error| explained(name, &error))?;
        Ok(Self { device, name: name.to_owned(), missed_before: missed(name) })
    }
}

// Frames that the kernel had for the device while its queue was full. Nothing if the device has gone to another namespace.
fn missed(name: &str) -> Option<u64> {
    let counter = fs::read_to_string(format!("/sys/class/net/{name}/statistics/tx_dropped")).ok()?;
    counter.trim().parse().ok()
}

fn explained(name: &str, error: &io::Error) -> FaceError {
    let message = format!("cannot attach to the TAP device {name}: {error}");
    let help = match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::EPERM | Errno::EACCES) => {
            format!("run as root, or have it made for you: ip tuntap add {name} mode tap user $USER")
        }
        Some(Errno::EBUSY) => "another process is attached to it; stop that one, or name another".to_owned(),
        Some(Errno::EINVAL) => {
            format!("{name} is not a TAP device; name another, or interface:{name} for a raw socket")
        }
        Some(Errno::ENOENT | Errno::ENODEV | Errno::ENXIO) => {
            "this kernel has no TAP devices: load its module tun".to_owned()
        }
        _ => "name a TAP device, as made by: ip tuntap add NAME mode tap".to_owned(),
    };
    FaceError::new(message, help)
}

impl Face for Tap {
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(length) => Ok(Some(length)),
            // A device that is down gives nothing, and may come up again.
            Err(error) if is_later(&error) || refusal(&error).is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<Sent> {
        match self.device.send(frame) {
            Ok(_) => Ok(Sent::Taken),
            Err(error) if is_later(&error) => Ok(Sent::Later),
            Err(error) => refusal(&error).map(Sent::Refused).ok_or(error),
        }
    }

    fn missed(&self) -> Option<u64> {
        Some(missed(&self.name)?.saturating_sub(self.missed_before?))
    }

    fn readiness(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}
