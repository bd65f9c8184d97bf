//! `Mover`: moves runs of bytes to and from control memory, reference by reference.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::{AlreadySet, Edge, Input, Output, Signals};

use crate::notes::Noted;
use crate::values::{Access, REFERENCE_BYTES, Reference, Response};

/// A run of bytes on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Operation {
    tag: u64,
    address: u64,
    is_write: bool,
    bytes: Vec<u8>,
    // Number of bytes that were asked for, and of those that were answered.
    asked: usize,
    answered: usize,
    is_fault: bool,
}

/// An operation that is over.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Tag of the operation, chosen at its start.
    pub(crate) tag: u64,
    /// The first byte.
    pub(crate) address: u64,
    /// The bytes that were read or written.
    pub(crate) bytes: Vec<u8>,
    /// True if some of the bytes had no answer.
    pub(crate) is_fault: bool,
}

/// An initiator of the memory protocol that performs operations in order: one reference a cycle, as wide as the port, several
/// outstanding. An operation is over when its last response has come, and only then is its effect certain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Mover {
    width: u64,
    outstanding_limit: u32,
    source: u16,
    operations: VecDeque<Operation>,
    // The first operation with bytes not asked for yet.
    asking: usize,
    outstanding: u32,
    // Next reference to ask; follows from all of the above.
    next: Option<Reference>,
    // True if `next` is presented.
    #[serde(skip)]
    presented: AlreadySet,
}

/// True if anything moves at the ports of a mover; never at unconnected ports.
#[inline]
pub(crate) fn moves(request: Output<Reference>, response: Input<Response>, signals: &Signals) -> bool {
    signals.is_sent(request) | signals.is_received(response)
}

impl Mover {
    /// With references of `width` bytes.
    ///
    /// # Errors
    /// If references cannot have that width.
    pub(crate) fn new(width: u32, outstanding_limit: u32, source: u16) -> Result<Self, String> {
        if !width.is_power_of_two() || width > 16 {
            return Err(format!("control_width is {width}, but references carry 1, 2, 4, 8 or 16 bytes"));
        }
        Ok(Self {
            width: u64::from(width),
            outstanding_limit,
            source,
            operations: VecDeque::new(),
            asking: 0,
            outstanding: 0,
            next: None,
            presented: AlreadySet::default(),
        })
    }

    pub(crate) fn read(&mut self, tag: u64, address: u64, length: usize) {
        self.push(tag, address, false, vec![0; length]);
    }

    pub(crate) fn write(&mut self, tag: u64, address: u64, bytes: Vec<u8>) {
        self.push(tag, address, true, bytes);
    }

    fn push(&mut self, tag: u64, address: u64, is_write: bool, bytes: Vec<u8>) {
        debug_assert!(!bytes.is_empty(), "an operation without bytes would never end");
        self.operations.push_back(Operation {
            tag,
            address,
            is_write,
            bytes,
            asked: 0,
            answered: 0,
            is_fault: false,
        });
        if self.next.is_none() {
            self.find_next();
        }
    }

    fn find_next(&mut self) {
        self.next = self.next_reference();
        self.presented.forget();
    }

    // The bytes of the run that the reference at position `at` carries: how many there are, and where in the reference the
    // first lies.
    fn piece(&self, operation: &Operation, at: usize) -> (usize, u64) {
        let first = (operation.address + at as u64) & (self.width - 1);
        (((self.width - first) as usize).min(operation.bytes.len() - at), first)
    }

    fn next_reference(&self) -> Option<Reference> {
        if self.outstanding >= self.outstanding_limit {
            return None;
        }
        let operation = self.operations.get(self.asking)?;
        let at = operation.asked;
        let (count, first) = self.piece(operation, at);
        let data = if operation.is_write { bytes_at(&operation.bytes[at..at + count], first) } else { 0 };
        Some(Reference {
            address: operation.address + at as u64 - first,
            access: if operation.is_write { Access::Write } else { Access::Read },
            size: self.width as u8,
            enables: (((1u32 << count) - 1) << first) as u16,
            source: self.source,
            data,
        })
    }

    /// Presents the next reference; always at the same output.
    #[inline(always)]
    pub(crate) fn evaluate(&self, request: Output<Reference>, signals: &mut Signals) {
        if !signals.are_set_already(&self.presented) {
            self.present(request, signals);
        }
    }

