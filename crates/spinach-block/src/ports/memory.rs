//! Ports to memories and registers, with the five channels of AXI4-Lite.

use std::collections::VecDeque;

use super::{Inputs, Port, stored};
use crate::description::{Form, Signal};
use crate::state::State;

/// Number of requests that may wait for their responses.
const OUTSTANDING: usize = 8;
const DECODE_ERROR: u64 = 3;

/// A request to a memory or to registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read of a whole word.
    Read {
        /// Address of its first byte.
        address: u64,
    },
    /// Write of the enabled bytes of a word.
    Write {
        /// Address of its first byte.
        address: u64,
        /// The word.
        data: u64,
        /// Enabled bytes, one bit each.
        enables: u8,
    },
}

impl State for Access {
    fn save(&self, bytes: &mut Vec<u8>) {
        match *self {
            Self::Read { address } => (address, None::<(u64, u8)>).save(bytes),
            Self::Write { address, data, enables } => (address, Some((data, enables))).save(bytes),
        }
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        let (address, write) = State::restore(bytes)?;
        Some(match write {
            None => Self::Read { address },
            Some((data, enables)) => Self::Write { address, data, enables },
        })
    }
}

/// The response to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The word; 0 after a write.
    pub data: u64,
    /// True if there is nothing at the address.
    pub is_fault: bool,
}
stored!(Response: data, is_fault);

impl Response {
    const fn result(self) -> u64 {
        if self.is_fault { DECODE_ERROR } else { 0 }
    }
}

/// Signals of a port; `is_target` is true if the block answers.
const fn signals<const BYTES: usize>(is_target: bool) -> [Signal; 17] {
    assert!(BYTES == 4 || BYTES == 8, "a memory port has 4 or 8 bytes");
    let mut all = [Signal::input("", 0); 17];
    let mut index = 0;
    while index < all.len() {
        let (suffix, width, is_back) = PARTS[index];
        let width = match width {
            DATA => 8 * BYTES,
            STROBE => BYTES,
            width => width,
        };
        all[index] = Signal { suffix, is_input: is_target != is_back, width };
        index += 1;
    }
    all
}

const DATA: usize = usize::MAX;
const STROBE: usize = usize::MAX - 1;
/// Name, width, and true for a signal from the memory to the initiator.
const PARTS: [(&str, usize, bool); 17] = [
    ("awaddr", 64, false),
    ("awvalid", 1, false),
    ("wdata", DATA, false),
    ("wstrb", STROBE, false),
    ("wvalid", 1, false),
    ("bready", 1, false),
    ("araddr", 64, false),
    ("arvalid", 1, false),
    ("rready", 1, false),
    ("awready", 1, true),
    ("wready", 1, true),
    ("bresp", 2, true),
    ("bvalid", 1, true),
    ("arready", 1, true),
    ("rdata", DATA, true),
    ("rresp", 2, true),
    ("rvalid", 1, true),
];

/// A memory that the block accesses, in words of `BYTES`: 4 or 8.
///
/// Responses come in the order of requests. A read may reach the memory before an earlier write, as in AXI4-Lite.
#[derive(Clone, Debug, Default)]
pub struct Memory<const BYTES: usize> {
    presented: Option<Access>,
    is_address_taken: bool,
    is_data_taken: bool,
    // For each request without a response, true if it is a write.
    outstanding: VecDeque<bool>,
    is_sent: bool,
    received: Option<Response>,
}
stored!(Memory<BYTES>: presented, is_address_taken, is_data_taken, outstanding, is_sent, received);

impl<const BYTES: usize> Memory<BYTES> {
    /// Present a request in this cycle. It must stay the same until it is sent.
    pub fn present(&mut self, access: Option<Access>) {
        self.presented = access.filter(|_| self.outstanding.len() < OUTSTANDING);
    }

    /// True if the request that was presented has left.
    pub fn is_sent(&self) -> bool {
        self.is_sent
    }

    /// The response that has come, always accepted.
    pub fn received(&self) -> Option<Response> {
        self.received
    }
}

