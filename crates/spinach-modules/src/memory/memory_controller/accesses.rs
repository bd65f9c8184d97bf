//! The accesses that a controller has taken and not yet answered.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::bits::ones;
use crate::values::{BlockResponse, Response};

/// Answer of the memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Reference(Response),
    Block(BlockResponse),
}

/// Identity of an access: its lane, and the number of accesses that lane began before it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct AccessNumber {
    lane: usize,
    number: u64,
}

/// Accesses from being taken until their responses are taken; each lane is answered in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Accesses {
    lanes: Vec<Lane>,
    // Of all lanes together.
    count: usize,
    // The lanes, as bits, with any access; those of them whose oldest answer is presented in the coming cycle.
    waiting: u64,
    presented: u64,
    // Accesses that the memory has yet to answer, in the order of the requests; it has one port for each
    // kind.
    asked_references: VecDeque<AccessNumber>,
    asked_blocks: VecDeque<AccessNumber>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lane {
    // Oldest first.
    waiting: VecDeque<Access>,
    // Number of accesses before these.
    ended: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Access {
    // The cycle from which on the response may be presented; unknown until the memory was asked.
    due: Option<u64>,
    answer: Option<Answer>,
}

impl Accesses {
    pub(super) fn new(lanes: usize) -> Self {
        Self { lanes: vec![Lane::default(); lanes], ..Self::default() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// True if these could be accesses of a controller with `lanes` lanes.
    pub(super) fn fits(&self, lanes: usize) -> bool {
        let mut asked = self.asked_references.iter().chain(&self.asked_blocks);
        let bit = |(lane, it): (usize, &Lane)| u64::from(!it.waiting.is_empty()) << lane;
        self.lanes.len() == lanes
            && asked.all(|access| access.lane < lanes)
            && self.waiting == self.lanes.iter().enumerate().map(bit).sum::<u64>()
            && self.presented & !self.waiting == 0
    }

    /// The lanes, as bits, in which an answer is presented in the coming cycle.
    #[inline]
    pub(super) fn presented(&self) -> u64 {
        self.presented
    }

    /// The oldest answer of `lane`.
    #[inline]
    pub(super) fn oldest(&self, lane: usize) -> Option<&Answer> {
        self.lanes[lane].waiting.front()?.answer.as_ref()
    }

    /// An access of `lane` is taken; returns its number.
    pub(super) fn begin(&mut self, lane: usize) -> AccessNumber {
        self.count += 1;
        let Lane { waiting, ended, .. } = &mut self.lanes[lane];
        let number = *ended + waiting.len() as u64;
        waiting.push_back(Access { due: None, answer: None });
        self.waiting |= 1 << lane;
        AccessNumber { lane, number }
    }

    /// An access is requested from the memory, whose response may be presented from cycle `due` on.
    pub(super) fn ask(&mut self, number: AccessNumber, is_block: bool, due: u64) {
        if let Some(access) = self.find(number) {
            access.due = Some(due);
        }
        let asked = if is_block { &mut self.asked_blocks } else { &mut self.asked_references };
        asked.push_back(number);
    }

    /// The memory answers its oldest request, of the kind of this answer.
    pub(super) fn answer(&mut self, answer: Answer) {
        let asked = match answer {
            Answer::Reference(_) => &mut self.asked_references,
            Answer::Block(_) => &mut self.asked_blocks,
        };
        let number = asked.pop_front();
        if let Some(access) = number.and_then(|number| self.find(number)) {
            access.answer = Some(answer);
        }
    }

    fn find(&mut self, AccessNumber { lane, number }: AccessNumber) -> Option<&mut Access> {
        let Lane { waiting, ended, .. } = &mut self.lanes[lane];
        waiting.get_mut(number.wrapping_sub(*ended) as usize)
    }

    /// The response that `lane` was presented is taken.
    pub(super) fn end(&mut self, lane: usize) {
        let Lane { waiting, ended } = &mut self.lanes[lane];
        self.presented &= !(1 << lane);
        if waiting.pop_front().is_some() {
            *ended += 1;
            self.count -= 1;
            self.waiting &= !(u64::from(waiting.is_empty()) << lane);
        }
    }

    /// Presents the responses that are due in cycle `cycle`.
    #[inline]
    pub(super) fn present(&mut self, cycle: u64) {
        for lane in ones(self.waiting & !self.presented) {
            let is_due =
                |access: &Access| access.answer.is_some() && access.due.is_some_and(|due| due <= cycle);
            let is_presented = self.lanes[lane].waiting.front().is_some_and(is_due);
            self.presented |= u64::from(is_presented) << lane;
        }
    }

    /// The next cycle in which the passing of time alone may let a response be presented.
    pub(super) fn next_due(&self) -> Option<u64> {
        let oldest = ones(self.waiting & !self.presented).filter_map(|lane| self.lanes[lane].waiting.front());
        oldest.filter(|access| access.answer.is_some()).filter_map(|access| access.due).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_holds_presented_answers_of_lanes_that_wait() {
        let mut accesses = Accesses::new(2);
        let number = accesses.begin(1);
        accesses.ask(number, false, 3);
        assert!(accesses.fits(2), "an access is asked");
        accesses.answer(Answer::Reference(Response::default()));
        accesses.present(3);
        assert_eq!(accesses.presented(), 0b10);
        assert!(accesses.fits(2), "an answer is presented");
        assert!(!accesses.fits(1) && !accesses.fits(3), "of another number of lanes");
        assert!(
            !Accesses { presented: 0b11, ..accesses.clone() }.fits(2),
            "presented by a lane that has none"
        );
        assert!(!Accesses { waiting: 0, presented: 0, ..accesses }.fits(2), "waiting, but not said so");
    }
}
