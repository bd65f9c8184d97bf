//! `pipelined_core`: the classic five-stage pipeline, fused into one module.
//!
//! # The pipeline
//! Fetch, decode, execute, memory (one stage or two), write back. In each cycle at most one instruction is *issued*: moves
//! from decode to execute. A stalled instruction stalls all younger ones: bubbles are never squeezed out. Only the fetch stage
//! continues independently, until it holds one instruction that decode has no room for.
//!
//! - *Fetch* presents one reference at a time, from a registered address, until it is taken and answered. If the answer comes
//!   in the same cycle, one instruction per cycle arrives.
//! - *Decode* issues an instruction when its operands will be there: results of the ALU are forwarded, so they can be used
//!   in the next cycle; a loaded value can be used `load_use_delay` cycles after its answer came. Execute is where operands
//!   are used, except for branches and jumps through registers if those resolve in decode.
//! - *Memory* presents a reference until it is taken, and waits for its answer if the instruction needs it. An answer
//!   in the cycle in which the reference was presented costs nothing; each cycle later costs one. Stores and `set` wait
//!   for no answer. A store that is refused waits in the store buffer, if that has room; loads and all that return
//!   something wait until the store buffer is empty. `sync` waits until everything was answered.
//!
//! With two memory stages the first presents references and the second receives the answers, so that an answer one cycle
//! after the reference was taken costs nothing.
//!
//! # Where cycles go
//! Every cycle is counted at the issue point, on the oldest stage that kept an instruction from being issued: on the memory
//! (`conflict` if a reference is refused, `load` if one is not answered); on a hazard in decode (`pipeline`); on decode
//! being empty (`pipeline` for a slot that was annulled or fetched from a wrong path, else `instruction_miss`). An instruction
//! that was issued is `execution`, even if an exception keeps it from completing.
//!
//! # Order of memory references
//! References are taken by the memory in program order. That is sequential consistency if the memory performs references in
//! the order in which it takes them, as a crossbar with memories of equal latency does; otherwise `sync` makes the order.

mod attended;
mod cached;
mod debugged;
mod dues;
mod exchanged;
mod execute;
mod fetch;
mod fetching;
mod flat;
mod following;
mod interface;
mod issue;
mod known_code;
mod late;
mod late_loads;
mod loop_state;
mod mapped;
mod memory;
mod moving;
mod plain;
mod polling;
mod private;
mod register_set;
mod repetition;
mod resting;
mod state;
mod stretch;
mod timing;

use std::any::Any;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Declaration, Edge, Idle, Leap, Module, Outlook, Process, Signals, ack, data,
};

use spinach_isa::architecture::Architecture;
use spinach_isa::debugging::Hit;
use spinach_isa::word::Word;

use super::accounts::{COUNTERS, Cause};
use super::debugging::{Load, Watch, answer};
use super::decoded::DecodeCache;
use super::form::{Form, Free, General, Usual};
use super::interrupts::check_lines;
use super::settings::Settings;
pub(super) use cached::CachedCore;
use exchanged::{DataChannels, DataSide, Fetched};
pub(super) use fetching::FetchingCore;
pub(super) use flat::FlatCore;
use interface::{PipelinedCoreParameters, PipelinedCorePorts};
pub(super) use mapped::MappedCore;
pub(super) use moving::MovingCore;
pub(super) use private::PrivateCore;
use repetition::Period;
pub(super) use state::PipelinedState;
use timing::Timing;

