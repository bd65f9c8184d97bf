//! History of harts over a window of time: executed functions, waits, and served interrupts.
//!
//! A history records executed blocks of instructions, as a profile does, and keeps a change only where another function begins.
//! It does not affect the simulation.

use std::ops::Range;
use std::sync::Arc;

use spinach_isa::riscv::Operation;

use crate::hart::Hart;
use crate::timed::Ran;

/// Maximum changes kept of a hart: beyond them its history ends before the window does.
pub const CHANGES_MAXIMUM: usize = 4 << 20;

const CAUSE: u32 = 0x142;
const IS_INTERRUPT: u64 = 1 << 63;
/// Addresses of Sv39 from here on are the kernel's.
const END_OF_USER: u64 = 1 << 38;

/// Activity of a hart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It waits for an interrupt, or has not been started.
    Waits,
    /// It executes a function, by its number, in user mode or not.
    Executes {
        /// Number of the function; none for code outside functions.
        function: Option<u32>,
        /// True in user mode.
        is_user: bool,
    },
}

/// Records that a hart begins an activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The cycle.
    pub time: u64,
    /// Activity from then on.
    pub doing: Doing,
}

/// An interrupt that a hart served.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Served {
    /// Its number in `scause`.
    pub number: u64,
    /// The cycle at which its handler was entered.
    pub begins: u64,
    /// The cycle at which it was left, by the next `sret`.
    pub ends: u64,
}

/// First addresses of functions, in rising order. Each ends where the next begins.
#[derive(Clone, Debug)]
pub struct Functions(Arc<[u64]>);

impl Functions {
    /// Functions by the addresses where they begin, in any order; their numbers are those in rising order.
    pub fn new(mut begins: Vec<u64>) -> Self {
        begins.sort_unstable();
        Self(begins.into())
    }

    /// Number of the function at an address, and the address range with that number.
    fn find(&self, address: u64, is_user: bool) -> (Option<u32>, Range<u64>) {
        let place = self.0.partition_point(|begin| *begin <= address);
        let end = self.0.get(place).copied().unwrap_or(u64::MAX);
        let Some(number) = place.checked_sub(1) else { return (None, 0..end) };
        let begin = self.0[number];
        let is_there = (begin < END_OF_USER) == is_user;
        (is_there.then_some(number as u32), begin..end)
    }
}

/// Activities of a hart in a window of time.
#[derive(Debug)]
pub struct History {
    window: Range<u64>,
    functions: Functions,
    changes: Vec<Change>,
    served: Vec<Served>,
    current: Doing,
    /// The addresses that belong to the function that is executed, if one is.
    around: Range<u64>,
    /// Continuation address of the last block.
    after: u64,
    serving: Option<(u64, u64)>,
}

impl History {
    /// History of a hart in these cycles, which begin now or later.
    pub(crate) fn new(hart: &Hart, is_started: bool, window: Range<u64>, functions: Functions) -> Self {
        let is_user = hart.is_in_user_mode();
        let (function, around) = functions.find(hart.pc, is_user);
        let waits = hart.waits || !is_started;
        let current = if waits { Doing::Waits } else { Doing::Executes { function, is_user } };
        Self {
            changes: vec![Change { time: window.start, doing: current }],
            window,
            functions,
            served: Vec::new(),
            current,
            around,
            after: hart.pc,
            serving: None,
        }
    }

    /// Changes of activity, in the order of time.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The interrupts that it has served.
    pub fn served(&self) -> &[Served] {
        &self.served
    }

    /// The window. It ends earlier than requested if too much happened.
    pub fn window(&self) -> Range<u64> {
        self.window.clone()
    }

    pub(crate) fn begin(&mut self, hart: &Hart) {
        let is_user = hart.is_in_user_mode();
        if hart.pc != self.after {
            self.note_interrupt(hart);
        }
        let is_same =
            matches!(self.current, Doing::Executes { is_user: was_user, .. } if was_user == is_user);
        if is_same && self.around.contains(&hart.pc) {
            return;
        }
        let (function, around) = self.functions.find(hart.pc, is_user);
        self.around = around;
        self.change(hart.time(), Doing::Executes { function, is_user });
    }

    pub(crate) fn end(&mut self, hart: &Hart, ran: &Ran<'_>) {
        self.after = hart.pc;
        let count = (hart.instructions - ran.instructions) as usize;
        let last = count.checked_sub(1).and_then(|last| ran.ops.get(last));
        match last.map(|op| op.operation) {
            Some(Operation::Wfi) => self.change(hart.time(), Doing::Waits),
            Some(Operation::Sret) => {
                if let Some((number, begins)) = self.serving.take() {
                    let (begins, ends) = (begins.max(self.window.start), hart.time().min(self.window.end));
                    if begins < ends {
                        self.served.push(Served { number, begins, ends });
                    }
                }
            }
            _ => {}
        }
    }

    /// The hart is not where its last block led: it entered a handler in between, or was started.
    fn note_interrupt(&mut self, hart: &Hart) {
        let cause = hart.control_register(CAUSE).unwrap_or(0);
        if cause & IS_INTERRUPT != 0 && self.serving.is_none() {
            self.serving = Some((cause & !IS_INTERRUPT, hart.time()));
        }
    }

    fn change(&mut self, time: u64, doing: Doing) {
        if doing == self.current || time >= self.window.end {
            return;
        }
        self.current = doing;
        let time = time.max(self.window.start);
        let is_full = self.changes.len() >= CHANGES_MAXIMUM;
        match self.changes.last_mut() {
            Some(last) if last.time == time => last.doing = doing,
            _ if is_full => self.window.end = time,
            _ => self.changes.push(Change { time, doing }),
        }
    }
}
