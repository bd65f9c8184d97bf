//! Guests whose PCI device is simulated.
//!
//! Of QEMU 7.2, `x-pci-proxy-dev` carries a guest's accesses, a shared file its memory, and the test socket the interrupts of the device.
//! Later versions and other programs speak vfio-user.

pub(crate) mod function;
mod interrupts;
mod memory;
mod protocol;
mod user;

use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use spinach_modules::bus::guest_messages::{ACCESS, INTERRUPT_ADDRESSES, MEMORY, Said};

pub use self::interrupts::InterruptLine;
pub use self::memory::{Memory, Region};
pub use self::protocol::{Proxy, Request};
pub use self::user::UserGuest;

/// Action of a guest's side on its interrupts.
#[derive(Clone, Debug)]
pub struct InterruptPin {
    /// The test socket of QEMU.
    pub socket: PathBuf,
    /// The interrupt controller among QEMU's objects.
    pub controller: String,
    /// The pin of it.
    pub pin: u32,
}

/// The guest's side of a simulated device.
pub trait Guest: Send {
    /// Readable when the guest has sent a message.
    fn readiness(&self) -> BorrowedFd<'_>;

    /// True if the guest is stopped until the device has answered.
    fn is_waiting(&self) -> bool;

    /// Time since an access of the guest was answered.
    fn since_answer(&self) -> Duration;

    /// Next action of the guest on the device, if any.
    ///
    /// # Errors
    /// If the guest is gone.
    fn take(&mut self) -> io::Result<Option<Inward>>;

    /// Passes a message of the device to the guest; returns the answer of the guest's memory.
    ///
    /// # Errors
    /// If the guest is gone, or the message says nothing.
    fn tell(&mut self, message: &[u8]) -> io::Result<Option<Inward>>;
}

/// A guest of QEMU 7.2.
pub struct ProxyGuest {
    proxy: Proxy,
    pin: InterruptPin,
    // Connected when the device interrupts first: QEMU listens before it begins to run.
    line: Option<InterruptLine>,
    memory: Memory,
    // Accesses that the guest waits for.
    unanswered: u32,
    last_answer: Instant,
}

/// A message for the simulation: the lane, and the content.
pub type Inward = (u32, Vec<u8>);

impl ProxyGuest {
    /// A guest that speaks over `stream`.
    pub fn new(stream: UnixStream, pin: InterruptPin) -> Self {
        Self {
            proxy: Proxy::new(stream),
            pin,
            line: None,
            memory: Memory::default(),
            unanswered: 0,
            last_answer: Instant::now(),
        }
    }

    fn line(&mut self) -> io::Result<&mut InterruptLine> {
        if self.line.is_none() {
            let InterruptPin { socket, controller, pin } = &self.pin;
            self.line = Some(InterruptLine::connect(socket, controller, *pin)?);
        }
        self.line.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl Guest for ProxyGuest {
    fn readiness(&self) -> BorrowedFd<'_> {
        self.proxy.readiness()
    }

    fn is_waiting(&self) -> bool {
        self.unanswered > 0
    }

    fn since_answer(&self) -> Duration {
        self.last_answer.elapsed()
    }

    fn take(&mut self) -> io::Result<Option<Inward>> {
        while let Some(request) = self.proxy.take()? {
            match request {
                Request::MapMemory(regions) => self.memory = Memory::new(regions),
                Request::SetInterrupt => {}
                Request::Impossible => self.proxy.answer(u64::MAX)?,
                Request::Access(access) => {
                    self.unanswered += 1;
                    return Ok(Some((ACCESS, access.to_bytes())));
                }
            }
        }
        Ok(None)
    }

    fn tell(&mut self, message: &[u8]) -> io::Result<Option<Inward>> {
        match Said::from_bytes(message) {
            Some(Said::Done(value)) => {
                self.unanswered = self.unanswered.saturating_sub(1);
                self.proxy.answer(u64::from(value))?;
                self.last_answer = Instant::now();
                Ok(None)
            }
            Some(Said::Read { address, length }) => {
                let read = self.memory.read(address, length as usize);
                Ok(Some((MEMORY, answer(read.as_deref()))))
            }
            Some(Said::Write { address, bytes }) if INTERRUPT_ADDRESSES.contains(&address) => {
                let value: Option<[u8; 4]> = bytes.try_into().ok();
                if let Some(value) = value {
                    self.line()?.send(address, u32::from_le_bytes(value))?;
                }
                Ok(Some((MEMORY, answer(value.map(|_| &[][..])))))
            }
            Some(Said::Write { address, bytes }) => {
                let written = self.memory.write(address, &bytes);
                Ok(Some((MEMORY, answer(written.map(|()| &[][..])))))
            }
            Some(Said::Interrupt(is_asserted)) => {
                self.line()?.set(is_asserted)?;
                Ok(None)
            }
            None => Err(io::Error::other("the device sent an unknown message")),
        }
    }
}

// Encodes a reply: a flag for a valid address, and the bytes read.
fn answer(found: Option<&[u8]>) -> Vec<u8> {
    found.map_or_else(|| vec![0], |bytes| [&[1][..], bytes].concat())
}
