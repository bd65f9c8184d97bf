//! `load_store_unit`: the memory stage of a pipeline, with its store buffer.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use super::accounts::Cause;
use super::control_word::{ACCESS, KIND, PART, SIGN_EXTENDS, SIZE};
use super::decoded::Kind;
use crate::values::{Access, Reference, Response, all_enabled};

parameters! {
    /// What a load-store unit can be told.
    pub struct LoadStoreUnitParameters {
        /// The number of the core, which references carry as their source.
        pub identity: u32 = 0 => in 0..=65535,
        /// How many stores that the memory refused may wait while younger instructions go on.
        pub store_buffer: u32 = 0 => in 0..=64,
    }
}

ports! {
    /// Where a load-store unit is connected.
    pub struct LoadStoreUnitPorts {
        /// References to data.
        pub memory_request: Output<Reference> => bundle "memory.request",
        /// Data.
        pub memory_response: Input<Response> => bundle "memory.response",
        /// The control word of the instruction that enters the unit at the end of the cycle; 0 for none. None may come while
        /// `wait` is not 0.
        pub control: Input<u64>,
        /// The address of that instruction in the upper 32 bits, the address that it refers to in the lower.
        pub address: Input<u64>,
        /// What it stores, the index of a bit, or what the destination of a load holds now.
        pub data: Input<u64>,
        /// Why the instruction in the unit cannot complete in this cycle: 2 it awaits an answer, 3 the memory refuses; 0 if
        /// it can, or if there is none.
        pub wait: Output<u64>,
        /// What the instruction in the unit gives its destination, when it completes. Bit 32: nothing answered.
        pub value: Output<u64>,
        /// Presented when nothing answered a store for which nobody waits: the address of the instruction in the upper 32
        /// bits, the address that it referred to in the lower. The instruction in the unit is dropped.
        pub late_fault: Output<u64>,
    }
}

