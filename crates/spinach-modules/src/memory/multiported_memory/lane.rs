//! One lane of a memory: its ports, and the responses on their way out.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spinach_engine::{Input, Leap, Outlook, Output, Signals};

use crate::values::{Reference, Response};

/// The responses on their way out of one lane. Meaningless fields are saved as at the beginning.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
#[serde(remote = "Self")]
pub(super) struct Lane {
    /// The oldest, and the cycle from which on it may be presented; meaningless if there is none.
    pub(super) oldest: Response,
    pub(super) due: u64,
    /// Number of responses.
    pub(super) waiting: u32,
    /// True if there is any and the oldest is presented in the coming cycle.
    pub(super) is_due: bool,
    // The others, oldest first, likewise; none if the latency is one cycle.
    younger: VecDeque<(u64, Response)>,
}

impl Serialize for Lane {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nothing = Self::default();
        Self::serialize(if self.waiting > 0 { self } else { &nothing }, serializer)
    }
}

impl<'de> Deserialize<'de> for Lane {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// Ports of one lane.
#[derive(Clone, Copy)]
pub(super) struct LanePorts {
    pub(super) request: Input<Reference>,
    pub(super) response: Output<Response>,
}

impl Lane {
    /// Adds the responses on their way out.
    pub(super) fn outlook(&self, outlook: &mut Outlook) {
        outlook.add(&(self.waiting, self.is_due, (self.waiting > 0).then_some(self.oldest)));
        if self.waiting > 0 {
            outlook.add_cycle(self.due);
        }
        for (due, response) in &self.younger {
            outlook.add_cycle(*due);
            outlook.add(response);
        }
    }

    pub(super) fn leap(&mut self, leap: Leap) {
        self.due += leap.cycles();
        self.younger.iter_mut().for_each(|(due, _)| *due += leap.cycles());
    }

    /// One more response, which may be presented from cycle `due` on.
    #[inline(always)]
    pub(super) fn push(&mut self, response: Response, due: u64) {
        self.waiting += 1;
        if self.waiting == 1 {
            (self.oldest, self.due) = (response, due);
        } else {
            self.push_younger(response, due);
        }
    }

    #[inline(never)]
    fn push_younger(&mut self, response: Response, due: u64) {
        self.younger.push_back((due, response));
    }

    /// The oldest response is gone, if `is_gone`.
    // `is_gone` is hard to predict, but another response seldom waits: a sum asks for both at once, where the
    // compiler would make two branches of a conjunction.
    #[inline(always)]
    pub(super) fn pop_if(&mut self, is_gone: bool) {
        const GONE: u32 = 1 << 31;
        let (waiting, gone) = (self.waiting, u32::from(is_gone));
        self.waiting = waiting - gone;
        if waiting + gone * GONE > 1 + GONE {
            self.advance();
        }
    }

    #[inline(never)]
    fn advance(&mut self) {
        if let Some((due, response)) = self.younger.pop_front() {
            (self.oldest, self.due) = (response, due);
        }
    }

    /// True if a saved lane is one that there can be.
    pub(super) fn is_consistent(&self) -> bool {
        let oldest = usize::from(self.waiting > 0);
        self.waiting as usize == oldest + self.younger.len() && (self.waiting > 0 || !self.is_due)
    }

    #[inline(always)]
    pub(super) fn respond(&self, ports: LanePorts, signals: &mut Signals) {
        signals.write_if(ports.response, self.is_due, self.oldest);
    }

    #[inline(always)]
    pub(super) fn accept(&self, ports: LanePorts, latency: u32, signals: &mut Signals) {
        let is_heard = signals.is_acknowledged(ports.response);
        let has_room = (self.waiting < latency) | self.is_due & is_heard;
        signals.acknowledge(ports.request, has_room);
    }

    /// Ends the presentation of a response that was taken.
    #[inline(always)]
    pub(super) fn end(&mut self, ports: LanePorts, signals: &Signals) {
        self.pop_if(self.is_due & signals.is_acknowledged(ports.response));
    }

    /// Finds out, at the end of cycle `cycle`, whether a response is presented in the next.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self, cycle: u64) {
        self.is_due = (self.waiting > 0) & (self.due <= cycle + 1);
    }
}
