//! Interconnect modules, each through its ports.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod banked_crossbars;
mod bench;
mod cables;
mod crossbars;
mod crossings;
mod local_buses;
mod steering;
mod streams;
#[path = "../support/mod.rs"]
mod support;
