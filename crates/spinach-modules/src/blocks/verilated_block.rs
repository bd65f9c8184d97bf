//! `verilated_block`: a block of the user, compiled from RTL.

use std::path::Path;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Time, ack, data, parameters,
    ports,
};
use spinach_plugin::{Block, Description};

use super::OWN_COUNTERS;
use super::inside::Inside;
use super::lanes::{Adapters, Bindings};
use crate::values::{Frame, Reference, Response};

parameters! {
    /// The parameters of a block.
    pub struct VerilatedBlockParameters {
        /// Library that `spinach verilate` has written.
        pub library: String,
        /// Cycles at the beginning in which the reset is active.
        pub reset_cycles: u32 = 8 => in 0..=1_000_000,
        /// Names of the signals that the lanes of `value_in` set, separated by commas.
        pub value_inputs: String = String::new(),
        /// Names of the signals that the lanes of `value_out` present, separated by commas.
        pub value_outputs: String = String::new(),
        /// Names of outputs whose increments are the counters `count_0`, `count_1` and so on, separated by commas.
        pub value_counters: String = String::new(),
        /// Constant values of other inputs: `mode=3,start=0x100`. The rest is 0.
        pub constants: String = String::new(),
        /// File for the waveforms of all signals inside, in the format of the library; empty for none.
        pub trace: String = String::new(); variable,
        /// Time at which the waveforms begin.
        pub trace_from: Time = Time::ZERO; variable,
    }
}

ports! {
    /// Ports of a block.
    pub struct VerilatedBlockPorts {
        /// Frames into the block, one lane for each such stream of the library.
        pub frame_in: AnyNumber<Input<Frame>>,
        /// Frames from the block.
        pub frame_out: AnyNumber<Output<Frame>>,
        /// Words into the block, one lane for each stream without frames.
        pub word_in: AnyNumber<Input<u64>>,
        /// Words from the block.
        pub word_out: AnyNumber<Output<u64>>,
        /// Memories that the block accesses, one lane for each port of AXI4, Wishbone or OBI that it initiates.
        pub memory: { request: AnyNumber<Output<Reference>>, response: AnyNumber<Input<Response>> },
        /// Accesses to the block, one lane for each such port that it answers.
        pub registers: { request: AnyNumber<Input<Reference>>, response: AnyNumber<Output<Response>> },
        /// New values of inputs without handshake, always accepted.
        pub value_in: AnyNumber<Input<u64>>,
        /// Values of outputs without handshake, presented when they change.
        pub value_out: AnyNumber<Output<u64>>,
    }
}

/// State of a block.
#[derive(Serialize, Deserialize)]
pub struct VerilatedBlockState {
    inside: Inside,
    is_running: bool,
    adapters: Adapters,
    /// Values of the inputs, as they came last.
    values_in: Vec<u64>,
    /// Values of the outputs: as taken last, and as they are.
    values_out: Vec<(Option<u64>, u64)>,
    /// Present values of the outputs that count.
    counted: Vec<u64>,
    is_idle: bool,
}

/// A block of the user. See its declaration.
pub struct VerilatedBlock {
    description: Description,
    bindings: Bindings,
    value_inputs: Vec<usize>,
    value_outputs: Vec<usize>,
    value_counters: Vec<usize>,
    reset_cycles: u64,
    trace_from: Time,
    /// The edge before, for the falling edge of the clock in waveforms.
    last_edge: Time,
    ports: VerilatedBlockPorts,
    state: VerilatedBlockState,
}

const RECEIVED: usize = 0;
const SENT: usize = 1;

