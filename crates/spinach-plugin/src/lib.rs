//! Hardware blocks in shared libraries of the user, behind an interface in C.
//!
//! `spinach verilate` compiles RTL into such a library. [`Block`] is one instance of the block, with its signals as words of 64 bits.
//! A library is code of the user and is trusted as such; its [`Description`] is data and is checked.

#![deny(unsafe_code)]

mod description;
mod foreign;
mod inside;
mod paths;

pub use description::{
    AxiBurst, AxiBursts, AxiSignals, Clocking, Description, Memory, MemorySignals, RequestSignals, Signal,
    Stream,
};
pub use foreign::Block;
pub use inside::Inside;
pub use paths::combinational_paths;
