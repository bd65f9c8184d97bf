//! Cost of the crossbar per cycle: `cargo bench -p spinach-modules --bench interconnect`; a number after `--` is the number of
//! cycles to run.
//!
//! Eleven initiators present random references to four interleaved banks, an external memory and a bus of registers. The same
//! initiators, each with a separate target, show the cost without the crossbar.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::error::Error;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Design, Edge, Frequency, Input, Module, Output, ParameterValue, Process, Signals,
    Simulation, Time, ack, data, elaborate, parameters, ports,
};
use spinach_modules::values::{Reference, Response};

const INITIATORS: u64 = 11;
const TARGETS: usize = 6;
const DEFAULT_CYCLES: u64 = 2_000_000;

parameters! {
    /// Parameters of the traffic.
    pub struct TrafficParameters {
        /// Seed of the random sequence.
        pub seed: u64,
        /// Probability that a reference follows the last response at once, in percent.
        pub percent: u64,
    }
}

ports! {
    /// Ports of the traffic.
    pub struct TrafficPorts {
        /// References.
        pub request: Output<Reference>,
        /// Answers.
        pub response: Input<Response>,
    }
}

/// Next action of the traffic.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct TrafficState {
    random: u64,
    address: u64,
    presents: bool,
    waits: bool,
}

/// Presents references to random addresses, one at a time.
pub struct Traffic {
    percent: u64,
    ports: TrafficPorts,
    state: TrafficState,
}

fn declare(kind: &'static str, parameters: Vec<spinach_engine::ParameterDeclaration>) -> Declaration {
    Declaration {
        kind,
        family: "bench",
        documentation: "Part of a benchmark.",
        timing: "Registered.",
        source: "None.",
        parameters,
        ports: Vec::new(),
        counters: &[],
        clocks: &["clock"],
    }
}

impl Module for Traffic {
    type Parameters = TrafficParameters;
    type Ports = TrafficPorts;
    type State = TrafficState;

    fn declaration() -> Declaration {
        Declaration { ports: TrafficPorts::declare(), ..declare("traffic", TrafficParameters::declare()) }
    }

