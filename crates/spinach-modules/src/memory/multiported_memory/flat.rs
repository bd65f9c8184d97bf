//! A memory that answers in the cycle in which it is asked, and whose core acts for it.

use spinach_engine::{Input, Output, Signals};

use super::{FAULTS, MultiportedMemory, READ_BYTES, READS};
use crate::values::{Reference, Response, WordAccess};

impl MultiportedMemory {
    /// The processes of each lane of a memory without latency.
    pub(crate) const AT_ONCE: [u16; 2] = [super::RESPOND_AT_ONCE, super::ACCEPT_AT_ONCE];
    /// The process that reports.
    pub(crate) const REPORT: u16 = super::REPORT;

    /// True if it has no latency, and nothing but two lanes.
    pub(crate) fn is_flat(&self) -> bool {
        self.lanes.len() == 2
            && !self.has_blocks
            && self.latency == 0
            && self.watch.is_empty()
            && !self.reports()
    }

    /// True if it has no latency, and nothing but one lane.
    pub(crate) fn is_flat_for_one(&self) -> bool {
        self.only.is_some() && !self.has_blocks && self.latency == 0 && self.watch.is_empty()
    }

    /// True if references beyond the first copy are reported.
    pub(crate) fn reports(&self) -> bool {
        self.beyond.is_connected
    }

    /// True if there was such a reference in the last cycle.
    #[inline(always)]
    pub(crate) fn is_beyond(&self) -> bool {
        self.state.is_beyond
    }

    /// Begins the commit of a cycle.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        if self.state.is_beyond {
            self.note_beyond(false);
        }
    }

    pub(super) fn note_beyond(&mut self, is_beyond: bool) {
        self.state.is_beyond = is_beyond;
        self.reported.forget();
    }

    /// Presents the report on the last cycle.
    #[inline(always)]
    pub(crate) fn report(&self, signals: &mut Signals) {
        if !signals.are_set_already(&self.reported) {
            signals.write(self.beyond.port, self.state.is_beyond.then_some(1));
        }
    }

    /// The lane that these lead to.
    pub(crate) fn lane_between(&self, request: Output<Reference>, response: Input<Response>) -> Option<u32> {
        let is_between = |lane: &super::lane::LanePorts| {
            request.leads_to(lane.request) && lane.response.leads_to(response)
        };
        u32::try_from(self.lanes.iter().position(is_between)?).ok()
    }

    /// True if an answer is on its way.
    #[inline(always)]
    pub(crate) fn is_waited_for(&self) -> bool {
        self.state.lanes.iter().any(|lane| lane.waiting > 0)
    }

    /// Reads the word at an aligned address, before the writes of this cycle.
    #[inline(always)]
    pub(crate) fn read_word_at_once(&mut self, address: u64, counters: &mut [u64]) -> Response {
        match self.word_at(address) {
            Some(word) => {
                Self::count_words(1, counters);
                Response { data: word.into(), is_fault: false }
            }
            None => self.perform_at_once(Reference::read(address, 4), counters),
        }
    }

    /// The word at an aligned address, if it is inside; [`Self::count_words`] counts it.
    #[inline(always)]
    pub(crate) fn word_at(&self, address: u64) -> Option<u32> {
        self.state.storage.word(self.offsets.of_first(address))
    }

    /// Counts words that were read.
    #[inline(always)]
    pub(crate) fn count_words(words: u64, counters: &mut [u64]) {
        counters[READS] += words;
        counters[READ_BYTES] += 4 * words;
    }

    /// Reads or writes a word.
    #[inline(always)]
    pub(crate) fn perform_word_at_once(&mut self, word: WordAccess, counters: &mut [u64]) -> Response {
        let WordAccess { address, writes, word: data } = word;
        match self.count_word(word, counters) {
            Some(response) => response,
            None if writes => self.perform_at_once(Reference::write(address, 4, data.into()), counters),
            None => self.perform_at_once(Reference::read(address, 4), counters),
        }
    }

    /// Reads or writes, if anything answers there.
    #[inline(never)]
    pub(crate) fn perform_at_once(&mut self, reference: Reference, counters: &mut [u64]) -> Response {
        let response = self.perform(reference, counters);
        if response.is_none() {
            counters[FAULTS] += 1;
        }
        response.unwrap_or(Response::FAULT)
    }
}
