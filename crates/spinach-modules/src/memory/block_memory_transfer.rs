//! `block_memory_transfer`: copies bytes between two memory networks.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use crate::values::{Access, Reference, Response, Transfer};

parameters! {
    /// The parameters of a block memory transfer.
    pub struct BlockMemoryTransferParameters {
        /// Number of bytes that a reference spans, to either side: 1, 2, 4, 8 or 16.
        pub width: u64 = 4 => power_of_two 1..=16,
        /// Number of references whose bytes fit in between reading and writing, including those on their way.
        pub depth: u64 = 4 => in 2..=1024,
        /// Source number of this unit at memories.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of a block memory transfer.
    pub struct BlockMemoryTransferPorts {
        /// Commands to copy; the answer says whether a memory did not answer.
        pub command: { request: Input<Transfer>, response: Output<Response> },
        /// First memory.
        pub first: { request: Output<Reference>, response: Input<Response> },
        /// Second memory.
        pub second: { request: Output<Reference>, response: Input<Response> },
    }
}

/// State of the copy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BlockMemoryTransferState {
    copy: Option<Copying>,
    done: Option<Response>,
}

// Addresses are the next to be asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Copying {
    to_second: bool,
    from: u64,
    to: u64,
    left_to_read: u64,
    left_to_write: u64,
    // The references on their way: where in its word each read's bytes begin and how many there are.
    reads: VecDeque<(u8, u8)>,
    writes: u64,
    // Bytes that came and were not written yet.
    bytes: VecDeque<u8>,
    is_fault: bool,
    began: u64,
}

/// Copies bytes between two memory networks. See its declaration.
pub struct BlockMemoryTransfer {
    width: u64,
    capacity: u64,
    source: u16,
    ports: BlockMemoryTransferPorts,
    state: BlockMemoryTransferState,
}

const TRANSFERS: usize = 0;
const BYTES: usize = 1;
const READS: usize = 2;
const WRITES: usize = 3;
const FAULTS: usize = 4;
const BUSY: usize = 5;

