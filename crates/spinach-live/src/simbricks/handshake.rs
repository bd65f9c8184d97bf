//! The beginning of a connection: both sides introduce themselves over a Unix socket, and the listener sends the shared memory.
//!
//! Layouts are those of `lib/simbricks/base/proto.h` of SimBricks, version 1 of the protocol; all numbers are little-endian.

use std::io::{self, ErrorKind, IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::channel::Channel;
use super::queue::{HEADER, Layout, Queue, Shared};
use crate::descriptors::begin;
use crate::door::Door;

const VERSION: u64 = 1;
/// Bytes of the introductions, without those of the upper protocol behind them.
const LISTENER: usize = 80;
const CONNECTER: usize = 32;
/// Bytes of the longest introduction.
const LONGEST: usize = 2048;
const SYNCHRONISES: u64 = 1;
const FORCES: u64 = 2;
/// Slots of each queue that this side makes.
const SLOTS: u64 = 1024;

/// Side of a connection that makes the socket and the memory, or the other one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Makes them.
    Listen,
    /// Finds them.
    Connect,
}

/// Wish for synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Synchronisation {
    /// Never.
    Off,
    /// If the peer requests it, too.
    IfBoth,
    /// Always.
    Required,
}

/// Terms of a connection.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Role of this side.
    pub role: Role,
    /// Socket.
    pub path: PathBuf,
    /// Time from sending a message to its arrival, in picoseconds.
    pub latency: u64,
    /// Maximum time between two messages to the peer, in picoseconds; at most the latency.
    pub interval: u64,
    /// Wish for synchronisation.
    pub synchronisation: Synchronisation,
    /// Wall time for which a peer is awaited that does not listen yet, or does not introduce itself.
    pub patience: Duration,
}

/// The protocol above.
#[derive(Clone, Debug)]
pub(super) struct Upper {
    pub(super) number: u64,
    /// Introduction.
    pub(super) introduction: Vec<u8>,
    /// Bytes of the longest payload.
    pub(super) payload: u64,
}

enum Stage {
    Awaited(Door),
    Unreached,
    Met { stream: UnixStream, own: Option<(Shared, [Layout; 2])> },
}

/// A connection before its handshake is complete.
pub(super) struct Pending {
    terms: Terms,
    stage: Stage,
    deadline: Instant,
    received: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

impl Pending {
    /// Makes the socket, or will look for it.
    pub(super) fn new(terms: Terms) -> io::Result<Self> {
        let stage = match terms.role {
            Role::Listen => Stage::Awaited(Door::listen(&terms.path)?),
            Role::Connect => Stage::Unreached,
        };
        let deadline = Instant::now() + terms.patience;
        Ok(Self { terms, stage, deadline, received: Vec::new(), descriptors: Vec::new() })
    }

    /// Descriptor to wait for, if there is one.
    pub(super) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        match &self.stage {
            Stage::Awaited(door) => Some(door.readiness()),
            Stage::Unreached => None,
            Stage::Met { stream, .. } => Some(stream.as_fd()),
        }
    }

    /// Name of the connection for a user.
    pub(super) fn name(&self) -> String {
        self.terms.path.display().to_string()
    }

    /// Continues the handshake without waiting; the channel, once both sides have introduced themselves.
    pub(super) fn advance(&mut self, upper: &Upper) -> Result<Option<Channel>, String> {
        let name = self.name();
        let failed = |error: io::Error| format!("the SimBricks peer at {name} cannot be reached: {error}");
        match &self.stage {
            Stage::Awaited(door) => {
                let Some(stream) = door.accept().map_err(failed)? else { return Ok(None) };
                self.meet(stream, upper).map_err(failed)?;
            }
            Stage::Unreached => {
                match UnixStream::connect(&self.terms.path) {
                    Ok(stream) => self.meet(stream, upper).map_err(failed)?,
                    // The peer may be about to listen.
                    Err(error)
                        if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
                            && Instant::now() < self.deadline =>
                    {
                        return Ok(None);
                    }
                    Err(error) => return Err(failed(error)),
                }
            }
            Stage::Met { .. } => {}
        }
        self.hear(upper)
    }

