//! Proof of the engine's promises, against an independent interpreter and against itself.

#[path = "../support/mod.rs"]
mod support;

mod checkpoint;
mod contract;
mod control;
mod differential;
mod netlists;
mod observing;
mod sleeping;

use spinach_engine::{Design, Frequency, Simulation, elaborate};

fn simulate(design: &Design) -> Simulation {
    Simulation::new(elaborate(design, &support::registry()).unwrap_or_else(|error| panic!("{error}")))
}

fn megahertz(frequency: u64) -> Frequency {
    Frequency::from_hertz(frequency * 1_000_000).expect("it is a sane frequency")
}

fn counter(simulation: &mut Simulation, name: &str) -> u64 {
    let statistics = simulation.statistics();
    statistics.iter().find(|(known, _)| known == name).map(|(_, value)| value).expect("the counter exists")
}
