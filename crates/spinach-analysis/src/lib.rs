//! Trace-driven studies of firmware: how much parallelism its instructions have, and what caches would do for its data.
//!
//! - [`trace`] is what the studies read: retired instructions and memory accesses in Parquet files, written and read in
//!   bounded memory, with names for tasks and functions.
//! - [`issue_limits`] bounds the instructions per cycle of in-order and out-of-order cores of any width
//!   (HPCA 2005, section 2.2 and table 2).
//! - [`vliw`] schedules the basic blocks of an image onto a machine of several units (the VLIW paper, section 3.2 and table 1).
//! - [`coherence`] drives private caches with the accesses of several agents (HPCA 2005, section 2.3 and figure 3).
//!
//! The crate knows instruction sets. It knows neither the engine nor any particular network interface: the studies do not depend
//! on the source of a trace.

#![forbid(unsafe_code)]

pub mod coherence;
pub mod image;
pub mod issue_limits;
pub mod operation;
pub mod trace;
pub mod vliw;

mod numbering;
