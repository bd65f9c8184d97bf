//! `fetch_unit`: the state machine that fetches one instruction after another.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{Declaration, Edge, Input, Module, Output, Process, Signals, data, parameters, ports};

use super::super::accounts::Cause;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a fetch unit.
    pub struct FetchUnitParameters {
        /// The number of the core, which references carry as their source.
        pub identity: u32 = 0 => in 0..=65535,
        /// The address of the first instruction.
        pub entry: u32 = 0,
        /// Number of issue slots that an annulled delay slot costs.
        pub annulled_slots: u32 = 1 => in 1..=4,
    }
}

ports! {
    /// Ports of a fetch unit.
    pub struct FetchUnitPorts {
        /// Instruction memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// Command at the end of the cycle. Bits 0 to 31: an address. Bits 32 to 34: 0 nothing; 1 continue at the address after
        /// the delay slot, which has not been taken; 2 the delay slot has been taken, continue at the address and drop the
        /// instructions fetched behind it; 3 annul the delay slot, which has not been taken; 4 a delay slot that had been taken
        /// was annulled; 5 continue at the address and drop everything; 6 fetch everything not issued once more, beginning with
        /// the address if bit 36 is set: it is that of the instruction in decode. Bit 35: decode has room for an instruction.
        pub command: Input<u64>,
        /// Enable of fetching: 0 stops it.
        pub enable: Input<u64>,
        /// The instruction that decode gets if it has room: its address in the upper, itself in the lower 32 bits.
        pub instruction: Output<u64>,
        /// Bit 0: there is an instruction. Bit 1: nothing answered at its address. Bit 2: its address is misaligned.
        pub condition: Output<u64>,
        /// Bits 0 to 31: the address of the instruction that decode gets next. Bits 32 to 34: why decode is empty if it is:
        /// 1 because no instruction had arrived, 4 because of an annulled slot or a wrong path.
        pub status: Output<u64>,
    }
}

/// Everything in a fetch unit that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FetchUnitState {
    pc: u32,
    next: u32,
    is_outstanding: bool,
    discards: bool,
    /// An instruction that was not taken yet: address, word, condition.
    waiting: Option<(u32, u32, u64)>,
    /// Number of further slots in which decode receives nothing.
    held: u32,
    lost_by_pipeline: bool,
}

/// Fetches instructions. See its declaration.
pub struct FetchUnit {
    identity: u16,
    annulled_slots: u32,
    ports: FetchUnitPorts,
    state: FetchUnitState,
}

const REGISTERED: u16 = 0;
const INSTRUCTION: u16 = 1;

/// Bits of `condition`.
const PRESENT: u64 = 1;
const BUS_ERROR: u64 = 2;
const MISALIGNED: u64 = 4;

mod command {
    pub(super) const FOLLOW: u64 = 1;
    pub(super) const FOLLOW_AND_FORGET: u64 = 2;
    pub(super) const ANNUL: u64 = 3;
    pub(super) const ANNULLED: u64 = 4;
    pub(super) const RESTART: u64 = 5;
    pub(super) const AGAIN: u64 = 6;
    pub(super) const HAS_ROOM: u64 = 1 << 35;
    pub(super) const IS_DECODED: u64 = 1 << 36;
}

impl FetchUnit {
    /// The instruction that is there in this cycle.
    fn available(&self, signals: &Signals) -> Option<(u32, u32, u64)> {
        let state = &self.state;
        if state.waiting.is_some() {
            return state.waiting;
        }
        match signals.read(self.ports.memory_response) {
            Some(_) if state.discards => None,
            Some(response) => {
                let condition = if response.is_fault { PRESENT | BUS_ERROR } else { PRESENT };
                Some((state.pc, (response.data as u32).swap_bytes(), condition))
            }
            None if state.pc.is_multiple_of(4) || state.is_outstanding => None,
            None => Some((state.pc, 0, PRESENT | MISALIGNED)),
        }
    }

    fn obey(&mut self, command: u64) {
        let state = &mut self.state;
        let target = command as u32;
        let kind = command >> 32 & 7;
        state.lost_by_pipeline =
            matches!(kind, command::FOLLOW_AND_FORGET | command::RESTART | command::AGAIN);
        match kind {
            command::FOLLOW if state.waiting.is_none() => state.next = target,
            command::FOLLOW => state.go_to(target),
            command::FOLLOW_AND_FORGET => {
                state.forget();
                state.go_to(target);
            }
            command::ANNUL => {
                state.held = self.annulled_slots;
                if state.waiting.take().is_none() {
                    state.discards = state.is_outstanding;
                    state.go_to(state.next);
                }
            }
            command::ANNULLED => state.held = self.annulled_slots - 1,
            command::RESTART => {
                state.forget();
                state.held = 0;
                state.go_to(target);
            }
            command::AGAIN => state.again((command & command::IS_DECODED != 0).then_some(target)),
            _ => {}
        }
    }
}

