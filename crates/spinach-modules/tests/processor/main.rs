//! Processor cores: what programs compute, and to the cycle how long they take.

#![allow(clippy::unwrap_used, reason = "these are tests, and a panic is how a test fails")]

mod ahead;
mod delays;
mod faults;
mod fused_cores;
mod idle_skip;
mod interrupts;
mod machine;
mod memory;
mod order;
mod pipeline;
mod powerpc;
mod random_powerpc;
mod random_programs;
mod random_riscv;
mod several_cores;
#[path = "../support/mod.rs"]
mod support;
