//! A target of the memory protocol for aligned lines of 16 bytes, as a `Mover` of that width reads and writes them.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{Edge, Input, OrUnconnected, Output, Signals};

use crate::values::{Access, Reference, Response};

/// Maximum number of waiting answers; two keep the port at one reference a cycle with both sides registered.
const ANSWERS: usize = 2;

/// A request for a line, and for the words of it that are enabled.
pub(crate) struct Line {
    /// The first byte, as the initiator names it.
    pub(crate) address: u64,
    /// The data of a write, with its enables.
    pub(crate) write: Option<(u128, u16)>,
}

impl Line {
    /// Words of a write that are enabled, each with its address.
    pub(crate) fn words(&self) -> impl Iterator<Item = (u64, u32)> {
        let (data, enables) = self.write.unwrap_or_default();
        let address = self.address;
        let enabled = move |word: &u64| enables >> (4 * word) & 0xf == 0xf;
        (0..4).filter(enabled).map(move |word| (address + 4 * word, (data >> (32 * word)) as u32))
    }
}

/// A line made of the words at `address` and behind it.
pub(crate) fn line_of(address: u64, mut word_at: impl FnMut(u64) -> u32) -> u128 {
    (0..4).fold(0, |line, word| line | u128::from(word_at(address + 4 * word)) << (32 * word))
}

/// Target for lines: takes one reference a cycle and presents the answer in the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinePort {
    answers: VecDeque<Response>,
}

impl LinePort {
    pub(crate) fn evaluate(
        &self,
        request: &OrUnconnected<Input<Reference>>,
        response: &OrUnconnected<Output<Response>>,
        signals: &mut Signals,
    ) {
        if request.is_connected && response.is_connected {
            signals.write(response.port, self.answers.front().copied());
            signals.acknowledge(request.port, self.answers.len() < ANSWERS);
        }
    }

    /// Takes a request, if one comes, which has to be answered in this cycle; wrong ones are answered by a fault.
    pub(crate) fn take(
        &mut self,
        request: &OrUnconnected<Input<Reference>>,
        response: &OrUnconnected<Output<Response>>,
        edge: &Edge<'_>,
    ) -> Option<Line> {
        if !request.is_connected || !response.is_connected {
            return None;
        }
        if edge.signals.is_sent(response.port) {
            self.answers.pop_front();
        }
        let Reference { address, access, size, enables, data, .. } = edge.signals.received(request.port)?;
        let write = match access {
            Access::Read => None,
            _ => Some((data, enables)),
        };
        let is_right =
            size == 16 && address.is_multiple_of(16) && matches!(access, Access::Read | Access::Write);
        if !is_right {
            self.answers.push_back(Response::FAULT);
        }
        is_right.then_some(Line { address, write })
    }

    /// Answers a request, by a fault if there is no such line.
    pub(crate) fn answer(&mut self, line: Option<u128>) {
        let answer = line.map(|data| Response { data, is_fault: false });
        self.answers.push_back(answer.unwrap_or(Response::FAULT));
    }

    /// True if no answer waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}
