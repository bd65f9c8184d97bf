//! Streams of words of 64 bits.

use super::{Inputs, Port, stored};
use crate::description::{Form, Signal};

/// Words into the block.
#[derive(Clone, Debug, Default)]
pub struct WordsIn {
    accepts: bool,
    received: Option<u64>,
}
stored!(WordsIn: accepts, received);

impl WordsIn {
    /// Accept a word in this cycle, or refuse.
    pub fn accept(&mut self, accepts: bool) {
        self.accepts = accepts;
    }

    /// The word that has entered.
    pub fn received(&self) -> Option<u64> {
        self.received
    }
}

impl Port for WordsIn {
    const FORM: Form = Form::Words;
    const SIGNALS: &'static [Signal] =
        &[Signal::input("valid", 1), Signal::input("data", 64), Signal::output("ready", 1)];

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        let (is_valid, word) = (inputs.bit(), inputs.word());
        self.received = (is_valid && self.accepts).then_some(word);
    }

    fn prepare(&mut self) {
        *self = Self::default();
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        outputs.push(u64::from(self.accepts));
    }
}

/// Words from the block.
#[derive(Clone, Debug, Default)]
pub struct WordsOut {
    presented: Option<u64>,
    is_sent: bool,
}
stored!(WordsOut: presented, is_sent);

impl WordsOut {
    /// Present a word in this cycle. It must stay the same until it is sent.
    pub fn present(&mut self, word: Option<u64>) {
        self.presented = word;
    }

    /// True if the word that was presented has left.
    pub fn is_sent(&self) -> bool {
        self.is_sent
    }
}

impl Port for WordsOut {
    const FORM: Form = Form::Words;
    const SIGNALS: &'static [Signal] =
        &[Signal::output("valid", 1), Signal::output("data", 64), Signal::input("ready", 1)];

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        self.is_sent = inputs.bit() && self.presented.is_some();
    }

    fn prepare(&mut self) {
        *self = Self::default();
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        outputs.extend([u64::from(self.presented.is_some()), self.presented.unwrap_or(0)]);
    }
}
