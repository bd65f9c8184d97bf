//! The simulated system as a debugger sees it.

use spinach_engine::{Control, Limit, ModuleId, Outcome, Progress, Simulation, Time};
use spinach_isa::debugging::{Hit, Resume, Watched};
use spinach_modules::memory::{CacheAnswer, CacheQuestion, CacheRequest};
use spinach_modules::processor::debugging::{Answer, Load, Question, Request, View, Watch};

use super::debugged::{Points, Register, StopReason};
use super::memory::MappedMemory;
use super::past::{Moment, Past};

/// Maximum time for loads and stores under way to complete, and the polling interval.
const SETTLES_WITHIN: Time = Time::from_femtoseconds(50_000_000_000);
const LOOK_EVERY: Time = Time::from_femtoseconds(50_000_000);
/// Maximum number of bytes of device registers read at once: each word is a short run.
const MOST_LOADED: usize = 256;

/// Cores, memories, stop conditions, and moments to go back to.
pub(super) struct Machine {
    pub cores: Vec<ModuleId>,
    pub memories: Vec<MappedMemory>,
    /// The cache of data of each core, in their order; empty if they have none.
    caches: Vec<ModuleId>,
    pub points: Points,
    past: Past,
    /// Moment of the stop, while the simulation shows the state of the cores at it.
    aside: Option<Moment>,
    views: Vec<View>,
    /// Stops of cores in the cycle of the last stop, or while another core alone was stepped, not reported yet.
    unreported: Vec<(Moment, usize, Hit, Option<Watched>)>,
    /// Number of issues of each core before the one that ends its step.
    before: Vec<u32>,
}

impl Machine {
    pub(super) fn new(cores: Vec<ModuleId>, memories: Vec<MappedMemory>, caches: Vec<ModuleId>) -> Self {
        Self {
            cores,
            memories,
            caches,
            points: Points::default(),
            past: Past::default(),
            aside: None,
            views: Vec::new(),
            unreported: Vec::new(),
            before: Vec::new(),
        }
    }

    /// State of each core between two instructions, with everything older completed. Loads and stores under way complete in a
    /// copy: the run itself does not advance.
    pub(super) fn views(&mut self, simulation: &mut Simulation) -> Result<&[View], String> {
        if self.aside.is_none() {
            let present = Moment::of(simulation).map_err(|error| error.to_string())?;
            let were_issued: Vec<_> = self.ask_views(simulation).iter().map(|view| view.is_issued).collect();
            self.watch(simulation, |_| Watch::default());
            self.ask(simulation, &Question::Settle);
            let end = simulation.now().saturating_add(SETTLES_WITHIN);
            loop {
                self.views = self.ask_views(simulation);
                let are_settled = self.views.iter().all(|view| view.is_settled);
                if are_settled && self.are_caches_at_rest(simulation) || simulation.now() >= end {
                    break;
                }
                simulation.run_until(simulation.now().saturating_add(LOOK_EVERY));
            }
            for (view, was_issued) in self.views.iter_mut().zip(were_issued) {
                view.is_issued = was_issued;
            }
            self.aside = Some(present);
        }
        Ok(&self.views)
    }

    /// Moment of the stop.
    pub(super) fn now(&self, simulation: &Simulation) -> Time {
        self.aside.as_ref().map_or_else(|| simulation.now(), |moment| moment.time)
    }

