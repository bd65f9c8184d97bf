//! Network interface cards behind a server's bus: chips that have no firmware, as functions of [`spinach_host::pci`].
//!
//! - [`dp83820`] is the conventional card of the SINIC paper;
//! - [`sinic`] is the integrated one of that paper, which exposes its queues;
//! - [`ethernet`] is what all of them do on the wire, [`internet_checksum`] what they compute.

#![forbid(unsafe_code)]

pub mod dp83820;
pub mod ethernet;
pub mod internet_checksum;
mod interrupts;
pub mod sinic;
