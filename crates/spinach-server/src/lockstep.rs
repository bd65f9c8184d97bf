//! Steps of two joined machines: one machine after the other, or both at the same time, on a thread each.
//!
//! Within a step no machine depends on the other, and what follows from a step depends on the reports of both only. So the number of
//! threads affects nothing but speed.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use spinach_trials::{Trials, receive};

use crate::link::{Direction, LINKED};
use crate::machine::{End, Machine, Outcome};
use crate::pci::function::Sent;

/// Reports that a thread may leave before the other takes the first of them.
const UNREAD_REPORTS: usize = 2;

/// Result of a machine's step.
#[derive(Debug)]
struct Report {
    outcome: Outcome,
    /// Time before which it does nothing without input, in picoseconds.
    quiet_until: u64,
    sent: Vec<Sent>,
}

impl Report {
    fn of_step(machine: &mut Machine, end: u64) -> Self {
        let clock = machine.clock();
        let outcome = machine.run_until(clock.cycle_from(end));
        let quiet_until = match outcome {
            Outcome::Idle | Outcome::Ended(_) => clock.picoseconds(machine.quiet_until()),
            _ => 0,
        };
        Self { outcome, quiet_until, sent: machine.board.bus.take_sent(LINKED) }
    }
}

/// Times of steps, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    /// Length of a step, less than any frame takes from one machine to the other.
    pub(crate) step: u64,
    /// Time after which no step begins.
    pub(crate) until: u64,
    /// True if machines may run at the same time.
    pub(crate) is_concurrent: bool,
}

impl Schedule {
    fn step_end(self, time: u64) -> u64 {
        (time / self.step).saturating_add(1).saturating_mul(self.step)
    }

    /// End of the step that begins at a time. Steps in which nothing happens are one.
    fn next(self, time: u64, quiet_until: u64) -> u64 {
        let last = self.step_end(self.until.saturating_sub(1));
        self.step_end(time).max(self.step_end(quiet_until).min(last))
    }
}

/// Position of both machines, as it follows from the reports of their steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// Time up to which both have run, in picoseconds.
    pub(crate) time: u64,
    /// True if no machine has executed anything.
    pub(crate) is_idle: bool,
    /// Reason why they stop.
    pub(crate) stop: Option<Outcome>,
    /// True if a machine has made calls and the other is the reason of the stop.
    pub(crate) has_further_calls: bool,
    quiet_until: u64,
    /// True if both machines executed something in the last step.
    is_busy: bool,
}

impl Position {
    pub(crate) fn new(time: u64) -> Self {
        Self { time, is_idle: true, stop: None, has_further_calls: false, quiet_until: 0, is_busy: false }
    }

    /// Begins a run, before which the user may have changed the machines.
    pub(crate) fn begin(&mut self) {
        *self = Self::new(self.time);
    }

    /// Processes a step that ends at `end`; true if both machines have completed it.
    fn follow(&mut self, end: u64, reports: [&Report; 2]) -> bool {
        let outcomes = reports.map(|report| report.outcome);
        let is_any = |outcome| outcomes.contains(&outcome);
        let stop = [Outcome::Stopped, Outcome::Called].into_iter().find(|outcome| is_any(*outcome));
        self.has_further_calls = stop == Some(Outcome::Stopped) && is_any(Outcome::Called);
        self.stop = stop.or(end_of(outcomes));
        if stop.is_some() {
            return false;
        }
        self.time = end;
        self.quiet_until = reports.map(|report| report.quiet_until).into_iter().min().unwrap_or(0);
        self.is_idle &= !is_any(Outcome::Time);
        self.is_busy = outcomes == [Outcome::Time; 2];
        true
    }
}

/// End of both machines: a failure of one, or that both are off.
fn end_of(outcomes: [Outcome; 2]) -> Option<Outcome> {
    let off = Outcome::Ended(End::PoweredOff);
    let failure =
        outcomes.into_iter().find(|outcome| matches!(outcome, Outcome::Ended(_)) && *outcome != off);
    failure.or((outcomes == [off; 2]).then_some(off))
}

/// A machine, and the direction of the link that leads to it.
pub(crate) struct Side<'a> {
    pub(crate) machine: &'a mut Machine,
    pub(crate) incoming: &'a mut Direction,
}

impl Side<'_> {
    /// Runs until both machines stop, or for the steps of a trial.
    fn run(self, schedule: Schedule, mut position: Position, trial: u64, other: &Other) -> Trial {
        let (mut steps, mut busy, mut kept) = (0, Duration::ZERO, Vec::new());
        while position.time < schedule.until && position.stop.is_none() && steps < trial {
            let began = Instant::now();
            let end = schedule.next(position.time, position.quiet_until);
            let report = Report::of_step(self.machine, end);
            let own = Report { sent: Vec::new(), ..report };
            busy += began.elapsed();
            // Fails only if the other thread has panicked; then the next line fails, too.
            let _ = other.reports.send(report);
            let Some(theirs) = receive(&other.their_reports) else { break };
            steps += 1;
            if position.follow(end, [&own, &theirs]) {
                self.incoming.hand_over(theirs.sent, self.machine);
            } else {
                kept = theirs.sent;
            }
        }
        Trial { position, steps, busy, kept }
    }
}