    #[inline(never)]
    fn present(&self, request: Output<Reference>, signals: &mut Signals) {
        signals.write(request, self.next);
    }

    /// Processes transfers; returns the operation that is over, at most one in a cycle.
    #[inline(always)]
    pub(crate) fn commit(
        &mut self,
        request: Output<Reference>,
        response: Input<Response>,
        edge: &mut Edge<'_>,
    ) -> Option<Finished> {
        if moves(request, response, edge.signals) { self.commit_moved(request, response, edge) } else { None }
    }

    #[inline(never)]
    fn commit_moved(
        &mut self,
        request: Output<Reference>,
        response: Input<Response>,
        edge: &mut Edge<'_>,
    ) -> Option<Finished> {
        let is_asked = edge.signals.is_sent(request);
        if is_asked {
            self.see_asked(edge);
        }
        let response = edge.signals.received(response);
        let finished = response.and_then(|response| self.see_answer(&response));
        // The next reference changes when it is accepted, or when an answer makes room for it.
        if is_asked || response.is_some() && self.next.is_none() {
            self.find_next();
        }
        finished
    }

    // The next reference was taken.
    fn see_asked(&mut self, edge: &mut Edge<'_>) {
        let operation = &self.operations[self.asking];
        let (count, _) = self.piece(operation, operation.asked);
        let operation = &mut self.operations[self.asking];
        edge.note(|| {
            let address = operation.address + operation.asked as u64;
            Noted::Accessed { address, bytes: count as u32, write: operation.is_write }.to_words()
        });
        operation.asked += count;
        self.asking += usize::from(operation.asked == operation.bytes.len());
        self.outstanding += 1;
    }

    // The oldest reference was answered; returns the operation that is over with it.
    fn see_answer(&mut self, response: &Response) -> Option<Finished> {
        let operation = self.operations.front()?;
        let (count, first) = self.piece(operation, operation.answered);
        let operation = self.operations.front_mut()?;
        if !operation.is_write {
            let data = response.data >> (8 * first);
            let bytes = &mut operation.bytes[operation.answered..operation.answered + count];
            // As in `bytes_at`.
            if let Ok(eight) = <&mut [u8; 8]>::try_from(&mut *bytes) {
                *eight = (data as u64).to_le_bytes();
            } else {
                bytes.copy_from_slice(&data.to_le_bytes()[..count]);
            }
        }
        operation.answered += count;
        operation.is_fault |= response.is_fault;
        self.outstanding -= 1;
        if operation.answered < operation.bytes.len() {
            return None;
        }
        let operation = self.operations.pop_front()?;
        self.asking -= 1;
        let Operation { tag, address, bytes, is_fault, .. } = operation;
        Some(Finished { tag, address, bytes, is_fault })
    }
}

// The bytes as a reference carries them, if the first of them lies at `first`.
#[inline]
fn bytes_at(bytes: &[u8], first: u64) -> u128 {
    // Most references carry as many as this, and nothing is copied byte by byte.
    if let Ok(eight) = bytes.try_into() {
        return u128::from(u64::from_le_bytes(eight)) << (8 * first);
    }
    let mut data = [0; REFERENCE_BYTES];
    data[first as usize..][..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(data)
}

/// Keeps a word of memory up to date with an index that the hardware advances.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ProgressWord {
    written: u32,
    is_under_way: bool,
}

impl ProgressWord {
    /// Writer of an index that begins at `first_index`; the word is first written when the index advances.
    pub(crate) fn new(first_index: u32) -> Self {
        Self { written: first_index, is_under_way: false }
    }

    /// The tag of its operations; no other operation of the mover may have it.
    pub(crate) const TAG: u64 = u64::MAX;

    /// Begins a write if the word is behind `index`, and returns true if so; one is under way at most, so that the newest index
    /// always wins.
    pub(crate) fn follow(&mut self, index: u32, address: u32, mover: &mut Mover) -> bool {
        let begins = address != 0 && index != self.written && !self.is_under_way;
        if begins {
            mover.write(Self::TAG, u64::from(address), index.to_be_bytes().to_vec());
            (self.written, self.is_under_way) = (index, true);
        }
        begins
    }

    /// The write is over.
    pub(crate) fn finish(&mut self) {
        self.is_under_way = false;
    }
}
