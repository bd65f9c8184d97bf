//! Modules that break their contract are caught, and modules that stop the simulation stop it.

use spinach_engine::{
    Any, Declaration, Design, Edge, Input, Module, Outcome, Output, Process, Registry, Signals, Simulation,
    Time, ack, data, elaborate, ports,
};

use super::megahertz;
use crate::plain_state;
use crate::support::streams::{Sink, Source};
use crate::support::{declare, registry};

ports! {
    /// In and out.
    pub struct PassPorts {
        /// Values.
        pub input: Input<Any>,
        /// The same values.
        pub output: Output<Any>,
    }
}

const HONEST: u8 = 0;
const READS_MORE: u8 = 1;
const DRIVES_MORE: u8 = 2;
const DRIVES_LESS: u8 = 3;
const STOPS: u8 = 4;
const DRIVES_WHAT_IT_ALWAYS_ACCEPTS: u8 = 5;

/// Passes values on, in one way or another.
struct Pass<const WAY: u8> {
    ports: PassPorts,
    state: u64,
}

impl<const WAY: u8> Module for Pass<WAY> {
    type Parameters = ();
    type Ports = PassPorts;
    type State = u64;

    fn declaration() -> Declaration {
        declare::<(), PassPorts>("pass", &[])
    }
    fn new((): (), ports: PassPorts) -> Result<Self, String> {
        Ok(Self { ports, state: 0 })
    }
    fn processes(&self) -> Vec<Process> {
        let forward = Process::new(0).drives([data(PassPorts::OUTPUT)]).reads([data(PassPorts::INPUT)]);
        let backward = Process::new(1).drives([ack(PassPorts::INPUT)]);
        match WAY {
            DRIVES_LESS => vec![forward],
            READS_MORE => vec![forward, backward],
            DRIVES_WHAT_IT_ALWAYS_ACCEPTS => vec![forward, backward.accepts([PassPorts::INPUT])],
            _ => vec![forward, backward.reads([ack(PassPorts::OUTPUT)])],
        }
    }
    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            signals.forward(self.ports.input, self.ports.output);
        } else {
            signals.acknowledge(self.ports.input, signals.is_acknowledged(self.ports.output));
            if WAY == DRIVES_MORE {
                signals.clear(self.ports.output);
            }
        }
    }
    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.state += u64::from(edge.signals.is_received(self.ports.input));
        if WAY == STOPS && self.state == 5 {
            edge.stop("five values are enough");
        }
    }
    plain_state!(u64);
}

fn simulation<const WAY: u8>() -> Result<Simulation, String> {
    let mut registry = Registry::new();
    registry.register::<Source>();
    registry.register::<Sink>();
    registry.register::<Pass<WAY>>();
    let mut design = Design::new();
    let clock = design.domain("clock", megahertz(1000));
    let source = design.module("source", "source", clock, [("percent", 100u64)]);
    let pass = design.module("pass", "pass", clock, [("", 0u64); 0]);
    let sink = design.module("sink", "sink", clock, [("percent", 100u64)]);
    design.connect((source, "output"), (pass, "input"));
    design.connect((pass, "output"), (sink, "input"));
    let elaborated = elaborate(&design, &registry).map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(elaborated);
    simulation.set_check_dependencies(true);
    Ok(simulation)
}

fn run<const WAY: u8>() -> Outcome {
    let mut simulation = simulation::<WAY>().expect("it elaborates");
    simulation.run_until(Time::from_nanoseconds(100).expect("it is soon"))
}

#[test]
fn an_honest_module_passes() {
    assert_eq!(run::<HONEST>(), Outcome::Reached);
}

#[test]
#[should_panic(expected = "pass: process 1 lane 0 of pass depends on signals it does not declare")]
fn a_module_that_reads_more_than_it_declares_is_caught() {
    run::<READS_MORE>();
}

#[test]
#[should_panic(expected = "pass: process 1 lane 0 of pass drives signals it does not declare")]
fn a_module_that_drives_more_than_it_declares_is_caught() {
    run::<DRIVES_MORE>();
}

#[test]
fn a_module_that_drives_less_than_it_must_is_refused() {
    let error = simulation::<DRIVES_LESS>().err().expect("it is refused");
    assert_eq!(
        error,
        "pass: pass does not drive each of its outputs exactly once: it should drive the ack of pass.input\n  \
         help: this is a mistake in the module library: correct the processes this kind of module declares"
    );
}

#[test]
fn a_module_that_drives_what_it_always_accepts_is_refused() {
    let error = simulation::<DRIVES_WHAT_IT_ALWAYS_ACCEPTS>().err().expect("it is refused");
    assert_eq!(
        error,
        "pass: pass does not drive each of its outputs exactly once: it drives the ack of pass.input twice\n  \
         help: this is a mistake in the module library: correct the processes this kind of module declares"
    );
}

#[test]
fn a_module_can_stop_the_simulation_and_it_can_go_on() {
    let mut simulation = simulation::<STOPS>().expect("it elaborates");
    let end = Time::from_nanoseconds(100).expect("it is soon");
    assert_eq!(simulation.run_until(end), Outcome::Stopped("pass: five values are enough".to_owned()));
    let clock = simulation.netlist().find_domain("clock").expect("it exists");
    assert_eq!(simulation.cycles(clock), 5);
    assert_eq!(simulation.run_until(end), Outcome::Reached);
    assert_eq!(simulation.cycles(clock), 100);
}

#[test]
#[should_panic(expected = "two kinds of modules are called \"source\"")]
fn two_kinds_of_one_name_are_refused() {
    let mut registry = registry();
    registry.register::<Source>();
}