    /// Restores the simulation to the stop.
    pub(super) fn return_from_aside(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        match self.aside.take() {
            Some(moment) => moment.restore(simulation).map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }

    /// Bytes as a core sees them, in memory or in registers of devices; `None` where it sees neither.
    pub(super) fn read(
        &mut self,
        simulation: &mut Simulation,
        core: usize,
        address: u64,
        bytes: &mut [u8],
    ) -> Result<Option<()>, String> {
        self.views(simulation)?;
        match self.read_present(simulation, core, address, bytes) {
            Some(()) => Ok(Some(())),
            None => self.load(simulation, core, address, bytes),
        }
    }

    // Bytes as loads of the core find them. Each word is loaded in the settled copy of the run as it is before all others, so that
    // reads with an effect affect neither the run nor each other.
    fn load(
        &self,
        simulation: &mut Simulation,
        core: usize,
        address: u64,
        bytes: &mut [u8],
    ) -> Result<Option<()>, String> {
        let Some(module) = self.cores.get(core).copied() else { return Ok(None) };
        if bytes.len() > MOST_LOADED {
            return Ok(None);
        }
        let settled = Moment::of(simulation).map_err(|error| error.to_string())?;
        let mut word: Option<(u64, [u8; 4])> = None;
        for (index, byte) in bytes.iter_mut().enumerate() {
            let Some(place) = address.checked_add(index as u64) else { return Ok(None) };
            let start = place & !3;
            let loaded = match word.filter(|(known, _)| *known == start) {
                Some((_, loaded)) => Some(loaded),
                None => {
                    let loaded = load_word(simulation, module, start);
                    settled.restore(simulation).map_err(|error| error.to_string())?;
                    loaded
                }
            };
            let Some(loaded) = loaded else { return Ok(None) };
            word = Some((start, loaded));
            *byte = loaded[(place & 3) as usize];
        }
        Ok(Some(()))
    }

    // Bytes as they are now, through the cache of the core.
    fn read_present(
        &self,
        simulation: &mut Simulation,
        core: usize,
        address: u64,
        bytes: &mut [u8],
    ) -> Option<()> {
        let (memory, offset) = self.memory_at(simulation, core, address)?;
        if !self.memories[memory].read(simulation, offset, bytes) {
            return None;
        }
        if let Some(cache) = self.caches.get(core) {
            for (address, byte) in (address..).zip(bytes) {
                if let Some(CacheAnswer::Held(held)) =
                    ask_cache(simulation, *cache, CacheQuestion::Load(address))
                {
                    *byte = held;
                }
            }
        }
        Some(())
    }

    fn are_caches_at_rest(&self, simulation: &mut Simulation) -> bool {
        let is_at_rest = |cache: &ModuleId| {
            ask_cache(simulation, *cache, CacheQuestion::IsAtRest) != Some(CacheAnswer::AtRest(false))
        };
        self.caches.iter().all(is_at_rest)
    }

    /// Gives general registers of a core other values, in the run itself. Says whether they all could be.
    pub(super) fn set(
        &mut self,
        simulation: &mut Simulation,
        core: usize,
        changes: &[(Register, u64)],
    ) -> Result<bool, String> {
        self.return_from_aside(simulation)?;
        let Some(module) = self.cores.get(core).copied() else { return Ok(false) };
        self.past.forget();
        self.unreported.clear();
        Ok(changes.iter().all(|(register, value)| {
            // A new program counter would corrupt the instructions under way in a pipeline.
            let Register::General(general) = register else { return false };
            let question = Question::Set { general: *general, value: *value };
            matches!(ask(simulation, module, question), Some(Answer::Done))
        }))
    }

    /// Overwrites bytes as a core sees them, in its cache and in the memory, in the run itself. `None` where it sees no memory, or where a
    /// store that is under way would overwrite them.
    pub(super) fn write(
        &mut self,
        simulation: &mut Simulation,
        core: usize,
        address: u64,
        bytes: &[u8],
    ) -> Result<Option<()>, String> {
        let (mut settled, mut present) = (vec![0; bytes.len()], vec![0; bytes.len()]);
        let is_seen = self.read(simulation, core, address, &mut settled)?.is_some();
        self.return_from_aside(simulation)?;
        self.read_present(simulation, core, address, &mut present);
        let Some((memory, offset)) = self.memory_at(simulation, core, address) else { return Ok(None) };
        if !is_seen || settled != present {
            return Ok(None);
        }
        if let Some(cache) = self.caches.get(core) {
            for (address, byte) in (address..).zip(bytes) {
                let question = CacheQuestion::Store(address, *byte);
                if ask_cache(simulation, *cache, question) == Some(CacheAnswer::Leaving) {
                    return Ok(None);
                }
            }
        }
        // The history no longer leads to this state.
        self.past.forget();
        self.unreported.clear();
        Ok(self.memories[memory].write(simulation, offset, bytes).then_some(()))
    }

    fn memory_at(&self, simulation: &mut Simulation, core: usize, address: u64) -> Option<(usize, u64)> {
        self.memories.iter().enumerate().find_map(|(index, memory)| {
            let offset = address.checked_sub(memory.base?)?;
            let sees = memory.core.is_none_or(|only| only == core);
            (sees && offset < memory.size(simulation)).then_some((index, offset))
        })
    }

    /// Prepares to continue from the stop.
    pub(super) fn begin(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        self.return_from_aside(simulation)?;
        // The displayed next instruction may not have been issued: its issue is not yet the end of a step.
        let views = self.ask_views(simulation);
        self.before = views.iter().map(|view| u32::from(!view.is_issued)).collect();
        Ok(())
    }

    /// Continues until a core meets a stop condition, the limit is reached, or `progress` asks to stop. `None` if a core met an
    /// unreported condition before.
    pub(super) fn resume(
        &mut self,
        simulation: &mut Simulation,
        actions: &[Resume],
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Result<StopReason, Outcome>, String> {
        if !actions.contains(&Resume::Background)
            && let Some(stop) = self.unreported_stop(simulation)?
        {
            return Ok(Ok(stop));
        }
        self.watch_for(simulation, actions);
        loop {
            let outcome = self.run_and_keep(simulation, limit, progress)?;
            if outcome != Outcome::Paused {
                return Ok(Err(outcome));
            }
            let mut stop = None;
            for (core, hit) in self.hits(simulation) {
                if let (Hit::Step, Resume::Step(start, end)) = (hit, actions[core])
                    && start == end
                    && self.before[core] > 0
                {
                    self.before[core] -= 1;
                } else if stop.is_some() || actions[core] == Resume::Background {
                    let moment = Moment::of(simulation).map_err(|error| error.to_string())?;
                    let watched = match hit {
                        Hit::Data { index, .. } => self.points.data.get(index).copied(),
                        _ => None,
                    };
                    self.unreported.push((moment, core, hit, watched));
                } else {
                    stop = Some(StopReason::Hit { core, hit });
                }
            }
            if let Some(stop) = stop {
                return Ok(Ok(stop));
            }
        }
    }

    /// The core whose fault has ended the run with this outcome, if one did.
    pub(super) fn core_at_fault(&self, simulation: &mut Simulation, outcome: &Outcome) -> Option<usize> {
        let Outcome::Stopped(reason) = outcome else { return None };
        let views = self.ask_views(simulation);
        views.iter().position(|view| view.end.as_ref().is_some_and(|end| reason.contains(end)))
    }

    // Returns to an unreported stop of a core, if its condition is still set.
    fn unreported_stop(&mut self, simulation: &mut Simulation) -> Result<Option<StopReason>, String> {
        for (moment, core, hit, watched) in std::mem::take(&mut self.unreported) {
            let hit = match hit {
                Hit::Step => None,
                Hit::Instruction(pc) => self.points.instructions.binary_search(&pc).ok().map(|_| hit),
                Hit::Data { address, .. } => {
                    let index = self.points.data.iter().position(|known| Some(*known) == watched);
                    index.map(|index| Hit::Data { index, address })
                }
            };
            if let Some(hit) = hit {
                moment.restore(simulation).map_err(|error| error.to_string())?;
                return Ok(Some(StopReason::Hit { core, hit }));
            }
        }
        Ok(None)
    }

    // Runs, and keeps moments to go back to.
    fn run_and_keep(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        const SLICE: Time = Time::from_femtoseconds(20_000_000_000);
        loop {
            self.past.keep(simulation).map_err(|error| error.to_string())?;
            let mut slice = limit.clone();
            slice.time = limit.time.min(simulation.now().saturating_add(SLICE));
            let outcome = simulation.run(&slice, progress)?;
            if outcome != Outcome::Reached || simulation.now() >= limit.time {
                return Ok(outcome);
            }
        }
    }

    /// Goes back to the last moment at which a core hit a stop condition: of `actions`, a breakpoint or a watchpoint.
    pub(super) fn reverse(
        &mut self,
        simulation: &mut Simulation,
        actions: &[Resume],
    ) -> Result<StopReason, String> {
        self.return_from_aside(simulation)?;
        self.unreported.clear();
        let present = Moment::of(simulation).map_err(|error| error.to_string())?;
        let mut end = present.time;
        let mut earliest = None;
        let moments: Vec<Moment> = self.past.before(present.time).cloned().collect();
        for moment in &moments {
            moment.restore(simulation).map_err(|error| error.to_string())?;
            self.watch_for(simulation, actions);
            if let Some((time, core, hit)) = self.last_hit_before(simulation, end) {
                moment.restore(simulation).map_err(|error| error.to_string())?;
                self.watch(simulation, |_| Watch::default());
                simulation.run_until(time);
                return Ok(StopReason::Hit { core, hit });
            }
            // A run to a moment leaves out the edges at its time, and a core may have stopped at these.
            end = moment.time.saturating_add(Time::from_femtoseconds(1));
            earliest = Some(moment);
        }
        earliest.unwrap_or(&present).restore(simulation).map_err(|error| error.to_string())?;
        Ok(StopReason::HistoryStart)
    }

    fn last_hit_before(&self, simulation: &mut Simulation, end: Time) -> Option<(Time, usize, Hit)> {
        let mut last = None;
        while simulation.now() < end && simulation.run_until(end) == Outcome::Paused {
            if simulation.now() >= end {
                break;
            }
            if let Some((core, hit)) = self.hits(simulation).into_iter().next() {
                last = Some((simulation.now(), core, hit));
            }
        }
        last
    }

    /// Drops the history, which cannot be repeated.
    pub(super) fn forget_past(&mut self) {
        self.past.forget();
        self.unreported.clear();
    }

    /// Removes all stop conditions.
    pub(super) fn detach(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        self.return_from_aside(simulation)?;
        self.watch(simulation, |_| Watch::default());
        Ok(())
    }

    fn watch_for(&self, simulation: &mut Simulation, actions: &[Resume]) {
        self.watch(simulation, |core| Watch {
            step: match actions[core] {
                Resume::Continue | Resume::Background => None,
                Resume::Step(start, end) => Some((start, end)),
            },
            instructions: self.points.instructions.clone(),
            data: self.points.data.clone(),
        });
    }

    fn watch(&self, simulation: &mut Simulation, watch: impl Fn(usize) -> Watch) {
        for (core, module) in self.cores.iter().enumerate() {
            ask(simulation, *module, Question::Watch(watch(core)));
        }
    }

    fn ask(&self, simulation: &mut Simulation, question: &Question) {
        for module in &self.cores {
            ask(simulation, *module, question.clone());
        }
    }

    fn hits(&self, simulation: &mut Simulation) -> Vec<(usize, Hit)> {
        let asked = self.cores.iter().enumerate().filter_map(|(core, module)| {
            match ask(simulation, *module, Question::Hit) {
                Some(Answer::Hit(hit)) => hit.map(|hit| (core, hit)),
                _ => None,
            }
        });
        asked.collect()
    }

    fn ask_views(&self, simulation: &mut Simulation) -> Vec<View> {
        let asked = self.cores.iter().filter_map(|module| match ask(simulation, *module, Question::View) {
            Some(Answer::View(view)) => Some(*view),
            _ => None,
        });
        asked.collect()
    }
}

fn ask(simulation: &mut Simulation, core: ModuleId, question: Question) -> Option<Answer> {
    let mut request = Request { question, answer: None };
    simulation.ask(core, &mut request);
    request.answer
}

// The word at an address as a settled core loads it; `None` if nothing answers.
fn load_word(simulation: &mut Simulation, core: ModuleId, address: u64) -> Option<[u8; 4]> {
    if !matches!(ask(simulation, core, Question::Load(address)), Some(Answer::Done)) {
        return None;
    }
    let end = simulation.now().saturating_add(SETTLES_WITHIN);
    while simulation.now() < end {
        simulation.run_until(simulation.now().saturating_add(LOOK_EVERY));
        match ask(simulation, core, Question::Loaded) {
            Some(Answer::Loaded(Load::Awaited)) => {}
            Some(Answer::Loaded(Load::Bytes(bytes))) => return Some(bytes),
            _ => return None,
        }
    }
    None
}

fn ask_cache(simulation: &mut Simulation, cache: ModuleId, question: CacheQuestion) -> Option<CacheAnswer> {
    let mut request = CacheRequest { question, answer: None };
    simulation.ask(cache, &mut request);
    request.answer
}

/// States of cores; `None` if one of them does not support debugging.
pub(super) fn views_of(simulation: &mut Simulation, cores: &[ModuleId]) -> Option<Vec<View>> {
    cores
        .iter()
        .map(|core| match ask(simulation, *core, Question::View) {
            Some(Answer::View(view)) => Some(*view),
            _ => None,
        })
        .collect()
}
