//! Slow path of a pipelined core, whose timing is not the default, or which is halted or watched; and the actions of any core
//! that is commanded, interrupted or asked for its registers.

use spinach_engine::{Edge, Signals};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::super::accounts::Cause;
use super::super::control::{Command, Order};
use super::super::form::{Form, General};
use super::PipelinedCore;
use super::exchanged::{DataSide, Fetched};

impl<A: Architecture> PipelinedCore<A> {
    /// Updates the flag of the fast path: the timing is the default, the core runs, without steps, delays, stop conditions or a
    /// call graph. Commands and interrupts are examined when they come.
    pub(super) fn note_whether_usual(&mut self) {
        let program = &self.state.program;
        let is_free = program.control.may_issue() && !program.control.watches();
        let runs = is_free && program.stop.is_none() && self.state.report.word.is_none();
        let is_followed = self.period.as_ref().is_some_and(|period| period.following.is_some());
        let is_seen = self.watch.is_some() || program.calls.is_some() || is_followed;
        self.is_free = runs && !is_seen;
        self.is_usual = self.has_usual_timing && self.is_free;
        self.is_held = !runs || self.told != (true, None);
        if self.is_usual {
            self.rests = None;
        }
        if self.is_free {
            self.hit = None;
        }
    }

    /// Simulates a cycle of a core whose program has ended.
    pub(super) fn stand(&mut self, cycle: u64) -> (Cause, A::Word) {
        self.deliver_late(cycle);
        (Cause::Halted, A::Word::default())
    }

    /// Simulates a cycle whose timing is not the default, or of a core that does not run freely.
    #[inline(never)]
    pub(super) fn cycle_unusual<F: Form>(
        &mut self,
        fetched: Fetched,
        side: impl DataSide,
        mut edge: Edge<'_>,
    ) {
        self.cycle_unattended::<F>(fetched, side, &mut edge);
        if self.is_attended && (!F::IS_FREE && self.is_held || self.is_spoken_to(edge.signals)) {
            self.attend(edge.signals);
        }
    }

    /// The same for a core that receives nothing but the answers to its references.
    #[inline(always)]
    pub(super) fn cycle_unattended<F: Form>(
        &mut self,
        fetched: Fetched,
        side: impl DataSide,
        edge: &mut Edge<'_>,
    ) {
        let arrives = matches!(fetched, Fetched::Answer { .. }) || side.is_answered(&self.ports);
        if let Some(account) = self.rests.filter(|_| !arrives) {
            self.rest::<F>(account, edge);
        } else {
            let (_, cause) = if F::IS_FREE {
                self.cycle::<F>(fetched, side, edge)
            } else {
                self.cycle_controlled(fetched, side, edge)
            };
            let is_stalled = matches!(cause, Cause::Load | Cause::InstructionMiss);
            self.rests = if is_stalled { self.resting_account() } else { None };
        }
    }

    /// Simulates a cycle under run control. A waiting command is executed when everything issued before this cycle has completed.
    #[inline(always)]
    fn cycle_controlled(
        &mut self,
        fetched: Fetched,
        side: impl DataSide,
        edge: &mut Edge<'_>,
    ) -> (bool, Cause) {
        let may_obey = self.state.program.control.pending().is_some_and(|order| self.may_obey(order));
        self.hit = None;
        let (has_failed_late, cause) = self.cycle::<General>(fetched, side, edge);
        if self.hit.is_some() {
            edge.pause();
        }
        if may_obey && !has_failed_late {
            self.obey(edge.cycle());
        }
        (has_failed_late, cause)
    }

    /// Fast form of [`Self::cycle`] for a cycle in which nothing can change.
    #[inline(always)]
    fn rest<F: Form>(&mut self, account: (Cause, A::Word), edge: &mut Edge<'_>) {
        let state = &mut self.state;
        if self.timing.predicts_branches {
            state.recent = state.fresh;
        }
        (state.fresh, state.wrong_path) = (0, false);
        self.hit = None;
        state.book::<F>(edge.counters, account);
    }

    /// Evaluates the outputs that only an attended core has.
    pub(super) fn evaluate_attended(&self, signals: &mut Signals) {
        if self.ports.control.is_connected {
            signals.acknowledge(self.ports.control.port, self.state.program.control.has_room());
        }
        self.state.program.interrupts.acknowledge(&self.ports.interrupt, signals);
        if self.ports.report.is_connected {
            signals.write(self.ports.report.port, self.state.report.word);
        }
    }

    /// True if a core on the fast path has input besides its pipeline's.
    #[inline(always)]
    pub(super) fn is_spoken_to(&self, signals: &Signals) -> bool {
        let control = &self.ports.control;
        let is_commanded = control.is_connected && signals.is_received(control.port);
        is_commanded || self.has_news || self.state.program.may_see_lines(&self.ports.interrupt, signals)
    }

    /// Handles that input.
    #[cold]
    #[inline(never)]
    pub(super) fn attend_at_last(&mut self, signals: &Signals) {
        self.attend(signals);
    }

    /// Processes commands and interrupts and continues its report, at the end of a cycle.
    #[inline]
    fn attend(&mut self, signals: &Signals) {
        // Answers to interrupt lines change only when an interrupt is entered, and in the cycle after.
        let takes_words = self.state.program.interrupts.takes_words();
        self.state.program.control.listen(&self.ports.control, signals);
        self.state.program.look_at_lines(&self.ports.interrupt, signals);
        if self.ports.report.is_connected {
            self.report(signals);
        }
        let told = (self.state.program.control.has_room(), self.state.report.word);
        self.has_news = std::mem::replace(&mut self.told, told) != told || takes_words;
        if self.has_news {
            self.others.forget();
        }
        if self.is_commanded {
            let control = &self.ports.control;
            if control.is_connected && signals.is_received(control.port) {
                self.rests = None;
            }
            self.note_fetch_change();
        }
        self.note_whether_usual();
    }

    /// True if everything issued has completed.
    pub(super) fn is_drained(&self) -> bool {
        let state = &self.state;
        state.execute.is_none() && state.memory.iter().all(Option::is_none) && state.late.loads.is_empty()
    }

    /// Time passes while issued instructions complete; a command waits for that.
    fn may_obey(&self, order: Order) -> bool {
        matches!(order, Order::StandUntil(_)) || self.is_drained()
    }

    /// Obeys the pending command, if any.
    fn obey(&mut self, cycle: u64) {
        match self.state.program.obey(cycle) {
            None => return,
            Some(Command::Jump(address)) => {
                self.state.follows_branch = false;
                self.fetch_from(A::Word::from_u64(address));
            }
            Some(_) => self.fetch_again(),
        }
        self.state.empty_cause = Cause::Pipeline;
        self.state.missing = self.state.fetch.pc;
    }

    /// Continues the report of the core's state, if it is halted.
    fn report(&mut self, signals: &Signals) {
        let program = &self.state.program;
        let stands = !program.is_running() && self.is_drained() && program.control.pending().is_none();
        let standing = stands.then(|| {
            let pc = program.stop.as_ref().map_or(self.oldest_unissued(), |stop| stop.pc);
            (pc, program.stop.is_some())
        });
        let is_heard = signals.is_sent(self.ports.report.port);
        self.state.report.advance::<A>(is_heard, standing, &self.state.program.registers);
    }
}
