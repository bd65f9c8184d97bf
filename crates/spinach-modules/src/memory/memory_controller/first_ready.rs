//! First-ready scheduling: accesses of open rows overtake those that must wait for theirs.
//!
//! After Rixner et al., as the Spinach thesis (section 3.2.2) names it for the future: a split-transaction bus takes requests
//! into a queue; rows are opened while the data of others move.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::accesses::AccessNumber;
use super::bus::{Place, Rows, Span, Timing};
use crate::values::{Access, Block, Reference, all_enabled};

/// A request that waits or is presented to the memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) enum Request {
    Reference(Reference),
    Block(Block),
}

/// A request in the queue.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Queued {
    pub(super) number: AccessNumber,
    pub(super) request: Request,
    pub(super) span: Span,
    pub(super) since: u64,
}

/// State of the scheduler.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Scheduler {
    // Oldest first.
    queue: VecDeque<Queued>,
    // For each bank the cycle from which on its open row can be used.
    ready_at: Vec<u64>,
    // The first cycle in which other data can move.
    free_at: u64,
    // Request that is presented to the memory in the coming cycle.
    issued: Option<Queued>,
}

/// Action of the scheduler in a cycle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// The request that is presented to the memory from the next cycle on, and when its response is due.
    pub(super) issued: Option<(Queued, u64)>,
    /// Cycles for which the data bus is blocked, and those of them in which data move.
    pub(super) busy: u64,
    pub(super) moving: u64,
    pub(super) activations: u64,
    pub(super) conflicts: u64,
    pub(super) turns: bool,
}

impl Request {
    pub(super) const fn is_block(&self) -> bool {
        matches!(self, Self::Block(_))
    }

    pub(super) const fn reference(self) -> Option<Reference> {
        match self {
            Self::Reference(reference) => Some(reference),
            Self::Block(_) => None,
        }
    }

    pub(super) const fn block(self) -> Option<Block> {
        match self {
            Self::Block(block) => Some(block),
            Self::Reference(_) => None,
        }
    }

    /// Location of the bytes, and the number of them that take part.
    pub(super) fn span(&self) -> (Span, u64) {
        match *self {
            Self::Reference(Reference { address, access, size, enables, .. }) => {
                let useful = u64::from((enables & all_enabled(size.min(16))).count_ones());
                (Span { address, length: u64::from(size), writes: access.writes() }, useful)
            }
            Self::Block(Block { address, length, write, .. }) => {
                let length = u64::from(length);
                (Span { address, length, writes: write.is_some() }, length)
            }
        }
    }

    // Reservations make atomic operations depend on each other wherever they are.
    const fn is_atomic(&self) -> bool {
        match self {
            Self::Block(_) => false,
            Self::Reference(reference) => !matches!(reference.access, Access::Read | Access::Write),
        }
    }
}

impl Queued {
    // True if `self` must not overtake `older`.
    fn depends_on(&self, older: &Queued) -> bool {
        let (a, b) = (&self.span, &older.span);
        let overlap = a.address < b.address.saturating_add(b.length.max(1))
            && b.address < a.address.saturating_add(a.length.max(1));
        overlap && (a.writes || b.writes) || self.request.is_atomic() && older.request.is_atomic()
    }
}

impl Scheduler {
    pub(super) fn new(timing: &Timing, depth: usize) -> Self {
        Self {
            queue: VecDeque::with_capacity(depth),
            ready_at: vec![0; timing.banks.number() as usize],
            ..Self::default()
        }
    }

    /// True if this could be the scheduler of a memory with `banks` banks.
    pub(super) fn fits(&self, banks: usize) -> bool {
        self.ready_at.len() == banks
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.issued.is_none()
    }

    /// Request presented to the memory in this cycle.
    pub(super) fn issued(&self) -> Option<Request> {
        self.issued.map(|issued| issued.request)
    }

    /// The memory took the presented request.
    pub(super) fn sent(&mut self) {
        self.issued = None;
    }

