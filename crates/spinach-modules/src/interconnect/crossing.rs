//! What crossings between two clock domains are made of.

use serde::{Deserialize, Serialize};
use spinach_engine::Time;

/// How many flip-flops a [`Chain`] has at most.
pub(crate) const MAXIMUM_STAGES: usize = 8;

/// A register of one clock domain that another domain looks at.
///
/// Where edges of both clocks fall together, the other domain must see what was there before, whichever commits first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Register {
    /// What it holds.
    pub(crate) value: u64,
    previous: u64,
    changed_at: Option<Time>,
}

impl Register {
    /// A register that has always held `value`.
    pub(crate) fn new(value: u64) -> Self {
        Self { value, previous: value, changed_at: None }
    }

    /// Stores `value` at the edge at `time`; once per edge.
    #[inline]
    pub(crate) fn set(&mut self, value: u64, time: Time) {
        if value != self.value {
            *self = Self { value, previous: self.value, changed_at: Some(time) };
        }
    }

    /// What it held before the edge at `time`, the present one.
    #[inline]
    pub(crate) fn before(&self, time: Time) -> u64 {
        if self.changed_at == Some(time) { self.previous } else { self.value }
    }
}

/// A chain of flip-flops in the domain that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chain {
    stages: u8,
    // The last ones first; those beyond `stages` stay as they were made.
    flip_flops: [u64; MAXIMUM_STAGES],
}

impl Chain {
    /// So many flip-flops, 1 to [`MAXIMUM_STAGES`], that all hold `value`.
    pub(crate) fn new(stages: u32, value: u64) -> Self {
        Self { stages: stages as u8, flip_flops: [value; MAXIMUM_STAGES] }
    }

    /// One edge: everything moves on by one flip-flop.
    #[inline]
    pub(crate) fn shift(&mut self, value: u64) {
        let stages = usize::from(self.stages);
        self.flip_flops.copy_within(1..stages, 0);
        self.flip_flops[stages - 1] = value;
    }

    /// What comes out.
    #[inline]
    pub(crate) fn output(&self) -> u64 {
        self.flip_flops[0]
    }

    /// Whether every flip-flop holds `value`.
    #[inline]
    pub(crate) fn is_settled_at(&self, value: u64) -> bool {
        self.flip_flops[..usize::from(self.stages)].iter().all(|held| *held == value)
    }

    /// Whether the other chain has as many flip-flops.
    pub(crate) fn has_length_of(&self, other: &Self) -> bool {
        self.stages == other.stages
    }
}
