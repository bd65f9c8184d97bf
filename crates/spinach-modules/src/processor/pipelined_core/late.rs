//! Loads that go on without their answers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::{Answer, Architecture, RegisterFile};
use spinach_isa::instruction_set::{DecodedInstruction, Direction};

use super::super::data_port::{next_reference, response_value};
use super::super::decoded::{Decoded, Work};
use super::super::program::Slot;
use super::PipelinedCore;
use super::state::{PipelinedState, Place, bit};

/// Loads that have left the memory stage before their answers came.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct LateLoads<A: Architecture> {
    /// Oldest first; answers come in this order.
    pub loads: VecDeque<LateLoad<A>>,
    /// The register and the value that came in this cycle.
    arrived: Option<(u8, A::Word)>,
}

/// One of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct LateLoad<A: Architecture> {
    pub pc: A::Word,
    decoded: Decoded<A>,
    /// What is known of the answer.
    answer: Answer<A::Word>,
    /// The register to write; 0 if a younger instruction has written it.
    destination: u8,
}

impl<A: Architecture> LateLoads<A> {
    pub(super) fn new() -> Self {
        Self { loads: VecDeque::new(), arrived: None }
    }

    /// The registers that wait for an answer.
    pub(super) fn destinations(&self) -> u64 {
        self.loads.iter().fold(0, |all, load| all | bit(load.destination))
    }

    /// A younger instruction writes a register: what these load does not count any more.
    pub(super) fn supersede(&mut self, destination: u8) {
        self.loads
            .iter_mut()
            .filter(|load| load.destination == destination)
            .for_each(|load| load.destination = 0);
    }

    /// The oldest of them that an instruction waits for.
    #[inline]
    pub(super) fn awaited_by(&self, decoded: &Decoded<A>) -> Option<A::Word> {
        if self.loads.is_empty() { None } else { self.search_awaited_by(decoded) }
    }

    #[inline(never)]
    fn search_awaited_by(&self, decoded: &Decoded<A>) -> Option<A::Word> {
        let sources = decoded.instruction().reads().0 & !1;
        self.loads.iter().find(|load| bit(load.destination) & sources != 0).map(|load| load.pc)
    }
}

impl<A: Architecture> PipelinedCore<A> {
    /// Whether an instruction stores a register that a load will write, of more registers than the scoreboard knows of.
    #[inline]
    pub(super) fn stores_awaited(&self, decoded: &Decoded<A>) -> bool {
        let may_store = self.timing.loads_under_way > 0 && decoded.work == Work::Posted;
        may_store && self.state.awaited & decoded.instruction().reads().0 != 0
    }

    /// Lets a load leave the memory stage whose reference was taken and not answered, if it may.
    #[inline(never)]
    pub(super) fn leaves_unanswered(&mut self, place: Place) -> bool {
        let PipelinedState { flights, late, outstanding, program, .. } = &mut self.state;
        let flight = &mut flights[place as usize];
        let Slot { pc, decoded, .. } = flight.slot;
        let behaviour = decoded.instruction().memory();
        let loads = behaviour.is_some_and(|it| it.direction == Direction::Load && !it.linked);
        if !loads || late.loads.len() >= self.timing.loads_under_way as usize {
            return false;
        }
        let (address, part) = (flight.address, flight.part);
        if next_reference(&decoded, address, part + 1, &program.registers, self.settings.identity).is_some() {
            return false;
        }
        let answer = Answer { address, part: part.into(), previous: flight.value, data: A::Word::default() };
        let destination = std::mem::take(&mut flight.destination);
        late.loads.push_back(LateLoad { pc, decoded, answer, destination });
        outstanding.leave_youngest();
        true
    }

    /// Takes the answer to the oldest load that has left.
    #[cold]
    pub(super) fn note_late(&mut self, data: A::Word) {
        let late = &mut self.state.late;
        let load = late.loads.pop_front();
        late.arrived = load.map(|load| {
            let answer = Answer { data, ..load.answer };
            (load.destination, response_value(&load.decoded, &answer))
        });
    }

    /// Gives a register the value that came for it in this cycle.
    #[inline]
    pub(super) fn deliver_late(&mut self, cycle: u64) {
        if let Some((destination, value)) = self.state.late.arrived.take() {
            self.deliver::<false>(destination, value, cycle);
        }
    }

    /// Gives a register the value that was loaded for it.
    #[inline(always)]
    pub(super) fn deliver<const IS_USUAL: bool>(&mut self, destination: u8, value: A::Word, cycle: u64) {
        if destination == 0 {
            return;
        }
        let state = &mut self.state;
        let load_use_delay = if IS_USUAL { 1 } else { self.timing.load_use_delay };
        let register = bit(destination);
        state.program.registers.set_general(destination, value);
        state.awaited &= !register;
        if load_use_delay > 0 {
            state.fresh |= register;
        }
        if load_use_delay > 1 {
            state.cooling |= register;
            *state.ready_at(destination) = cycle + u64::from(load_use_delay);
        }
    }
}
