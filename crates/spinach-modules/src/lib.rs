//! The module library: one file per module, in families.
//!
//! [`registry`] has them all.

#![forbid(unsafe_code)]

pub mod blocks;
pub mod bus;
pub mod dma;
pub mod host;
pub mod interconnect;
pub mod mac;
pub mod memory;
pub mod notes;
pub mod parts;
pub mod processor;
pub mod tigon2;
pub mod traffic;
pub mod values;

use spinach_engine::{Registry, bits};

/// A library with every module of this crate.
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    blocks::register(&mut registry);
    bus::register(&mut registry);
    dma::register(&mut registry);
    host::register(&mut registry);
    interconnect::register(&mut registry);
    mac::register(&mut registry);
    memory::register(&mut registry);
    processor::register(&mut registry);
    tigon2::register(&mut registry);
    traffic::register(&mut registry);
    registry
}

/// Structures that firmware shares with the library; components precede the structures made of them.
pub fn layouts() -> impl Iterator<Item = &'static parts::layout::Layout> {
    let registers =
        [&parts::registers::RING_REGISTERS, &mac::MAC_RECEIVE_REGISTERS, &bus::INTERRUPT_REGISTERS];
    registers.into_iter().chain(dma::descriptors::LAYOUTS)
}

/// The numbers that programs outside share with the library, by name, in groups.
pub fn numbers() -> impl Iterator<Item = (&'static str, parts::numbers::Numbers)> {
    let firmware = [
        ("ring_control", parts::registers::RING_CONTROL),
        ("ready_word", dma::descriptors::READY_WORDS),
        ("buffer_flag", dma::descriptors::buffer_flags::BUFFER_FLAGS),
        ("content_flag", dma::descriptors::buffer_flags::CONTENT_FLAGS),
    ];
    bus::NUMBERS.into_iter().chain(processor::NUMBERS).chain(firmware)
}
