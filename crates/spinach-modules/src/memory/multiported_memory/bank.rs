//! A memory as a bank behind a crossbar that acts for it.

use spinach_engine::{Edge, Input};

use super::{MultiportedMemory, STALLS};
use crate::values::{Reference, Response, WordAccess};

/// What a bank is asked.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// Where the reference is presented.
    pub(crate) request: Input<Reference>,
    /// The address that it has for the bank.
    pub(crate) address: u64,
    /// Whether the bank takes it.
    pub(crate) is_taken: bool,
}

impl MultiportedMemory {
    /// The processes of a bank.
    pub(crate) const RESPOND: u16 = super::RESPOND;
    pub(crate) const ACCEPT: u16 = super::ACCEPT;

    /// Whether there is one lane, whose responses come later than their references, and nothing else.
    pub(crate) fn is_bank(&self) -> bool {
        self.only.is_some() && !self.has_blocks && self.latency > 0
    }

    /// Whether a response is presented.
    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.state.only.is_due
    }

    /// The response that is presented, if one is.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Response {
        self.state.only.oldest
    }

    /// Whether a reference is taken, given whether the response that is presented is.
    #[inline(always)]
    pub(crate) fn has_room(&self, is_answered: bool) -> bool {
        (self.state.only.waiting < self.latency) | is_answered
    }

    /// The same for the last cycle, in which no reference was taken.
    pub(crate) fn had_room(&self, was_answered: bool) -> bool {
        was_answered || self.state.only.waiting < self.latency
    }

    /// What a memory with one lane does at an edge.
    #[inline(always)]
    pub(crate) fn commit_as_bank(&mut self, is_answered: bool, asked: Option<Asked>, edge: &mut Edge<'_>) {
        self.state.only.pop_if(is_answered);
        if let Some(asked) = asked {
            if asked.is_taken {
                self.perform_asked(asked, edge);
            } else {
                edge.count(STALLS, 1);
            }
        }
        self.state.only.look_ahead(edge.cycle());
    }

    #[inline(always)]
    fn perform_asked(&mut self, Asked { request, address, .. }: Asked, edge: &mut Edge<'_>) {
        let word = Reference::of_word_at(edge.signals, request, address);
        match word.and_then(|word: WordAccess| self.retire_word(word, true, edge.counters)) {
            Some(response) => self.queue(0, response, edge.cycle()),
            None => self.perform_other(request, address, &mut edge.reborrow()),
        }
    }

    #[inline(never)]
    fn perform_other(&mut self, request: Input<Reference>, address: u64, edge: &mut Edge<'_>) {
        let reference = edge.signals.read(request).unwrap_or_default();
        self.retire_any(0, Reference { address, ..reference }, edge);
    }
}
