//! `load_store_unit`: the memory stages of a pipeline, with their store buffer.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use super::super::accounts::Cause;
use super::super::decoded::Kind;
use super::control_word::{ACCESS, KIND, PART, SIGN_EXTENDS, SIZE};
use crate::values::{Access, Reference, Response, all_enabled};

parameters! {
    /// The parameters of a load-store unit.
    pub struct LoadStoreUnitParameters {
        /// The number of the core, which references carry as their source.
        pub identity: u32 = 0 => in 0..=65535,
        /// Number of refused stores that may wait while younger instructions continue.
        pub store_buffer: u32 = 0 => in 0..=64,
        /// Number of stages. With two, the first presents references and the last receives the answers.
        pub stages: u32 = 1 => in 1..=2,
    }
}

ports! {
    /// Ports of a load-store unit.
    pub struct LoadStoreUnitPorts {
        /// Data memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// The control word of the instruction that enters the first stage at the end of the cycle; 0 for none. None may come
        /// while `wait` is not 0.
        pub control: Input<u64>,
        /// The address of that instruction in the upper 32 bits, the address that it refers to in the lower.
        pub address: Input<u64>,
        /// Stored value, the index of a bit, or the present value of a load's destination.
        pub data: Input<u64>,
        /// Why an instruction in the unit cannot move on in this cycle, the oldest that cannot: 2 it awaits an answer, 3 the memory
        /// refuses; 0 if all can, or if there is none.
        pub wait: Output<u64>,
        /// The same for the instruction in the last stage, which completes when it moves on.
        pub wait_last: Output<u64>,
        /// Value of the instruction in the last stage for its destination, when it completes. Bit 32: bus error.
        pub value: Output<u64>,
        /// Presented when a store that no instruction waits for had no answer: the address of the instruction in the upper 32
        /// bits, the address that it referred to in the lower. The instructions in the unit are dropped.
        pub late_fault: Output<u64>,
    }
}

/// Everything in a load-store unit that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadStoreUnitState {
    /// The instructions in the stages, the first first. Without a second stage its place stays empty.
    operations: [Option<Operation>; 2],
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
    /// Answered with this value, or that nothing is there; or no answer is needed.
    Done {
        value: u32,
        is_fault: bool,
    },
}

const NOTHING_AWAITED: Stage = Stage::Done { value: 0, is_fault: false };

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Taken {
    pc: u32,
    address: u32,
    is_posted: bool,
    is_dropped: bool,
}

/// Outcome of a cycle.
struct CycleOutcome {
    wait: Option<Cause>,
    wait_last: Option<Cause>,
    value: u32,
    is_fault: bool,
    late_fault: Option<(u32, u32)>,
}

/// Maximum number of references that await their answer.
const MAXIMUM_TAKEN: usize = 8;

/// The memory stages of a pipeline. See its declaration.
pub struct LoadStoreUnit {
    identity: u16,
    depth: usize,
    last: usize,
    ports: LoadStoreUnitPorts,
    state: LoadStoreUnitState,
}

const REGISTERED: u16 = 0;

impl Operation {
    fn kind_is(&self, kind: Kind) -> bool {
        KIND.of(self.control) == kind as u32
    }

    /// The same in the last stage: the wait of a barrier is over.
    fn past_first_stage(self) -> Self {
        if self.kind_is(Kind::Barrier) { Self { stage: NOTHING_AWAITED, ..self } } else { self }
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

    /// Value of the destination for `bytes`, which come in memory order.
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
        match (state.buffer.front(), &state.operations[0]) {
            (Some((_, reference)), _) => Some(*reference),
            (None, Some(operation)) if operation.stage == Stage::ToPresent => {
                (!operation.kind_is(Kind::Barrier)).then(|| operation.reference(self.identity))
            }
            _ => None,
        }
    }

    /// The reference that is presented, as it is remembered once the memory has taken it.
    fn taking(&self) -> Option<Taken> {
        let taken = |pc, address, is_posted| Taken { pc, address, is_posted, is_dropped: false };
        match (self.state.buffer.front(), &self.state.operations[0]) {
            (Some((pc, reference)), _) => Some(taken(*pc, reference.address as u32, true)),
            (None, Some(operation)) => {
                let address = operation.reference(self.identity).address as u32;
                Some(taken(operation.pc, address, operation.kind_is(Kind::Posted)))
            }
            (None, None) => None,
        }
    }

