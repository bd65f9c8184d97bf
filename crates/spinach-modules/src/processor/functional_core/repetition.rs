//! Prediction of a functional core's behaviour, for the engine to find repetitions, and its state after skipped ones.

use spinach_engine::{Leap, Outlook};
use spinach_isa::architecture::{Architecture, RegisterFile};

use super::{FunctionalCore, FunctionalState};

impl<A: Architecture> FunctionalCore<A> {
    /// Adds all state that determines the behaviour of the core; returns the cycle in which time alone changes it. `None` if a
    /// debugger holds the core or waits for a load.
    pub(super) fn predict(&self, outlook: &mut Outlook) -> Option<u64> {
        if self.watch.is_some() || self.load.is_some() {
            return None;
        }
        let FunctionalState { program, is_fetching, parcel, discards, step, rests_until, awaits_interrupt } =
            &self.state;
        let due = program.outlook(outlook)?;
        outlook.add(&(program.registers.pc(), is_fetching, parcel, discards, step, awaits_interrupt));
        // Rests that are over are 0.
        outlook.add_cycle(*rests_until);
        // A core that runs ahead stops before the cycle in which it is interrupted.
        Some(due.saturating_sub(u64::from(self.quantum)))
    }

    /// Repeats the effects of the period that ends now, as often as `leap` says.
    pub(super) fn repeat(&mut self, leap: Leap) {
        let Some(period) = self.period.take() else { return };
        self.state.program.leap(leap, &period);
        if self.state.rests_until > 0 {
            self.state.rests_until += leap.cycles();
        }
    }
}