    // Introduces this side to a peer.
    fn meet(&mut self, stream: UnixStream, upper: &Upper) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        let flags = match self.terms.synchronisation {
            Synchronisation::Off => 0,
            Synchronisation::IfBoth => SYNCHRONISES,
            Synchronisation::Required => SYNCHRONISES | FORCES,
        };
        self.deadline = Instant::now() + self.terms.patience;
        let own = if self.terms.role == Role::Connect {
            let words = [VERSION, flags, upper.number, CONNECTER as u64];
            (&stream).write_all(&[&bytes_of(&words), &upper.introduction[..]].concat())?;
            None
        } else {
            let slot = HEADER as u64 + upper.payload.next_multiple_of(HEADER as u64);
            let outgoing = Layout { offset: 0, slot, slots: SLOTS };
            let incoming = Layout { offset: SLOTS * slot, slot, slots: SLOTS };
            let (memory, file) = Shared::create(2 * (SLOTS * slot) as usize)?;
            let place = |layout: Layout| [layout.offset, layout.slot, layout.slots];
            let words =
                [&[VERSION, flags][..], &place(outgoing), &place(incoming), &[upper.number, LISTENER as u64]];
            let message = [&bytes_of(&words.concat()), &upper.introduction[..]].concat();
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            let descriptors = [file.as_fd()];
            control.push(SendAncillaryMessage::ScmRights(&descriptors));
            let sent = sendmsg(&stream, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL)?;
            if sent != message.len() {
                return Err(ErrorKind::WriteZero.into());
            }
            Some((memory, [incoming, outgoing]))
        };
        self.stage = Stage::Met { stream, own };
        Ok(())
    }

    // The introduction of the peer, once it is complete.
    fn hear(&mut self, upper: &Upper) -> Result<Option<Channel>, String> {
        let name = self.name();
        let Stage::Met { stream, .. } = &self.stage else { return Ok(None) };
        let mut buffer = [0; LONGEST];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let heard = begin(stream, &mut buffer, &mut space, &mut self.descriptors);
        let heard = heard.map_err(|error| {
            format!("the SimBricks peer at {name} left before it had introduced itself: {error}")
        })?;
        self.received.extend(&buffer[..heard.unwrap_or(0)]);
        let expected = if self.terms.role == Role::Listen { CONNECTER } else { LISTENER };
        if self.received.len() < expected {
            if Instant::now() < self.deadline {
                return Ok(None);
            }
            let patience = self.terms.patience.as_secs_f64();
            return Err(format!(
                "the SimBricks peer at {name} has not introduced itself within {patience} s"
            ));
        }
        let peer = Introduction::of(&self.received, self.terms.role);
        let is_synchronised = self.agree(&peer, upper).map_err(|what| refused(&name, &what))?;
        self.open(&peer, is_synchronised).map(Some).map_err(|what| refused(&name, &what))
    }

    // Returns true if both sides synchronise.
    fn agree(&self, peer: &Introduction, upper: &Upper) -> Result<bool, String> {
        if peer.version != VERSION {
            return Err(format!("it speaks version {} of the protocol, not {VERSION}", peer.version));
        }
        if peer.upper != upper.number {
            let (own, other) = (protocol(upper.number), protocol(peer.upper));
            return Err(format!("it speaks {other}, not {own}"));
        }
        match (self.terms.synchronisation, peer.flags & SYNCHRONISES != 0, peer.flags & FORCES != 0) {
            (Synchronisation::Off, _, true) => {
                Err("it requires synchronisation, which is off here".to_owned())
            }
            (Synchronisation::Required, false, false) => Err("it does not synchronise".to_owned()),
            (Synchronisation::Off, _, false) => Ok(false),
            (_, asks, forces) => Ok(asks || forces),
        }
    }

    fn open(&mut self, peer: &Introduction, is_synchronised: bool) -> Result<Channel, String> {
        let name = self.name();
        let terms = (self.terms.latency, self.terms.interval);
        let Stage::Met { stream, own } = std::mem::replace(&mut self.stage, Stage::Unreached) else {
            return Err("it has not come".to_owned());
        };
        let (memory, [incoming, outgoing]) = match own {
            Some(own) => own,
            None => {
                let file = self.descriptors.pop().ok_or("it sent no shared memory")?;
                let mapped = Shared::map(file);
                (mapped.map_err(|error| format!("its memory cannot be mapped: {error}"))?, peer.layouts)
            }
        };
        let memory = Arc::new(memory);
        let queue = |layout: Layout| {
            let made = Queue::new(memory.clone(), layout);
            let Layout { offset, slot, slots } = layout;
            made.ok_or(format!(
                "a queue of {slots} slots of {slot} bytes at {offset} is not inside of its memory"
            ))
        };
        let queues = (queue(incoming)?, queue(outgoing)?);
        if incoming.overlaps(outgoing) {
            let (one, other) = (incoming.offset, outgoing.offset);
            return Err(format!("its queues at {one} and {other} of its memory overlap"));
        }
        Ok(Channel::new(name, stream, queues, terms, is_synchronised))
    }
}

fn refused(name: &str, what: &str) -> String {
    format!("the SimBricks peer at {name} is refused: {what}")
}

fn protocol(number: u64) -> String {
    match number {
        1 => "Ethernet".to_owned(),
        2 => "PCIe".to_owned(),
        3 => "memory accesses".to_owned(),
        _ => format!("protocol {number}"),
    }
}

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Introduction of a peer.
struct Introduction {
    version: u64,
    flags: u64,
    upper: u64,
    /// Queues of a listener: to this side and from it.
    layouts: [Layout; 2],
}

impl Introduction {
    // Out of bytes that are enough for the other role.
    fn of(bytes: &[u8], role: Role) -> Self {
        let words: Vec<u64> =
            bytes.as_chunks().0.iter().take(LISTENER / 8).map(|word| u64::from_le_bytes(*word)).collect();
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let layout = |at: usize| Layout { offset: word(at), slot: word(at + 1), slots: word(at + 2) };
        let upper = if role == Role::Listen { word(2) } else { word(8) };
        Self { version: word(0), flags: word(1), upper, layouts: [layout(2), layout(5)] }
    }
}
