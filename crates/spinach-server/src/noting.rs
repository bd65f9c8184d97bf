//! Timing that records execution, for profiles and histories.

use spinach_isa::blocks::Blocks;

use crate::board::Board;
use crate::hart::{Hart, Op};
use crate::history::History;
use crate::profile::Profile;
use crate::run::Stop;
use crate::timed::{Ran, Timing};
use crate::watching::{WatchedTiming, Watching};

/// A hart that is about to execute until a cycle, with what it takes.
pub(crate) struct Running<'a> {
    pub(crate) hart: &'a mut Hart,
    pub(crate) board: &'a mut Board,
    pub(crate) blocks: &'a mut Blocks<Op>,
    pub(crate) profile: Option<&'a mut Profile>,
    pub(crate) history: Option<&'a mut History>,
    pub(crate) until: u64,
}

impl Running<'_> {
    /// Runs it with stop conditions, if there are any.
    pub(crate) fn run_watched<T: Timing>(
        self,
        watching: Option<&mut Watching>,
        number: usize,
        timing: T,
    ) -> Stop {
        match watching {
            Some(watching) => self.run(WatchedTiming { watching, number, timing }),
            None => self.run(timing),
        }
    }

    /// Runs it, with a timing that is recorded if enabled.
    pub(crate) fn run<T: Timing>(self, mut timing: T) -> Stop {
        let Self { hart, board, blocks, profile, history, until } = self;
        if profile.is_none() && history.is_none() {
            return hart.run(board, blocks, &mut timing, until);
        }
        hart.run(board, blocks, &mut Noted { timing, profile, history }, until)
    }
}

/// Timing that is noted.
struct Noted<'a, T> {
    timing: T,
    profile: Option<&'a mut Profile>,
    history: Option<&'a mut History>,
}

impl<T> Noted<'_, T> {
    fn note(&mut self, hart: &Hart, ran: &Ran<'_>) {
        if let Some(profile) = &mut self.profile {
            profile.end(hart, ran);
        }
        if let Some(history) = &mut self.history {
            history.end(hart, ran);
        }
    }
}

impl<T: Timing> Timing for Noted<'_, T> {
    const IS_ON: bool = T::IS_ON;

    fn allowed(&mut self, hart: &Hart, ops: &[Op]) -> usize {
        self.timing.allowed(hart, ops)
    }

    fn begin(&mut self, hart: &Hart, board: &Board) {
        if let Some(profile) = &mut self.profile {
            profile.begin(hart);
        }
        if let Some(history) = &mut self.history {
            history.begin(hart);
        }
        self.timing.begin(hart, board);
    }

    #[inline(always)]
    fn refer(&mut self, address: u64, place: Option<usize>) {
        self.timing.refer(address, place);
    }

    fn hold(&mut self, hart: &Hart, ran: &Ran<'_>) {
        self.timing.hold(hart, ran);
        self.note(hart, ran);
    }

    fn end(&mut self, hart: &mut Hart, board: &mut Board, ran: &Ran<'_>) {
        self.timing.end(hart, board, ran);
        self.note(hart, ran);
    }
}
