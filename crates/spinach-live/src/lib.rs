//! The world outside of a simulation: what comes in is stamped with simulated time, recorded, and can be replayed.
//!
//! A simulated system meets the world through the modules that have an [`Outside`](spinach_engine::Outside). This crate moves
//! messages between these and a [`Face`](face::Face), such as a TAP device, while the simulation runs; keeps simulated time behind
//! wall time ([`pace`]); and writes and reads [`recording`]s. It explains a lack of memory ([`shortage`]). It knows no particular NIC.

#![deny(unsafe_code)]

mod attached;
mod descriptors;
mod door;
pub mod face;
pub mod guest;
pub mod live;
pub mod pace;
pub mod recording;
pub mod shortage;
pub mod simbricks;
mod sockets;

pub use attached::{Attached, LANES};
pub use live::{Entrance, Input, Live, Passage};
