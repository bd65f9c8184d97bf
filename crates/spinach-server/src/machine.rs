//! A machine: harts around a board, run functionally.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use spinach_isa::blocks::Blocks;
use spinach_isa::debugging::{Hit, Resume, Watched};
use spinach_isa::riscv::supervisor::interrupt;

use crate::board::Board;
use crate::calls::Call;
use crate::clock::Clock;
use crate::hart::{Hart, Op, Registers};
use crate::history::{Functions, History};
use crate::map;
use crate::memory::{Memory, PAGE_BYTES};
use crate::noting::Running;
use crate::profile::Profile;
use crate::run::Stop;
use crate::timed::{Functional, Memories, Pace, Shared, Timed, TimedParameters};
use crate::watching::Watching;

/// Maximum number of harts of a machine.
pub const HARTS_MAXIMUM: usize = 4;
/// Number of decoded instructions kept.
const DECODED: usize = 1 << 22;
/// See [`Configuration::turn_cycles`].
const TURN_CYCLES: u64 = 10_000;
/// The same for timed harts, which share a cache and the way to memory.
pub const TIMED_TURN_CYCLES: u64 = 200;

/// Configuration of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Configuration {
    /// Harts, 1 to [`HARTS_MAXIMUM`].
    pub harts: usize,
    /// Memory, in bytes: a multiple of [`PAGE_BYTES`].
    pub memory_bytes: u64,
    /// Ticks of the time base in a second.
    pub ticks_per_s: u64,
    /// Cycles of the harts' clock in a tick. A hart executes an instruction in each.
    pub cycles_per_tick: u64,
    /// Cycles that a hart executes at most before it is the turn of the next, where there are several. Turns end at multiples of it, and
    /// when something happens on the bus.
    pub turn_cycles: u64,
}

impl Configuration {
    /// The clock of the harts.
    pub fn clock(&self) -> Clock {
        Clock::new(self.ticks_per_s.saturating_mul(self.cycles_per_tick).max(1))
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self {
            harts: 1,
            memory_bytes: 128 << 20,
            ticks_per_s: 10_000_000,
            cycles_per_tick: 100,
            turn_cycles: TURN_CYCLES,
        }
    }
}

/// End of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum End {
    /// It was switched off by its software.
    PoweredOff,
    /// Its software switched it off because of a failure.
    Failed,
    /// Its software asked for another start.
    Restarts,
}

/// Outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The time has passed.
    Time,
    /// The time has passed, and no hart has executed anything in it.
    Idle,
    /// It stopped in the middle of a turn, at a debugger's stop condition.
    Stopped,
    /// Guest software made calls to the user: [`Machine::take_calls`].
    Called,
    /// It has ended.
    Ended(End),
}

/// Remaining turns of harts when the machine stops.
#[derive(Clone, Copy, Debug)]
struct Turns {
    /// Hart in turn.
    hart: usize,
    /// See [`Machine::take_turn`].
    floor: u64,
    end: u64,
}

/// Outcome of a turn.
enum Turn {
    /// It ended at a cycle.
    Over(u64),
    /// The machine stopped in it; it may last until a cycle.
    Stopped(u64),
}

/// A machine.
#[derive(Debug)]
pub struct Machine {
    pub(crate) configuration: Configuration,
    pub(crate) harts: Vec<Hart>,
    /// True for executing harts. The others wait until one of these starts them.
    pub(crate) is_started: Vec<bool>,
    /// Memory and devices.
    pub board: Board,
    pub(crate) blocks: Blocks<Op>,
    /// Cycles since the start.
    pub(crate) time: u64,
    pub(crate) end: Option<End>,
    /// Timing model; without it, each cycle executes one instruction.
    pub(crate) timed: Option<Timed>,
    /// Profile of each hart, if enabled.
    profiles: Option<Vec<Profile>>,
    /// History of each hart, if enabled.
    histories: Option<Vec<History>>,
    /// Stop conditions, if any.
    watching: Option<Watching>,
    /// Turns interrupted by the stop.
    turns: Option<Turns>,
    /// True if the user serves calls of guest software.
    pub(crate) takes_calls: bool,
    /// Calls of guest software that the user has not taken.
    pub(crate) calls: Vec<Call>,
    /// True if a call was made since the last return to the user.
    pub(crate) is_called: bool,
}

