//! What becomes of a core's references in a cycle, however its memories tell.

use spinach_engine::{Input, Output, Signals};

use crate::values::{Reference, Response};

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
    fn is_offered(self) -> bool;
    /// Whether it is taken, if one is.
    fn is_taken(self) -> bool;
    /// Whether an answer comes.
    fn is_answered(self) -> bool;
    /// The first 64 bits of the answer that comes.
    fn data(self) -> u64;
    /// Whether what comes says that nothing answers.
    fn is_fault(self) -> bool;
}

/// What the channels say.
#[derive(Clone, Copy)]
pub(super) struct DataChannels<'a> {
    pub(super) signals: &'a Signals,
    pub(super) request: Output<Reference>,
    pub(super) response: Input<Response>,
}

impl DataSide for DataChannels<'_> {
    #[inline(always)]
    fn is_offered(self) -> bool {
        self.signals.is_offered(self.request)
    }

    #[inline(always)]
    fn is_taken(self) -> bool {
        self.signals.is_acknowledged(self.request)
    }

    // Whatever is presented is also acknowledged.
    #[inline(always)]
    fn is_answered(self) -> bool {
        self.signals.is_present(self.response)
    }

    #[inline(always)]
    fn data(self) -> u64 {
        self.signals.word(self.response, 0)
    }

    #[inline(always)]
    fn is_fault(self) -> bool {
        Response::is_fault_at(self.signals, self.response)
    }
}
