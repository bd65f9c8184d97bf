//! A FIFO between two clocks.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{
    Any, Declaration, Edge, Idle, Input, Module, Output, Process, Signals, Time, ack, data, ports,
};

use super::declare;
use crate::plain_state;

const CAPACITY: u64 = 4;
const COUNTERS: [(&str, &str); 2] =
    [("crossed", "values that left"), ("refused", "cycles of the first clock in which a value was refused")];
const WRITE: u16 = 0;
const READ: u16 = 1;

ports! {
    /// Ports of a crossing.
    pub struct CrossingPorts {
        /// Values in the time of the first clock.
        pub input: Input<Any> => clock 0,
        /// The same values in the time of the second clock.
        pub output: Output<Any> => clock 1,
    }
}

/// A count of one side, as both sides see it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pointer {
    count: u64,
    // The count before its last change, and the time of that change: an edge at the same time sees the old
    // count.
    before: u64,
    changed: Option<Time>,
    // The two registers of the synchronizer on the other side, the one that may be used last.
    synchronized: [u64; 2],
}

impl Pointer {
    fn step(&mut self, time: Time) {
        (self.before, self.changed) = (self.count, Some(time));
        self.count += 1;
    }

    fn sample(&mut self, time: Time) {
        let seen = if self.changed == Some(time) { self.before } else { self.count };
        self.synchronized = [seen, self.synchronized[0]];
    }

    fn is_settled(&self) -> bool {
        self.synchronized == [self.count; 2]
    }
}

/// Content of a crossing, and the two pointers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CrossingState {
    entries: VecDeque<Vec<u64>>,
    written: Pointer,
    read: Pointer,
    // True if a value was refused at the last edge of the first clock.
    is_refusing: bool,
}

/// An asynchronous FIFO of four entries with synchronizers of two registers.
pub struct Crossing {
    ports: CrossingPorts,
    state: CrossingState,
}

impl Module for Crossing {
    type Parameters = ();
    type Ports = CrossingPorts;
    type State = CrossingState;
    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        let declaration = declare::<(), CrossingPorts>("crossing", &COUNTERS);
        Declaration { clocks: &["write", "read"], ..declaration }
    }

    fn new((): (), ports: CrossingPorts) -> Result<Self, String> {
        Ok(Self { ports, state: CrossingState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(WRITE).drives([ack(CrossingPorts::INPUT)]),
            Process::new(READ).drives([data(CrossingPorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let CrossingState { entries, written, read, .. } = &self.state;
        if code == WRITE {
            signals.acknowledge(self.ports.input, written.count - read.synchronized[1] < CAPACITY);
        } else {
            let oldest = entries.front().filter(|_| written.synchronized[1] > read.count);
            signals.write_words(self.ports.output, oldest.map(Vec::as_slice));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let CrossingState { entries, written, read, is_refusing } = &mut self.state;
        if edge.clock == 0 {
            read.sample(edge.time());
            if edge.signals.is_received(self.ports.input) {
                let mut words = Vec::new();
                edge.signals.read_words(self.ports.input, &mut words);
                entries.push_back(words);
                written.step(edge.time());
            }
            *is_refusing =
                edge.signals.is_present(self.ports.input) && !edge.signals.is_received(self.ports.input);
            edge.count(1, u64::from(*is_refusing));
        } else {
            written.sample(edge.time());
            if edge.signals.is_sent(self.ports.output) {
                entries.pop_front();
                read.step(edge.time());
                edge.count(0, 1);
            }
        }
    }

    fn idle(&self) -> Idle {
        let is_still = self.state.written.is_settled() && self.state.read.is_settled();
        if is_still { Idle::UntilTransfer } else { Idle::No }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        counters[1] += if self.state.is_refusing { count } else { 0 };
    }

    plain_state!(CrossingState);
}

ports! {
    /// Ports of a mailbox.
    pub struct MailboxPorts {
        /// The values, in the time of the first clock.
        pub output: Output<Any> => clock 0,
        /// Values in the time of the second clock.
        pub input: Input<Any> => clock 1,
    }
}

/// Content of a mailbox, and the number of cycles of the reading clock in which nothing else is accepted after it has left.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MailboxState {
    value: Option<Vec<u64>>,
    closed: u32,
}

/// One register between two clocks, without synchronizers: what one side does, the other sees at its next edge.
pub struct Mailbox {
    ports: MailboxPorts,
    state: MailboxState,
}

impl Module for Mailbox {
    type Parameters = ();
    type Ports = MailboxPorts;
    type State = MailboxState;
    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration { clocks: &["read", "write"], ..declare::<(), MailboxPorts>("mailbox", &[]) }
    }

    fn new((): (), ports: MailboxPorts) -> Result<Self, String> {
        Ok(Self { ports, state: MailboxState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        vec![
            Process::new(WRITE).drives([ack(MailboxPorts::INPUT)]),
            Process::new(READ).drives([data(MailboxPorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        if code == WRITE {
            let accepts = self.state.value.is_none() && self.state.closed == 0;
            signals.acknowledge(self.ports.input, accepts);
        } else {
            signals.write_words(self.ports.output, self.state.value.as_deref());
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.clock == 0 {
            self.state.closed = self.state.closed.saturating_sub(1);
            if edge.signals.is_sent(self.ports.output) {
                self.state = MailboxState { value: None, closed: 3 };
            }
        } else if edge.signals.is_received(self.ports.input) {
            let mut words = Vec::new();
            edge.signals.read_words(self.ports.input, &mut words);
            self.state.value = Some(words);
        }
    }

    // A module that presents something is not at rest, whatever the answer, so the value need not be looked at.
    fn idle(&self) -> Idle {
        if self.state.closed == 0 { Idle::UntilInput } else { Idle::No }
    }

    plain_state!(MailboxState);
}
