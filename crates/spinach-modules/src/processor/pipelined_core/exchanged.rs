//! Outcome of a core's references in a cycle, for every kind of memory.

use spinach_engine::Signals;
use spinach_isa::word::Word;

use super::interface::PipelinedCorePorts;
use super::state::WordReference;
use crate::values::Response;

/// Outcome of the fetch stage's reference in a cycle.
#[derive(Clone, Copy)]
pub(super) enum Fetched {
    /// An answer comes: its first 64 bits, and whether nothing answered.
    Answer { data: u64, is_fault: bool },
    /// None comes; whether the reference is taken, if one is presented.
    Nothing { is_taken: bool },
}

/// Outcome of the memory stage's reference in a cycle, and of those before it.
pub(super) trait DataSide: Copy {
    /// True if a reference is presented.
    fn is_offered(self, ports: &PipelinedCorePorts) -> bool;
    /// True if the presented reference is taken.
    fn is_taken(self, ports: &PipelinedCorePorts) -> bool;
    /// True if an answer comes.
    fn is_answered(self, ports: &PipelinedCorePorts) -> bool;
    /// The first 64 bits of the answer that comes.
    fn data(self, ports: &PipelinedCorePorts) -> u64;
    /// True if the answer is a bus error.
    fn is_fault(self, ports: &PipelinedCorePorts) -> bool;
}

/// Outcome read from the channels.
#[derive(Clone, Copy)]
pub(super) struct DataChannels<'a> {
    pub(super) signals: &'a Signals,
}

impl DataSide for DataChannels<'_> {
    #[inline(always)]
    fn is_offered(self, ports: &PipelinedCorePorts) -> bool {
        self.signals.is_offered(ports.data_request)
    }

    #[inline(always)]
    fn is_taken(self, ports: &PipelinedCorePorts) -> bool {
        self.signals.is_acknowledged(ports.data_request)
    }

    // Whatever is presented is also acknowledged.
    #[inline(always)]
    fn is_answered(self, ports: &PipelinedCorePorts) -> bool {
        self.signals.is_present(ports.data_response)
    }

    #[inline(always)]
    fn data(self, ports: &PipelinedCorePorts) -> u64 {
        self.signals.word(ports.data_response, 0)
    }

    #[inline(always)]
    fn is_fault(self, ports: &PipelinedCorePorts) -> bool {
        Response::is_fault_at(self.signals, ports.data_response)
    }
}

/// Outcome without channels, in a fusion.
#[derive(Clone, Copy, Default)]
pub(super) struct Exchanged {
    pub(super) is_offered: bool,
    pub(super) is_taken: bool,
    pub(super) is_answered: bool,
    pub(super) is_fault: bool,
    pub(super) data: u64,
}

impl Exchanged {
    /// Writes the reference `presented`, if there was one, and the answer into the channels.
    pub(super) fn show<W: Word>(
        self,
        ports: &PipelinedCorePorts,
        presented: WordReference<W>,
        signals: &mut Signals,
    ) {
        let reference = self.is_offered.then(|| presented.reference());
        signals.show_sent(ports.data_request, reference, self.is_taken);
        let response = Response { data: self.data.into(), is_fault: self.is_fault };
        signals.show(ports.data_response, self.is_answered.then_some(response), true);
    }
}

impl DataSide for Exchanged {
    #[inline(always)]
    fn is_offered(self, _: &PipelinedCorePorts) -> bool {
        self.is_offered
    }

    #[inline(always)]
    fn is_taken(self, _: &PipelinedCorePorts) -> bool {
        self.is_taken
    }

    #[inline(always)]
    fn is_answered(self, _: &PipelinedCorePorts) -> bool {
        self.is_answered
    }

    #[inline(always)]
    fn data(self, _: &PipelinedCorePorts) -> u64 {
        self.data
    }

    #[inline(always)]
    fn is_fault(self, _: &PipelinedCorePorts) -> bool {
        self.is_fault
    }
}

/// Values that would have passed through the channels of a core in the last cycle, if members of its fusion are at their other ends.
#[derive(Clone, Copy, Default)]
pub(super) struct LastCycle<W: Word> {
    /// Address and answer of the fetch.
    pub(super) fetched: Option<(u64, Response)>,
    /// The data reference, if one was presented.
    pub(super) presented: WordReference<W>,
    pub(super) exchanged: Exchanged,
}