    fn new(parameters: TrafficParameters, ports: TrafficPorts) -> Result<Self, String> {
        let random = parameters.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let state = TrafficState { random, address: 0, presents: true, waits: false };
        Ok(Self { percent: parameters.percent, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(TrafficPorts::REQUEST)]),
            Process::new(1).drives([ack(TrafficPorts::RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            let reference = self.state.presents.then_some(Reference::read(self.state.address, 4));
            signals.write(self.ports.request, reference);
        } else {
            signals.acknowledge(self.ports.response, true);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let state = &mut self.state;
        state.waits &= !edge.signals.is_received(self.ports.response);
        if edge.signals.is_sent(self.ports.request) {
            (state.presents, state.waits) = (false, true);
        }
        if !state.presents && !state.waits {
            state.random ^= state.random >> 12;
            state.random ^= state.random << 25;
            state.random ^= state.random >> 27;
            let random = state.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16;
            state.presents = random % 100 < self.percent;
            // Fifteen of sixteen references go to the banks.
            let word = random >> 20 & 0xff;
            state.address = 4 * word + if random >> 40 & 15 == 0 { 0x1000 * (1 + (word & 1)) } else { 0 };
        }
    }

    fn state(&self) -> &TrafficState {
        &self.state
    }

    fn restore(&mut self, state: TrafficState) -> Result<(), String> {
        self.state = state;
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

/// Answers every reference with its address in the next cycle.
pub struct Echo {
    ports: EchoPorts,
    state: Option<u64>,
}

impl Module for Echo {
    type Parameters = ();
    type Ports = EchoPorts;
    type State = Option<u64>;

    fn declaration() -> Declaration {
        Declaration { ports: EchoPorts::declare(), ..declare("echo", Vec::new()) }
    }

    fn new((): (), ports: EchoPorts) -> Result<Self, String> {
        Ok(Self { ports, state: None })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(0).drives([data(EchoPorts::RESPONSE)]),
            Process::new(1).drives([ack(EchoPorts::REQUEST)]).reads([ack(EchoPorts::RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == 0 {
            let response = self.state.map(|address| Response { data: address.into(), is_fault: false });
            signals.write(self.ports.response, response);
        } else {
            let has_room = self.state.is_none() || signals.is_acknowledged(self.ports.response);
            signals.acknowledge(self.ports.request, has_room);
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.response) {
            self.state = None;
        }
        if let Some(reference) = edge.signals.received(self.ports.request) {
            self.state = Some(reference.address);
        }
    }

    fn state(&self) -> &Option<u64> {
        &self.state
    }

    fn restore(&mut self, state: Option<u64>) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

fn design(with_crossbar: bool, percent: u64) -> Result<Design, Box<dyn Error>> {
    let mut design = Design::new();
    let domain = design.domain("clock", Frequency::from_hertz(1_000_000_000)?);
    let parameters: [(&str, ParameterValue); 3] = [
        ("bases", vec![0_u64, 0x1000, 0x2000].into()),
        ("sizes", vec![0x1000_u64, 0x1000, 0x1000].into()),
        ("interleave", vec![4_u64, 1, 1].into()),
    ];
    let none: [(&str, u64); 0] = [];
    let crossbar = with_crossbar.then(|| design.module("crossbar", "crossbar", domain, parameters));
    for lane in 0..INITIATORS as usize {
        let parameters = [("seed", lane as u64 + 1), ("percent", percent)];
        let traffic = design.module(format!("traffic{lane}"), "traffic", domain, parameters);
        if let Some(crossbar) = crossbar {
            design.connect_lanes((traffic, "request", 0), (crossbar, "initiator_request", lane));
            design.connect_lanes((crossbar, "initiator_response", lane), (traffic, "response", 0));
        } else {
            let echo = design.module(format!("echo{lane}"), "echo", domain, none);
            design.connect((traffic, "request"), (echo, "request"));
            design.connect((echo, "response"), (traffic, "response"));
        }
    }
    for target in 0..if with_crossbar { TARGETS } else { 0 } {
        let echo = design.module(format!("echo{target}"), "echo", domain, none);
        let crossbar = crossbar.ok_or("there is a crossbar")?;
        design.connect_lanes((crossbar, "target_request", target), (echo, "request", 0));
        design.connect_lanes((echo, "response", 0), (crossbar, "target_response", target));
    }
    Ok(design)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut registry = spinach_modules::registry();
    registry.register::<Traffic>();
    registry.register::<Echo>();
    let cycles = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_CYCLES);
    for percent in [5, 30, 100] {
        let mut nanoseconds = [0.0; 2];
        let mut references = 0;
        for (with_crossbar, cost) in [false, true].into_iter().zip(&mut nanoseconds) {
            let mut simulation = Simulation::new(elaborate(&design(with_crossbar, percent)?, &registry)?);
            let start = Instant::now();
            simulation.run_until(Time::from_femtoseconds(cycles * 1_000_000));
            *cost = start.elapsed().as_secs_f64() * 1e9 / cycles as f64;
            if with_crossbar {
                let find = |(name, value): (String, u64)| (name == "crossbar.references").then_some(value);
                references = simulation.statistics().iter().find_map(find).ok_or("it counts references")?;
            }
        }
        println!(
            "crossbar {INITIATORS} x {TARGETS}, {percent:3} % busy: {:4.2} references per cycle, {:5.1} ns per cycle \
             ({:5.1} ns with crossbar, {:5.1} ns with {INITIATORS} targets instead)",
            references as f64 / cycles as f64,
            nanoseconds[1] - nanoseconds[0],
            nanoseconds[1],
            nanoseconds[0],
        );
    }
    Ok(())
}
