//! One random network of small modules in three forms that do the same: a design for the engine's static schedule, the same
//! design for a work-list interpreter, and straight-line Rust generated for this network alone.
//!
//! It is a separate crate so that only benchmarks pay for the generated code.

#![forbid(unsafe_code)]

pub mod design;
pub mod glue;
pub mod network;
pub mod worklist;

#[path = "../../spinach-engine/tests/support/mod.rs"]
pub mod support;

/// The generated form of a network of the given number of modules. A macro, because compiling it takes seconds: only its users
/// pay.
#[macro_export]
macro_rules! straight_line {
    ($file:literal) => {
        #[allow(unused_parens, clippy::all, reason = "the code is written by a program and read by none")]
        pub(crate) mod straight_line {
            use $crate::support::glue::lane_of;
            use $crate::support::random::Random;

            include!(concat!(env!("OUT_DIR"), $file));
        }
    };
}
