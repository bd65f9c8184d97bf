//! Streams of frames, which enter and leave beat by beat as in AXI4-Stream.

use super::{Inputs, Port, stored};
use crate::description::{Form, Signal};

/// A frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes, without the frame check sequence.
    pub bytes: Vec<u8>,
    /// True if its frame check sequence is right.
    pub is_intact: bool,
}
stored!(Frame: bytes, is_intact);

/// Frames into the block, `BYTES` of them per cycle.
#[derive(Clone, Debug, Default)]
pub struct FramesIn<const BYTES: usize> {
    begun: Vec<u8>,
    accepts: bool,
    received: Option<Frame>,
}
stored!(FramesIn<BYTES>: begun, accepts, received);

impl<const BYTES: usize> FramesIn<BYTES> {
    /// Accept a beat in this cycle, or refuse.
    pub fn accept(&mut self, accepts: bool) {
        self.accepts = accepts;
    }

    /// The frame whose last beat has entered.
    pub fn received(&self) -> Option<&Frame> {
        self.received.as_ref()
    }
}

impl<const BYTES: usize> Port for FramesIn<BYTES> {
    const FORM: Form = Form::Frames;
    const SIGNALS: &'static [Signal] = &[
        Signal::input("valid", 1),
        Signal::input("data", 8 * BYTES),
        Signal::input("keep", BYTES),
        Signal::input("last", 1),
        Signal::input("user", 1),
        Signal::output("ready", 1),
    ];

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        let is_valid = inputs.bit();
        let data = inputs.words(BYTES.div_ceil(8));
        let keep = inputs.words(BYTES.div_ceil(64));
        let (is_last, is_damaged) = (inputs.bit(), inputs.bit());
        if !is_valid || !self.accepts {
            return;
        }
        let count = keep.iter().map(|word| word.count_ones() as usize).sum();
        self.begun.extend(data.iter().flat_map(|word| word.to_le_bytes()).take(count));
        if is_last {
            let bytes = std::mem::take(&mut self.begun);
            self.received = Some(Frame { bytes, is_intact: !is_damaged });
        }
    }

    fn prepare(&mut self) {
        (self.accepts, self.received) = (false, None);
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        outputs.push(u64::from(self.accepts));
    }
}

/// Frames from the block, `BYTES` of them per cycle.
#[derive(Clone, Debug, Default)]
pub struct FramesOut<const BYTES: usize> {
    // Number of bytes of the frame that have left, and its length.
    offset: usize,
    length: usize,
    // The beat that is presented; empty if there is none.
    beat: Vec<u8>,
    is_intact: bool,
    is_sent: bool,
}
stored!(FramesOut<BYTES>: offset, length, beat, is_intact, is_sent);

impl<const BYTES: usize> FramesOut<BYTES> {
    /// Present a frame in this cycle. It must stay the same until it is sent.
    ///
    /// # Panics
    /// If the frame is empty, or another one after the first beat; the simulation then stops with this line.
    #[track_caller]
    pub fn present(&mut self, frame: Option<&Frame>) {
        let Some(frame) = frame else {
            self.beat.clear();
            return;
        };
        assert!(!frame.bytes.is_empty(), "an empty frame is presented");
        let is_same = self.offset == 0 || self.length == frame.bytes.len();
        assert!(is_same, "another frame is presented before the last beat of the former");
        self.length = frame.bytes.len();
        self.is_intact = frame.is_intact;
        self.beat.clear();
        self.beat.extend(frame.bytes[self.offset..].iter().take(BYTES));
    }

    /// True if the last beat of the frame that was presented has left.
    pub fn is_sent(&self) -> bool {
        self.is_sent
    }

    fn is_last(&self) -> bool {
        self.offset + self.beat.len() == self.length
    }
}

impl<const BYTES: usize> Port for FramesOut<BYTES> {
    const FORM: Form = Form::Frames;
    const SIGNALS: &'static [Signal] = &[
        Signal::output("valid", 1),
        Signal::output("data", 8 * BYTES),
        Signal::output("keep", BYTES),
        Signal::output("last", 1),
        Signal::output("user", 1),
        Signal::input("ready", 1),
    ];

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        if !inputs.bit() || self.beat.is_empty() {
            return;
        }
        self.is_sent = self.is_last();
        self.offset = if self.is_sent { 0 } else { self.offset + self.beat.len() };
    }

    fn prepare(&mut self) {
        self.beat.clear();
        self.is_sent = false;
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        let is_last = !self.beat.is_empty() && self.is_last();
        outputs.push(u64::from(!self.beat.is_empty()));
        let bytes = |word: usize| (8 * word..8 * word + 8).zip(0..);
        let byte = |index: usize| u64::from(self.beat.get(index).copied().unwrap_or(0));
        outputs.extend(
            (0..BYTES.div_ceil(8))
                .map(|word| bytes(word).fold(0, |whole, (index, place)| whole | byte(index) << (8 * place))),
        );
        outputs.extend((0..BYTES.div_ceil(64)).map(|word| {
            let ones = self.beat.len().saturating_sub(64 * word).min(64);
            u64::MAX.checked_shr(64 - ones as u32).unwrap_or(0)
        }));
        outputs.extend([u64::from(is_last), u64::from(is_last && !self.is_intact)]);
    }
}