/// The five-stage pipeline in one module. See its declaration.
#[repr(C, align(64))] // The state of every cycle lies in as few cache lines of the host as possible.
pub struct PipelinedCore<A: Architecture> {
    state: PipelinedState<A>,
    ports: PipelinedCorePorts,
    timing: Timing,
    /// True if it receives commands, starts halted, or is delayed at some place.
    is_commanded: bool,
    /// True if it is commanded, receives interrupts, or has a listener for its reports.
    is_attended: bool,
    /// True if its timing is the default; true if besides it runs, without steps, delays, stop conditions or a call graph.
    has_usual_timing: bool,
    is_usual: bool,
    /// True if it runs so with any timing.
    is_free: bool,
    /// True once the constant words of references are set, and the signals that not every core evaluates in every cycle.
    constants: AlreadySet,
    others: AlreadySet,
    /// Last message to the commander: readiness for another command, and a word of its report.
    told: (bool, Option<u64>),
    /// True if that message may change although no command arrives.
    is_held: bool,
    /// True if it is about to answer others differently. It does not sleep then: a module that it refused would wait forever.
    has_news: bool,
    /// Use of cycles until something arrives, if known: nothing else can change before.
    rests: Option<(Cause, A::Word)>,
    decoder: DecodeCache<A>,
    settings: Settings<A>,
    /// Stop conditions of a debugger, and the one met in the last cycle.
    watch: Option<Box<Watch>>,
    hit: Option<Hit>,
    /// Outcome of the last load for a debugger.
    loaded: Load,
    /// The beginning of a period that may be repeated, while it lasts.
    period: Option<Box<Period<A>>>,
}

