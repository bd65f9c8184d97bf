//! Routing of a crossbar within a cycle: requests to targets, and answers to initiators.

use spinach_engine::{Edge, Signals};

use super::found::{MAXIMUM_INITIATORS, Responses};
use super::{ATOMICS, CONFLICTS, COUNTERS, Crossbar, FAULTS, READS, REFERENCES, WRITES};
use crate::bits::ones;
use crate::interconnect::routing::{MAXIMUM_TARGETS, NOWHERE, Order};
use crate::values::{Access, Reference, Response};

impl Crossbar {
    // Delivers the responses of the targets in `presenting`, each of which an initiator waits for.
    #[inline(always)]
    pub(super) fn respond_from(
        &self,
        presenting: u32,
        responses: &(impl Responses + ?Sized),
        signals: &mut Signals,
    ) {
        let (ports, found) = (&self.ports, &self.found);
        let (mut delivering, mut receiving) = (0_u32, 0_u64);
        for target in ones(presenting.into()) {
            let initiator = self.next_of(target);
            // A response waits while its receiver waits for an older one.
            if usize::from(self.state.initiators[initiator].oldest()) != target {
                continue;
            }
            responses.pass_on(target, ports.initiator_response[initiator], signals);
            found.receivers[target % MAXIMUM_TARGETS].set(initiator as u8);
            delivering |= 1 << target;
            receiving |= 1 << initiator;
        }
        if self.state.faults > 0 {
            receiving |= self.deliver_faults(signals);
        }
        signals.clear_other_lanes(&ports.initiator_response, receiving, &self.last_delivered);
        found.delivering.set(delivering);
        found.receiving.set(receiving);
    }

    // To whom faults are delivered.
    #[cold]
    #[inline(never)]
    fn deliver_faults(&self, signals: &mut Signals) -> u64 {
        self.faulted().fold(0, |receiving, initiator| {
            signals.write(self.ports.initiator_response[initiator], Some(Response::FAULT));
            receiving | 1 << initiator
        })
    }

    // Accepts responses, and acknowledges those targets whose bits are set in `told`.
    #[inline(always)]
    pub(super) fn accept_response(&self, signals: &mut Signals, told: u32) {
        let mut answered = 0;
        for target in ones(self.found.delivering.get().into()) {
            let is_taken =
                signals.is_acknowledged(self.ports.initiator_response[self.found.receiver(target)]);
            answered |= u32::from(is_taken) << target;
        }
        self.found.answered.set(answered);
        signals.acknowledge_lanes(&self.ports.target_response, (answered & told).into(), &self.last_answered);
    }

    // Offers references to targets, and presents them to those whose bits are set in `told`.
    #[inline(always)]
    pub(super) fn request(&self, signals: &mut Signals, told: u32) {
        let (ports, found) = (&self.ports, &self.found);
        let receiving = found.receiving.get();
        let presented = signals.lanes_present(&ports.initiator_request);
        let (mut offered, mut winning, mut nowhere) = (0_u32, 0_u64, 0_u64);
        for initiator in ones(presented) {
            let route = self.routes.route(signals, ports.initiator_request[initiator]);
            // An initiator that waits for one response only receives that one.
            let is_answered = receiving >> initiator & 1 != 0;
            if !self.state.initiators[initiator].allows(route.target, is_answered) {
                continue;
            }
            let target = usize::from(route.target);
            let Some(target_state) = self.state.targets.get(target) else {
                nowhere |= 1 << initiator;
                continue;
            };
            if usize::from(target_state.length) >= self.queue_length {
                continue;
            }
            // Initiators come one after the other: the first from the turn on wins, else the very first.
            let winner = &found.winners[target % MAXIMUM_TARGETS];
            let (turn, earlier) = (usize::from(target_state.turn), usize::from(winner.get()));
            if offered >> target & 1 != 0 {
                if earlier >= turn || initiator < turn {
                    continue;
                }
                winning &= !(1 << earlier);
            }
            found.addresses[initiator % MAXIMUM_INITIATORS].set(route.address);
            winner.set(initiator as u8);
            winning |= 1 << initiator;
            offered |= 1 << target;
        }
        for target in ones((offered & told).into()) {
            let (winner, address) = found.offer(target);
            signals.copy_but_first(ports.initiator_request[winner], ports.target_request[target], address);
        }
        signals.clear_other_lanes(&ports.target_request, (offered & told).into(), &self.last_offered);
        found.offered.set(offered);
        found.winning.set(winning);
        found.nowhere.set(nowhere);
        found.presented.set(presented);
    }

    // Accepts references, given which of the targets that are offered one take it.
    #[inline(always)]
    pub(super) fn accept_from(&self, taken: u32, signals: &mut Signals) {
        let found = &self.found;
        let mut accepted = found.winning.get();
        for target in ones((found.offered.get() & !taken).into()) {
            accepted &= !(1 << found.offer(target).0);
        }
        found.taken.set(taken);
        // Lanes without a request are not refused, so that few acknowledgements change.
        let refused = found.presented.get() & !(accepted | found.nowhere.get());
        found.refused.set(refused);
        signals.acknowledge_lanes(&self.ports.initiator_request, !refused, &self.last_accepted);
    }

