//! The link between two machines.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::pci::function::Sent;

/// The function on the bus of each machine that the link connects.
pub(crate) const LINKED: usize = 0;

/// Link between two machines. The rate is that of their cards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// Propagation delay from one end to the other, in picoseconds.
    pub latency: u64,
}

/// A frame that has left a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The machine.
    pub from: usize,
    /// Departure of its last bit, in picoseconds.
    pub at: u64,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// Traffic that has left a machine on its link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Carried {
    /// Frames.
    pub frames: u64,
    /// Their bytes, without preamble, check sequence and gap.
    pub bytes: u64,
}

impl Carried {
    pub(crate) fn count(&mut self, frame: &[u8]) {
        self.frames += 1;
        self.bytes += frame.len() as u64;
    }
}

/// One direction of a link.
#[derive(Debug)]
pub(crate) struct Direction {
    from: usize,
    latency: u64,
    pub(crate) carried: Carried,
    /// Frames for the user, if enabled.
    pub(crate) passed: Option<Vec<Passed>>,
}

impl Direction {
    pub(crate) fn new(from: usize, link: Link) -> Self {
        Self { from, latency: link.latency, carried: Carried::default(), passed: None }
    }

    /// Delivers the frames of a step to the machine at its end.
    pub(crate) fn hand_over(&mut self, frames: Vec<Sent>, to: &mut Machine) {
        for sent in frames {
            self.carried.count(&sent.frame);
            if let Some(passed) = &mut self.passed {
                passed.push(Passed { from: self.from, at: sent.ends, frame: sent.frame.clone() });
            }
            to.board.bus.deliver(LINKED, sent.frame, sent.ends + self.latency);
        }
    }
}
