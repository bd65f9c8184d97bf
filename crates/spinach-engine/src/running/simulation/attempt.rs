//! Attempts to find a repetition, which advance with each instant of a run.
//!
//! An attempt looks at [hashes](super::hashes) first, because outlooks cost much. Where the hashes have begun to come again, a trial
//! compares the outlooks before and after a period. An attempt belongs to a run, but not to a window of it.

use super::Island;
use super::closed::{Closed, Repetition};
use super::hashes::{EVIDENCE_OF_CYCLES, EVIDENCE_OF_SLEEP, Hashes};
use super::leap::SHORTEST_REST;
use super::search::{Attempt, Found, Trial};
use crate::contract::{Leap, Outlook};
use crate::time::Time;

/// Maximum number of hashes of an attempt: one for each cycle of a domain that is awake.
const LONGEST_ATTEMPT: u32 = 4096;
/// Number of periods in which advancing values may still advance differently: values read before the first period are older.
const TRIALS: u32 = 4;

impl Island {
    /// Begins an attempt, unless something acts in the domain that cannot predict its behaviour.
    pub(super) fn begin_attempt(&mut self, closed: Closed, limit: Time) -> Option<Attempt> {
        let domain = closed.domain;
        let may_run_ahead = self.end_running_ahead();
        let is_asleep = self.domains[domain].asleep;
        let began = self.cycle_of(domain);
        let mut attempt = Attempt {
            began,
            cycle: began,
            outside: if closed.is_alone { began + self.rest_of(domain, limit) } else { u64::MAX },
            hashes: Hashes::new(if is_asleep { EVIDENCE_OF_SLEEP } else { EVIDENCE_OF_CYCLES }),
            left: LONGEST_ATTEMPT,
            trial: None,
            may_run_ahead,
            closed,
        };
        if self.is_closed(&mut attempt.closed) {
            return Some(attempt);
        }
        self.world.context.may_run_ahead = may_run_ahead;
        None
    }

    /// Takes note of an instant; `None` if the attempt continues, `Err` if it ends without a repetition.
    pub(super) fn advance(
        &mut self,
        attempt: &mut Attempt,
        limit: Time,
    ) -> Result<Option<Repetition>, Found> {
        if !self.is_closed(&mut attempt.closed) {
            return Err(Found::Change);
        }
        let has_acted = self.domains[attempt.closed.domain].last.next() == self.now;
        if !has_acted {
            return Ok(None);
        }
        let cycle = self.cycle_of(attempt.closed.domain);
        if attempt.trial.as_ref().is_some_and(|trial| cycle < trial.end) {
            return Ok(None);
        }
        attempt.cycle = cycle;
        if let Some(trial) = attempt.trial.take() {
            let repetition = self.end_trial(attempt, trial, limit);
            if repetition.is_some() || attempt.trial.is_some() {
                return Ok(repetition);
            }
            attempt.hashes.forget();
        }
        attempt.left = attempt.left.checked_sub(1).ok_or(Found::Nothing)?;
        let period = attempt.hashes.add(self.outlook_hash(&attempt.closed), cycle);
        if attempt.outside.saturating_sub(cycle) < SHORTEST_REST / 2 + period.unwrap_or(0) {
            return Err(Found::Change);
        }
        if let Some(period) = period {
            let (outlook, _) = self.outlook(&attempt.closed).ok_or(Found::Change)?;
            let advances = outlook.advances_since(&outlook);
            self.begin_trial(attempt, period, (outlook, advances), TRIALS);
        }
        Ok(None)
    }

    /// Ends an attempt before it has found anything.
    pub(super) fn end_attempt(&mut self, attempt: Attempt) -> Closed {
        if let Some(trial) = &attempt.trial {
            self.end_period(&attempt.closed, Leap::NONE, &trial.counters);
        }
        self.world.context.may_run_ahead = attempt.may_run_ahead;
        attempt.closed
    }

    /// Begins a period of a trial, with the present outlook and the advances of values in the period before.
    fn begin_trial(
        &mut self,
        attempt: &mut Attempt,
        period: u64,
        (last, advances): (Outlook, Vec<Vec<u64>>),
        left: u32,
    ) {
        let counters = self.begin_period(&attempt.closed, period, &advances);
        let (end, left) = (attempt.cycle + period, left - 1);
        attempt.trial = Some(Trial { period, end, last, advances, counters, left });
    }

    /// Returns a repetition, the last period of which has not ended yet. Otherwise begins another period if that may show one.
    fn end_trial(&mut self, attempt: &mut Attempt, trial: Trial, limit: Time) -> Option<Repetition> {
        let Attempt { closed, cycle, .. } = &*attempt;
        let Trial { period, end, last, advances, counters, left } = trial;
        let outlook = if *cycle == end { self.outlook(closed) } else { None };
        let outlook = outlook.filter(|(outlook, _)| outlook.repeats(&last));
        let Some((outlook, until)) = outlook else {
            self.end_period(closed, Leap::NONE, &counters);
            return None;
        };
        let now = outlook.advances_since(&last);
        let times = if now == advances { self.repeatable(closed) } else { 0 };
        let ends_soon = closed.is_alone && {
            let rest = until.saturating_sub(*cycle);
            self.rest_of(closed.domain, limit).min(rest) < SHORTEST_REST / 2
        };
        let enough = if closed.is_alone { 1 } else { SHORTEST_REST.div_ceil(period) };
        if times >= enough || ends_soon {
            return Some(Repetition { period, counters, times, until });
        }
        self.end_period(closed, Leap::NONE, &counters);
        if left > 0 {
            let period = outlook.period_in_step(period);
            self.begin_trial(attempt, period, (outlook, now), left);
        }
        None
    }
}
