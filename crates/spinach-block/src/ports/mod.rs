//! Ports of a block, and the signals behind them.

mod frames;
mod memory;
mod values;
mod words;

pub use frames::{Frame, FramesIn, FramesOut};
pub use memory::{Access, Memory, Registers, Response};
pub use values::{ValueIn, ValueOut};
pub use words::{WordsIn, WordsOut};

use crate::description::{Form, PortDescription, Signal};
use crate::state::State;

/// Words of input signals, in the order of the description.
pub struct Inputs<'words>(pub(crate) &'words [u64]);

impl<'words> Inputs<'words> {
    fn word(&mut self) -> u64 {
        self.words(1)[0]
    }

    fn bit(&mut self) -> bool {
        self.word() & 1 != 0
    }

    fn words(&mut self, count: usize) -> &'words [u64] {
        let (words, rest) = self.0.split_at(count);
        self.0 = rest;
        words
    }
}

/// A port: the adapter between its signals and the block.
pub trait Port: Default + State {
    /// Protocol of the port.
    const FORM: Form;
    /// Signals of the port.
    const SIGNALS: &'static [Signal];

    /// See the inputs at a clock edge, together with the outputs that were driven.
    fn observe(&mut self, inputs: &mut Inputs<'_>);

    /// Begin a cycle in which nothing is presented or accepted.
    fn prepare(&mut self);

    /// Append the outputs.
    fn drive(&self, outputs: &mut Vec<u64>);
}

/// All ports of a block. [`ports!`](crate::ports!) implements it.
pub trait Ports: Default + State {
    /// Description of each port.
    const DESCRIPTIONS: &'static [PortDescription];

    /// See the inputs of all ports at a clock edge.
    fn observe(&mut self, inputs: &mut Inputs<'_>);

    /// Begin a cycle at all ports.
    fn prepare(&mut self);

    /// Append the outputs of all ports.
    fn drive(&self, outputs: &mut Vec<u64>);
}

/// Declares the ports of a block, each with its type: `input: FramesIn<8>` enters by 8 bytes per cycle.
#[macro_export]
macro_rules! ports {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident {
        $($(#[$of_field:meta])* $of:vis $field:ident: $type:ty),* $(,)?
    }) => {
        $crate::state! {
            $(#[$attribute])*
            $visibility struct $name { $($(#[$of_field])* $of $field: $type),* }
        }

        impl $crate::Ports for $name {
            const DESCRIPTIONS: &'static [$crate::PortDescription] = &[$($crate::PortDescription {
                name: stringify!($field),
                form: <$type as $crate::Port>::FORM,
                signals: <$type as $crate::Port>::SIGNALS,
            }),*];

            fn observe(&mut self, inputs: &mut $crate::Inputs<'_>) {
                $($crate::Port::observe(&mut self.$field, inputs);)*
            }

            fn prepare(&mut self) {
                $($crate::Port::prepare(&mut self.$field);)*
            }

            fn drive(&self, outputs: &mut Vec<u64>) {
                $($crate::Port::drive(&self.$field, outputs);)*
            }
        }
    };
}

/// Implements `State` for a type with the fields named.
macro_rules! stored {
    ($name:ident $(<$parameter:ident>)?: $($field:ident),*) => {
        impl $(<const $parameter: usize>)? $crate::state::State for $name $(<$parameter>)? {
            fn save(&self, bytes: &mut Vec<u8>) {
                $(self.$field.save(bytes);)*
            }

            fn restore(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::state::State::restore(bytes)?),* })
            }
        }
    };
}
use stored;
