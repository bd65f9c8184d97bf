//! Values that the processes of a crossbar share within a cycle.

use std::cell::Cell;

use spinach_engine::{Input, Output, Signals};

use crate::interconnect::routing::MAXIMUM_TARGETS;
use crate::values::Response;

// Initiators are numbered by bits of a word.
pub(super) const MAXIMUM_INITIATORS: usize = 64;

// Results of the processes in this cycle, kept for those that follow and for the commit; sets have one bit
// for each member.
//
// It follows from the state and from what the process reads that stores it, so it is neither state nor a hidden input: every
// process declares that it reads what the processes drive whose findings it uses, and so never sees those of another cycle.
pub(super) struct Found {
    // By `RESPOND`: the targets whose responses are delivered, for each of these its initiator, and the initiators with any
    // response.
    pub(super) delivering: Cell<u32>,
    pub(super) receivers: [Cell<u8>; MAXIMUM_TARGETS],
    pub(super) receiving: Cell<u64>,
    // By `ACCEPT_RESPONSE`: the targets whose responses move.
    pub(super) answered: Cell<u32>,
    // By `REQUEST`: the initiators that present anything, and those of them whose reference leads nowhere and may be taken; the
    // targets that are offered a reference, for each of these whose it is, and all of these initiators.
    pub(super) presented: Cell<u64>,
    pub(super) nowhere: Cell<u64>,
    pub(super) offered: Cell<u32>,
    pub(super) winners: [Cell<u8>; MAXIMUM_TARGETS],
    pub(super) winning: Cell<u64>,
    // By `ACCEPT`: the targets that take the offered reference, and the initiators that are refused.
    pub(super) taken: Cell<u32>,
    pub(super) refused: Cell<u64>,
    // By `REQUEST`: the address of the offered initiator's reference in its target.
    pub(super) addresses: [Cell<u64>; MAXIMUM_INITIATORS],
}

impl Default for Found {
    fn default() -> Self {
        Self {
            delivering: Cell::new(0),
            receivers: [const { Cell::new(0) }; _],
            receiving: Cell::new(0),
            answered: Cell::new(0),
            presented: Cell::new(0),
            nowhere: Cell::new(0),
            offered: Cell::new(0),
            winners: [const { Cell::new(0) }; _],
            winning: Cell::new(0),
            taken: Cell::new(0),
            refused: Cell::new(0),
            addresses: [const { Cell::new(0) }; _],
        }
    }
}

impl Found {
    // To whom the response of a target is delivered.
    #[inline(always)]
    pub(super) fn receiver(&self, target: usize) -> usize {
        usize::from(self.receivers[target % MAXIMUM_TARGETS].get())
    }

    // Initiator of the reference that a target is offered, and its address in the target.
    #[inline(always)]
    pub(super) fn offer(&self, target: usize) -> (usize, u64) {
        let winner = usize::from(self.winners[target % MAXIMUM_TARGETS].get());
        (winner, self.addresses[winner % MAXIMUM_INITIATORS].get())
    }
}

// Source of responses.
pub(super) trait Responses {
    // Presents the response of a target.
    fn pass_on(&self, target: usize, output: Output<Response>, signals: &mut Signals);
}

impl Responses for [Input<Response>] {
    #[inline(always)]
    fn pass_on(&self, target: usize, output: Output<Response>, signals: &mut Signals) {
        signals.copy(self[target], output);
    }
}
