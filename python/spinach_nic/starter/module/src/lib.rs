//! Passes frames, and marks every n-th as damaged.

use std::collections::VecDeque;

use spinach_block::{Block, Frame, FramesIn, FramesOut, ValueIn, ValueOut, export, ports, state};

ports! {
    /// Ports of the block.
    pub struct Ports {
        /// Frames, 8 bytes per cycle.
        input: FramesIn<8>,
        /// The same frames, in order.
        output: FramesOut<8>,
        /// Distance of marked frames; 0 for none.
        every: ValueIn<32>,
        /// Number of frames.
        count: ValueOut<32>,
    }
}

state! {
    /// Frames that wait, and the number of frames.
    pub struct Starter {
        waiting: VecDeque<Frame>,
        count: u64,
    }
}

impl Block for Starter {
    type Ports = Ports;

    fn settle(&self, ports: &mut Ports) {
        ports.input.accept(self.waiting.len() < 2);
        ports.output.present(self.waiting.front());
        ports.count.set(self.count);
    }

    fn commit(&mut self, ports: &Ports) {
        if ports.output.is_sent() {
            self.waiting.pop_front();
        }
        if let Some(frame) = ports.input.received() {
            self.count += 1;
            let every = ports.every.get();
            let is_marked = every > 0 && self.count % every == 0;
            let is_intact = frame.is_intact && !is_marked;
            self.waiting.push_back(Frame { is_intact, ..frame.clone() });
        }
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }
}

export!(Starter);
