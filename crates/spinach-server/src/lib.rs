//! Servers that boot an operating system: harts of RV64 with supervisor and user mode, memory, firmware services and buses.
//!
//! A [`machine::Machine`] runs functionally: harts execute decoded blocks ([`spinach_isa::blocks`]) and meet devices at the instruction that
//! refers to them. Time is counted in cycles of the harts' clock, of which each instruction takes one and waiting takes what it
//! takes; results depend on nothing else.
//!
//! - [`hart`] is the executing state, and [`run`] the execution: decoded blocks with the semantics of [`spinach_isa::riscv`];
//! - [`memory`], [`interrupts`], [`pci`] and [`board`] are the targets of its references;
//! - [`timed`] models the times, as an out-of-order core with caches;
//! - [`profile`] counts the time of harts by function, and [`history`] records their activities over time;
//! - `watching` implements a debugger's stop conditions, and [`looking`] its inspection;
//! - [`counting`] counts events for the counters of software;
//! - [`firmware`] serves calls of supervisor mode, as a program in machine mode would (SBI), and [`calls`] those to the simulator's user;
//! - [`device_tree`] and [`boot`] describe the machine to a kernel and start it;
//! - [`virtio`] has the devices of the host's files;
//! - [`network`] joins two machines by a link, and `lockstep` runs them on one thread or two;
//! - [`checkpoint`] keeps a machine in a file, and `differences` names what differs from it.

#![forbid(unsafe_code)]

mod answer;
pub mod board;
pub mod boot;
pub mod calls;
mod chain;
pub mod checkpoint;
pub mod clock;
mod counter_calls;
pub mod counting;
pub mod device_tree;
mod differences;
mod execute;
pub mod firmware;
pub mod hart;
mod hart_counters;
pub mod history;
pub mod interrupts;
mod link;
mod lockstep;
pub mod looking;
pub mod machine;
pub mod map;
pub mod memory;
pub mod messages;
mod mmu;
pub mod network;
mod noting;
mod others;
pub mod pci;
pub mod profile;
pub mod run;
mod steps;
pub mod timed;
pub mod virtio;
mod watching;