    pub(super) fn push(&mut self, queued: Queued) {
        self.queue.push_back(queued);
    }

    /// Decides at the end of cycle `cycle` the actions of the next: at most one row to open and one request to serve.
    pub(super) fn step(&mut self, timing: &Timing, rows: &mut Rows, timeout: u64, cycle: u64) -> Step {
        let mut step = Step::default();
        let next = cycle + 1;
        if self.issued.is_none() && self.free_at <= next {
            let ready =
                (0..self.candidates(timeout, next)).find(|index| self.is_ready(timing, rows, *index, next));
            if let Some(queued) = ready.and_then(|index| self.queue.remove(index)) {
                self.serve(timing, rows, queued, next, &mut step);
            }
        }
        let candidates = self.candidates(timeout, next);
        let closed = (0..candidates).find(|index| self.may_open(timing, rows, *index, candidates == 1, next));
        if let Some(index) = closed {
            let place = timing.place(self.queue[index].span.address);
            self.open(timing, rows, place, next, &mut step);
        }
        step
    }

    // Number of the oldest requests that may go: if the oldest has waited too long only that, so that none
    // waits forever.
    fn candidates(&self, timeout: u64, next: u64) -> usize {
        let starves = self.queue.front().is_some_and(|oldest| next - oldest.since > timeout);
        if starves { 1 } else { self.queue.len() }
    }

    fn is_ready(&self, timing: &Timing, rows: &Rows, index: usize, next: u64) -> bool {
        let queued = &self.queue[index];
        let place = timing.place(queued.span.address);
        rows.is_open(place)
            && self.ready_at[place.bank] <= next
            && !self.queue.iter().take(index).any(|older| queued.depends_on(older))
    }

    // True if the row of a request may be opened: it is closed, its bank is idle, and no other request waits
    // for the row that is open, unless only this request may go.
    fn may_open(&self, timing: &Timing, rows: &Rows, index: usize, is_alone: bool, next: u64) -> bool {
        let place = timing.place(self.queue[index].span.address);
        let is_wanted = || {
            self.queue.iter().any(|other| {
                let other = timing.place(other.span.address);
                other.bank == place.bank && rows.is_open(other)
            })
        };
        !rows.is_open(place) && self.ready_at[place.bank] <= next && (is_alone || !is_wanted())
    }

    fn open(&mut self, timing: &Timing, rows: &mut Rows, place: Place, from: u64, step: &mut Step) -> u64 {
        let (latency, conflicts) = rows.open(timing, place);
        self.ready_at[place.bank] = from.max(self.ready_at[place.bank]) + latency;
        step.activations += 1;
        step.conflicts += u64::from(conflicts);
        self.ready_at[place.bank]
    }

    // The data of one request move from cycle `from` on; rows it reaches later are opened as early as their banks allow.
    fn serve(&mut self, timing: &Timing, rows: &mut Rows, queued: Queued, from: u64, step: &mut Step) {
        let (turnaround, turns) = rows.turn(timing, queued.span.writes);
        let per_cycle = timing.bytes_per_cycle;
        let (mut moved, mut waited) = (0_u64, turnaround);
        for row in timing.rows(queued.span) {
            let place = timing.place(row);
            if !rows.is_open(place) {
                let ready = self.open(timing, rows, place, from, step);
                waited += ready.saturating_sub(from + waited + per_cycle.quotient(moved));
            }
            moved += timing.consumed_bytes(timing.part_in_row(queued.span, row));
            // The bank cannot be given another row before these data have moved.
            let end = from + waited + per_cycle.quotient_up(moved);
            self.ready_at[place.bank] = self.ready_at[place.bank].max(end);
        }
        step.turns = turns;
        step.moving = timing.moving(queued.span);
        step.busy = waited + step.moving;
        self.free_at = from + step.busy;
        step.issued = Some((queued, self.free_at + timing.column_latency));
        self.issued = Some(queued);
    }
}