impl FetchUnitState {
    /// Fetches everything not issued once more, in the same order.
    fn again(&mut self, decoded: Option<u32>) {
        let waiting = self.waiting.map(|(pc, ..)| pc);
        // Only the oldest of these can be a delay slot, so the successor of the second follows it directly.
        let mut unissued = [decoded, waiting, Some(self.pc), Some(self.next)].into_iter().flatten();
        if let (Some(first), Some(second)) = (unissued.next(), unissued.next()) {
            self.forget();
            self.held = 0;
            self.go_to(first);
            self.next = second;
        }
    }

    fn go_to(&mut self, pc: u32) {
        self.pc = pc;
        self.next = pc.wrapping_add(4);
    }

    fn forget(&mut self) {
        self.waiting = None;
        self.discards = self.is_outstanding;
    }
}

impl Module for FetchUnit {
    type Parameters = FetchUnitParameters;
    type Ports = FetchUnitPorts;
    type State = FetchUnitState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "fetch_unit",
            family: "processor",
            documentation: "The fetch stage of a pipeline.\n\nIt presents one reference at a time until it is taken and \
                            answered, and keeps the instruction until decode has room for it. It knows of delay slots: a \
                            branch is followed after the instruction behind it.",
            timing: "The reference and `status` are registered. An instruction is given to decode in the cycle in which it \
                     arrives. Inputs are always acknowledged.",
            source: "Spinach thesis, section 3.2.4, table 3.4 (Fetch Unit)",
            parameters: FetchUnitParameters::declare(),
            ports: FetchUnitPorts::declare(),
            counters: &[("fetches", "references taken by the memory")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FetchUnitParameters, ports: FetchUnitPorts) -> Result<Self, String> {
        let FetchUnitParameters { identity, entry, annulled_slots } = parameters;
        let state = FetchUnitState {
            pc: entry,
            next: entry.wrapping_add(4),
            is_outstanding: false,
            discards: false,
            waiting: None,
            held: 0,
            lost_by_pipeline: false,
        };
        Ok(Self { identity: identity as u16, annulled_slots, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FetchUnitPorts;
        vec![
            Process::new(REGISTERED).drives([data(P::STATUS)]).accepts([
                P::MEMORY_RESPONSE,
                P::COMMAND,
                P::ENABLE,
            ]),
            Process::new(2).drives([data(P::MEMORY_REQUEST)]).reads([data(P::ENABLE)]),
            Process::new(INSTRUCTION)
                .drives([data(P::INSTRUCTION), data(P::CONDITION)])
                .reads([data(P::MEMORY_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let state = &self.state;
        match code {
            REGISTERED => {
                let missing = state.waiting.map_or(state.pc, |(pc, ..)| pc);
                let cause = if state.lost_by_pipeline { Cause::Pipeline } else { Cause::InstructionMiss };
                signals.write(self.ports.status, Some(u64::from(missing) | (cause as u64) << 32));
            }
            INSTRUCTION => {
                let available = self.available(signals).filter(|_| state.held == 0);
                let (pc, word, condition) = available.unwrap_or_default();
                signals.write(self.ports.instruction, Some(u64::from(pc) << 32 | u64::from(word)));
                signals.write(self.ports.condition, Some(condition));
            }
            _ => {
                let is_enabled = signals.read(self.ports.enable).unwrap_or(0) != 0;
                let is_ready = !state.is_outstanding && state.waiting.is_none() && state.pc.is_multiple_of(4);
                let reference =
                    Reference { source: self.identity, ..Reference::read(u64::from(state.pc), 4) };
                signals.write(self.ports.memory_request, (is_ready && is_enabled).then_some(reference));
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let arrived = self.available(edge.signals);
        let state = &mut self.state;
        if edge.signals.is_sent(self.ports.memory_request) {
            state.is_outstanding = true;
            edge.count(0, 1);
        }
        if edge.signals.is_received(self.ports.memory_response) {
            state.is_outstanding = false;
            state.discards = false;
        }
        if state.waiting.is_none() && arrived.is_some() {
            state.waiting = arrived;
            state.go_to(state.next);
        }
        let lost_by_pipeline = state.lost_by_pipeline;
        let command = edge.signals.read(self.ports.command).unwrap_or(0);
        self.obey(command);
        let state = &mut self.state;
        if command & command::HAS_ROOM == 0 {
            state.lost_by_pipeline = lost_by_pipeline;
        } else if state.held > 0 {
            state.held -= 1;
            state.lost_by_pipeline = true;
        } else {
            state.waiting = None;
        }
    }

    fn state(&self) -> &FetchUnitState {
        &self.state
    }

    fn restore(&mut self, state: FetchUnitState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
