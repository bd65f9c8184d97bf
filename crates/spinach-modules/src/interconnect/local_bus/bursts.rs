//! Blocks on a local bus: each moves in bursts, and is answered when all of them are.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::Edge;

use crate::values::{Block, BlockResponse};

/// Number of bursts of a block that may be unanswered: the address of one passes while the data of another move.
const OUTSTANDING: u32 = 2;

/// A block under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Work {
    block: Block,
    target: usize,
    // Bytes to write, or the bytes read until now.
    bytes: Vec<u8>,
    // Number of bytes that were asked for, and of those that were answered.
    asked: u32,
    answered: u32,
    unanswered: u32,
    is_fault: bool,
}

/// A part of a block that moves at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub(super) target: usize,
    pub(super) bytes: u32,
    pub(super) is_write: bool,
}

/// An initiator of blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BlockLane {
    work: Option<Work>,
    // The first cycle in which the path is free of its last burst.
    moves_until: u64,
    // The answer, until its data have moved and from then on.
    finished: Option<BlockResponse>,
    response: Option<BlockResponse>,
}

impl BlockLane {
    pub(super) fn has_room(&self) -> bool {
        self.work.is_none() && !self.is_finished() && self.response.is_none()
    }

    /// True if a block is under way.
    #[inline]
    pub(super) fn has_work(&self) -> bool {
        self.work.is_some()
    }

    pub(super) fn response(&self) -> Option<BlockResponse> {
        self.response
    }

    /// True if it has an answer whose data still move.
    pub(super) fn is_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// Presents the answer from `now` on if its data have moved; returns true if so.
    pub(super) fn present(&mut self, now: u64) -> bool {
        let presents = self.is_finished() && now >= self.moves_until;
        if presents {
            self.response = self.finished.take();
        }
        presents
    }

    /// The initiator took the answer.
    pub(super) fn see_taken(&mut self) {
        self.response = None;
    }

    /// Takes a block; without a target, it is answered with a fault.
    pub(super) fn take(&mut self, block: Block, target: Option<usize>, edge: &mut Edge<'_>) {
        let bytes = block.write.and_then(|payload| edge.payloads().remove(payload)).unwrap_or_default();
        self.work = target.map(|target| Work {
            block,
            target,
            bytes: bytes.into_vec(),
            asked: 0,
            answered: 0,
            unanswered: 0,
            is_fault: false,
        });
        self.response = target.is_none().then_some(BlockResponse::FAULT);
    }

    /// Next burst to request: up to the next multiple of `burst` bytes, a power of two.
    pub(super) fn next_burst(&self, burst: u64) -> Option<Burst> {
        let work = self.work.as_ref().filter(|work| work.unanswered < OUTSTANDING)?;
        let begin = work.block.address + u64::from(work.asked);
        let rest = work.block.length - work.asked;
        let bytes = rest.min((burst - (begin & (burst - 1))) as u32);
        let (target, is_write) = (work.target, work.block.write.is_some());
        (bytes > 0).then_some(Burst { target, bytes, is_write })
    }

    /// The request for a burst, which is under way from now on and has its path until cycle `moves_until`.
    pub(super) fn ask(&mut self, burst: &Burst, moves_until: u64, edge: &mut Edge<'_>) -> Block {
        // There is work: a burst came of it.
        let Some(work) = &mut self.work else {
            return Block { address: 0, length: 0, source: 0, write: None };
        };
        let (from, length) = (work.asked as usize, burst.bytes as usize);
        let write = burst.is_write.then(|| edge.payloads().insert(work.bytes[from..from + length].to_vec()));
        let address = work.block.address + u64::from(work.asked);
        self.moves_until = moves_until;
        work.asked += burst.bytes;
        work.unanswered += 1;
        Block { address, length: burst.bytes, source: work.block.source, write }
    }

    /// Records the answer to a burst of `bytes` bytes. Returns true if the block has ended in a fault.
    pub(super) fn see_answer(&mut self, bytes: u32, response: BlockResponse, edge: &mut Edge<'_>) -> bool {
        let Some(work) = &mut self.work else { return false };
        work.answered += bytes;
        work.unanswered -= 1;
        work.is_fault |= response.is_fault;
        if let Some(read) = response.read {
            work.bytes.extend(edge.payloads().remove(read).unwrap_or_default());
        }
        if work.answered < work.block.length {
            return false;
        }
        let is_fault = work.is_fault;
        let is_read = work.block.write.is_none() && !is_fault;
        let bytes = std::mem::take(&mut work.bytes);
        let read = is_read.then(|| edge.payloads().insert(bytes));
        self.finished = Some(BlockResponse { read, is_fault });
        self.work = None;
        is_fault
    }
}

/// A memory that takes bursts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct BlockTarget {
    request: Option<Block>,
    // The lanes that wait for answers, oldest first, and how many bytes.
    asked: VecDeque<(usize, u32)>,
}

impl BlockTarget {
    pub(super) fn is_free(&self) -> bool {
        self.request.is_none()
    }

    /// True if an answer is due.
    pub(super) fn is_awaited(&self) -> bool {
        !self.asked.is_empty()
    }

    pub(super) fn request(&self) -> Option<Block> {
        self.request
    }

    pub(super) fn ask(&mut self, block: Block, lane: usize) {
        self.asked.push_back((lane, block.length));
        self.request = Some(block);
    }

    pub(super) fn see_sent(&mut self) {
        self.request = None;
    }

    pub(super) fn see_answered(&mut self) -> Option<(usize, u32)> {
        self.asked.pop_front()
    }
}
