//! A crossbar and the memories behind it, as one.
//!
//! Nearly everything that a crossbar and its banks tell each other within a cycle either of them knows already. Together they ask the
//! initiators, choose, and work on the banks; nothing is written to the channels between them.

use std::cell::Cell;

use spinach_engine::{
    Followers, FollowersMut, FusedEdge, FusedProcess, Fusion, Idle, Member, MemberProcess, Signals,
};

use super::{ACCEPT, ACCEPT_RESPONSE, Crossbar, CrossbarPorts, REQUEST, RESPOND};
use crate::bits::ones;
use crate::interconnect::routing::MAXIMUM_TARGETS;
use crate::memory::{Asked, MultiportedMemory, MultiportedMemoryPorts};
use crate::values::{Reference, Response};

/// A crossbar and the memories behind it that have a single lane, and a latency, and serve no blocks.
pub(in crate::interconnect) struct BankedCrossbar {
    // The targets that are banks, one bit each, and for each of these its place among them.
    banks: u32,
    places: [u8; MAXIMUM_TARGETS],
    // By `RESPOND`: the banks that present a response.
    due: Cell<u32>,
}

impl BankedCrossbar {
    #[inline(always)]
    fn is_bank(&self, target: usize) -> bool {
        self.banks >> target & 1 != 0
    }

    #[inline(always)]
    fn place(&self, target: usize) -> usize {
        usize::from(self.places[target])
    }

    #[inline(never)]
    fn respond(&self, crossbar: &Crossbar, banks: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        let mut due = 0;
        crossbar.respond_from(
            signals,
            |target, signals| {
                if self.is_bank(target) {
                    let is_due = banks.at(self.place(target)).is_due();
                    due |= u32::from(is_due) << target;
                    is_due
                } else {
                    signals.is_present(crossbar.ports.target_response[target])
                }
            },
            |target, output, signals| {
                if self.is_bank(target) {
                    signals.write_if(output, true, banks.at(self.place(target)).oldest());
                } else {
                    signals.copy(crossbar.ports.target_response[target], output);
                }
            },
        );
        self.due.set(due);
    }

    #[inline(never)]
    fn accept(&self, crossbar: &Crossbar, banks: Followers<'_, MultiportedMemory>, signals: &mut Signals) {
        let answered = crossbar.found.answered.get();
        crossbar.accept_from(signals, |target, signals| {
            if self.is_bank(target) {
                banks.at(self.place(target)).has_room(answered >> target & 1 != 0)
            } else {
                signals.is_acknowledged(crossbar.ports.target_request[target])
            }
        });
    }
}

impl Fusion for BankedCrossbar {
    type Leader = Crossbar;
    type Follower = MultiportedMemory;

    const LEADER_PORTS: (usize, usize) = (CrossbarPorts::TARGET_REQUEST, CrossbarPorts::TARGET_RESPONSE);
    const FOLLOWER_PORTS: (usize, usize) =
        (MultiportedMemoryPorts::PORT_REQUEST, MultiportedMemoryPorts::PORT_RESPONSE);
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn admits(_: &Crossbar, _: usize, bank: &MultiportedMemory) -> bool {
        bank.is_bank()
    }

    fn new(_: &Crossbar, lanes: &[usize], _: Followers<'_, MultiportedMemory>) -> Self {
        let mut places = [0; MAXIMUM_TARGETS];
        lanes.iter().zip(0..).for_each(|(lane, place)| places[*lane] = place);
        let banks = lanes.iter().fold(0, |banks, lane| banks | 1 << lane);
        Self { banks, places, due: Cell::new(0) }
    }

    fn processes(&self, _: &Crossbar, banks: Followers<'_, MultiportedMemory>) -> Vec<FusedProcess> {
        let of = |own: &[u16], of_bank: Option<u16>| {
            let of_banks = (0..banks.len()).filter_map(|place| Some((Some(place), of_bank?)));
            let parts = of_banks.chain(own.iter().map(|code| (None, *code)));
            let parts = parts.map(|(follower, code)| MemberProcess { follower, code, lane: 0 });
            FusedProcess { code: own[0], parts: parts.collect() }
        };
        vec![
            of(&[RESPOND], Some(MultiportedMemory::RESPOND)),
            of(&[REQUEST, ACCEPT_RESPONSE], None),
            of(&[ACCEPT], Some(MultiportedMemory::ACCEPT)),
        ]
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
            RESPOND => self.respond(crossbar, banks, signals),
            REQUEST => {
                crossbar.accept_response(signals, !self.banks);
                crossbar.request(signals, !self.banks);
            }
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
        let (own, mut at_crossbar) = edge.of(&mut crossbar);
        own.commit_cycle(&mut at_crossbar);
        // A bank that nobody waited for, and nobody waits for now, has done nothing.
        let (own, found) = (&*crossbar.module, &crossbar.module.found);
        for target in ones(((waiting | own.answering) & self.banks).into()) {
            let is = |targets: &Cell<u32>| targets.get() >> target & 1 != 0;
            let asked = is(&found.offered).then(|| {
                let winner = usize::from(found.winners[target].get());
                let (request, address) = (own.ports.initiator_request[winner], found.addresses[winner].get());
                Asked { request, address, is_taken: is(&found.taken) }
            });
            let mut bank = banks.at(self.place(target));
            let (bank, mut edge) = edge.of(&mut bank);
            bank.commit_as_bank(is(&found.answered), asked, &mut edge);
        }
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
                let winner = usize::from(found.winners[target].get());
                let reference = signals.read(ports.initiator_request[winner]).unwrap_or_default();
                Reference { address: found.addresses[winner].get(), ..reference }
            });
            let has_room = match reference {
                Some(_) => is(&found.taken),
                None => bank.had_room(is_answered),
            };
            let response: Option<Response> = if is(&found.delivering) {
                signals.offered(ports.initiator_response[usize::from(found.receivers[target].get())])
            } else {
                is(&self.due).then(|| bank.oldest())
            };
            signals.show_sent(ports.target_request[target], reference, has_room);
            signals.show(ports.target_response[target], response, is_answered);
        }
    }
}