/// The other thread.
struct Other {
    reports: SyncSender<Report>,
    their_reports: Receiver<Report>,
}

/// Result of a thread.
struct Trial {
    position: Position,
    steps: u64,
    /// Time in which its machine ran.
    busy: Duration,
    /// Frames of the other machine in a step that is not complete.
    kept: Vec<Sent>,
}

/// Runs steps: one with each machine in turn, or several in parallel if that is faster.
pub(crate) fn run(trials: &mut Trials, sides: [Side<'_>; 2], schedule: Schedule, position: &mut Position) {
    let Some(steps) = trials.begin(|| schedule.is_concurrent && position.is_busy) else {
        in_turn(sides, schedule, position);
        return;
    };
    let began = Instant::now();
    let (steps, busy) = at_once(sides, schedule, position, steps);
    trials.end(steps, busy, began.elapsed());
}

/// Runs a step of each machine, one after the other.
fn in_turn(sides: [Side<'_>; 2], schedule: Schedule, position: &mut Position) {
    let [first, second] = sides;
    let end = schedule.next(position.time, position.quiet_until);
    let reports = [&mut *first.machine, &mut *second.machine].map(|machine| Report::of_step(machine, end));
    let is_complete = position.follow(end, reports.each_ref());
    let [of_first, of_second] = reports.map(|report| report.sent);
    if is_complete {
        second.incoming.hand_over(of_first, second.machine);
        first.incoming.hand_over(of_second, first.machine);
    } else {
        first.machine.board.bus.put_back(LINKED, of_first);
        second.machine.board.bus.put_back(LINKED, of_second);
    }
}

/// Runs steps of both machines on a thread each. Returns their number, and the time in which machines ran.
fn at_once(sides: [Side<'_>; 2], schedule: Schedule, position: &mut Position, trial: u64) -> (u64, Duration) {
    let [first, second] = sides;
    let (to_first, from_second) = sync_channel(UNREAD_REPORTS);
    let (to_second, from_first) = sync_channel(UNREAD_REPORTS);
    let before = *position;
    let (own, theirs) = thread::scope(|scope| {
        let side = Side { machine: &mut *second.machine, incoming: &mut *second.incoming };
        let other = Other { reports: to_first, their_reports: from_first };
        let worker = scope.spawn(move || side.run(schedule, before, trial, &other));
        let side = Side { machine: &mut *first.machine, incoming: &mut *first.incoming };
        let other = Other { reports: to_second, their_reports: from_second };
        let own = side.run(schedule, before, trial, &other);
        drop(other);
        (own, worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    first.machine.board.bus.put_back(LINKED, theirs.kept);
    second.machine.board.bus.put_back(LINKED, own.kept);
    *position = own.position;
    (own.steps, own.busy + theirs.busy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcome: Outcome, quiet_until: u64) -> Report {
        Report { outcome, quiet_until, sent: Vec::new() }
    }

    fn after(outcomes: [Outcome; 2]) -> (bool, Option<Outcome>, bool) {
        let [first, second] = outcomes.map(|outcome| report(outcome, 0));
        let mut position = Position::new(0);
        let is_complete = position.follow(10, [&first, &second]);
        assert_eq!(position.time, if is_complete { 10 } else { 0 });
        (is_complete, position.stop, position.has_further_calls)
    }

    #[test]
    fn a_step_without_events_ends_with_that_of_the_next_event_or_of_the_run() {
        let schedule = Schedule { step: 10, until: 95, is_concurrent: true };
        let ends = [(0, 0), (7, 0), (10, 19), (10, 20), (10, 49), (10, 90), (10, u64::MAX), (90, u64::MAX)];
        let expected = [10, 10, 20, 30, 50, 100, 100, 100];
        assert_eq!(ends.map(|(time, quiet_until)| schedule.next(time, quiet_until)), expected);
    }

    #[test]
    fn the_order_of_machines_does_not_matter_to_a_stop() {
        use Outcome::{Called, Ended, Idle, Stopped, Time};
        let [off, failed] = [End::PoweredOff, End::Failed].map(Ended);
        for (outcomes, expected) in [
            ([Time, Idle], (true, None, false)),
            ([Time, off], (true, None, false)),
            ([off, off], (true, Some(off), false)),
            ([Time, failed], (true, Some(failed), false)),
            ([off, failed], (true, Some(failed), false)),
            ([Time, Called], (false, Some(Called), false)),
            ([failed, Called], (false, Some(Called), false)),
            ([Called, Called], (false, Some(Called), false)),
            ([Stopped, Time], (false, Some(Stopped), false)),
            ([Stopped, Called], (false, Some(Stopped), true)),
        ] {
            let [first, second] = outcomes;
            assert_eq!(
                (after([first, second]), after([second, first])),
                (expected, expected),
                "{outcomes:?}"
            );
        }
    }
}
