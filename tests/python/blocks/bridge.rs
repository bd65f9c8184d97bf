//! Words pass increased by one, accesses to registers pass to a memory. `mode` chooses an error.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

use spinach_block::{
    Access, Block, Memory, Registers, Response, ValueIn, ValueOut, WordsIn, WordsOut, export, ports, state,
};

ports! {
    pub struct Ports {
        feed: WordsIn,
        out: WordsOut,
        s: Registers<4>,
        m: Memory<4>,
        mode: ValueIn<8>,
        total: ValueOut<40>,
    }
}

state! {
    pub struct Bridge {
        words: VecDeque<u64>,
        total: u64,
        access: Option<Access>,
        response: Option<Response>,
        hidden: u64,
        mode: u64,
        hold: u64,
    }
}

static HIDDEN: AtomicU64 = AtomicU64::new(0);

impl Block for Bridge {
    type Ports = Ports;

    fn settle(&self, ports: &mut Ports) {
        ports.feed.accept(self.words.len() < 2);
        ports.out.present(self.words.front().copied().filter(|_| self.hold == 0));
        ports.s.accept(true);
        ports.s.present(self.response);
        ports.m.present(self.access);
        ports.total.set(self.total);
    }

    fn commit(&mut self, ports: &Ports) {
        self.mode = ports.mode.get();
        self.hold = self.hold.saturating_sub(1);
        if ports.out.is_sent() || self.mode == 1 {
            self.words.pop_front();
        }
        if let Some(word) = ports.feed.received() {
            self.total += 1;
            self.words.push_back(word + 1);
            self.hold = if self.mode == 4 { 40 } else { 0 };
            self.hidden = HIDDEN.fetch_add(u64::from(self.mode == 3), Ordering::Relaxed);
            assert!(self.mode != 2 || self.total < 9, "nine words");
        }
        if ports.m.is_sent() {
            self.access = None;
        }
        if ports.s.is_sent() {
            self.response = None;
        }
        self.access = self.access.or(ports.s.received());
        self.response = self.response.or(ports.m.received());
    }

    fn is_idle(&self) -> bool {
        // In mode 4 a word waits for a number of cycles, through which it must not sleep.
        self.mode == 4 || self.words.is_empty() && self.access.is_none() && self.response.is_none()
    }
}

export!(Bridge);