impl Module for BlockMemoryTransfer {
    type Parameters = BlockMemoryTransferParameters;
    type Ports = BlockMemoryTransferPorts;
    type State = BlockMemoryTransferState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "block_memory_transfer",
            family: "memory",
            documentation: "Copies bytes between two memory networks.\n\nIt reads and writes words at multiples of its width; \
                            excess bytes at either end are disabled. It reads ahead as far as it has room, so the two ranges \
                            must not overlap. If an address does not respond, it sends no further references, waits for those in \
                            flight, and reports a fault; bytes written before remain.",
            timing: "One command at a time. All outputs are registered. Per cycle at most one reference is read and one written; \
                     the first read is presented in the cycle after the command was taken, a write in the cycle after its last \
                     byte came, and the end in the cycle after the last write was answered.",
            source: "Spinach thesis, section 3.2.2, table 3.2 (Block Memory Transfer)",
            parameters: BlockMemoryTransferParameters::declare(),
            ports: BlockMemoryTransferPorts::declare(),
            counters: &[
                ("transfers", "commands that were done, those that ended in a fault included"),
                ("bytes", "bytes that were asked to be written"),
                ("reads", "references that read"),
                ("writes", "references that wrote"),
                ("faults", "commands that ended in a fault"),
                ("busy_cycles", "cycles from taking a command until its end is presented"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(
        parameters: BlockMemoryTransferParameters,
        ports: BlockMemoryTransferPorts,
    ) -> Result<Self, String> {
        Ok(Self {
            width: parameters.width,
            capacity: parameters.width * parameters.depth,
            source: parameters.source as u16,
            ports,
            state: BlockMemoryTransferState::default(),
        })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = BlockMemoryTransferPorts;
        let drives = [
            ack(Own::COMMAND_REQUEST),
            data(Own::COMMAND_RESPONSE),
            data(Own::FIRST_REQUEST),
            data(Own::SECOND_REQUEST),
        ];
        // There is room for everything that was asked for.
        vec![Process::new(0).drives(drives).accepts([Own::FIRST_RESPONSE, Own::SECOND_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let BlockMemoryTransferState { copy, done } = &self.state;
        signals.acknowledge(self.ports.command_request, copy.is_none() && done.is_none());
        signals.write(self.ports.command_response, *done);
        let read = copy.as_ref().and_then(|copy| self.next_read(copy));
        let write = copy.as_ref().and_then(|copy| self.next_write(copy));
        let to_second = copy.as_ref().is_none_or(|copy| copy.to_second);
        let (first, second) = if to_second { (read, write) } else { (write, read) };
        signals.write(self.ports.first_request, first);
        signals.write(self.ports.second_request, second);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if self.state.done.is_some() && edge.signals.is_sent(self.ports.command_response) {
            self.state.done = None;
        }
        if let Some(transfer) = edge.signals.received(self.ports.command_request) {
            self.state.copy = Some(Copying::new(transfer, edge.cycle()));
        } else if let Some(mut copy) = self.state.copy.take() {
            self.advance(&mut copy, edge);
            if copy.is_over() {
                edge.count(TRANSFERS, 1);
                edge.count(FAULTS, u64::from(copy.is_fault));
                edge.count(BUSY, edge.cycle() + 1 - copy.began);
                self.state.done = Some(Response { data: 0, is_fault: copy.is_fault });
            } else {
                self.state.copy = Some(copy);
            }
        }
    }

    fn idle(&self) -> Idle {
        // A command without references, because it is empty or impossible, ends at once.
        match &self.state.copy {
            Some(copy) if copy.is_over() => Idle::No,
            _ => Idle::UntilInput,
        }
    }

    fn state(&self) -> &BlockMemoryTransferState {
        &self.state
    }

    fn restore(&mut self, state: BlockMemoryTransferState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Copying {
    fn new(transfer: Transfer, cycle: u64) -> Self {
        let Transfer { first, second, length, to_second } = transfer;
        let (from, to) = if to_second { (first, second) } else { (second, first) };
        let length = u64::from(length);
        Self {
            to_second,
            from,
            to,
            left_to_read: length,
            left_to_write: length,
            reads: VecDeque::new(),
            writes: 0,
            bytes: VecDeque::new(),
            is_fault: from.checked_add(length).is_none() || to.checked_add(length).is_none(),
            began: cycle,
        }
    }

    fn is_over(&self) -> bool {
        (self.is_fault || self.left_to_write == 0) && self.reads.is_empty() && self.writes == 0
    }
}

impl BlockMemoryTransfer {
    // Position of `address` in its word, and number of the `left` bytes from there on in the same word.
    fn piece(&self, address: u64, left: u64) -> (u8, u8) {
        let offset = address & (self.width - 1);
        (offset as u8, left.min(self.width - offset) as u8)
    }

    fn reference(&self, address: u64, (offset, count): (u8, u8)) -> Reference {
        Reference {
            address: address - u64::from(offset),
            access: Access::Read,
            size: self.width as u8,
            enables: crate::values::all_enabled(count) << offset,
            source: self.source,
            data: 0,
        }
    }

    fn next_read(&self, copy: &Copying) -> Option<Reference> {
        let piece = self.piece(copy.from, copy.left_to_read);
        let on_their_way: u64 = copy.reads.iter().map(|(_, count)| u64::from(*count)).sum();
        let taken = copy.bytes.len() as u64 + on_their_way + u64::from(piece.1);
        let wanted = copy.left_to_read > 0 && !copy.is_fault && taken <= self.capacity;
        wanted.then(|| self.reference(copy.from, piece))
    }

    fn next_write(&self, copy: &Copying) -> Option<Reference> {
        let piece = self.piece(copy.to, copy.left_to_write);
        let wanted = copy.left_to_write > 0 && !copy.is_fault && copy.bytes.len() >= usize::from(piece.1);
        wanted.then(|| {
            let bytes = copy.bytes.iter().take(usize::from(piece.1)).rev();
            let data = bytes.fold(0, |data, byte| data << 8 | u128::from(*byte)) << (8 * piece.0);
            Reference { access: Access::Write, data, ..self.reference(copy.to, piece) }
        })
    }

    fn advance(&self, copy: &mut Copying, edge: &mut Edge<'_>) {
        let first = (self.ports.first_request, self.ports.first_response);
        let second = (self.ports.second_request, self.ports.second_response);
        let (read, write) = if copy.to_second { (first, second) } else { (second, first) };
        if edge.signals.is_sent(read.0) {
            let piece = self.piece(copy.from, copy.left_to_read);
            copy.reads.push_back(piece);
            copy.from += u64::from(piece.1);
            copy.left_to_read -= u64::from(piece.1);
            edge.count(READS, 1);
        }
        if edge.signals.is_sent(write.0) {
            let (_, count) = self.piece(copy.to, copy.left_to_write);
            copy.bytes.drain(..usize::from(count));
            copy.to += u64::from(count);
            copy.left_to_write -= u64::from(count);
            copy.writes += 1;
            edge.count(WRITES, 1);
            edge.count(BYTES, u64::from(count));
        }
        if let Some(response) = edge.signals.received(read.1) {
            copy.is_fault |= response.is_fault;
            let (offset, count) = copy.reads.pop_front().unwrap_or_default();
            let bytes = response.data.to_le_bytes();
            copy.bytes.extend(bytes.iter().skip(usize::from(offset)).take(usize::from(count)));
        }
        if let Some(response) = edge.signals.received(write.1) {
            copy.is_fault |= response.is_fault;
            copy.writes = copy.writes.saturating_sub(1);
        }
    }
}
