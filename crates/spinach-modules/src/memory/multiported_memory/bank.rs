//! A memory as a bank behind a crossbar that acts for it.

use spinach_engine::{Edge, Input};

use super::{MultiportedMemory, STALLS};
use crate::values::{Reference, Response, WordAccess};

impl MultiportedMemory {
    /// The processes of a bank.
    pub(crate) const RESPOND: u16 = super::RESPOND;
    pub(crate) const ACCEPT: u16 = super::ACCEPT;

    /// True if it has a single lane, whose responses come later than their references, and nothing else.
    pub(crate) fn is_bank(&self) -> bool {
        self.only.is_some() && !self.has_blocks && self.latency > 0
    }

    /// True if a response is presented.
    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.state.only.is_due
    }

    /// The response that is presented, if one is.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> Response {
        self.state.only.oldest
    }

    /// True if a reference is taken, given that the presented response `is_answered` or not.
    #[inline(always)]
    pub(crate) fn has_room(&self, is_answered: bool) -> bool {
        (self.state.only.waiting < self.latency) | is_answered
    }

    /// The same for the last cycle, in which no reference was taken.
    pub(crate) fn had_room(&self, was_answered: bool) -> bool {
        was_answered || self.state.only.waiting < self.latency
    }

    /// True if a reference taken in a cycle is answered in the next, and none is taken until then.
    pub(crate) fn is_prompt(&self) -> bool {
        self.latency == 1
    }

    /// The response that is presented was taken.
    #[inline(always)]
    pub(crate) fn end_oldest(&mut self) {
        self.state.only.pop_if(true);
        self.state.only.is_due = false;
    }

    /// Finds, at the end of cycle `cycle`, the response for the next; a prompt bank knows it.
    #[inline(always)]
    pub(crate) fn look_ahead(&mut self, cycle: u64) {
        self.state.only.look_ahead(cycle);
    }

    /// A reference was refused.
    pub(crate) fn note_stall(&self, edge: &mut Edge<'_>) {
        edge.count(STALLS, 1);
    }

    /// Takes the reference presented at `request`, at another address.
    #[inline(always)]
    pub(crate) fn perform_asked(&mut self, request: Input<Reference>, address: u64, edge: &mut Edge<'_>) {
        let words = edge.signals.words(request);
        let word = Reference::word_access_of(address, words(1), words(2));
        match word.and_then(|word: WordAccess| self.retire_word(word, true, edge.counters)) {
            Some(response) => self.queue_only(response, edge.cycle()),
            None => self.perform_other(request, address, &mut edge.reborrow()),
        }
        self.state.only.is_due |= self.latency == 1;
    }

    #[inline(always)]
    fn queue_only(&mut self, response: Response, cycle: u64) {
        self.state.only.push(response, cycle + u64::from(self.latency));
    }

    #[inline(never)]
    fn perform_other(&mut self, request: Input<Reference>, address: u64, edge: &mut Edge<'_>) {
        let reference = edge.signals.read(request).unwrap_or_default();
        self.retire_any(0, Reference { address, ..reference }, edge);
    }
}
