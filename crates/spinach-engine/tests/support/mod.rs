//! Small modules, random netlists of them, and an interpreter that is slow and obviously right.
#![allow(dead_code, unreachable_pub, reason = "each test and benchmark uses a part of this")]

pub mod crossing;
pub mod glue;
pub mod interpreter;
pub mod plan;
pub mod random;
pub mod storage;
pub mod streams;
pub mod timed;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{Declaration, Registry};

/// A library of all modules in here.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.register::<streams::Source>();
    registry.register::<streams::WideSource>();
    registry.register::<streams::Sink>();
    registry.register::<streams::Plug>();
    registry.register::<glue::Function>();
    registry.register::<glue::PriorityMux>();
    registry.register::<glue::RoundRobin>();
    registry.register::<glue::Accumulator>();
    registry.register::<glue::Tee>();
    registry.register::<glue::Demux>();
    registry.register::<storage::Pipe>();
    registry.register::<storage::Fifo>();
    registry.register::<storage::Register>();
    registry.register::<storage::Wire<false, false>>();
    registry.register::<storage::Wire<true, false>>();
    registry.register::<storage::Wire<true, true>>();
    registry.register::<timed::Block<false, false>>();
    registry.register::<timed::Block<true, false>>();
    registry.register::<timed::Block<true, true>>();
    registry.register::<timed::Cooldown<false>>();
    registry.register::<timed::Cooldown<true>>();
    registry.register::<timed::Window<false>>();
    registry.register::<timed::Window<true>>();
    registry.register::<crossing::Crossing>();
    registry.register::<crossing::Mailbox>();
    registry
}

/// The declaration of a module in here.
pub fn declare<P: Parameters, Q: Ports>(
    kind: &'static str,
    counters: &'static [(&'static str, &'static str)],
) -> Declaration {
    Declaration {
        kind,
        family: "test",
        documentation: "A module for tests.",
        timing: "See its processes.",
        source: "This test.",
        parameters: P::declare(),
        ports: Q::declare(),
        counters,
        clocks: &["clock"],
    }
}

/// The parts of every module that look alike.
#[macro_export]
macro_rules! plain_state {
    ($state:ty) => {
        fn state(&self) -> &$state {
            &self.state
        }
        fn restore(&mut self, state: $state) -> Result<(), String> {
            self.state = state;
            Ok(())
        }
    };
}
