//! A crossbar fused with the memories behind it.
//!
//! Nearly all signals between a crossbar and its banks within a cycle follow from the state of either. Together they ask the
//! initiators, choose, and work on the banks; nothing is written to the channels between them.

use std::cell::Cell;

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Output, Signals,
};

use super::choice::Counts;
use super::found::Responses;
use super::{ACCEPT, ACCEPT_RESPONSE, Crossbar, CrossbarPorts, REQUEST, RESPOND};
use crate::bits::ones;
use crate::interconnect::routing::MAXIMUM_TARGETS;
use crate::memory::{MultiportedMemory, MultiportedMemoryPorts};
use crate::values::{Reference, Response};

/// A crossbar and the memories behind it that have a single lane, and a latency, and serve no blocks.
pub(in crate::interconnect) struct BankedCrossbar {
    // The targets that are banks, one bit each, and for each of these its place among them.
    banks: u32,
    places: [u8; MAXIMUM_TARGETS],
    // Banks that answer after one cycle. Such a bank presents the reference it has taken in the next cycle, and takes no more
    // until it is answered: so its presence and its readiness follow from whether an initiator waits for it.
    prompt: u32,
    // By `RESPOND`: the banks that present a response.
    due: Cell<u32>,
}

// Both in one process, where no initiator's request depends on a response of the same cycle.
const RESPOND_AND_REQUEST: u16 = 4;

// Members of `targets` for which the condition holds.
#[inline(always)]
fn those(targets: u32, is: impl Fn(usize) -> bool) -> u32 {
    ones(targets.into()).fold(0, |those, target| those | u32::from(is(target)) << target)
}

impl BankedCrossbar {
    #[inline(always)]
    fn is_bank(&self, target: usize) -> bool {
        self.banks >> target & 1 != 0
    }

    #[inline(always)]
    fn place(&self, target: usize) -> usize {
        usize::from(self.places[target % MAXIMUM_TARGETS])
    }

    #[inline(never)]
    fn respond_and_request(
        &self,
        crossbar: &Crossbar,
        banks: Followers<'_, MultiportedMemory>,
        signals: &mut Signals,
    ) {
        self.respond(crossbar, banks, signals);
        self.request(crossbar, signals);
    }

    #[inline(always)]
    fn respond(&self, crossbar: &Crossbar, banks: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        let waited_for = crossbar.answering;
        let mut presenting = waited_for & self.prompt;
        if waited_for & !self.prompt != 0 {
            presenting |= those(waited_for & !self.prompt, |target| {
                if self.is_bank(target) {
                    banks.at(self.place(target)).is_due()
                } else {
                    signals.is_present(crossbar.ports.target_response[target])
                }
            });
        }
        self.due.set(presenting & self.banks);
        crossbar.respond_from(presenting, &Answering { own: self, crossbar, banks }, signals);
    }

    #[inline(always)]
    fn request(&self, crossbar: &Crossbar, signals: &mut Signals) {
        crossbar.accept_response(signals, !self.banks);
        crossbar.request(signals, !self.banks);
    }

    #[inline(always)]
    fn accept(&self, crossbar: &Crossbar, banks: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        let (offered, answered) = (crossbar.found.offered.get(), crossbar.found.answered.get());
        let mut taken = offered & self.prompt & (answered | !crossbar.answering);
        if offered & !self.prompt != 0 {
            taken |= those(offered & !self.prompt, |target| {
                if self.is_bank(target) {
                    banks.at(self.place(target)).has_room(answered >> target & 1 != 0)
                } else {
                    signals.is_acknowledged(crossbar.ports.target_request[target])
                }
            });
        }
        crossbar.accept_from(taken, signals);
    }

    // Commits banks that refuse a reference, or present responses later than in the next cycle.
    #[inline(never)]
    fn commit_rarely(
        &self,
        refusing: u32,
        waiting: u32,
        mut banks: FollowersMut<'_, MultiportedMemory>,
        edge: &mut FusedEdge<'_>,
    ) {
        for target in ones(refusing.into()) {
            let mut bank = banks.at(self.place(target));
            let (bank, mut edge) = edge.of(&mut bank);
            bank.note_stall(&mut edge);
        }
        let cycle = edge.cycle();
        for target in ones(waiting.into()) {
            banks.at(self.place(target)).module.look_ahead(cycle);
        }
    }
}

// The memories, whether they are banks or not.
struct Answering<'a> {
    own: &'a BankedCrossbar,
    crossbar: &'a Crossbar,
    banks: Followers<'a, MultiportedMemory>,
}

impl Responses for Answering<'_> {
    #[inline(always)]
    fn pass_on(&self, target: usize, output: Output<Response>, signals: &mut Signals) {
        if self.own.is_bank(target) {
            signals.write_if(output, true, self.banks.at(self.own.place(target)).oldest());
        } else {
            signals.copy(self.crossbar.ports.target_response[target], output);
        }
    }
}

impl Fusion for BankedCrossbar {
    type Leader = Crossbar;
    type Follower = MultiportedMemory;
    type Companion = MultiportedMemory;

