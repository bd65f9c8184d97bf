//! A cache of instructions whose core acts for it.

use spinach_engine::{Edge, Signals};

use super::{Activity, CacheController};
use crate::values::{Reference, Response};

impl CacheController {
    /// The processes of a cache that answers hits at once: the first if it snoops nothing, else the others.
    pub(crate) const AT_ONCE: [u16; 3] = [super::EVERYTHING, super::RESPOND, super::MEMORY];

    /// Processes writes of others, at the end of a cycle.
    #[inline(always)]
    pub(crate) fn notice_others(&mut self, edge: &mut Edge<'_>) {
        if self.ports.snoop.iter().any(|lane| edge.signals.is_received(*lane)) {
            self.commit_snoops(edge);
        }
    }

    /// True if a reference would be taken.
    #[inline(always)]
    pub(crate) const fn is_free(&self) -> bool {
        self.is_idle()
    }

    /// True if an answer is presented in the coming cycle.
    pub(crate) const fn has_answer(&self) -> bool {
        matches!(self.state.activity, Activity::Answer(_))
    }

    /// Presents the request to the memory.
    #[inline(always)]
    pub(crate) fn ask_memory(&self, signals: &mut Signals) {
        if !signals.are_set(&self.idle_outputs) {
            self.ask_memory_anew(signals);
        }
    }

    #[inline(never)]
    fn ask_memory_anew(&self, signals: &mut Signals) {
        signals.write(self.ports.memory_request, self.wanted());
        if self.is_idle() {
            signals.note_set(&self.idle_outputs);
        }
    }

    /// The word at an aligned address, if it is here; [`Self::note_fetch`] has to follow then.
    #[inline(always)]
    pub(crate) fn fetch(&self, address: u64) -> Option<u32> {
        self.state.lines.word_of_latest(address).or_else(|| self.search(address))
    }

    #[inline(never)]
    fn search(&self, address: u64) -> Option<u32> {
        self.state.lines.word(&self.shape, address)
    }

    /// The word that was looked up is read; the counters are the cache's.
    #[inline(always)]
    pub(crate) fn note_fetch(&mut self, counters: &mut [u64]) {
        counters[super::READ_HITS] += 1;
        self.note_use();
    }

    /// True if writes of other initiators are observed.
    #[inline(always)]
    pub(crate) fn snoops(&self) -> bool {
        !self.ports.snoop.is_empty()
    }

    /// Takes a reference to a word that is not here.
    #[inline(never)]
    pub(crate) fn miss(&mut self, reference: Reference, edge: &mut Edge<'_>) {
        self.idle_outputs.forget();
        self.begin_slowly(reference, None, edge);
    }

    /// Continues the present activity; returns the answer, if one is presented, which is always taken.
    #[inline(never)]
    pub(crate) fn go_on(&mut self, edge: &mut Edge<'_>) -> Option<Response> {
        self.idle_outputs.forget();
        match self.state.activity {
            Activity::Idle => None,
            Activity::Answer(response) => {
                self.state.activity = Activity::Idle;
                Some(response)
            }
            Activity::Fill(fill) => {
                self.commit_fill(fill, edge);
                None
            }
            Activity::Through { reference, is_asked } => {
                self.commit_through(reference, is_asked, edge);
                None
            }
        }
    }
}
