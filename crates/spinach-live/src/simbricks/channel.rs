//! A connection to a peer: messages with timestamps both ways, and synchronisation.

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use super::queue::Queue;

/// Type of a message with only the time of its sender.
const SYNCHRONISATION: u8 = 0;
/// Type of the last message of a sender.
const TERMINATION: u8 = 1;
/// First type of messages with contents.
const FIRST_TYPE: u8 = 0x40;

/// Message to a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Message {
    pub(super) kind: u8,
    /// Fields at the beginning of the header.
    pub(super) fields: Vec<u8>,
    /// Bytes behind the header.
    pub(super) payload: Vec<u8>,
}

/// The next message of a peer.
pub(super) enum Next {
    /// None has come.
    Nothing,
    /// It arrives later, in picoseconds.
    Later(u64),
    /// It is here, of this type, and has contents.
    Here(u8),
}

/// An open connection to a peer. Times are in picoseconds since the handshake.
pub(super) struct Channel {
    /// User's name of the connection.
    pub(super) name: String,
    stream: UnixStream,
    incoming: Queue,
    outgoing: Queue,
    latency: u64,
    interval: u64,
    /// True while both sides wait for each other.
    pub(super) is_synchronised: bool,
    /// True once the peer has announced its end.
    pub(super) is_terminated: bool,
    is_closed: bool,
    // Timestamp of the latest arrival, and time of the latest message.
    arrived: u64,
    sent: Option<u64>,
    // Messages that wait for a slot, with their timestamps.
    unsent: VecDeque<(u64, Message)>,
}

impl Channel {
    pub(super) fn new(
        name: String,
        stream: UnixStream,
        (incoming, outgoing): (Queue, Queue),
        (latency, interval): (u64, u64),
        is_synchronised: bool,
    ) -> Self {
        Self {
            name,
            stream,
            incoming,
            outgoing,
            latency,
            interval: interval.max(1),
            is_synchronised,
            is_terminated: false,
            is_closed: false,
            arrived: 0,
            sent: None,
            unsent: VecDeque::new(),
        }
    }

    /// Maximum bytes behind the headers of messages, of those that come and of those that go.
    pub(super) fn capacities(&self) -> (usize, usize) {
        (self.incoming.capacity(), self.outgoing.capacity())
    }

    /// The incoming queue, whose head [`Self::next`] has found.
    pub(super) fn incoming(&self) -> &Queue {
        &self.incoming
    }

    /// Time of the next message about synchronisation, if no other is sent before.
    pub(super) fn next_synchronisation(&self) -> u64 {
        self.sent.map_or(0, |sent| sent.saturating_add(self.interval))
    }

    /// Sends a message at a time not before that of the last one.
    pub(super) fn send(&mut self, now: u64, message: Message) {
        if self.is_terminated {
            return;
        }
        let now = now.max(self.sent.unwrap_or(0));
        self.sent = Some(now);
        self.unsent.push_back((now.saturating_add(self.latency), message));
        self.flush();
    }

    /// Tells the peer how far this side is, if it is time to do so.
    pub(super) fn synchronise(&mut self, now: u64) {
        if self.is_synchronised && now >= self.next_synchronisation() {
            self.send(now, empty(SYNCHRONISATION));
        }
    }

    /// Tells the peer that this side ends, and the time until which the peer may continue.
    pub(super) fn terminate(&mut self, now: u64) {
        if self.is_synchronised && self.sent.is_none_or(|sent| sent < now) {
            self.send(now, empty(SYNCHRONISATION));
        }
        if !self.is_terminated {
            // The time is the end of time, to which the reference implementation adds the latency.
            self.unsent.push_back((u64::MAX.wrapping_add(self.latency), empty(TERMINATION)));
        }
        self.flush();
    }

    /// Puts messages that wait into slots; true if none is left.
    pub(super) fn flush(&mut self) -> bool {
        while let Some((timestamp, message)) = self.unsent.front() {
            if !self.outgoing.put(message.kind, *timestamp, &message.fields, &message.payload) {
                return false;
            }
            self.unsent.pop_front();
        }
        true
    }

    /// The next message of the peer. Those about synchronisation and the end are taken here.
    pub(super) fn next(&mut self, now: u64) -> Result<Next, String> {
        while !self.is_terminated {
            let Some((kind, timestamp)) = self.incoming.head() else {
                if self.is_closed {
                    return Err(format!("the SimBricks peer at {} is gone without a message", self.name));
                }
                return Ok(Next::Nothing);
            };
            if kind == TERMINATION {
                self.is_terminated = true;
                self.is_synchronised = false;
                self.unsent.clear();
                self.incoming.release();
                continue;
            }
            if self.is_synchronised {
                if timestamp < self.arrived {
                    let before = self.arrived;
                    return Err(self.broken(&format!("timestamp {timestamp} ps after {before} ps")));
                }
                self.arrived = timestamp;
                if timestamp > now {
                    return Ok(Next::Later(timestamp));
                }
            }
            match kind {
                SYNCHRONISATION => self.incoming.release(),
                FIRST_TYPE.. => return Ok(Next::Here(kind)),
                _ => return Err(self.broken(&format!("type {kind:#04x}"))),
            }
        }
        Ok(Next::Nothing)
    }

    /// Releases the slot of the message that [`Self::next`] has found.
    pub(super) fn done(&mut self) {
        self.incoming.release();
    }

    /// Error for a message that the protocol does not allow.
    pub(super) fn broken(&self, what: &str) -> String {
        format!("the SimBricks peer at {} broke the protocol: {what}", self.name)
    }

    /// Sees if the peer has closed its socket, over which nothing else comes after the handshake.
    pub(super) fn look(&mut self) {
        let mut rest = [0; 256];
        let read = (&self.stream).read(&mut rest);
        self.is_closed |= match read {
            Ok(length) => length == 0,
            Err(error) => {
                !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::Interrupted)
            }
        };
    }

    /// Readable when the peer has closed its socket.
    pub(super) fn readiness(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// True if it is known that the peer has closed its socket.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }
}

fn empty(kind: u8) -> Message {
    Message { kind, fields: Vec::new(), payload: Vec::new() }
}
