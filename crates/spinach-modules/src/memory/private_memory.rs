//! `private_memory`: the scratch pad next to a core, and the ways to everything else.

mod for_core;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Contents, Declaration, Edge, Idle, Input, LastLanes, Module, OrUnconnected, Output, Process, Signals,
    Size, ack, data, parameters, ports,
};

pub(crate) use self::for_core::{Moved, SideOutcome};
use super::storage::{Storage, mask_of};
use crate::values::{Access, Reference, Response};

parameters! {
    /// The parameters of a private memory.
    pub struct PrivateMemoryParameters {
        /// Size of the scratch pad, in bytes.
        pub size: Size => in 1..=1 << 30,
        /// The address of its first byte.
        pub base: u64 = 0,
        /// The address of the first register.
        pub registers_base: u64 = 0,
        /// Size of the registers, in bytes.
        pub registers_size: Size = Size(0),
        /// Size of the memory beyond, in bytes, from address 0 on; references elsewhere are answered with a fault.
        pub beyond_size: Size => in 1..=1 << 40,
        /// The first address of a window onto the memory beyond, for data: an address in it goes to itself less the word that came
        /// last through `relocation`, of which the bits in `window_mask` count.
        pub window_base: u64 = 0,
        /// Size of the window, in bytes.
        pub window_size: Size = Size(0),
        /// See `window_base`.
        pub window_mask: u64 = u64::MAX,
    }
}

ports! {
    /// Ports of a private memory.
    pub struct PrivateMemoryPorts {
        /// Instructions, for the core.
        pub instructions: { request: Input<Reference>, response: Output<Response> },
        /// Data, for the core.
        pub data: { request: Input<Reference>, response: Output<Response> },
        /// Instructions behind this memory.
        pub instructions_beyond: { request: Output<Reference>, response: Input<Response> },
        /// Registers.
        pub registers: { request: Output<Reference>, response: Input<Response> },
        /// Data behind this memory.
        pub data_beyond: { request: Output<Reference>, response: Input<Response> },
        /// Target address of the window; the low 32 bits count.
        pub relocation: OrUnconnected<Input<u64>>,
    }
}

/// Target that answers a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum Target {
    #[default]
    Own,
    Registers,
    Beyond,
    Nowhere,
}

// Targets of the presented references that may pass.
#[derive(Clone, Copy, Default)]
struct Targets {
    instruction: Option<Target>,
    data: Option<Target>,
}

/// The references on one side that were passed on and not answered; all of them are at one target.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Waiting {
    count: u32,
    target: Target,
}

/// State of a private memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PrivateMemoryState {
    storage: Storage,
    instructions: Waiting,
    data: Waiting,
    relocation: u64,
}

/// Memory next to a core. See its declaration.
pub struct PrivateMemory {
    parameters: PrivateMemoryParameters,
    ports: PrivateMemoryPorts,
    state: PrivateMemoryState,
    // Ways of forwarded references, by number, and of their answers.
    ways: [Output<Reference>; 3],
    answers: [Input<Response>; 3],
    // Result of `FORWARD`, for all that comes after it.
    targets: Cell<Targets>,
    // True if an instruction was refused in the last cycle because data took the port, and if anything moved
    // then.
    conflicts: bool,
    has_moved: bool,
    last_taken: LastLanes,
    last_heard: LastLanes,
}

// The ways, as bits.
const INSTRUCTIONS_WAY: u64 = 1;
const REGISTERS_WAY: u64 = 2;
const DATA_WAY: u64 = 4;

const FORWARD: u16 = 0;
const RESPOND: u16 = 1;

const FETCHES: usize = 0;
const READS: usize = 1;
const WRITES: usize = 2;
const CONFLICTS: usize = 3;
const FETCHES_BEYOND: usize = 4;
const REGISTERS: usize = 5;
const DATA_BEYOND: usize = 6;
const FAULTS: usize = 7;