    // The initiators whose oldest reference led nowhere.
    fn faulted(&self) -> impl Iterator<Item = usize> {
        let is_faulted = |order: &Order| order.outstanding > 0 && order.oldest() == NOWHERE;
        let orders = self.state.initiators.iter().enumerate();
        orders.filter(move |(_, order)| is_faulted(order)).map(|(initiator, _)| initiator)
    }

    // The initiator that `target`, one of those that have yet to answer, answers next.
    #[inline(always)]
    pub(super) fn next_of(&self, target: usize) -> usize {
        usize::from(self.next[target % MAXIMUM_TARGETS])
    }

    // Commits one edge of a crossbar.
    #[inline(always)]
    pub(super) fn commit_cycle(&mut self, edge: &mut Edge<'_>) {
        self.commit_faults(edge);
        for target in ones(self.found.answered.get().into()) {
            self.answer(target);
        }
        let mut counts = Counts::default();
        for target in ones(self.found.taken.get().into()) {
            let initiator = self.found.offer(target).0;
            self.take(initiator, target);
            counts.note(Reference::access_at(edge.signals, self.ports.initiator_request[initiator]));
        }
        self.count(counts, edge);
    }

    // Before anything else: those whose faults are delivered wait no longer.
    #[inline(always)]
    pub(super) fn commit_faults(&mut self, edge: &Edge<'_>) {
        if self.state.faults > 0 {
            self.end_faults(edge);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_faults(&mut self, edge: &Edge<'_>) {
        let is_delivered =
            |initiator: &usize| edge.signals.is_sent(self.ports.initiator_response[*initiator]);
        let delivered =
            self.faulted().filter(is_delivered).fold(0, |faults, initiator| faults | 1 << initiator);
        for initiator in ones(delivered) {
            self.state.initiators[initiator].pop();
            self.state.faults -= 1;
        }
    }

    // `target` took the reference of `initiator`.
    #[inline(always)]
    pub(super) fn take(&mut self, initiator: usize, target: usize) {
        self.state.initiators[initiator].push(target as u8);
        let initiators = self.state.initiators.len();
        let state = &mut self.state.targets[target];
        let position = usize::from(state.head + state.length) & (self.queue_places - 1);
        self.state.queues[target * self.queue_places + position] = initiator as u8;
        if state.length == 0 {
            self.next[target % MAXIMUM_TARGETS] = initiator as u8;
        }
        state.length += 1;
        self.answering |= 1 << target;
        let next = initiator + 1;
        state.turn = if next == initiators { 0 } else { next as u8 };
    }

    // `target` answered the initiator that was next.
    #[inline(always)]
    pub(super) fn answer(&mut self, target: usize) {
        let initiator = self.next_of(target);
        self.state.initiators[initiator].pop();
        let state = &mut self.state.targets[target];
        state.length -= 1;
        state.head = (state.head + 1) & (self.queue_places - 1) as u16;
        if state.length == 0 {
            self.answering &= !(1 << target);
        } else {
            let place = target * self.queue_places + usize::from(state.head);
            self.next[target % MAXIMUM_TARGETS] = self.state.queues[place];
        }
    }

    // Accounts for a cycle, in which these references were taken; those that lead nowhere are now.
    #[inline(always)]
    pub(super) fn count(&mut self, counts: Counts, edge: &mut Edge<'_>) {
        let taken = self.found.taken.get().count_ones();
        if taken != 0 {
            let Counts { writes, atomics } = counts;
            let Some(counters) = edge.counters.first_chunk_mut::<COUNTERS>() else { return };
            counters[REFERENCES] += u64::from(taken);
            counters[READS] += u64::from(taken - writes - atomics);
            counters[WRITES] += u64::from(writes);
            counters[ATOMICS] += u64::from(atomics);
        }
        let (refused, nowhere) = (self.found.refused.get(), self.found.nowhere.get());
        if refused | nowhere != 0 {
            edge.count(CONFLICTS, refused.count_ones().into());
            self.take_nowhere(nowhere, edge);
        }
    }

    // The references of the `initiators`, one bit each, were taken, and nothing answers to them.
    #[inline(never)]
    fn take_nowhere(&mut self, initiators: u64, edge: &mut Edge<'_>) {
        for initiator in ones(initiators) {
            self.state.initiators[initiator].push(NOWHERE);
        }
        let count = initiators.count_ones();
        self.state.faults += count;
        edge.count(FAULTS, count.into());
        edge.count(REFERENCES, count.into());
    }
}

// Numbers of writes and atomic references among those taken in a cycle.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    writes: u32,
    atomics: u32,
}

impl Counts {
    #[inline(always)]
    pub(super) fn note(&mut self, access: Access) {
        self.writes += u32::from(access == Access::Write);
        self.atomics += u32::from(!matches!(access, Access::Read | Access::Write));
    }
}