    /// The reference that a response in this cycle answers: the oldest, which may have been taken in this very cycle.
    fn oldest(&self, was_taken: bool) -> Option<Taken> {
        self.state.taken.front().copied().or_else(|| self.taking().filter(|_| was_taken))
    }

    /// Instruction that a response in this cycle answers: the oldest waiting one, if any.
    fn answered(&self, was_taken: bool) -> Option<usize> {
        let oldest = self.oldest(was_taken)?;
        let waits = |operation: Option<Operation>| operation.is_some_and(|it| it.stage == Stage::Taken);
        let place = if waits(self.state.operations[1]) { 1 } else { 0 };
        (!oldest.is_posted && !oldest.is_dropped).then_some(place)
    }

    fn outcome(&self, was_taken: bool, response: Option<Response>) -> CycleOutcome {
        let state = &self.state;
        let answer = response.and_then(|response| Some((self.answered(was_taken)?, response)));
        let late_fault = self
            .oldest(was_taken)
            .filter(|oldest| oldest.is_posted && response.is_some_and(|response| response.is_fault))
            .map(|oldest| (oldest.pc, oldest.address));
        let wait_last = self.wait_of(self.last, was_taken, answer, response.is_some());
        let wait = wait_last.or_else(|| self.wait_of(0, was_taken, answer, response.is_some()));
        let mut outcome = CycleOutcome { wait, wait_last, value: 0, is_fault: false, late_fault };
        match (&state.operations[self.last], answer) {
            (Some(Operation { stage: Stage::Done { value, is_fault }, .. }), _) => {
                (outcome.value, outcome.is_fault) = (*value, *is_fault);
            }
            (Some(operation), Some((place, response))) if place == self.last => {
                outcome.value = operation.loaded(response.data as u32);
                outcome.is_fault = response.is_fault;
            }
            _ => {}
        }
        outcome
    }

    /// Why the instruction in a stage cannot move on in this cycle.
    fn wait_of(
        &self,
        place: usize,
        was_taken: bool,
        answer: Option<(usize, Response)>,
        was_answered: bool,
    ) -> Option<Cause> {
        let state = &self.state;
        let operation = state.operations[place].as_ref()?;
        let refused = Some(if self.presented().is_some() { Cause::Conflict } else { Cause::Load });
        let leaves_buffer = was_taken && !state.buffer.is_empty();
        let is_answered = answer.is_some_and(|(answered, _)| answered == place);
        let unanswered = if place == self.last && !is_answered { Some(Cause::Load) } else { None };
        match operation.stage {
            Stage::Done { .. } => None,
            Stage::Taken => unanswered,
            Stage::ToPresent if operation.kind_is(Kind::Barrier) => {
                let left = state.buffer.len() - usize::from(leaves_buffer);
                let under_way = state.taken.len() + usize::from(was_taken) - usize::from(was_answered);
                refused.filter(|_| left > 0 || under_way > 0)
            }
            Stage::ToPresent if operation.kind_is(Kind::Posted) => {
                let has_room = state.buffer.len() - usize::from(leaves_buffer) < self.depth;
                refused.filter(|_| (!was_taken || leaves_buffer) && !has_room)
            }
            Stage::ToPresent if was_taken && !leaves_buffer => unanswered,
            Stage::ToPresent => refused,
        }
    }

    fn observe(&self, signals: &Signals) -> CycleOutcome {
        let was_taken = self.presented().is_some() && signals.is_acknowledged(self.ports.memory_request);
        self.outcome(was_taken, signals.read(self.ports.memory_response))
    }

    /// Brings the queues up to date.
    fn note(&mut self, was_taken: bool, response: Option<Response>) {
        let answered = self.answered(was_taken);
        let taking = self.taking().filter(|_| was_taken);
        let state = &mut self.state;
        if let Some(taken) = taking {
            state.taken.push_back(taken);
            if state.buffer.pop_front().is_none()
                && let Some(operation) = &mut state.operations[0]
            {
                operation.stage = if taken.is_posted { NOTHING_AWAITED } else { Stage::Taken };
            }
        }
        if let Some(response) = response {
            state.taken.pop_front();
            if let Some(place) = answered
                && let Some(operation) = &mut state.operations[place]
            {
                let value = operation.loaded(response.data as u32);
                operation.stage = Stage::Done { value, is_fault: response.is_fault };
            }
        }
    }

