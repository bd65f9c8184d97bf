//! Assists, host and network: alone, and together as a NIC with firmware.

#[path = "../support/mod.rs"]
mod support;

mod around;
mod assists;
mod event_queue;
mod fifos;
mod firmware;
mod functions;
mod jam;
mod nic;
mod packets;
mod pauses;
mod queues;
mod registers;
mod signalling;
mod steering;
mod whole;

use spinach_engine::Registry;

/// Programs of the stand-in for firmware.
const PROGRAMS: &[(&str, firmware::Program)] = &[("forward", nic::forward)];

/// The library and the test tools.
fn registry() -> Registry {
    let mut registry = support::registry();
    registry.register::<firmware::StandIn>();
    registry.register::<jam::Jam>();
    registry
}
