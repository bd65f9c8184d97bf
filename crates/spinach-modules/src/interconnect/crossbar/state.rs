//! State of a crossbar: the initiators' outstanding references.

use serde::{Deserialize, Serialize};

use crate::interconnect::routing::{NOWHERE, Order};

// The references that a target has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Target {
    // The initiator that goes first in the next arbitration.
    pub(super) turn: u8,
    // Position in its queue and number of initiators it has yet to answer.
    pub(super) head: u16,
    pub(super) length: u16,
}

/// Outstanding references of initiators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SavedCrossbarState", from = "SavedCrossbarState")]
pub struct CrossbarState {
    pub(super) initiators: Vec<Order>,
    pub(super) targets: Vec<Target>,
    // For each target a ring of initiators in the order of their references.
    pub(super) queues: Vec<u8>,
    // Number of references to nowhere that have yet to be answered.
    pub(super) faults: u32,
}

/// The same with every queue at the beginning of its ring: where it begins has no effect, and depends on how often periods that
/// repeat themselves were skipped.
#[derive(Serialize, Deserialize)]
struct SavedCrossbarState {
    initiators: Vec<Order>,
    targets: Vec<Target>,
    queues: Vec<u8>,
    faults: u32,
}

impl From<CrossbarState> for SavedCrossbarState {
    fn from(state: CrossbarState) -> Self {
        let CrossbarState { initiators, mut targets, mut queues, faults } = state;
        let queue_places = queues.len() / targets.len().max(1);
        for (target, queue) in targets.iter_mut().zip(queues.chunks_exact_mut(queue_places.max(1))) {
            queue.rotate_left(usize::from(std::mem::take(&mut target.head)));
            queue[usize::from(target.length)..].fill(0);
        }
        Self { initiators, targets, queues, faults }
    }
}

impl From<SavedCrossbarState> for CrossbarState {
    fn from(saved: SavedCrossbarState) -> Self {
        let SavedCrossbarState { initiators, targets, queues, faults } = saved;
        Self { initiators, targets, queues, faults }
    }
}

impl CrossbarState {
    // True if initiators and targets agree on outstanding references; the lists must have the right lengths.
    pub(super) fn is_consistent(&self, queue_length: usize, queue_places: usize) -> bool {
        let count_at = |target| -> u32 { self.initiators.iter().map(|order| order.count_at(target)).sum() };
        let agrees = |(target, queue): (&Target, &[u8]), number: u8| {
            let (head, length) = (usize::from(target.head), usize::from(target.length));
            let waits = |initiator: usize| {
                let places = (head..head + length).map(|position| queue[position % queue_places]);
                places.filter(|waiting| usize::from(*waiting) == initiator).count() as u32
            };
            let mut orders = self.initiators.iter().enumerate();
            usize::from(target.turn) < self.initiators.len()
                && head < queue_places
                && length <= queue_length
                && length as u32 == count_at(number)
                && orders.all(|(initiator, order)| waits(initiator) == order.count_at(number))
        };
        let mut targets = self.targets.iter().zip(self.queues.chunks_exact(queue_places)).zip(0..);
        self.faults == count_at(NOWHERE) && targets.all(|(target, number)| agrees(target, number))
    }
}
