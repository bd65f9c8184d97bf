//! Interrupts of a vfio-user device: event descriptors of the client for the line and for each vector.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::protocol::Message;

/// Kinds of interrupts.
pub(super) const LINE: u32 = 0;
pub(super) const MESSAGES: u32 = 2;

/// Flags of a command on interrupts: its data, and its action.
const NO_DATA: u32 = 1;
const EVENTS: u32 = 4;
const MASK: u32 = 8;
const UNMASK: u32 = 16;
pub(super) const SET: u32 = 32;
const DATA_TYPES: u32 = 7;

/// A command on interrupts.
#[derive(Debug)]
pub(super) struct Set {
    flags: u32,
    pub(super) kind: u32,
    pub(super) start: u32,
    pub(super) count: u32,
    descriptors: Vec<OwnedFd>,
}

impl Set {
    pub(super) fn of(message: &mut Message) -> Result<Self, Errno> {
        let descriptors = std::mem::take(&mut message.descriptors);
        let (flags, kind) = (message.word(4)?, message.word(8)?);
        Ok(Self { flags, kind, start: message.word(12)?, count: message.word(16)?, descriptors })
    }
}

/// The client's descriptors.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Option<OwnedFd>,
    unmasking: Option<OwnedFd>,
    is_asserted: bool,
    // The line is masked when it has signalled, until the client unmasks it.
    is_masked: bool,
    vectors: Vec<Option<OwnedFd>>,
}

impl Lines {
    pub(super) fn new(vectors: u32) -> Self {
        Self { vectors: (0..vectors).map(|_| None).collect(), ..Self::default() }
    }

    /// Performs a command.
    pub(super) fn set(&mut self, set: Set) -> Result<(), Errno> {
        let Set { flags, kind, start, count, descriptors } = set;
        match (kind, flags & DATA_TYPES, flags & !DATA_TYPES) {
            (LINE | MESSAGES, NO_DATA, SET) if count == 0 => self.release(kind),
            (LINE, EVENTS, SET) => {
                self.line = descriptors.into_iter().next();
                self.is_masked = false;
                self.signal_line().map_err(|_| Errno::IO)?;
            }
            (LINE, NO_DATA, MASK) => self.is_masked = true,
            (LINE, NO_DATA, UNMASK) => self.unmask().map_err(|_| Errno::IO)?,
            (LINE, EVENTS, UNMASK) => self.unmasking = descriptors.into_iter().next(),
            (MESSAGES, EVENTS, SET) => {
                let places = start as usize..(start as usize).saturating_add(count as usize);
                let vectors = self.vectors.get_mut(places).ok_or(Errno::INVAL)?;
                let mut given = descriptors.into_iter();
                vectors.iter_mut().for_each(|vector| *vector = given.next());
            }
            // The client keeps the masks of vectors: a masked vector has no descriptor.
            (MESSAGES, NO_DATA, MASK | UNMASK) => {}
            _ => return Err(Errno::INVAL),
        }
        Ok(())
    }

    fn release(&mut self, kind: u32) {
        if kind == LINE {
            self.line = None;
            self.unmasking = None;
        } else {
            self.vectors.iter_mut().for_each(|vector| *vector = None);
        }
    }

    /// Asserts or releases the line.
    pub(super) fn drive(&mut self, is_asserted: bool) -> io::Result<()> {
        self.is_asserted = is_asserted;
        self.signal_line()
    }

    /// Sends the message of a vector.
    pub(super) fn message(&self, vector: u32) -> io::Result<()> {
        self.vectors.get(vector as usize).and_then(Option::as_ref).map_or(Ok(()), signal)
    }

    /// Unmasks the line if the client has requested this by its descriptor.
    pub(super) fn see_unmasking(&mut self) -> io::Result<()> {
        let Some(unmasking) = &self.unmasking else { return Ok(()) };
        let mut count = [0; 8];
        match rustix::io::read(unmasking, &mut count) {
            Ok(_) => self.unmask(),
            Err(Errno::AGAIN) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn unmask(&mut self) -> io::Result<()> {
        self.is_masked = false;
        self.signal_line()
    }

    fn signal_line(&mut self) -> io::Result<()> {
        if let Some(line) = self.line.as_ref().filter(|_| self.is_asserted && !self.is_masked) {
            signal(line)?;
            self.is_masked = true;
        }
        Ok(())
    }
}

fn signal(event: &OwnedFd) -> io::Result<()> {
    // A full counter is an event that the client has not seen yet.
    match rustix::io::write(event, &1u64.to_ne_bytes()) {
        Ok(_) | Err(Errno::AGAIN) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
