//! State of the sending half.

use serde::{Deserialize, Serialize};

use super::descriptor::Descriptor;

/// Next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Step {
    #[default]
    Idle,
    ReadsDescriptor,
    ReadsData,
    AwaitsRoom,
    WritesStatus,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sender {
    pub(crate) step: Step,
    /// Pointer of the present descriptor.
    pub(crate) pointer: u64,
    pub(crate) descriptor: Descriptor,
    /// The frame, as far as it was read.
    pub(crate) frame: Vec<u8>,
    /// The last descriptor was done and had no link: the next begins with its link.
    pub(crate) is_at_end: bool,
    /// It stops after the frame at which it is.
    pub(crate) is_stopping: bool,
}

impl Sender {
    pub(crate) fn at(pointer: u64) -> Self {
        Self { pointer, ..Self::default() }
    }

    pub(crate) fn set_pointer(&mut self, pointer: u64) {
        (self.pointer, self.is_at_end) = (pointer, false);
    }

    pub(crate) fn start(&mut self) {
        self.is_stopping = false;
        if self.step == Step::Idle {
            self.step = Step::ReadsDescriptor;
        }
    }

    pub(crate) fn stop(&mut self) {
        self.is_stopping = true;
    }
}