    const LEADER_PORTS: (usize, usize) = (CrossbarPorts::TARGET_REQUEST, CrossbarPorts::TARGET_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (MultiportedMemoryPorts::PORT_REQUEST, MultiportedMemoryPorts::PORT_RESPONSE);
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn admits(_: &Crossbar, _: usize, bank: &MultiportedMemory) -> bool {
        bank.is_bank()
    }

    fn new(_: &Crossbar, lanes: &[usize], memories: Followers<'_, MultiportedMemory>) -> Self {
        let (mut places, mut banks, mut prompt) = ([0; MAXIMUM_TARGETS], 0, 0);
        for (place, lane) in lanes.iter().enumerate() {
            places[*lane] = place as u8;
            banks |= 1 << lane;
            prompt |= u32::from(memories.at(place).is_prompt()) << lane;
        }
        Self { banks, places, prompt, due: Cell::new(0) }
    }

    fn processes(
        &self,
        _: &Crossbar,
        banks: Followers<'_, MultiportedMemory>,
        finely: bool,
    ) -> Vec<FusedProcess> {
        let of = |own: &[u16], of_bank: Option<u16>| {
            let of_banks = (0..banks.len()).filter_map(|place| Some((Some(place), of_bank?)));
            let parts = of_banks.chain(own.iter().map(|code| (None, *code)));
            let parts = parts.map(|(follower, code)| MemberProcess { follower, code, lane: 0 });
            FusedProcess { code: own[0], parts: parts.collect() }
        };
        let accept = of(&[ACCEPT], Some(MultiportedMemory::ACCEPT));
        if finely {
            let respond = of(&[RESPOND], Some(MultiportedMemory::RESPOND));
            return vec![respond, of(&[REQUEST, ACCEPT_RESPONSE], None), accept];
        }
        let both = of(&[RESPOND, REQUEST, ACCEPT_RESPONSE], Some(MultiportedMemory::RESPOND));
        vec![FusedProcess { code: RESPOND_AND_REQUEST, ..both }, accept]
    }

    #[inline(always)]
    fn evaluate(
        &self,
        code: u16,
        crossbar: &Crossbar,
        banks: Followers<'_, MultiportedMemory>,
        signals: &mut Signals,
    ) {
        match code {
            RESPOND_AND_REQUEST => self.respond_and_request(crossbar, banks, signals),
            RESPOND => self.respond(crossbar, banks, signals),
            REQUEST => self.request(crossbar, signals),
            _ => self.accept(crossbar, banks, signals),
        }
    }

    fn commit(
        &mut self,
        mut crossbar: Member<'_, Crossbar>,
        mut banks: FollowersMut<'_, MultiportedMemory>,
        mut edge: FusedEdge<'_>,
    ) {
        let waiting = crossbar.module.answering;
        let (own, at_crossbar) = edge.of(&mut crossbar);
        own.commit_faults(&at_crossbar);
        let own = &mut *crossbar.module;
        let (answered, taken) = (own.found.answered.get(), own.found.taken.get());
        let refused = own.found.offered.get() & !taken & self.banks;
        for target in ones(answered.into()) {
            own.answer(target);
            if self.is_bank(target) {
                banks.at(self.place(target)).module.end_oldest();
            }
        }
        let mut counts = Counts::default();
        for target in ones(taken.into()) {
            let (initiator, address) = own.found.offer(target);
            own.take(initiator, target);
            let request = own.ports.initiator_request[initiator];
            counts.note(Reference::access_at(edge.signals, request));
            if self.is_bank(target) {
                let mut bank = banks.at(self.place(target));
                let (bank, mut edge) = edge.of(&mut bank);
                bank.perform_asked(request, address, &mut edge);
            }
        }
        let waiting = (waiting | own.answering) & self.banks & !self.prompt;
        if refused | waiting != 0 {
            self.commit_rarely(refused, waiting, banks, &mut edge);
        }
        let (own, mut at_crossbar) = edge.of(&mut crossbar);
        own.count(counts, &mut at_crossbar);
    }

    fn idle(&self, crossbar: &Crossbar, _: Followers<'_, MultiportedMemory>) -> Idle {
        if crossbar.answering & self.banks == 0 { Idle::UntilInput } else { Idle::No }
    }

    fn reveal(&self, crossbar: &Crossbar, banks: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        let (ports, found) = (&crossbar.ports, &crossbar.found);
        for target in ones(self.banks.into()) {
            let is = |targets: &Cell<u32>| targets.get() >> target & 1 != 0;
            let (bank, is_answered) = (banks.at(self.place(target)), is(&found.answered));
            let reference = is(&found.offered).then(|| {
                let (winner, address) = found.offer(target);
                let reference = signals.read(ports.initiator_request[winner]).unwrap_or_default();
                Reference { address, ..reference }
            });
            let has_room = match reference {
                Some(_) => is(&found.taken),
                None => bank.had_room(is_answered),
            };
            let response: Option<Response> = if is(&found.delivering) {
                signals.offered(ports.initiator_response[found.receiver(target)])
            } else {
                is(&self.due).then(|| bank.oldest())
            };
            signals.show_sent(ports.target_request[target], reference, has_room);
            signals.show(ports.target_response[target], response, is_answered);
        }
    }
}