impl Machine {
    /// A machine with empty memory, whose first hart is about to execute at the start of memory.
    pub fn new(configuration: &Configuration) -> Self {
        let memory = Memory::new(map::MEMORY, configuration.memory_bytes as usize);
        let pages = memory.bytes().len() / PAGE_BYTES;
        let hart = || Hart::new(&Registers::new(map::MEMORY), configuration.cycles_per_tick);
        Self {
            configuration: configuration.clone(),
            harts: (0..configuration.harts).map(|_| hart()).collect(),
            is_started: (0..configuration.harts).map(|hart| hart == 0).collect(),
            board: Board::new(memory, configuration.harts, configuration.clock()),
            blocks: Blocks::new(pages, DECODED),
            time: 0,
            end: None,
            timed: None,
            profiles: None,
            histories: None,
            watching: None,
            turns: None,
            takes_calls: false,
            calls: Vec::new(),
            is_called: false,
        }
    }

    /// Switches to timed cores, caches and buses; with `None`, each cycle executes one instruction. The results of instructions
    /// do not change.
    ///
    /// Caches are empty at first.
    pub fn set_timed(&mut self, parameters: Option<&TimedParameters>) {
        let (harts, clock) = (self.configuration.harts, self.configuration.clock());
        self.board.bus.share(parameters.map(|parameters| Shared::new(parameters, harts, clock)));
        self.timed = parameters.map(|parameters| Timed::new(parameters, harts));
        // A timed hart may stop within a block and continue there, also from a checkpoint.
        if parameters.is_none() {
            self.harts.iter_mut().for_each(|hart| hart.rest = 0);
        }
    }

    /// Sets a fixed pace for instructions of a timed machine, while caches, translations and predictors follow them; with `None`
    /// cores are timed again. Does nothing if the machine is not timed.
    pub fn set_pace(&mut self, pace: Option<Pace>) {
        self.timed.iter_mut().for_each(|timed| timed.set_pace(pace));
    }

    /// The caches, if it is timed.
    pub fn memories(&self) -> Option<&Memories> {
        self.board.bus.shared().map(Shared::memories)
    }

    /// Timing model, if any.
    pub fn timed(&self) -> Option<&Timed> {
        self.timed.as_ref()
    }