impl Module for PrivateMemory {
    type Parameters = PrivateMemoryParameters;
    type Ports = PrivateMemoryPorts;
    type State = PrivateMemoryState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "private_memory",
            family: "memory",
            documentation: "The private memory of a core: its scratch pad, and the paths to other memories.\n\nThe scratch pad \
                            contains instructions and data and has one port: in a cycle in which data uses it, an instruction is \
                            refused. Other references pass to the registers or to the memory behind it; data references within a \
                            window pass with another address. Each side is answered in the order of its references, so one to \
                            another target waits until all before it are answered. The scratch pad serves reads and writes only. From outside, \
                            it is addressed from 0 on.",
            timing: "Combinational both ways: the scratch pad answers in the cycle of the reference, and so may the target that a reference is \
                     passed on to.",
            source: "Spinach thesis, sections 2.1.2 (scratch pads with one port) and 3.3.1, figure 3.2 (Scratch Pad Filter and scratch \
                     pad memory)",
            parameters: PrivateMemoryParameters::declare(),
            ports: PrivateMemoryPorts::declare(),
            counters: &[
                ("fetches", "instructions that the scratch pad gave"),
                ("reads", "data that the scratch pad gave"),
                ("writes", "data that the scratch pad took"),
                ("conflicts", "cycles in which an instruction was refused because data took the port"),
                ("fetches_beyond", "instructions asked of the memory beyond"),
                ("register_references", "references to registers"),
                ("data_beyond", "references of data to the memory beyond"),
                ("faults", "references that nothing answers"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PrivateMemoryParameters, ports: PrivateMemoryPorts) -> Result<Self, String> {
        let Size(size) = parameters.size;
        let storage = Storage::new(
            usize::try_from(size).map_err(|_| format!("{size} bytes are more than this machine can hold"))?,
        );
        let state = PrivateMemoryState { storage, ..PrivateMemoryState::default() };
        let ways = [ports.instructions_beyond_request, ports.registers_request, ports.data_beyond_request];
        let answers =
            [ports.instructions_beyond_response, ports.registers_response, ports.data_beyond_response];
        Ok(Self {
            parameters,
            ports,
            state,
            ways,
            answers,
            targets: Cell::default(),
            conflicts: false,
            has_moved: false,
            last_taken: LastLanes::default(),
            last_heard: LastLanes::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PrivateMemoryPorts;
        let requests = [data(P::INSTRUCTIONS_REQUEST), data(P::DATA_REQUEST)];
        let passed = [P::INSTRUCTIONS_BEYOND_REQUEST, P::REGISTERS_REQUEST, P::DATA_BEYOND_REQUEST];
        let answers = [P::INSTRUCTIONS_BEYOND_RESPONSE, P::REGISTERS_RESPONSE, P::DATA_BEYOND_RESPONSE];
        let heard = [ack(P::INSTRUCTIONS_RESPONSE), ack(P::DATA_RESPONSE)];
        // Two processes, where finer dependencies would take four: no request of a core depends on a response of the same cycle.
        let mut forward = Process::new(FORWARD)
            .drives(passed.map(data))
            .drives(answers.map(ack))
            .reads(requests)
            .reads(heard);
        if self.ports.relocation.is_connected {
            forward = forward.accepts([P::RELOCATION]);
        }
        let respond = Process::new(RESPOND)
            .drives([data(P::INSTRUCTIONS_RESPONSE), data(P::DATA_RESPONSE)])
            .drives([ack(P::INSTRUCTIONS_REQUEST), ack(P::DATA_REQUEST)])
            .reads(requests)
            // It comes after `FORWARD`, for where references go.
            .reads(passed.map(data))
            .reads(passed.map(ack))
            .reads(answers.map(data))
            .reads(heard);
        vec![forward, respond]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == FORWARD { self.forward(signals) } else { self.respond(signals) }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (ports, signals) = (&self.ports, edge.signals);
        let moved = Moved {
            takes_instruction: signals.is_received(ports.instructions_request),
            gives_instruction: signals.is_sent(ports.instructions_response),
            takes_data: signals.is_received(ports.data_request),
            gives_data: signals.is_sent(ports.data_response),
        };
        let (instruction, data) = (ports.instructions_request, ports.data_request);
        let asked = address_at(instruction, signals);
        self.commit_moved(moved, asked, || signals.read(data).unwrap_or_default(), edge);
    }

    fn idle(&self) -> Idle {
        if self.has_moved { Idle::No } else { Idle::UntilTransfer }
    }

    // The reason of a refusal stays the same, cycle by cycle, until something moves.
    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[CONFLICTS] += u64::from(self.conflicts) * count;
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &PrivateMemoryState {
        &self.state
    }

    fn restore(&mut self, state: PrivateMemoryState) -> Result<(), String> {
        if state.storage.len() != self.state.storage.len() {
            return Err("the saved private memory has another size".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl Waiting {
    // True if a reference to `target` may pass.
    #[inline]
    fn allows(self, target: Target) -> bool {
        self.count == 0 || matches!(target, Target::Registers | Target::Beyond) && self.target == target
    }

    // Side that answers next: that of the earlier request, else that of the present one.
    #[inline]
    fn answering(self, asked: Option<Target>) -> Option<Target> {
        if self.count > 0 { Some(self.target) } else { asked }
    }

    #[inline]
    fn note(&mut self, asked: Option<Target>, is_answered: bool) {
        if let Some(target) = asked {
            self.target = target;
        }
        self.count = (self.count + u32::from(asked.is_some())).saturating_sub(u32::from(is_answered));
    }
}

impl PrivateMemory {
    #[inline]
    fn target(&self, address: u64) -> Target {
        let parameters = &self.parameters;
        let is_in = |base: u64, size: u64| address.wrapping_sub(base) < size;
        if is_in(parameters.base, parameters.size.0) {
            Target::Own
        } else if is_in(parameters.registers_base, parameters.registers_size.0) {
            Target::Registers
        } else if address < parameters.beyond_size.0
            || is_in(parameters.window_base, parameters.window_size.0)
        {
            Target::Beyond
        } else {
            Target::Nowhere
        }
    }

    // Target of the data reference to an address, if one is presented and may pass.
    #[inline]
    fn data_target(&self, address: Option<u64>) -> Option<Target> {
        let target = self.target(address?);
        self.state.data.allows(target).then_some(target)
    }

    // The same for instructions, which cannot be in registers or in the window, and give way to data.
    #[inline]
    fn instruction_target(&self, data: Option<Target>, address: Option<u64>) -> Option<Target> {
        let address = address?;
        let target = match self.target(address) {
            Target::Own if data == Some(Target::Own) => return None,
            Target::Own => Target::Own,
            _ if address < self.parameters.beyond_size.0 => Target::Beyond,
            _ => Target::Nowhere,
        };
        self.state.instructions.allows(target).then_some(target)
    }

    // Chooses the targets of references to these addresses; returns their ways.
    #[inline(always)]
    fn choose(&self, instruction: Option<u64>, data: Option<u64>) -> u64 {
        let data = self.data_target(data);
        let instruction = self.instruction_target(data, instruction);
        self.targets.set(Targets { instruction, data });
        let to_data = match data {
            Some(Target::Registers) => REGISTERS_WAY,
            Some(Target::Beyond) => DATA_WAY,
            _ => 0,
        };
        if instruction == Some(Target::Beyond) { INSTRUCTIONS_WAY | to_data } else { to_data }
    }

    #[inline(never)]
    fn forward(&self, signals: &mut Signals) {
        let ports = &self.ports;
        let asked = [ports.instructions_request, ports.data_request].map(|input| address_at(input, signals));
        let taken = self.choose(asked[0], asked[1]);
        signals.clear_other_lanes(&self.ways, taken, &self.last_taken);
        if taken != 0 {
            self.pass(taken, signals);
        }
        let hears =
            |response: Output<Response>, ways| if signals.is_acknowledged(response) { ways } else { 0 };
        let heard = hears(ports.instructions_response, INSTRUCTIONS_WAY)
            | hears(ports.data_response, REGISTERS_WAY | DATA_WAY);
        signals.acknowledge_lanes(&self.answers, heard, &self.last_heard);
    }

    // Passes references on, each on its way.
    #[inline(never)]
    fn pass(&self, taken: u64, signals: &mut Signals) {
        let ports = &self.ports;
        if taken & INSTRUCTIONS_WAY != 0 {
            signals.copy(ports.instructions_request, ports.instructions_beyond_request);
        }
        if taken & REGISTERS_WAY != 0 {
            signals.copy(ports.data_request, ports.registers_request);
        }
        if taken & DATA_WAY != 0 {
            let address = self.address_beyond(signals.word(ports.data_request, 0));
            signals.copy_but_first(ports.data_request, ports.data_beyond_request, address);
        }
    }

    // Address in the memory beyond that replaces an address of the core.
    #[inline]
    fn address_beyond(&self, address: u64) -> u64 {
        let parameters = &self.parameters;
        let is_in_window = address.wrapping_sub(parameters.window_base) < parameters.window_size.0;
        let moved = address.wrapping_sub(self.state.relocation) & parameters.window_mask;
        if is_in_window { moved } else { address }
    }

    #[inline(never)]
    fn respond(&self, signals: &mut Signals) {
        let ports = &self.ports;
        let Targets { instruction, data } = self.targets.get();
        let response = ports.instructions_response;
        match self.state.instructions.answering(instruction) {
            Some(Target::Beyond) => signals.copy(ports.instructions_beyond_response, response),
            Some(Target::Own) => self.answer(ports.instructions_request, response, signals),
            Some(_) => signals.write(response, Some(Response::FAULT)),
            None => signals.clear(response),
        }
        let response = ports.data_response;
        match self.state.data.answering(data) {
            Some(Target::Beyond) => signals.copy(ports.data_beyond_response, response),
            Some(Target::Own) => self.answer(ports.data_request, response, signals),
            Some(Target::Registers) => signals.copy(ports.registers_response, response),
            Some(Target::Nowhere) => signals.write(response, Some(Response::FAULT)),
            None => signals.clear(response),
        }
        let accepts_instruction = match instruction {
            Some(Target::Beyond) => signals.is_acknowledged(ports.instructions_beyond_request),
            Some(_) => signals.is_acknowledged(ports.instructions_response),
            None => false,
        };
        signals.acknowledge(ports.instructions_request, accepts_instruction);
        let accepts_data = match data {
            Some(Target::Registers) => signals.is_acknowledged(ports.registers_request),
            Some(Target::Beyond) => signals.is_acknowledged(ports.data_beyond_request),
            Some(_) => signals.is_acknowledged(ports.data_response),
            None => false,
        };
        signals.acknowledge(ports.data_request, accepts_data);
    }

    // Presents the answer of the scratch pad to the reference at `request`.
    #[inline]
    fn answer(&self, request: Input<Reference>, response: Output<Response>, signals: &mut Signals) {
        let word = Reference::read_of_word(signals, request)
            .and_then(|address| self.state.storage.word(address.wrapping_sub(self.parameters.base)));
        match word {
            Some(word) => {
                signals.write_if(response, true, Response { data: u128::from(word), is_fault: false });
            }
            None => self.answer_any(request, response, signals),
        }
    }

    // The same for references that are not reads of words.
    #[inline(never)]
    fn answer_any(&self, request: Input<Reference>, response: Output<Response>, signals: &mut Signals) {
        let answer = signals.read(request).map(|it| self.look(&it));
        signals.write(response, answer);
    }

    // The same; a write is performed at the edge.
    #[inline(never)]
    fn look(&self, reference: &Reference) -> Response {
        let Reference { address, access, size, enables, .. } = *reference;
        let is_proper = size.is_power_of_two() && size <= 16 && address & u64::from(size - 1) == 0;
        let offset = address.wrapping_sub(self.parameters.base);
        match (access, self.state.storage.load(offset, size)) {
            (Access::Read, Some(bytes)) if is_proper => {
                Response { data: bytes & mask_of(enables, size), is_fault: false }
            }
            (Access::Write, Some(_)) if is_proper => Response::default(),
            _ => Response::FAULT,
        }
    }

    // Commits an edge, given the movements to the core and from it, the address of an instruction that is
    // presented, and the reference to data.
    #[inline(always)]
    fn commit_moved(
        &mut self,
        moved: Moved,
        asked: Option<u64>,
        reference: impl FnOnce() -> Reference,
        edge: &mut Edge<'_>,
    ) {
        let Targets { instruction, data } = self.targets.get();
        self.has_moved = moved.anything();
        self.conflicts = false;
        if moved.takes_instruction {
            let counter = match instruction {
                Some(Target::Own) => FETCHES,
                Some(Target::Beyond) => FETCHES_BEYOND,
                _ => FAULTS,
            };
            edge.count(counter, 1);
        } else if data == Some(Target::Own)
            && let Some(address) = asked
        {
            self.conflicts = self.target(address) == Target::Own;
            edge.count(CONFLICTS, u64::from(self.conflicts));
        }
        self.state
            .instructions
            .note(instruction.filter(|_| moved.takes_instruction), moved.gives_instruction);
        if moved.takes_data {
            let counter = match data {
                Some(Target::Own) => self.commit_own(&reference()),
                Some(Target::Registers) => REGISTERS,
                Some(Target::Beyond) => DATA_BEYOND,
                _ => FAULTS,
            };
            edge.count(counter, 1);
        }
        self.state.data.note(data.filter(|_| moved.takes_data), moved.gives_data);
        self.relocate(edge);
    }

    // Moves the window if it is asked to.
    #[inline(always)]
    fn relocate(&mut self, edge: &mut Edge<'_>) {
        if let Some(word) = edge.signals.received(self.ports.relocation.port) {
            self.state.relocation = word & 0xffff_ffff;
        }
    }

    // Performs a reference of the core to the scratch pad; returns its counter.
    #[inline(never)]
    fn commit_own(&mut self, reference: &Reference) -> usize {
        if self.look(reference).is_fault {
            return FAULTS;
        }
        if reference.access != Access::Write {
            return READS;
        }
        let Reference { address, size, enables, data, .. } = *reference;
        // It is inside, or the answer were a fault.
        self.state.storage.store(address.wrapping_sub(self.parameters.base), size, enables, data);
        WRITES
    }
}

// The address of the presented reference, if any.
#[inline]
fn address_at(input: Input<Reference>, signals: &Signals) -> Option<u64> {
    signals.is_present(input).then(|| signals.word(input, 0))
}

impl Contents for PrivateMemory {
    fn size(&self) -> u64 {
        self.state.storage.len() as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        self.state.storage.copy_out(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.state.storage.copy_in(address, bytes)
    }
}