    /// Lets a store that was refused into the store buffer, if that has room.
    fn post(&mut self) {
        let state = &mut self.state;
        if let Some(operation) = &mut state.operations[0]
            && operation.stage == Stage::ToPresent
            && operation.kind_is(Kind::Posted)
            && state.buffer.len() < self.depth
        {
            state.buffer.push_back((operation.pc, operation.reference(self.identity)));
            operation.stage = NOTHING_AWAITED;
        }
    }

    /// Drops the instructions in the stages. The memory performs references that it has taken.
    fn drop_operations(&mut self) {
        self.state.operations = [None; 2];
        for taken in &mut self.state.taken {
            taken.is_dropped |= !taken.is_posted;
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
                    operation.stage = NOTHING_AWAITED;
                }
                _ => {}
            }
        }
        self.state.operations[0] = Some(operation);
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
            documentation: "The memory stages of a pipeline, one or two.\n\nThe first presents the reference of its instruction until \
                            it is taken, the last waits for the answer if the instruction needs it. Stores that are refused \
                            move to the store buffer if that has room; all that return something wait until it is empty, a \
                            barrier until everything was answered. An exception return that enters ends the link of `ll`. If \
                            nothing answered the instruction that completes, the one behind it is dropped.",
            timing: "The reference is registered. The other outputs follow the acknowledgement and the response within the \
                     cycle. Inputs are always acknowledged.",
            source: "HPCA 2005, section 4 (the store buffer); Spinach thesis, figure 3.3 (the memory channels)",
            parameters: LoadStoreUnitParameters::declare(),
            ports: LoadStoreUnitPorts::declare(),
            counters: &[("references", "references taken by the memory")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: LoadStoreUnitParameters, ports: LoadStoreUnitPorts) -> Result<Self, String> {
        let state = LoadStoreUnitState {
            operations: [None; 2],
            buffer: VecDeque::new(),
            taken: VecDeque::with_capacity(MAXIMUM_TAKEN),
            link: None,
        };
        let LoadStoreUnitParameters { identity, store_buffer, stages } = parameters;
        let last = stages as usize - 1;
        Ok(Self { identity: identity as u16, depth: store_buffer as usize, last, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = LoadStoreUnitPorts;
        let inputs = [P::MEMORY_RESPONSE, P::CONTROL, P::ADDRESS, P::DATA];
        vec![
            Process::new(REGISTERED).drives([data(P::MEMORY_REQUEST)]).accepts(inputs),
            Process::new(1)
                .drives([P::WAIT, P::WAIT_LAST, P::VALUE, P::LATE_FAULT].map(data))
                .reads([ack(P::MEMORY_REQUEST), data(P::MEMORY_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == REGISTERED {
            signals.write(self.ports.memory_request, self.presented());
            return;
        }
        let outcome = self.observe(signals);
        let number = |cause: Option<Cause>| Some(cause.map_or(0, |cause| cause as u64));
        signals.write(self.ports.wait, number(outcome.wait));
        signals.write(self.ports.wait_last, number(outcome.wait_last));
        signals.write(self.ports.value, Some(u64::from(outcome.value) | u64::from(outcome.is_fault) << 32));
        let late_fault = outcome.late_fault.map(|(pc, address)| u64::from(pc) << 32 | u64::from(address));
        signals.write(self.ports.late_fault, late_fault);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let outcome = self.observe(edge.signals);
        let was_taken = edge.signals.is_sent(self.ports.memory_request);
        edge.count(0, u64::from(was_taken));
        self.note(was_taken, edge.signals.received(self.ports.memory_response));
        if outcome.late_fault.is_some() {
            self.drop_operations();
            return;
        }
        self.post();
        if outcome.wait_last.is_none() {
            self.state.operations[self.last] = None;
            if outcome.is_fault {
                self.drop_operations();
                return;
            }
        }
        if outcome.wait.is_none() {
            if self.last == 1 {
                self.state.operations[1] = self.state.operations[0].take().map(Operation::past_first_stage);
            }
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
