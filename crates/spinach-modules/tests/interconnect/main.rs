//! Interconnect modules, each through its ports.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bench;
mod steering;
mod streams;
