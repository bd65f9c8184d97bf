//! Limits of a link: credits of the host for packets, and tags for reads (PCI Express Base Specification, section 2.6).

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::Time;

use crate::parts::queue::pop_front_if;

/// Bytes of data that a credit is good for.
pub(super) const CREDIT_BYTES: u64 = 16;

/// The limits of a link; 0 for none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Grants {
    pub(super) posted_headers: u64,
    pub(super) posted_data: u64,
    pub(super) read_headers: u64,
    pub(super) tags: u64,
    pub(super) latency: Time,
}

/// Credits and tags in use.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Credits {
    posted_headers: Pool,
    posted_data: Pool,
    read_headers: Pool,
    tags: Pool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pool {
    used: u64,
    // Numbers that return, with the instant; oldest first.
    returning: VecDeque<(Time, u64)>,
}

impl Grants {
    /// True if there are limits.
    pub(super) const fn are_limited(&self) -> bool {
        self.posted_headers | self.posted_data | self.read_headers | self.tags != 0
    }
}

impl Credits {
    /// Takes back what has returned by now.
    pub(super) fn take_back(&mut self, now: Time) {
        for pool in self.pools_mut() {
            pool.take_back(now);
        }
    }

    /// The next instant at which something returns.
    pub(super) fn next_return(&self) -> Option<Time> {
        let pools = [&self.posted_headers, &self.posted_data, &self.read_headers, &self.tags];
        pools.into_iter().filter_map(|pool| pool.returning.front()).map(|(due, _)| *due).min()
    }

    /// True if a packet with `bytes` of data to write may leave.
    pub(super) fn may_write(&self, grants: &Grants, bytes: u64) -> bool {
        self.posted_headers.has(grants.posted_headers, 1)
            && self.posted_data.has(grants.posted_data, bytes.div_ceil(CREDIT_BYTES))
    }

    /// Takes the credits of a packet with `bytes` of data to write, which has arrived at `there`.
    pub(super) fn write(&mut self, grants: &Grants, bytes: u64, there: Time) {
        let due = there.saturating_add(grants.latency);
        self.posted_headers.lend(grants.posted_headers, 1, due);
        self.posted_data.lend(grants.posted_data, bytes.div_ceil(CREDIT_BYTES), due);
    }

    /// True if a packet that asks for data may leave: the first of its read if it needs `tags`.
    pub(super) fn may_ask(&self, grants: &Grants, tags: u64) -> bool {
        self.read_headers.has(grants.read_headers, 1) && self.tags.has(grants.tags, tags)
    }

    /// Takes the credit of a packet that asks for data and has arrived at `there`, and the `tags` of its read.
    pub(super) fn ask(&mut self, grants: &Grants, tags: u64, there: Time) {
        self.read_headers.lend(grants.read_headers, 1, there.saturating_add(grants.latency));
        self.tags.take(grants.tags, tags);
    }

    /// The same for a packet that has a tag alone, which is free at `answered`.
    pub(super) fn ask_alone(&mut self, grants: &Grants, there: Time, answered: Time) {
        self.ask(grants, 1, there);
        self.tags.give_back(grants.tags, 1, answered);
    }

    /// Frees the `tags` of a read when its data is there.
    pub(super) fn answer(&mut self, grants: &Grants, tags: u64, there: Time) {
        self.tags.give_back(grants.tags, tags, there);
    }

    fn pools_mut(&mut self) -> [&mut Pool; 4] {
        [&mut self.posted_headers, &mut self.posted_data, &mut self.read_headers, &mut self.tags]
    }
}

impl Pool {
    fn take_back(&mut self, now: Time) {
        while let Some((_, count)) = pop_front_if(&mut self.returning, |(due, _)| *due <= now) {
            self.used -= count;
        }
    }

    /// More than all of them are as many as there are.
    fn has(&self, limit: u64, count: u64) -> bool {
        limit == 0 || self.used + count.min(limit) <= limit
    }

    fn take(&mut self, limit: u64, count: u64) {
        self.used += count.min(limit);
    }

    fn give_back(&mut self, limit: u64, count: u64, due: Time) {
        if limit != 0 {
            let place = self.returning.partition_point(|(other, _)| *other <= due);
            self.returning.insert(place, (due, count.min(limit)));
        }
    }

    fn lend(&mut self, limit: u64, count: u64, due: Time) {
        self.take(limit, count);
        self.give_back(limit, count, due);
    }
}