    /// Counts of timed cores, caches and buses since the cores are timed, by name; `None` for functional cores.
    pub fn counts_of_time(&self) -> Option<[(&'static str, u64); 17]> {
        let (counts, uses) = (self.timed()?.counts(), self.memories()?.uses());
        Some([
            ("cycles", counts.cycles),
            ("instructions", counts.instructions),
            ("branches", counts.branches),
            ("mispredictions", counts.mispredictions),
            ("walks", counts.walks),
            ("device_cycles", counts.device_cycles),
            ("miss_cycles", counts.miss_cycles),
            ("code_references", uses.code.references),
            ("code_misses", uses.code.misses),
            ("data_references", uses.data.references),
            ("data_misses", uses.data.misses),
            ("second_level_references", uses.second_level.references),
            ("second_level_misses", uses.second_level.misses),
            ("device_references", uses.devices.references),
            ("device_misses", uses.devices.misses),
            ("memory_lines", uses.memory_lines),
            ("memory_bus_cycles", uses.memory_bus_cycles),
        ])
    }

    /// Starts or stops the profile of each hart, which does not affect results.
    pub fn set_profiled(&mut self, is_profiled: bool) {
        let harts = self.harts.iter().zip(&self.is_started);
        let profiles = || harts.map(|(hart, is_started)| Profile::new(hart, *is_started)).collect();
        self.profiles = is_profiled.then(profiles);
    }

    /// Profile of each hart until now; empty if disabled. Harts whose turn had not come when the machine ended remain at their last block
    /// until that time.
    pub fn profiles(&mut self) -> &[Profile] {
        let end = self.ended().map_or(0, |(_, at)| at);
        let profiles = self.profiles.as_deref_mut().unwrap_or_default();
        for (hart, profile) in self.harts.iter().zip(&mut *profiles) {
            profile.follow(hart.time().max(end));
        }
        profiles
    }

    /// Records the activity of each hart in these cycles, by functions. Nothing else changes.
    pub fn keep_history(&mut self, window: &Range<u64>, functions: &Functions) {
        let harts = self.harts.iter().zip(&self.is_started);
        let history = |(hart, is_started): (&Hart, &bool)| {
            History::new(hart, *is_started, window.clone(), functions.clone())
        };
        self.histories = Some(harts.map(history).collect());
    }

    /// History of each hart; empty if disabled.
    pub fn histories(&self) -> &[History] {
        self.histories.as_deref().unwrap_or_default()
    }

    /// Sets the stop conditions from here on, and the resume action of each hart.
    pub fn watch(&mut self, actions: &[Resume], instructions: Vec<u64>, data: Vec<Watched>) {
        let watching = self.watching.get_or_insert_with(|| Watching::new(self.harts.len()));
        watching.resume(&self.harts, actions, instructions, data);
    }

    /// Hart that hit a stop condition, and the condition.
    pub fn hit(&self) -> Option<(usize, Hit)> {
        self.watching.as_ref().and_then(Watching::hit)
    }

    /// Configuration of the machine.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The clock of its harts.
    pub fn clock(&self) -> Clock {
        self.configuration.clock()
    }

    /// Its harts.
    pub fn harts(&self) -> &[Hart] {
        &self.harts
    }

    /// One of its harts.
    pub fn hart_mut(&mut self, number: usize) -> &mut Hart {
        &mut self.harts[number]
    }

    /// Cycles since the start.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Instructions that all harts have executed.
    pub fn instructions(&self) -> u64 {
        self.harts.iter().map(|hart| hart.instructions).sum()
    }

    /// Runs for `cycles` cycles, or until the machine ends.
    pub fn run(&mut self, cycles: u64) -> Outcome {
        self.run_until(self.time.saturating_add(cycles))
    }

    /// Runs until a cycle, or until the machine ends. Machines of several harts stop only where turns end: at the first multiple
    /// of [`Configuration::turn_cycles`] from there on. A machine with stop conditions can stop before; then it continues when it
    /// is run again.
    pub fn run_until(&mut self, until: u64) -> Outcome {
        let before = self.instructions();
        while self.time < until && self.end.is_none() {
            if self.turns.is_none() {
                self.meet_bus(self.time);
            }
            self.take_turns(until);
            if self.turns.is_some() {
                return Outcome::Stopped;
            }
            if std::mem::take(&mut self.is_called) && self.end.is_none() {
                return Outcome::Called;
            }
        }
        match self.end {
            Some(end) => Outcome::Ended(end),
            None if self.instructions() == before => Outcome::Idle,
            None => Outcome::Time,
        }
    }

    /// End of the machine and its cycle, if it has ended.
    pub fn ended(&self) -> Option<(End, u64)> {
        let last = self.harts.iter().map(Hart::time).max().unwrap_or(self.time);
        self.end.map(|end| (end, last))
    }

    /// Cycles since the start, or until its end if it has ended.
    pub fn cycles(&self) -> u64 {
        self.ended().map_or(self.time, |(_, at)| at)
    }

    /// Cycle before which nothing happens without input: all harts wait, and no timer and no function is due. Its time if something
    /// may happen at once, `u64::MAX` if nothing ever does.
    pub fn quiet_until(&self) -> u64 {
        if self.end.is_some() {
            return u64::MAX;
        }
        let harts = self.harts.iter().zip(&self.is_started).filter(|(_, is_started)| **is_started);
        let wakes = harts.map(|(hart, _)| match hart.control.is_woken(hart.counters().ticks) {
            false if !hart.waits => self.time,
            true => self.time,
            false if hart.control.awaits_timer() => hart.timer_at(),
            false => u64::MAX,
        });
        wakes.chain(self.board.next(self.time)).min().unwrap_or(u64::MAX)
    }

    /// Lets each hart execute until the end of a turn, or continues an interrupted turn.
    fn take_turns(&mut self, until: u64) {
        let turns = self.turns.take().unwrap_or_else(|| {
            let timed_turn = if self.timed.is_some() { TIMED_TURN_CYCLES } else { u64::MAX };
            let turn = self.configuration.turn_cycles.clamp(1, timed_turn);
            let end = if self.harts.len() == 1 { until } else { (self.time / turn + 1) * turn };
            Turns { hart: 0, floor: self.time, end }
        });
        let Turns { hart: first, mut floor, mut end } = turns;
        for hart in first..self.harts.len() {
            match self.take_turn(hart, floor, end) {
                Turn::Over(at) => (floor, end) = (at, at),
                Turn::Stopped(end) => {
                    self.turns = Some(Turns { hart, floor, end });
                    return;
                }
            }
        }
        self.time = end;
    }

    /// Lets a hart execute until the end of its turn, which comes earlier if something happens on the bus, but not before `floor`,
    /// where other harts are already.
    fn take_turn(&mut self, number: usize, floor: u64, mut end: u64) -> Turn {
        loop {
            end = end.min(self.board.next(self.time).unwrap_or(u64::MAX).max(floor));
            if !self.is_started[number] || self.end.is_some() {
                break;
            }
            self.board.begin_turn(number);
            match self.run_hart(number, end) {
                Stop::Time | Stop::Waits => {
                    let hart = &self.harts[number];
                    if self.watching.as_mut().is_some_and(|watching| watching.ends_step(number, hart)) {
                        return Turn::Stopped(end);
                    }
                    break;
                }
                Stop::Look => self.follow_interrupts(),
                Stop::Calls => {
                    self.serve(number);
                    if self.is_called && self.harts.len() == 1 {
                        end = end.min(self.harts[number].time());
                        break;
                    }
                }
                Stop::Stopped => return Turn::Stopped(end),
                // The turn ends at a possible change. Before, only its timer can interrupt the hart, if it may give up.
                Stop::Held => {
                    end = end.min(self.board.next(self.time).unwrap_or(u64::MAX).max(floor));
                    let hart = &mut self.harts[number];
                    let timer = if self.board.is_asking() { u64::MAX } else { hart.timer_ahead() };
                    hart.wait_until(timer.min(end));
                    if timer >= end {
                        break;
                    }
                }
            }
        }
        let hart = &mut self.harts[number];
        // Time ends with the machine.
        if self.end.is_none() {
            hart.wait_until(end);
        }
        if self.configuration.harts > 1 {
            hart.drop_reservation();
        }
        Turn::Over(end)
    }

    /// Lets a hart execute until a cycle, or until the machine must act.
    fn run_hart(&mut self, number: usize, until: u64) -> Stop {
        let Self { harts, board, blocks, timed, profiles, histories, watching, .. } = self;
        let running = Running {
            hart: &mut harts[number],
            board,
            blocks,
            profile: profiles.as_mut().map(|profiles| &mut profiles[number]),
            history: histories.as_mut().map(|histories| &mut histories[number]),
            until,
        };
        match timed {
            None => running.run_watched(watching.as_mut(), number, Functional),
            Some(timed) => match timed.pace() {
                Some(pace) => running.run_watched(watching.as_mut(), number, timed.warm_hart(number, pace)),
                None => running.run_watched(watching.as_mut(), number, timed.hart(number)),
            },
        }
    }

    /// If it is stopped, continues to the end of the turns of its harts, and removes all stop conditions.
    pub fn clear_stop_conditions(&mut self) {
        self.watching = None;
        if self.turns.is_some() {
            self.take_turns(self.time);
        }
    }

    /// Processes due events of the bus.
    fn meet_bus(&mut self, time: u64) {
        if self.board.next(time).is_some_and(|next| next <= time) {
            self.board.advance(time);
            self.follow_interrupts();
        }
    }

    /// Updates the interrupt inputs of the harts.
    pub(crate) fn follow_interrupts(&mut self) {
        for (number, hart) in self.harts.iter_mut().enumerate() {
            let bit = if self.board.interrupts.interrupts(number) { interrupt::EXTERNAL } else { 0 };
            hart.control.pending = hart.control.pending & !interrupt::EXTERNAL | bit;
        }
    }
}