impl Module for VerilatedBlock {
    type Parameters = VerilatedBlockParameters;
    type Ports = VerilatedBlockPorts;
    type State = VerilatedBlockState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "verilated_block",
            family: "blocks",
            documentation: "A block of the user, compiled from RTL by `spinach verilate`.\n\nThe library decides how many lanes each port \
                            has, and their order; `spinach_nic.blocks.Verilated` has a port for each name instead. All lanes of \
                            streams must be connected. A frame enters beat by beat, from the cycle after its arrival on, and is presented in the cycle \
                            after its last beat. The simulation stops with the reason if the block breaks the protocol of a stream, or \
                            executes `$finish`, `$stop` or `$fatal`.\n\nA block whose library names an output as `idle` sleeps while this is 1 \
                            and nothing moves.",
            timing: "All outputs are registered, and so are all inputs: no combinational path leads through the block. An AXI4 port issues at most one reference per cycle.",
            source: "AMBA AXI4-Stream Protocol Specification (Arm IHI 0051), sections 2.2 to 2.4; AMBA AXI Protocol Specification (Arm IHI 0022), chapter A3; Wishbone B4, chapter 3; OBI 1.2; Verilator 5, C++ interface",
            parameters: VerilatedBlockParameters::declare(),
            ports: VerilatedBlockPorts::declare(),
            counters: &with_own_counters!(
                ("received", "frames, words, requests and responses that entered"),
                ("sent", "frames, words, requests and responses that left"),
            ),
            clocks: &["clock"],
        }
    }

    fn new(parameters: VerilatedBlockParameters, ports: VerilatedBlockPorts) -> Result<Self, String> {
        let mut block = Block::open(Path::new(&parameters.library))?;
        let description = block.description().clone();
        let bindings = Bindings::new(&description);
        if ports.memory_request.len() != ports.memory_response.len()
            || ports.registers_request.len() != ports.registers_response.len()
        {
            return Err("requests and responses are not connected on the same lanes".to_owned());
        }
        bindings.check([
            ports.frame_in.len(),
            ports.frame_out.len(),
            ports.word_in.len(),
            ports.word_out.len(),
            ports.memory_request.len(),
            ports.registers_request.len(),
        ])?;
        let value_inputs = values(&description, &parameters.value_inputs, true, ports.value_in.len())?;
        let value_counters = named(&description, &parameters.value_counters, false)?;
        if value_counters.len() > OWN_COUNTERS {
            return Err(format!(
                "{} outputs count; a block has {OWN_COUNTERS} counters",
                value_counters.len()
            ));
        }
        let value_outputs = values(&description, &parameters.value_outputs, false, ports.value_out.len())?;
        set_constants(&mut block, &parameters.constants)?;
        if !parameters.trace.is_empty() {
            block.trace(&parameters.trace).map_err(|reason| format!("trace: {reason}"))?;
        }
        let state = VerilatedBlockState {
            inside: Inside::Running(Box::new(block)),
            is_running: false,
            adapters: Adapters::new(&bindings),
            values_in: vec![0; value_inputs.len()],
            values_out: vec![(None, 0); value_outputs.len()],
            counted: vec![0; value_counters.len()],
            is_idle: false,
        };
        let reset_cycles = u64::from(parameters.reset_cycles);
        let trace_from = parameters.trace_from;
        Ok(Self {
            description,
            bindings,
            value_inputs,
            value_outputs,
            value_counters,
            reset_cycles,
            trace_from,
            last_edge: Time::ZERO,
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = VerilatedBlockPorts;
        let outputs = [P::FRAME_OUT, P::WORD_OUT, P::MEMORY_REQUEST, P::REGISTERS_RESPONSE, P::VALUE_OUT];
        let inputs = [P::FRAME_IN, P::WORD_IN, P::REGISTERS_REQUEST];
        // A block has room for the response to each request that it has made.
        let accepted = [P::MEMORY_RESPONSE, P::VALUE_IN];
        vec![Process::new(0).drives(outputs.map(data)).drives(inputs.map(ack)).accepts(accepted)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        let adapters = &state.adapters;
        for (input, source) in ports.frame_in.iter().zip(&adapters.frame_sources) {
            signals.acknowledge(*input, source.has_room());
        }
        for (output, sink) in ports.frame_out.iter().zip(&adapters.frame_sinks) {
            signals.write(*output, sink.front());
        }
        for (input, source) in ports.word_in.iter().zip(&adapters.word_sources) {
            signals.acknowledge(*input, source.has_room());
        }
        for (output, sink) in ports.word_out.iter().zip(&adapters.word_sinks) {
            signals.write(*output, sink.front());
        }
        for (output, initiator) in ports.memory_request.iter().zip(&adapters.initiators) {
            signals.write(*output, initiator.request());
        }
        for (output, target) in ports.registers_response.iter().zip(&adapters.targets) {
            signals.write(*output, target.response());
        }
        for (input, target) in ports.registers_request.iter().zip(&adapters.targets) {
            signals.acknowledge(*input, target.has_room());
        }
        for (output, (taken, value)) in ports.value_out.iter().zip(&state.values_out) {
            signals.write_if(*output, *taken != Some(*value), *value);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if let Err(reason) = self.cycle(edge) {
            edge.stop(format!("{reason} (cycle {} of block {})", edge.cycle(), self.description.name));
        }
        self.transfer(edge);
        self.transfer_accesses(edge);
        self.state.is_running = edge.cycle() + 1 >= self.reset_cycles;
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let is_idle = state.is_idle
            && state.is_running
            && state.adapters.is_empty()
            && state.values_out.iter().all(|(taken, value)| *taken == Some(*value));
        if is_idle { Idle::UntilInput } else { Idle::No }
    }

    fn line(&self) -> Option<String> {
        Some(if self.state.is_running { String::new() } else { "reset".to_owned() })
    }

    fn obstacle_to_saving(&self) -> Option<String> {
        let name = &self.description.name;
        (!self.description.can_save)
            .then(|| format!("the library of block {name} was compiled without saving"))
    }

    fn state(&self) -> &VerilatedBlockState {
        &self.state
    }

    fn restore(&mut self, state: VerilatedBlockState) -> Result<(), String> {
        let sizes = |state: &VerilatedBlockState| {
            (state.adapters.sizes(), state.values_in.len(), state.values_out.len(), state.counted.len())
        };
        if sizes(&state) != sizes(&self.state) {
            return Err("its ports differ".to_owned());
        }
        let Inside::Saved(bytes) = &state.inside else {
            return Err("it is not out of a checkpoint".to_owned());
        };
        if let Inside::Running(block) = &mut self.state.inside {
            block.restore(bytes)?;
        }
        let inside = std::mem::replace(&mut self.state.inside, Inside::Saved(Vec::new()));
        self.state = VerilatedBlockState { inside, ..state };
        Ok(())
    }
}

impl VerilatedBlock {
    // One cycle of the clock of the block: settle with the clock low, move values, then let it rise.
    fn cycle(&mut self, edge: &mut Edge<'_>) -> Result<(), String> {
        let (cycle, time) = (edge.cycle(), edge.time());
        let (clocking, is_resetting) = (self.description.clocking, cycle < self.reset_cycles);
        let state = &mut self.state;
        let Inside::Running(block) = &mut state.inside else { return Ok(()) };
        state.adapters.drive(block, &self.bindings, edge.payloads());
        self.value_inputs.iter().zip(&state.values_in).for_each(|(signal, value)| block.set(*signal, *value));
        if let Some(reset) = clocking.reset {
            block.set(reset, u64::from(is_resetting == clocking.is_active_high));
        }
        let is_traced = time >= self.trace_from;
        block.set(clocking.clock, 0);
        block.evaluate()?;
        if is_traced && cycle > 0 {
            block.dump(u64::midpoint(self.last_edge.femtoseconds(), time.femtoseconds()));
        }
        if !is_resetting {
            state.adapters.advance(block, &self.bindings, edge.payloads())?;
        }
        block.set(clocking.clock, 1);
        block.evaluate()?;
        if is_traced {
            block.dump(time.femtoseconds());
        }
        self.last_edge = time;
        for (signal, (_, value)) in self.value_outputs.iter().zip(&mut state.values_out) {
            *value = block.get(*signal);
        }
        for (index, (signal, counted)) in self.value_counters.iter().zip(&mut state.counted).enumerate() {
            let value = block.get(*signal);
            // Values have 1 to 64 bits.
            let mask = u64::MAX >> (64 - self.description.signals[*signal].width);
            let increment = value.wrapping_sub(*counted) & mask;
            edge.count(SENT + 1 + index, if is_resetting { 0 } else { increment });
            *counted = value;
        }
        state.is_idle = self.description.idle.is_some_and(|idle| block.get(idle) != 0);
        Ok(())
    }

    // Moves values between the channels and the adapters.
    fn transfer(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let (adapters, signals) = (&mut state.adapters, edge.signals);
        let (mut received, mut sent) = (0, 0);
        for (output, sink) in ports.frame_out.iter().zip(&mut adapters.frame_sinks) {
            if signals.is_sent(*output) {
                sink.pop();
                sent += 1;
            }
        }
        for (input, source) in ports.frame_in.iter().zip(&mut adapters.frame_sources) {
            if let Some(frame) = signals.received(*input) {
                source.take(frame);
                received += 1;
            }
        }
        for (output, sink) in ports.word_out.iter().zip(&mut adapters.word_sinks) {
            if signals.is_sent(*output) {
                sink.pop();
                sent += 1;
            }
        }
        for (input, source) in ports.word_in.iter().zip(&mut adapters.word_sources) {
            if let Some(word) = signals.received(*input) {
                source.take(word);
                received += 1;
            }
        }
        edge.count(RECEIVED, received);
        edge.count(SENT, sent);
        for (input, value) in ports.value_in.iter().zip(&mut state.values_in) {
            if let Some(new) = signals.received(*input) {
                *value = new;
            }
        }
        for (output, (taken, _)) in ports.value_out.iter().zip(&mut state.values_out) {
            if signals.is_sent(*output) {
                *taken = signals.offered(*output);
            }
        }
    }

    // The same for memories and registers.
    fn transfer_accesses(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let (adapters, signals) = (&mut state.adapters, edge.signals);
        let (mut received, mut sent) = (0, 0);
        let memories = ports.memory_request.iter().zip(ports.memory_response.iter());
        for ((request, response), initiator) in memories.zip(&mut adapters.initiators) {
            if signals.is_sent(*request) {
                initiator.sent();
                sent += 1;
            }
            if let Some(response) = signals.received(*response) {
                initiator.received(response);
                received += 1;
            }
        }
        let registers = ports.registers_request.iter().zip(ports.registers_response.iter());
        let memories = adapters.targets.iter_mut().zip(&self.bindings.targets);
        for ((request, response), (target, memory)) in registers.zip(memories) {
            if signals.is_sent(*response) {
                target.pop();
                sent += 1;
            }
            if let (Some(request), Inside::Running(block)) = (signals.received(*request), &state.inside) {
                target.take(request, block, memory);
                received += 1;
            }
        }
        edge.count(RECEIVED, received);
        edge.count(SENT, sent);
    }
}

// Signals that a list names.
fn named(description: &Description, names: &str, is_input: bool) -> Result<Vec<usize>, String> {
    let names = names.split(',').filter(|name| !name.is_empty());
    names.map(|name| value(description, name.trim(), is_input)).collect()
}

// The same, one for each of `lanes`.
fn values(
    description: &Description,
    names: &str,
    is_input: bool,
    lanes: usize,
) -> Result<Vec<usize>, String> {
    let found = named(description, names, is_input)?;
    let port = if is_input { "value_in" } else { "value_out" };
    if found.len() == lanes {
        Ok(found)
    } else {
        Err(format!("{} names are given for {lanes} lanes of {port}", found.len()))
    }
}

fn value(description: &Description, name: &str, is_input: bool) -> Result<usize, String> {
    let known = || {
        description.values.iter().copied().filter(|index| description.signals[*index].is_input == is_input)
    };
    let names = known().map(|index| description.signals[index].name.as_str());
    known().find(|index| description.signals[*index].name == name).ok_or_else(|| {
        let direction = if is_input { "input" } else { "output" };
        format!(
            "no {direction} without handshake is called {name:?}: {}",
            spinach_engine::suggest(name, names)
        )
    })
}

fn set_constants(block: &mut Block, constants: &str) -> Result<(), String> {
    for constant in constants.split(',').filter(|constant| !constant.is_empty()) {
        let (name, number) =
            constant.split_once('=').ok_or_else(|| format!("{constant:?} is not NAME=NUMBER"))?;
        let signal = value(block.description(), name.trim(), true)?;
        let number = number.trim();
        let parsed = match number.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => number.parse(),
        };
        let parsed = parsed.map_err(|_| format!("{number:?} is not an integer"))?;
        let width = block.description().signals[signal].width;
        if width < 64 && parsed >> width != 0 {
            return Err(format!("{number} does not fit into the {width} bits of {name}"));
        }
        block.set(signal, parsed);
    }
    Ok(())
}
