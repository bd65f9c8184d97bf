//! Custom hardware blocks in Rust, for cards that Spinach simulates.
//!
//! `spinach new --module NAME` writes a crate that uses this one. A block has [`ports!`], a [`state!`], and two methods:
//! [`Block::settle`] presents and accepts by the state, [`Block::commit`] sees the transfers and changes the state. [`export!`]
//! makes a library of it with the interface of blocks in C, which is the same for RTL.
//!
//! All outputs are registered: they depend on nothing but the state.

#![deny(unsafe_code)]
#![warn(missing_docs, unreachable_pub)]

mod description;
mod foreign;
pub mod interface;
mod ports;
mod state;

pub use description::{Form, PortDescription, Signal, Text};
pub use ports::{
    Access, Frame, FramesIn, FramesOut, Inputs, Memory, Port, Ports, Registers, Response, ValueIn, ValueOut,
    WordsIn, WordsOut,
};
pub use state::State;

/// A hardware block; the value is its state, and its default the state after reset.
pub trait Block: Default + State {
    /// Ports of the block, declared by [`ports!`].
    type Ports: Ports;

    /// Presents and accepts by the state. A port that is not mentioned presents nothing and accepts nothing.
    fn settle(&self, ports: &mut Self::Ports);

    /// Change the state at the clock edge, after the transfers that `ports` shows.
    fn commit(&mut self, ports: &Self::Ports);

    /// True if only a transfer or a new value can change the state; the block then sleeps.
    fn is_idle(&self) -> bool {
        false
    }
}

/// Makes a library of a block: `spinach_block::export!(Marker);`, once in a crate.
///
/// The name of the crate is the name of the block.
#[macro_export]
macro_rules! export {
    ($block:ty) => {
        static SPINACH_DESCRIPTION: $crate::Text = $crate::Text::of(
            env!("CARGO_PKG_NAME"),
            <<$block as $crate::Block>::Ports as $crate::Ports>::DESCRIPTIONS,
        );
        /// Table of functions of the block.
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals)]
        pub static spinach_block: $crate::interface::Interface =
            $crate::interface::Interface::of::<$block>(&SPINACH_DESCRIPTION);
    };
}