impl<A: Architecture> Module for PipelinedCore<A> {
    type Parameters = PipelinedCoreParameters;
    type Ports = PipelinedCorePorts;
    type State = PipelinedState<A>;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "pipelined_core",
            family: "processor",
            documentation: "A core with the classic five-stage pipeline.\n\nIt issues one instruction per cycle, in order, with \
                            one branch delay slot and full forwarding. Every cycle is attributed to execution, an instruction \
                            miss, a load, a conflict or the pipeline. A store that faults is reported when the memory answers it, \
                            so such a fault always stops the core; with two memory stages that holds for loads too. An external, \
                            timer or software interrupt is taken before the next instruction to execute.",
            timing: "All outputs are registered. Responses are always accepted, commands unless one waits to be obeyed. At most 8 \
                     data references await their response.",
            source: "Spinach thesis, sections 3.2.4, 3.3.1 and 4.5.3; HPCA 2005, section 4",
            parameters: PipelinedCoreParameters::declare(),
            ports: PipelinedCorePorts::declare(),
            counters: COUNTERS,
            clocks: &["clock"],
        }
    }

    fn new(parameters: PipelinedCoreParameters, ports: PipelinedCorePorts) -> Result<Self, String> {
        let settings = parameters.core.settings()?;
        check_lines(&ports.interrupt)?;
        if parameters.branch_prediction != "none"
            && (A::CONDITIONS == 0 || parameters.branch_stage != "decode")
        {
            let cores = "cores with a register of conditions that resolve branches in decode";
            return Err(format!("branch_prediction: only {cores} predict branches"));
        }
        if A::HAS_RUNS && parameters.memory_stages != 1 {
            return Err(format!("memory_stages: cores of {} have one memory stage", A::NAME));
        }
        if parameters.loads_under_way > 0 && parameters.memory_stages != 1 {
            return Err("loads_under_way: loads can continue only in cores with one memory stage".to_owned());
        }
        let timing = Timing::of(&parameters);
        let state = PipelinedState::new(&settings);
        let decoder = DecodeCache::new(settings.architecture);
        let is_commanded =
            ports.control.is_connected || settings.starts_halted || !settings.delays.is_empty();
        let is_attended = is_commanded || !ports.interrupt.is_empty() || ports.report.is_connected;
        let has_usual_timing = timing.is_usual();
        let mut core = Self {
            ports,
            settings,
            timing,
            decoder,
            is_commanded,
            is_attended,
            has_usual_timing,
            is_usual: false,
            is_free: false,
            constants: AlreadySet::default(),
            others: AlreadySet::default(),
            told: (state.program.control.has_room(), state.report.word),
            is_held: true,
            has_news: false,
            rests: None,
            state,
            watch: None,
            hit: None,
            loaded: Load::default(),
            period: None,
        };
        core.note_whether_usual();
        Ok(core)
    }

    fn processes(&self) -> Vec<Process> {
        type P = PipelinedCorePorts;
        let drives = [data(P::FETCH_REQUEST), data(P::DATA_REQUEST), ack(P::INTERRUPT)];
        let control = self.ports.control.is_connected.then_some(ack(P::CONTROL));
        let report = self.ports.report.is_connected.then_some(data(P::REPORT));
        let responses = [P::FETCH_RESPONSE, P::DATA_RESPONSE];
        vec![Process::new(0).drives(drives).drives(control).drives(report).accepts(responses)]
    }

    // There are several cores as a rule: inside the loop over them, the cost of a call is saved.
    #[inline(always)]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (presents, address) = (self.state.fetch.presents, self.state.fetch_address());
        signals.write_first_if(self.ports.fetch_request, presents, address.to_u64());
        self.evaluate_data(signals);
    }

    #[inline(always)]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.commit_exchanged(self.fetched(edge.signals), DataChannels { signals: edge.signals }, edge);
    }

    fn idle(&self) -> Idle {
        if self.has_news {
            return Idle::No;
        }
        // It presents nothing then, and a line of interrupts may be up all the while.
        match (self.resting_account(), self.state.program.interrupts.awaited()) {
            (None, _) => Idle::No,
            (Some(_), Some(due)) if A::CAN_WAIT => Idle::UntilTransferOrCycle(due),
            (Some(_), _) => Idle::UntilTransfer,
        }
    }

    fn slept(&mut self, _: u64, count: u64, counters: &mut [u64]) {
        if let Some(account) = self.resting_account() {
            self.state.book_many(counters, account, count);
        }
    }

    fn ask(&mut self, request: &mut dyn Any) {
        self.rests = None;
        answer(self, request);
        self.note_whether_usual();
    }

    fn outlook(&self, _: &[u64], outlook: &mut Outlook) -> Option<u64> {
        // A debugger may hold the core wherever it is.
        if self.watch.is_some() { None } else { self.state.outlook(outlook) }
    }

    fn outlook_hash(&self) -> u64 {
        self.state.outlook_hash()
    }

    fn begin_period(&mut self, cycles: u64, advances: &[u64]) {
        self.period = Some(Box::new(self.state.begin_period(cycles, advances)));
        self.note_whether_usual();
    }

    fn repeatable(&self) -> u64 {
        let following = self.period.as_ref().and_then(|period| period.following.as_ref());
        following.map_or(u64::MAX, |following| following.repeatable(self.state.awaited))
    }

    fn leap(&mut self, leap: Leap) {
        if let Some(period) = self.period.take() {
            self.rests = None;
            self.state.leap(leap, &period);
            self.note_whether_usual();
        }
    }

    fn line(&self) -> Option<String> {
        let state = &self.state;
        if state.program.stop.is_some() {
            return Some(String::new());
        }
        let [first, second] = state.memory;
        let stages =
            [("decode", state.decode), ("execute", state.execute), ("memory", first), ("memory 2", second)];
        let mut line = format!("fetch {:#x}", state.fetch.pc.to_u64());
        for (stage, place) in stages {
            if let Some(place) = place {
                let slot = &state.flight(place).slot;
                let pc = slot.pc.to_u64();
                line += &format!(" | {stage} {pc:#x} {}", A::disassemble(slot.decoded.instruction(), pc));
            }
        }
        Some(line)
    }

    fn state(&self) -> &PipelinedState<A> {
        &self.state
    }

    fn restore(&mut self, state: PipelinedState<A>) -> Result<(), String> {
        self.state.program.check_replacement(&state.program)?;
        self.state = state;
        self.others.forget();
        self.has_news = self.is_attended;
        self.told = (self.state.program.control.has_room(), self.state.report.word);
        self.rests = None;
        self.note_whether_usual();
        Ok(())
    }
}

impl<A: Architecture> PipelinedCore<A> {
    /// Presents all outputs besides a reference to an instruction.
    #[inline(always)]
    fn evaluate_data(&self, signals: &mut Signals) {
        let PipelinedState { presents_data, presented, .. } = &self.state;
        // The presence of a reference cannot be predicted: an unconditional write costs less than a branch.
        signals.write_first_if(self.ports.data_request, *presents_data, *presented);
        if !signals.are_set_already(&self.others) {
            self.evaluate_others(signals);
        }
    }

