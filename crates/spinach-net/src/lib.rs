//! Frames: Ethernet and the Internet checksum.
//!
//! The crate knows bytes. It knows neither engine nor modules nor cards.

#![forbid(unsafe_code)]

pub mod ethernet;
pub mod flow_hash;
pub mod internet_checksum;
pub mod segmentation;
