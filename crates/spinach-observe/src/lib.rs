//! Observation of simulated systems, in the formats of ordinary tools.
//!
//! Everything here watches from outside, as an [`Observer`](spinach_engine::Observer) or a
//! [`Listener`](spinach_engine::Listener), or works on files. It knows the library's values and no particular NIC, and it never
//! changes a result.

#![forbid(unsafe_code)]

pub mod capture_reader;
pub mod capture_writer;
mod carried;
pub mod coherence;
pub mod debugger;
pub mod frame_counts;
pub mod input;
pub mod lines;
pub mod timeline;
pub mod trace_writer;
pub mod waves;
#[cfg(test)]
mod wire;
