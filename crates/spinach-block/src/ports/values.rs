//! Values without handshake.

use super::{Inputs, Port, stored};
use crate::description::{Form, Signal};

/// A setting of the block: `constants="every=10"`, or a port named in `inputs`.
#[derive(Clone, Debug, Default)]
pub struct ValueIn<const BITS: usize> {
    value: u64,
}
stored!(ValueIn<BITS>: value);

impl<const BITS: usize> ValueIn<BITS> {
    /// The value at the last clock edge; 0 before the first.
    pub fn get(&self) -> u64 {
        self.value
    }
}

impl<const BITS: usize> Port for ValueIn<BITS> {
    const FORM: Form = Form::Value;
    const SIGNALS: &'static [Signal] = &[Signal::input("", BITS)];

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        self.value = inputs.word() & mask::<BITS>();
    }

    fn prepare(&mut self) {}

    fn drive(&self, _: &mut Vec<u64>) {}
}

/// A counter or another value that the block shows; a port if `outputs` names it.
#[derive(Clone, Debug, Default)]
pub struct ValueOut<const BITS: usize> {
    value: u64,
}
stored!(ValueOut<BITS>: value);

impl<const BITS: usize> ValueOut<BITS> {
    /// Set the value; it stays until it is set again.
    pub fn set(&mut self, value: u64) {
        self.value = value & mask::<BITS>();
    }
}

impl<const BITS: usize> Port for ValueOut<BITS> {
    const FORM: Form = Form::Value;
    const SIGNALS: &'static [Signal] = &[Signal::output("", BITS)];

    fn observe(&mut self, _: &mut Inputs<'_>) {}

    fn prepare(&mut self) {}

    fn drive(&self, outputs: &mut Vec<u64>) {
        outputs.push(self.value);
    }
}

const fn mask<const BITS: usize>() -> u64 {
    assert!(BITS >= 1 && BITS <= 64, "a value has 1 to 64 bits");
    u64::MAX >> (64 - BITS)
}
