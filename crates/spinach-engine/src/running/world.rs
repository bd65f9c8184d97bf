//! The state that modules change besides their own.

use super::activity::Activity;
use super::steps::Switches;
use crate::contract::{EdgeContext, Idle, Part, Signals};

/// State shared by all modules of a simulation, and the present edge.
pub(crate) struct World {
    pub(crate) signals: Box<Signals>,
    pub(crate) context: EdgeContext,
    pub(crate) activity: Activity,
    /// True if idle modules may sleep.
    pub(crate) sleeping: bool,
}

impl World {
    /// State at time zero.
    pub(crate) fn new(signals: Box<Signals>, activity: Activity) -> Self {
        Self { signals, context: EdgeContext::default(), activity, sleeping: true }
    }

    /// Handles all events at watched slots: wakes the modules that wait for them at this edge.
    #[cold]
    #[inline(never)]
    pub(crate) fn attend(&mut self, switches: &impl Switches) {
        let Self { activity, signals, .. } = self;
        while let Some((slot, part)) = signals.next_disturbance() {
            match part {
                Part::Data => activity.attend_data(slot, switches, signals),
                Part::Ack => activity.attend_ack(slot, switches, signals),
            }
        }
    }

    /// Decides whether `module`, which has just committed for one of its clocks and is awake, falls asleep, given its wake condition
    /// and whether its outputs are set. Returns after how many commits to test again, or [`ASLEEP`](super::activity::ASLEEP).
    #[inline(never)]
    pub(crate) fn consider(
        &mut self,
        switches: &impl Switches,
        module: u32,
        clock: u32,
        rest: (Idle, bool),
    ) -> i8 {
        let Self { activity, signals, context, .. } = self;
        activity.consider(module, rest, (clock, context.cycle, context.time), switches, signals)
    }
}
