//! Cost of memories and caches per cycle: `cargo bench -p spinach-modules --bench memory`.
//!
//! Eight initiators each read word after word of a loop, one per cycle. Targets that answer without looking show what
//! everything but the memories costs.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::error::Error;
use std::time::Instant;

use spinach_engine::declaration::Ports;
use spinach_engine::{
    Declaration, Design, DomainId, Edge, Frequency, Input, Module, ModuleId, Output, ParameterValue, Process,
    Signals, Simulation, Size, Time, ack, data, elaborate, ports,
};
use spinach_modules::values::{Reference, Response};

const INITIATORS: usize = 8;
const LOOP_BYTES: u64 = 1024;
const CYCLES: u64 = 1_000_000;
const REPETITIONS: u32 = 5;

fn declare(kind: &'static str, ports: Vec<spinach_engine::PortDeclaration>) -> Declaration {
    Declaration {
        kind,
        family: "bench",
        documentation: "Part of a benchmark.",
        timing: "Registered.",
        source: "None.",
        parameters: Vec::new(),
        ports,
        counters: &[],
        clocks: &["clock"],
    }
}

ports! {
    /// Ports of a walker.
    pub struct WalkerPorts {
        /// References.
        pub request: Output<Reference>,
        /// Answers.
        pub response: Input<Response>,
    }
}

/// Reads word after word of a loop, as a core without branches would.
pub struct Walker {
    ports: WalkerPorts,
    address: u64,
}

impl Module for Walker {
    type Parameters = ();
    type Ports = WalkerPorts;
    type State = u64;

    fn declaration() -> Declaration {
        declare("walker", WalkerPorts::declare())
    }

    fn new((): (), ports: WalkerPorts) -> Result<Self, String> {
        Ok(Self { ports, address: 0 })
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([data(WalkerPorts::REQUEST), ack(WalkerPorts::RESPONSE)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.request, Some(Reference::read(self.address, 4)));
        signals.acknowledge(self.ports.response, true);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.request) {
            self.address = (self.address + 4) % LOOP_BYTES;
        }
    }

    fn state(&self) -> &u64 {
        &self.address
    }

    fn restore(&mut self, state: u64) -> Result<(), String> {
        self.address = state;
        Ok(())
    }
}

ports! {
    /// Ports of an echo.
    pub struct EchoPorts {
        /// References.
        pub request: Input<Reference>,
        /// Answers.
        pub response: Output<Response>,
    }
}

/// Answers at once, without looking.
pub struct Echo(EchoPorts);

impl Module for Echo {
    type Parameters = ();
    type Ports = EchoPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        declare("echo", EchoPorts::declare())
    }

    fn new((): (), ports: EchoPorts) -> Result<Self, String> {
        Ok(Self(ports))
    }

    fn processes(&self) -> Vec<Process> {
        vec![Process::new(0).drives([ack(EchoPorts::REQUEST), data(EchoPorts::RESPONSE)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.acknowledge(self.0.request, true);
        signals.write(self.0.response, Some(Response::default()));
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}

type Build = fn(&mut Design, DomainId, usize) -> (ModuleId, &'static str, &'static str);

fn echo(design: &mut Design, domain: DomainId, number: usize) -> (ModuleId, &'static str, &'static str) {
    let none: [(&str, u64); 0] = [];
    (design.module(format!("target{number}"), "echo", domain, none), "request", "response")
}

fn memory(design: &mut Design, domain: DomainId, number: usize) -> (ModuleId, &'static str, &'static str) {
    let size = [("size", Size(LOOP_BYTES))];
    let memory = design.module(format!("target{number}"), "multiported_memory", domain, size);
    (memory, "port_request", "port_response")
}

fn cache(
    design: &mut Design,
    domain: DomainId,
    number: usize,
    extra: &[(&str, ParameterValue)],
) -> (ModuleId, &'static str, &'static str) {
    let size = [("size", Size(LOOP_BYTES))];
    let memory = design.module(format!("memory{number}"), "multiported_memory", domain, size);
    let cache = design.module(format!("target{number}"), "cache_controller", domain, extra.iter().cloned());
    design.connect((cache, "memory_request"), (memory, "port_request"));
    design.connect((memory, "port_response"), (cache, "memory_response"));
    (cache, "port_request", "port_response")
}

fn two_way(design: &mut Design, domain: DomainId, number: usize) -> (ModuleId, &'static str, &'static str) {
    cache(design, domain, number, &[])
}

fn direct(design: &mut Design, domain: DomainId, number: usize) -> (ModuleId, &'static str, &'static str) {
    cache(design, domain, number, &[("associativity", 1_u64.into())])
}

// Processor time of this process in nanoseconds where the system tells (Linux), else time since `start`.
fn elapsed(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let told = told.and_then(|text| text.split(' ').next()?.parse().ok());
    told.unwrap_or_else(|| start.elapsed().as_secs_f64() * 1e9)
}

// Nanoseconds of the quickest of several runs, per initiator and cycle.
fn measure(build: Build) -> Result<f64, Box<dyn Error>> {
    let mut design = Design::new();
    let domain = design.domain("clock", Frequency::from_hertz(1_000_000_000)?);
    for number in 0..INITIATORS {
        let none: [(&str, u64); 0] = [];
        let walker = design.module(format!("walker{number}"), "walker", domain, none);
        let (target, request, response) = build(&mut design, domain, number);
        design.connect((walker, "request"), (target, request));
        design.connect((target, response), (walker, "response"));
    }
    let mut registry = spinach_modules::registry();
    registry.register::<Walker>();
    registry.register::<Echo>();
    let mut simulation = Simulation::new(elaborate(&design, &registry)?);
    let start = Instant::now();
    let mut best = f64::INFINITY;
    for repetition in 1..=REPETITIONS {
        let before = elapsed(start);
        simulation.run_until(Time::from_femtoseconds(u64::from(repetition) * CYCLES * 1_000_000));
        best = best.min(elapsed(start) - before);
    }
    Ok(best / (CYCLES as f64 * INITIATORS as f64))
}

fn main() -> Result<(), Box<dyn Error>> {
    let base = measure(echo)?;
    println!("{base:6.1} ns per initiator and cycle: target that answers without looking");
    for (name, build) in [
        ("multiported_memory, latency 1", memory as Build),
        ("cache_controller, direct-mapped, all hits", direct),
        ("cache_controller, two ways, least recently used, all hits", two_way),
    ] {
        let all = measure(build)?;
        println!("{all:6.1} ns, of which {:5.1} ns for {name}", all - base);
    }
    Ok(())
}
