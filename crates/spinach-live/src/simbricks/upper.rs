//! Protocols above messages with timestamps.

use spinach_engine::{Simulation, Time};

use super::channel::Message;
use super::handshake::Upper;
use super::queue::Queue;
use crate::live::{Entrance, Passage};

/// A protocol above messages with timestamps, and the receiver of its messages.
pub(super) trait Carrier: Send {
    /// The protocol; `None` while the simulation must run before a peer can be met.
    fn upper(&mut self, simulation: &mut Simulation) -> Result<Option<Upper>, String>;

    /// Sets the maximum bytes of payloads, of those that come and of those that go.
    fn fit(&mut self, incoming: usize, outgoing: usize);

    /// Module and counter of messages at which a run must stop, with the last known count.
    fn stops_at(&self) -> Option<(spinach_engine::ModuleId, &'static str, u64)>;

    /// Messages that have left the simulation, with their times; takes `is_open` for whether a peer is there.
    fn collect(&mut self, simulation: &mut Simulation, is_open: bool)
    -> Result<Vec<(Time, Message)>, String>;

    /// Takes the message at the head of a queue into the simulation. The error describes the violation of the peer.
    fn take(&mut self, simulation: &mut Simulation, kind: u8, queue: &Queue) -> Result<(), String>;

    /// True if the simulation ends with this peer.
    fn is_vital(&self) -> bool;

    /// True if the peer waits for an answer.
    fn is_awaited(&self) -> bool;

    /// Counts of frames, for one that carries frames, with the name of the entrance.
    fn passage(&self) -> Option<(&Entrance, &Passage)>;
}

/// A number at an offset of the fields of a message.
pub(super) fn number(fields: &[u8], at: usize, bytes: usize) -> u64 {
    fields[at..at + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