    /// Commits a cycle of the core, given the outcome of its references.
    #[inline(always)]
    fn commit_exchanged(&mut self, fetched: Fetched, side: impl DataSide, edge: &mut Edge<'_>) {
        if !self.is_usual {
            if self.is_free {
                self.cycle_unusual::<Free>(fetched, side, edge.reborrow());
            } else {
                self.cycle_unusual::<General>(fetched, side, edge.reborrow());
            }
        } else {
            self.cycle_usual(fetched, side, edge);
            if self.is_attended && self.is_spoken_to(edge.signals) {
                self.attend_at_last(edge.signals);
            }
        }
        let is_empty = self.state.decode.is_none() && self.state.program.stop.is_none();
        debug_assert!(!is_empty || self.state.missing == self.oldest_unissued());
        debug_assert_eq!(self.state.fetch.presents, self.may_present_fetch());
        debug_assert_eq!(self.state.presents_data, self.may_present_data());
        debug_assert!(!self.state.presents_data || self.state.presented == self.oldest_reference());
    }

    /// Simulates a cycle of a core with the default timing that runs freely.
    #[inline(always)]
    fn cycle_usual(&mut self, fetched: Fetched, side: impl DataSide, edge: &mut Edge<'_>) {
        if let Some(pc) = self.only_waits_for(fetched, side) {
            self.wait_for_load(pc, edge);
        } else {
            self.cycle::<Usual>(fetched, side, edge);
        }
    }

    /// Simulates a cycle of the core. Returns true if a store that no instruction waits for had a bus error, and the use of the
    /// cycle. A usual core issues until its program ends or a command halts it.
    #[inline(always)]
    fn cycle<F: Form>(
        &mut self,
        fetched: Fetched,
        side: impl DataSide,
        edge: &mut Edge<'_>,
    ) -> (bool, Cause) {
        assert!(
            edge.counters.len() >= COUNTERS.len(),
            "so that it is not asked again wherever something is counted"
        );
        self.receive_instruction(fetched);
        let has_failed_late = self.exchange_data::<F>(side, edge);
        let has_ended = if F::IS_FREE { has_failed_late } else { self.state.program.stop.is_some() };
        let account = if has_ended { self.stand(edge.cycle()) } else { self.advance::<F>(side, edge) };
        self.state.book::<F>(edge.counters, account);
        (has_failed_late, account.0)
    }

    /// Evaluates the outputs of every core, and those of an attended one.
    #[cold]
    #[inline(never)]
    fn evaluate_others(&self, signals: &mut Signals) {
        if !signals.are_set_already(&self.constants) {
            let PipelinedState { fetch, presents_data, presented, .. } = &self.state;
            signals.write_if(self.ports.fetch_request, fetch.presents, self.fetch_reference());
            signals.write_if(self.ports.data_request, *presents_data, presented.reference());
        }
        if self.is_attended {
            self.evaluate_attended(signals);
        }
    }

    /// One step of every stage from memory to decode, oldest first, so that each sees where the older ones have moved to. Returns
    /// the use of the cycle, and the address of the instruction that it is counted on.
    #[inline(always)]
    fn advance<F: Form>(&mut self, side: impl DataSide, edge: &mut Edge<'_>) -> (Cause, A::Word) {
        if !F::IS_USUAL && self.timing.predicts_branches {
            self.state.recent = self.state.fresh;
        }
        (self.state.wrong_path, self.state.fresh) = (false, 0);
        if !F::IS_USUAL {
            self.deliver_late(edge.cycle());
        }
        if let Some(account) = self.advance_memory::<F>(side, edge) {
            return account;
        }
        if let Some(place) = self.state.execute.take()
            && !self.execute::<F>(place, edge)
            && F::IS_USUAL
        {
            return self.issue_nothing();
        }
        self.issue::<F>(edge.cycle())
    }
}
