//! What becomes of a core's references in a cycle, however its memories tell.

use spinach_engine::Signals;

use super::interface::PipelinedCorePorts;
use crate::values::Response;

/// What becomes of the fetch stage's reference in a cycle.
#[derive(Clone, Copy)]
pub(super) enum Fetched {
    /// An answer comes: its first 64 bits, and whether nothing answered.
    Answer { data: u64, is_fault: bool },
    /// None comes; whether the reference is taken, if one is presented.
    Nothing { is_taken: bool },
}

/// What becomes of the memory stage's reference in a cycle, and of those before it.
pub(super) trait DataSide: Copy {
    /// Whether a reference is presented.
    fn is_offered(self, ports: &PipelinedCorePorts) -> bool;
    /// Whether it is taken, if one is.
    fn is_taken(self, ports: &PipelinedCorePorts) -> bool;
    /// Whether an answer comes.
    fn is_answered(self, ports: &PipelinedCorePorts) -> bool;
    /// The first 64 bits of the answer that comes.
    fn data(self, ports: &PipelinedCorePorts) -> u64;
    /// Whether what comes says that nothing answers.
    fn is_fault(self, ports: &PipelinedCorePorts) -> bool;
}

/// What the channels say.
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