/// Everything in a load-store unit that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadStoreUnitState {
    operation: Option<Operation>,
    buffer: VecDeque<(u32, Reference)>,
    /// References that the memory has taken and not answered.
    taken: VecDeque<Taken>,
    /// The word that the last `ll` named, while the link holds.
    link: Option<u32>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Operation {
    control: u64,
    pc: u32,
    address: u32,
    data: u32,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Stage {
    ToPresent,
    Taken,
    Done,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Taken {
    pc: u32,
    address: u32,
    is_posted: bool,
    is_dropped: bool,
}

/// What happens in a cycle.
struct Progress {
    wait: Option<Cause>,
    value: u32,
    is_fault: bool,
    late_fault: Option<(u32, u32)>,
}

/// How many references may await their answer.
const MAXIMUM_TAKEN: usize = 8;

/// The memory stage of a pipeline. See its declaration.
pub struct LoadStoreUnit {
    identity: u16,
    depth: usize,
    ports: LoadStoreUnitPorts,
    state: LoadStoreUnitState,
}

const REGISTERED: u16 = 0;

impl Operation {
    fn kind_is(&self, kind: Kind) -> bool {
        KIND.of(self.control) == kind as u32
    }

    fn access(&self) -> Access {
        match ACCESS.of(self.control) {
            0 => Access::Read,
            1 => Access::Write,
            2 => Access::LoadLinked,
            3 => Access::StoreConditional,
            4 => Access::Set,
            _ => Access::Update,
        }
    }

    /// The bytes of the big-endian register value as a memory has them, the first byte lowest.
    fn reference(&self, source: u16) -> Reference {
        let access = self.access();
        let offset = self.address & 3;
        let (address, size, enables, data) = match (access, PART.of(self.control)) {
            (Access::Set | Access::Update, _) => (self.address & !3, 4, 0b1111, self.data),
            (_, 1) => {
                // From the addressed byte to the end of the word come the upper bytes of the register.
                let bytes = self.data.swap_bytes().wrapping_shl(8 * offset);
                (self.address & !3, 4, 0b1111 << offset & 0b1111, bytes)
            }
            (_, 2) => {
                // From the start of the word to the addressed byte come the lower bytes of the register.
                let bytes = self.data.swap_bytes() >> (8 * (3 - offset));
                (self.address & !3, 4, 0b1111 >> (3 - offset), bytes)
            }
            _ => {
                let size = 1 << SIZE.of(self.control);
                let bytes = self.data.swap_bytes() >> (32 - 8 * u32::from(size));
                (self.address, size, all_enabled(size), bytes)
            }
        };
        let lanes =
            (0..4).filter(|byte| enables >> byte & 1 != 0).fold(0, |mask, byte| mask | 0xff << (8 * byte));
        let data = match access {
            Access::Set | Access::Update => data,
            _ if access.writes() => data & lanes,
            _ => 0,
        };
        Reference { address: u64::from(address), access, size, enables, source, data: u128::from(data) }
    }

    /// What the destination gets of `bytes`, which come in memory order.
    fn loaded(&self, bytes: u32) -> u32 {
        let offset = self.address & 3;
        if ACCESS.of(self.control) > 2 {
            return bytes;
        }
        match (PART.of(self.control), SIZE.of(self.control), SIGN_EXTENDS.is_set(self.control)) {
            (1, ..) => {
                let kept = self.data & ((1u64 << (8 * offset)) - 1) as u32;
                bytes.swap_bytes() << (8 * offset) | kept
            }
            (2, ..) => {
                let word = bytes.swap_bytes() >> (8 * (3 - offset));
                let loaded = ((1u64 << (8 * (offset + 1))) - 1) as u32;
                self.data & !loaded | word & loaded
            }
            (_, 0, true) => bytes as u8 as i8 as u32,
            (_, 0, false) => bytes & 0xff,
            (_, 1, true) => (bytes as u16).swap_bytes() as i16 as u32,
            (_, 1, false) => u32::from((bytes as u16).swap_bytes()),
            _ => bytes.swap_bytes(),
        }
    }
}

impl LoadStoreUnit {
    fn presented(&self) -> Option<Reference> {
        let state = &self.state;
        if state.taken.len() >= MAXIMUM_TAKEN {
            return None;
        }
        match (state.buffer.front(), &state.operation) {
            (Some((_, reference)), _) => Some(*reference),
            (None, Some(operation)) if operation.stage == Stage::ToPresent => {
                (!operation.kind_is(Kind::Barrier)).then(|| operation.reference(self.identity))
            }
            _ => None,
        }
    }

    fn progress(&self, was_taken: bool, response: Option<Response>) -> Progress {
        let state = &self.state;
        let mut progress = Progress { wait: None, value: 0, is_fault: false, late_fault: None };
        let leaves_buffer = was_taken && !state.buffer.is_empty();
        let oldest = state.taken.front();
        if let (Some(response), Some(oldest)) = (response, oldest)
            && response.is_fault
            && oldest.is_posted
            && !oldest.is_dropped
        {
            progress.late_fault = Some((oldest.pc, oldest.address));
        }
        let own_is_taken = was_taken && !leaves_buffer;
        // A reference can be answered in the cycle in which it is taken.
        if oldest.is_none() && was_taken && response.is_some_and(|response| response.is_fault) {
            progress.late_fault = match (state.buffer.front(), &state.operation) {
                (Some((pc, reference)), _) => Some((*pc, reference.address as u32)),
                (None, Some(operation)) if operation.kind_is(Kind::Posted) => {
                    Some((operation.pc, operation.reference(self.identity).address as u32))
                }
                _ => None,
            };
        }
        let Some(operation) = &state.operation else { return progress };
        let refused = if self.presented().is_some() { Cause::Conflict } else { Cause::Load };
        let is_taken = operation.stage == Stage::Taken || own_is_taken;
        if operation.stage == Stage::Done {
        } else if operation.kind_is(Kind::Barrier) {
            let left = state.buffer.len() - usize::from(leaves_buffer);
            let under_way = state.taken.len() + usize::from(was_taken) - usize::from(response.is_some());
            progress.wait = (left > 0 || under_way > 0).then_some(refused);
        } else if operation.kind_is(Kind::Posted) {
            let has_room = state.buffer.len() - usize::from(leaves_buffer) < self.depth;
            progress.wait = (!is_taken && !has_room).then_some(refused);
        } else if !is_taken {
            progress.wait = Some(refused);
        } else {
            let older = state.taken.len() - usize::from(operation.stage == Stage::Taken);
            match response.filter(|_| older == 0) {
                Some(response) => {
                    progress.value = operation.loaded(response.data as u32);
                    progress.is_fault = response.is_fault;
                }
                None => progress.wait = Some(Cause::Load),
            }
        }
        progress
    }

    fn observe(&self, signals: &Signals) -> Progress {
        let was_taken = self.presented().is_some() && signals.is_acknowledged(self.ports.memory_request);
        self.progress(was_taken, signals.read(self.ports.memory_response))
    }

    /// Brings the queues up to date.
    fn note(&mut self, was_taken: bool, was_answered: bool) {
        let state = &mut self.state;
        let taken = |pc, address, is_posted| Taken { pc, address, is_posted, is_dropped: false };
        if was_taken {
            if let Some((pc, reference)) = state.buffer.pop_front() {
                state.taken.push_back(taken(pc, reference.address as u32, true));
            } else if let Some(operation) = &mut state.operation {
                let is_posted = operation.kind_is(Kind::Posted);
                let address = operation.reference(0).address as u32;
                state.taken.push_back(taken(operation.pc, address, is_posted));
                operation.stage = if is_posted { Stage::Done } else { Stage::Taken };
            }
        }
        if was_answered {
            state.taken.pop_front();
        }
        if let Some(operation) = &mut state.operation
            && operation.stage == Stage::ToPresent
            && operation.kind_is(Kind::Posted)
            && state.buffer.len() < self.depth
        {
            state.buffer.push_back((operation.pc, operation.reference(self.identity)));
            operation.stage = Stage::Done;
        }
    }

    fn enter(&mut self, control: u64, signals: &Signals) {
        let address = signals.read(self.ports.address).unwrap_or(0);
        let data = signals.read(self.ports.data).unwrap_or(0) as u32;
        let (pc, address) = ((address >> 32) as u32, address as u32);
        let mut operation = Operation { control, pc, address, data, stage: Stage::ToPresent };
        if operation.kind_is(Kind::ExceptionReturn) {
            self.state.link = None;
            return;
        }
        if !operation.kind_is(Kind::Barrier) {
            match operation.access() {
                Access::LoadLinked => self.state.link = Some(address),
                Access::StoreConditional if self.state.link.take() != Some(address) => {
                    operation.stage = Stage::Done;
                }
                _ => {}
            }
        }
        self.state.operation = Some(operation);
    }
}

impl Module for LoadStoreUnit {
    type Parameters = LoadStoreUnitParameters;
    type Ports = LoadStoreUnitPorts;
    type State = LoadStoreUnitState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "load_store_unit",
            family: "processor",
            documentation: "The memory stage of a pipeline.\n\nIt holds one instruction, presents its reference until it is \
                            taken and, if the instruction needs it, waits for the answer. Stores that are refused move \
                            to the store buffer if that has room; all that return something wait until it is empty, a barrier \
                            until everything was answered. An exception return that enters ends the link of `ll`.",
            timing: "The reference is registered. `wait`, `value` and `late_fault` follow the acknowledgement and the response \
                     within the cycle. Inputs are always acknowledged.",
            source: "HPCA 2005, section 4 (the store buffer); Spinach thesis, figure 3.3 (the memory channels)",
            parameters: LoadStoreUnitParameters::declare(),
            ports: LoadStoreUnitPorts::declare(),
            counters: &[("references", "references taken by the memory")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: LoadStoreUnitParameters, ports: LoadStoreUnitPorts) -> Result<Self, String> {
        let state = LoadStoreUnitState {
            operation: None,
            buffer: VecDeque::new(),
            taken: VecDeque::with_capacity(MAXIMUM_TAKEN),
            link: None,
        };
        let LoadStoreUnitParameters { identity, store_buffer } = parameters;
        Ok(Self { identity: identity as u16, depth: store_buffer as usize, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = LoadStoreUnitPorts;
        let inputs = [P::MEMORY_RESPONSE, P::CONTROL, P::ADDRESS, P::DATA];
        vec![
            Process::new(REGISTERED).drives([data(P::MEMORY_REQUEST)]).drives(inputs.map(ack)),
            Process::new(1)
                .drives([P::WAIT, P::VALUE, P::LATE_FAULT].map(data))
                .reads([ack(P::MEMORY_REQUEST), data(P::MEMORY_RESPONSE)]),
        ]
    }

    fn settle(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == REGISTERED {
            signals.write(self.ports.memory_request, self.presented());
            signals.acknowledge(self.ports.memory_response, true);
            for input in [self.ports.control, self.ports.address, self.ports.data] {
                signals.acknowledge(input, true);
            }
            return;
        }
        let progress = self.observe(signals);
        signals.write(self.ports.wait, Some(progress.wait.map_or(0, |cause| cause as u64)));
        signals.write(self.ports.value, Some(u64::from(progress.value) | u64::from(progress.is_fault) << 32));
        let late_fault = progress.late_fault.map(|(pc, address)| u64::from(pc) << 32 | u64::from(address));
        signals.write(self.ports.late_fault, late_fault);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let progress = self.observe(edge.signals);
        let was_taken = edge.signals.is_sent(self.ports.memory_request);
        edge.count(0, u64::from(was_taken));
        self.note(was_taken, edge.signals.is_received(self.ports.memory_response));
        if progress.late_fault.is_some() {
            self.state.operation = None;
            for taken in &mut self.state.taken {
                taken.is_dropped |= !taken.is_posted;
            }
        } else if progress.wait.is_none() {
            self.state.operation = None;
            let control = edge.signals.read(self.ports.control).unwrap_or(0);
            if control != 0 {
                self.enter(control, edge.signals);
            }
        }
    }

    fn state(&self) -> &LoadStoreUnitState {
        &self.state
    }

    fn restore(&mut self, state: LoadStoreUnitState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
