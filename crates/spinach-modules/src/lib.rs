//! The module library: one file per module, in families.
//!
//! [`registry`] has them all.

#![forbid(unsafe_code)]

mod divisor;
pub mod interconnect;
pub mod io;
pub mod memory;
pub mod notes;
pub mod processor;
pub mod values;

use spinach_engine::{Registry, bits};

/// A library with every module of this crate.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    interconnect::register(&mut registry);
    io::register(&mut registry);
    memory::register(&mut registry);
    processor::register(&mut registry);
    registry
}
