//! The accesses that a controller has taken and not yet answered.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::values::{BlockResponse, Response};

/// What the memory answered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Reference(Response),
    Block(BlockResponse),
}

/// Accesses from being taken until their responses are taken; each lane is answered in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Accesses {
    // Oldest first.
    entries: VecDeque<Access>,
    next_number: u64,
    // What the memory has yet to answer, in the order in which it was asked; it has one port for each kind.
    asked_references: VecDeque<u64>,
    asked_blocks: VecDeque<u64>,
    // For each lane what is presented in the coming cycle: the answer of its oldest access.
    presented: Vec<Option<Answer>>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Access {
    number: u64,
    lane: usize,
    // The cycle from which on the response may be presented; unknown until the memory was asked.
    due: Option<u64>,
    answer: Option<Answer>,
}

impl Accesses {
    pub(super) fn new(lanes: usize, outstanding: usize) -> Self {
        Self {
            entries: VecDeque::with_capacity(outstanding),
            presented: vec![None; lanes],
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether these could be accesses of a controller with so many lanes.
    pub(super) fn fits(&self, lanes: usize) -> bool {
        self.presented.len() == lanes && self.entries.iter().all(|access| access.lane < lanes)
    }

    pub(super) fn presented(&self, lane: usize) -> Option<Answer> {
        self.presented[lane]
    }

    /// An access of `lane` is taken; returns the number by which it is known.
    pub(super) fn begin(&mut self, lane: usize) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.entries.push_back(Access { number, lane, due: None, answer: None });
        number
    }

    /// The memory is asked for an access, whose response may be presented from cycle `due` on.
    pub(super) fn ask(&mut self, number: u64, is_block: bool, due: u64) {
        if let Some(access) = self.entries.iter_mut().find(|access| access.number == number) {
            access.due = Some(due);
        }
        let asked = if is_block { &mut self.asked_blocks } else { &mut self.asked_references };
        asked.push_back(number);
    }

    /// The memory answers what it was asked first, of the kind of this answer.
    pub(super) fn answer(&mut self, answer: Answer) {
        let asked = match answer {
            Answer::Reference(_) => &mut self.asked_references,
            Answer::Block(_) => &mut self.asked_blocks,
        };
        let number = asked.pop_front();
        if let Some(access) = self.entries.iter_mut().find(|access| Some(access.number) == number) {
            access.answer = Some(answer);
        }
    }

    /// The response that `lane` was presented is taken.
    pub(super) fn end(&mut self, lane: usize) {
        self.presented[lane] = None;
        if let Some(oldest) = self.entries.iter().position(|access| access.lane == lane) {
            self.entries.remove(oldest);
        }
    }

    /// Presents in cycle `cycle` whatever may be presented then.
    pub(super) fn present(&mut self, cycle: u64) {
        for (lane, presented) in self.presented.iter_mut().enumerate() {
            if presented.is_none() {
                let oldest = self.entries.iter().find(|access| access.lane == lane);
                let due = oldest.filter(|access| access.due.is_some_and(|due| due <= cycle));
                *presented = due.and_then(|access| access.answer);
            }
        }
    }

    /// The next cycle in which the passing of time alone may let a response be presented.
    pub(super) fn next_due(&self) -> Option<u64> {
        let answered = self.entries.iter().filter(|access| access.answer.is_some());
        answered.filter(|access| self.presented[access.lane].is_none()).filter_map(|access| access.due).min()
    }
}
