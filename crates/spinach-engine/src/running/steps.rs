//! Steps of the schedule, where they are among the batches, and switching them on and off.

use crate::elaborating::{Action, Step};

/// A step of a schedule, and where it is among the batches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedStep {
    pub(crate) place: Place,
    pub(crate) kind: u32,
    pub(crate) action: Action,
    pub(crate) step: Step,
}

/// Steps of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) word: u32,
    /// Bit of its batch in the word.
    pub(crate) bit: u32,
    pub(crate) steps: u64,
}

impl Place {
    /// Adds these steps to some places, so that each batch has but one there.
    pub(crate) fn join(self, places: &mut Vec<Self>) {
        let is_same_run = |place: &&mut Self| (place.word, place.bit) == (self.word, self.bit);
        match places.iter_mut().find(is_same_run) {
            Some(place) => place.steps |= self.steps,
            None => places.push(self),
        }
    }
}

/// Switches steps on and off.
pub(crate) trait Switches {
    /// Lets steps run.
    fn set(&self, place: Place);
    /// Stops steps from running.
    fn clear(&self, place: Place);
}
