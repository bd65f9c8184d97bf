//! The network as a design for the engine.

use spinach_engine::{
    Design, DomainId, Elaborated, Frequency, Limit, ModuleId, ParameterValue, Registry, Simulation,
};

use crate::glue::{self, Glue, Part};
use crate::network::{ACCEPT_PERCENT, ENDS, Kind, Network};
use crate::support;

/// The modules for tests and the eight kinds of glue.
pub fn registry() -> Registry {
    let mut registry = support::registry();
    registry.register::<Part<glue::Function>>();
    registry.register::<Part<glue::PriorityMux>>();
    registry.register::<Part<glue::RoundRobin>>();
    registry.register::<Part<glue::Accumulator>>();
    registry.register::<Part<glue::Tee>>();
    registry.register::<Part<glue::Demux>>();
    registry.register::<Part<glue::Pipe>>();
    registry.register::<Part<glue::Fifo>>();
    registry
}

// The kind's name, its inputs and its outputs.
fn shape(kind: Kind) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
    let name = match kind {
        Kind::Function => glue::Function::KIND,
        Kind::PriorityMux => glue::PriorityMux::KIND,
        Kind::RoundRobin => glue::RoundRobin::KIND,
        Kind::Accumulator => glue::Accumulator::KIND,
        Kind::Tee => glue::Tee::KIND,
        Kind::Demux => glue::Demux::KIND,
        Kind::Pipe => glue::Pipe::KIND,
        Kind::Fifo => glue::Fifo::KIND,
    };
    match kind {
        Kind::Function | Kind::PriorityMux | Kind::RoundRobin | Kind::Accumulator => {
            (name, &["a", "b"], &["output"])
        }
        Kind::Tee | Kind::Demux | Kind::Pipe | Kind::Fifo => (name, &["input"], &["x", "y"]),
    }
}

/// The network described.
pub fn describe(network: &Network) -> Design {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(1_000_000_000).expect("it is a sane frequency"));
    let mut from: Vec<Option<(ModuleId, &str)>> = vec![None; network.channels];
    let stream = |seed: usize, percent: u64| {
        [("seed", ParameterValue::Integer(seed as u64)), ("percent", percent.into())]
    };
    for (index, end) in from.iter_mut().enumerate().take(ENDS) {
        let source = design.module(format!("source[{index}]"), "source", clock, stream(index, 100));
        *end = Some((source, "output"));
    }
    for (index, described) in network.modules.iter().enumerate() {
        let (kind, inputs, outputs) = shape(described.kind);
        let module = design.module(format!("module[{index}]"), kind, clock, no_parameters());
        for (channel, port) in described.inputs.iter().zip(inputs) {
            design.connect(from[*channel].expect("data flows from lower to higher modules"), (module, port));
        }
        for (channel, port) in described.outputs.iter().zip(outputs) {
            from[*channel] = Some((module, port));
        }
    }
    for (index, channel) in network.sinks.iter().enumerate() {
        let parameters = stream(1000 + index, ACCEPT_PERCENT);
        let sink = design.module(format!("sink[{index}]"), "sink", clock, parameters);
        design.connect(from[*channel].expect("every channel comes from somewhere"), (sink, "input"));
    }
    design
}

/// Default for modules without parameters.
pub fn no_parameters() -> [(&'static str, u64); 0] {
    []
}

/// The network elaborated.
pub fn elaborate(network: &Network) -> Elaborated {
    spinach_engine::elaborate(&describe(network), &registry()).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs `cycles` more cycles.
pub fn run_cycles(simulation: &mut Simulation, cycles: u64) {
    let clock: DomainId = simulation.netlist().domains.ids().next().expect("there is a clock");
    let limit = Limit::cycles(simulation, clock, simulation.cycles(clock) + cycles).expect("it is soon");
    simulation.run_until(limit.time);
}

/// Checksum over the input of all sinks.
pub fn checksum(simulation: &mut Simulation) -> u64 {
    let sinks = (0..ENDS).map(|index| {
        let sink = simulation.netlist().find_module(&format!("sink[{index}]")).expect("it exists");
        let state = simulation.state(sink).expect("states can be read");
        state["checksum"].as_u64().expect("it is a number")
    });
    sinks.fold(0, |sum, checksum| sum.rotate_left(1) ^ checksum)
}