impl<const BYTES: usize> Port for Memory<BYTES> {
    const FORM: Form = Form::Memory;
    const SIGNALS: &'static [Signal] = &signals::<BYTES>(false);

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        let [takes_address, takes_data] = [inputs.bit(), inputs.bit()];
        let (written, is_written) = (inputs.word(), inputs.bit());
        let takes_read = inputs.bit();
        let (data, read, is_read) = (inputs.word(), inputs.word(), inputs.bit());
        let is_fault = |result: u64| result & 2 != 0;
        self.received = match self.outstanding.front() {
            Some(true) if is_written => Some(Response { data: 0, is_fault: is_fault(written) }),
            Some(false) if is_read => Some(Response { data, is_fault: is_fault(read) }),
            _ => None,
        };
        if self.received.is_some() {
            self.outstanding.pop_front();
        }
        let is_write = match self.presented {
            Some(Access::Write { .. }) => {
                self.is_address_taken |= takes_address;
                self.is_data_taken |= takes_data;
                self.is_sent = self.is_address_taken && self.is_data_taken;
                true
            }
            Some(Access::Read { .. }) => {
                self.is_sent = takes_read;
                false
            }
            None => return,
        };
        if self.is_sent {
            self.outstanding.push_back(is_write);
            (self.is_address_taken, self.is_data_taken) = (false, false);
        }
    }

    fn prepare(&mut self) {
        (self.presented, self.is_sent, self.received) = (None, false, None);
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        let (mut write, mut read) = ((0, 0, 0, false), (0, false));
        match self.presented {
            Some(Access::Write { address, data, enables }) => write = (address, data, enables, true),
            Some(Access::Read { address }) => read = (address, true),
            None => {}
        }
        let (address, data, enables, is_write) = write;
        outputs.extend([address, u64::from(is_write && !self.is_address_taken)]);
        outputs.extend([data, enables.into(), u64::from(is_write && !self.is_data_taken)]);
        outputs.push(u64::from(self.outstanding.front() == Some(&true)));
        outputs.extend([read.0, u64::from(read.1), u64::from(self.outstanding.front() == Some(&false))]);
    }
}

/// Registers of the block that others access, in words of `BYTES`: 4 or 8. One access at a time waits for its response.
#[derive(Clone, Debug, Default)]
pub struct Registers<const BYTES: usize> {
    accepts: bool,
    write_address: Option<u64>,
    write_data: Option<(u64, u8)>,
    read_address: Option<u64>,
    // True if the access without a response is a write.
    answers_write: Option<bool>,
    received: Option<Access>,
    presented: Option<Response>,
    is_sent: bool,
}
stored!(Registers<BYTES>: accepts, write_address, write_data, read_address, answers_write, received, presented, is_sent);

impl<const BYTES: usize> Registers<BYTES> {
    /// Accept an access in this cycle, or refuse.
    pub fn accept(&mut self, accepts: bool) {
        self.accepts = accepts && self.answers_write.is_none();
    }

    /// The access that has come.
    pub fn received(&self) -> Option<Access> {
        self.received
    }

    /// Present the response to the last access in this cycle. It must stay the same until it is sent.
    pub fn present(&mut self, response: Option<Response>) {
        self.presented = response.filter(|_| self.answers_write.is_some());
    }

    /// True if the response that was presented has left.
    pub fn is_sent(&self) -> bool {
        self.is_sent
    }
}

impl<const BYTES: usize> Port for Registers<BYTES> {
    const FORM: Form = Form::Memory;
    const SIGNALS: &'static [Signal] = &signals::<BYTES>(true);

    fn observe(&mut self, inputs: &mut Inputs<'_>) {
        let (write_address, is_write_address) = (inputs.word(), inputs.bit());
        let (data, enables, is_data) = (inputs.word(), inputs.word() as u8, inputs.bit());
        let takes_written = inputs.bit();
        let (read_address, is_read_address) = (inputs.word(), inputs.bit());
        let takes_read = inputs.bit();
        if self.presented.is_some() {
            self.is_sent = if self.answers_write == Some(true) { takes_written } else { takes_read };
            self.answers_write = self.answers_write.filter(|_| !self.is_sent);
        }
        if !self.accepts {
            return;
        }
        self.write_address = self.write_address.or(is_write_address.then_some(write_address));
        self.write_data = self.write_data.or(is_data.then_some((data, enables)));
        self.read_address = self.read_address.or(is_read_address.then_some(read_address));
        self.received = if let (Some(address), Some((data, enables))) = (self.write_address, self.write_data)
        {
            (self.write_address, self.write_data) = (None, None);
            Some(Access::Write { address, data, enables })
        } else {
            self.read_address.take().map(|address| Access::Read { address })
        };
        self.answers_write = self.received.map(|access| matches!(access, Access::Write { .. }));
    }

    fn prepare(&mut self) {
        (self.accepts, self.received, self.presented, self.is_sent) = (false, None, None, false);
    }

    fn drive(&self, outputs: &mut Vec<u64>) {
        let is_open = |is_empty: bool| u64::from(self.accepts && is_empty);
        let response = self.presented.unwrap_or_default();
        let [is_write, is_read] =
            [true, false].map(|kind| u64::from(self.presented.is_some() && self.answers_write == Some(kind)));
        outputs.extend([is_open(self.write_address.is_none()), is_open(self.write_data.is_none())]);
        outputs.extend([response.result(), is_write, is_open(self.read_address.is_none())]);
        outputs.extend([response.data, response.result(), is_read]);
    }
}
