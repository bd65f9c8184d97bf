//! `pipelined_core`: the classic five-stage pipeline, fused into one module.
//!
//! # The pipeline
//! Fetch, decode, execute, memory (one stage or two), write back. In each cycle at most one instruction is *issued*: moves
//! from decode to execute. Whatever keeps an instruction from moving keeps all younger ones from moving too: bubbles are
//! never squeezed out. Only the fetch stage goes on by itself, until it holds one instruction that decode has no room for.
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
//! Every cycle is booked at the issue point, on the oldest stage that kept an instruction from being issued: on the memory
//! (`conflict` if a reference is refused, `load` if one is not answered); on a hazard in decode (`pipeline`); on decode
//! being empty (`pipeline` for a slot that was annulled or fetched from a wrong path, else `instruction_miss`). An instruction
//! that was issued is `execution`, even if an exception keeps it from completing.
//!
//! # Order of memory references
//! References are taken by the memory in program order. That is sequential consistency if the memory performs references in
//! the order in which it takes them, as a crossbar with memories of equal latency does; otherwise `sync` makes the order.

mod cached;
mod debugged;
mod exchanged;
mod execute;
mod fetch;
mod flat;
mod issue;
mod late;
mod late_loads;
mod memory;
mod private;
mod register_set;
mod repetition;
mod state;

use std::any::Any;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, Leap, Module, OrUnconnected, Outlook, Output,
    Process, Signals, ack, data, ports,
};

use spinach_isa::architecture::Architecture;
use spinach_isa::debugging::Met;
use spinach_isa::registered::NAMES;
use spinach_isa::word::Word;

use super::accounts::{COUNTERS, Cause};
use super::control::{Command, Order};
use super::debugging::{Watch, answer};
use super::decoded::DecodeCache;
use super::interrupts::check_lines;
use super::settings::{Settings, core_parameters};
use crate::values::{Reference, Response};
pub(super) use cached::CachedCore;
use exchanged::{DataSide, Fetched};
pub(super) use flat::FlatCore;
pub(super) use private::PrivateCore;
pub(super) use state::PipelinedState;

core_parameters! {
    /// The parameters of a pipelined core.
    PipelinedCoreParameters {
        /// The instruction set that the core executes.
        pub instruction_set: String = NAMES[0].to_owned() => of NAMES,
        /// The stage in which branches and jumps through registers resolve: in `decode` they wait for their operands but a taken
        /// branch costs nothing beyond its delay slot; in `execute` a taken branch costs one slot.
        pub branch_stage: String = "decode".to_owned() => of ["decode", "execute"],
        /// What becomes of a branch whose conditions come too late for decode: it waits (`none`), or it is predicted by the sign of its
        /// displacement (`static`, as in the PowerPC 405). Conditions come too late from the two instructions before; a wrong guess costs
        /// two slots if they come from the one before, else one.
        pub branch_prediction: String = "none".to_owned() => of ["none", "static"],
        /// How many cycles after its answer came a loaded value can be used. At 1, the instruction after a load waits one
        /// cycle if it uses the value.
        pub load_use_delay: u32 = 1 => in 0..=4,
        /// How many issue slots a delay slot costs that a likely branch annuls.
        pub annulled_slots: u32 = 1 => in 1..=4,
        /// How many stores that the memory refused may wait while younger instructions go on: 0 as in the thesis, 1 as in HPCA 2005.
        pub store_buffer: u32 = 0 => in 0..=64,
        /// How many loads that the memory has taken and not answered may leave the memory stage; what needs their values waits in
        /// decode. 0 if every load is waited for. A bus error of such a load always stops the core.
        pub loads_under_way: u32 = 0 => in 0..=7,
        /// How many memory stages the pipeline has.
        pub memory_stages: u32 = 1 => in 1..=2,
        /// How many cycles after a multiplication its result can be used. The R4000 takes 10.
        pub multiply_latency: u32 = 1 => in 1..=1024,
        /// Whether a multiplication by a number that fits in 8 bits takes three cycles less than `multiply_latency`, and by one that
        /// fits in 16 bits two less, but never less than one.
        pub multiply_by_operand: bool = false,
        /// How many cycles cache operations, conditional stores and reads of the whole condition register take in the execute
        /// stage. The PowerPC 405 takes 2.
        pub system_latency: u32 = 1 => in 1..=64,
        /// How many cycles after a division its result can be used. The R4000 takes 69.
        pub divide_latency: u32 = 1 => in 1..=1024,
    }
}

ports! {
    /// Where a pipelined core is connected.
    pub struct PipelinedCorePorts {
        /// References to instructions.
        pub fetch_request: Output<Reference> => bundle "fetch.request",
        /// Instructions.
        pub fetch_response: Input<Response> => bundle "fetch.response",
        /// References to data.
        pub data_request: Output<Reference> => bundle "data.request",
        /// Data.
        pub data_response: Input<Response> => bundle "data.response",
        /// Commands from outside: 1 in the upper 32 bits halts the core, 2 resumes it, 3 makes it continue at the address in
        /// the lower 32 bits, 4 lets it execute one instruction and halt. All but 1 wait until what was issued has completed.
        pub control: OrUnconnected<Input<u64>>,
        /// External interrupts, one lane for each of at most five lines. A line is up while its lane presents a word; the word is
        /// taken when an interrupt is entered of which the line is a cause.
        pub interrupt: AnyNumber<Input<u64>>,
        /// The registers of the core, reported each time it halts: a number in the upper 32 bits, a word in the lower. 0 to 31
        /// are the general registers, 32 is the program counter, 33 whether its program has ended (1) or it was halted (0).
        pub report: OrUnconnected<Output<u64>>,
    }
}

/// Latencies and depths of the pipeline.
#[derive(Clone, Debug)]
struct Timing {
    branches_resolve_in_decode: bool,
    has_second_memory_stage: bool,
    load_use_delay: u32,
    store_buffer: u32,
    annulled_slots: u32,
    multiply_latency: u32,
    multiplies_by_operand: bool,
    predicts_branches: bool,
    divide_latency: u32,
    loads_under_way: u32,
    system_latency: u32,
}

impl Timing {
    /// The latency of a multiplication by a number.
    const fn multiply_latency_by(&self, operand: i64) -> u32 {
        let shorter = match operand {
            -0x80..=0x7f => 3,
            -0x8000..=0x7fff => 2,
            _ => 0,
        };
        let latency = self.multiply_latency;
        if !self.multiplies_by_operand || latency <= shorter + 1 {
            if self.multiplies_by_operand && shorter > 0 { 1 } else { latency }
        } else {
            latency - shorter
        }
    }

    /// Whether all is as most cores have it, whatever the store buffer: a core takes less of the host if it need not ask.
    const fn is_usual(&self) -> bool {
        self.branches_resolve_in_decode
            && !self.has_second_memory_stage
            && self.load_use_delay == 1
            && self.multiply_latency == 1
            && !self.predicts_branches
            && self.divide_latency == 1
            && self.loads_under_way == 0
            && self.system_latency == 1
    }
}

/// The five-stage pipeline in one module. See its declaration.
#[repr(C, align(64))] // What every cycle needs lies in as few cache lines of the host as possible.
pub struct PipelinedCore<A: Architecture> {
    state: PipelinedState<A>,
    ports: PipelinedCorePorts,
    timing: Timing,
    /// Whether it receives commands, starts halted, or is delayed at some place.
    is_commanded: bool,
    /// Whether it is, receives interrupts, or has a listener for its reports.
    is_attended: bool,
    /// Whether it is not, nobody debugs it, its timing is the default and its program has not ended.
    is_usual: bool,
    /// Whether the words of references that never change are there, and whether all is that not every core evaluates in every cycle.
    constants: AlreadySet,
    others: AlreadySet,
    /// What was last told to who commands it: whether another command can be taken, and a word of its report.
    told: (bool, Option<u64>),
    /// Whether it is about to answer others in another way. It does not sleep then: whoever it refused would wait for ever.
    has_news: bool,
    /// What cycles go to until something arrives, if that is known: nothing else can change before.
    rests: Option<(Cause, A::Word)>,
    decoder: DecodeCache<A>,
    settings: Settings<A>,
    /// What a debugger watches for, and whether it was met in the last cycle.
    watch: Option<Box<Watch>>,
    met: Option<Met>,
}

impl<A: Architecture> Module for PipelinedCore<A> {
    type Parameters = PipelinedCoreParameters;
    type Ports = PipelinedCorePorts;
    type State = PipelinedState<A>;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;
    const LEAPS_FROM_EARLIER: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "pipelined_core",
            family: "processor",
            documentation: "A core with the classic five-stage pipeline.\n\nIt issues one instruction per cycle, in order, with \
                            one branch delay slot and full forwarding. Every cycle is attributed to execution, an instruction \
                            miss, a load, a conflict or the pipeline. A store that faults is reported when the memory answers it, \
                            so such a fault always stops the core; with two memory stages that holds for loads too. An \
                            interrupt, external, of the timer or of software, comes before the instruction that is about to \
                            execute.",
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
        let settings = parameters.settings()?;
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
            return Err("loads_under_way: only cores with one memory stage let loads go on".to_owned());
        }
        let timing = Timing {
            branches_resolve_in_decode: parameters.branch_stage == "decode",
            load_use_delay: parameters.load_use_delay,
            annulled_slots: parameters.annulled_slots,
            store_buffer: parameters.store_buffer,
            has_second_memory_stage: parameters.memory_stages == 2,
            multiply_latency: parameters.multiply_latency,
            multiplies_by_operand: parameters.multiply_by_operand,
            predicts_branches: parameters.branch_prediction == "static",
            divide_latency: parameters.divide_latency,
            loads_under_way: parameters.loads_under_way,
            system_latency: parameters.system_latency,
        };
        let state = PipelinedState::new(&settings);
        let decoder = DecodeCache::new(settings.architecture);
        let is_commanded =
            ports.control.is_connected || settings.starts_halted || !settings.delays.is_empty();
        let is_attended = is_commanded || !ports.interrupt.is_empty() || ports.report.is_connected;
        let is_usual = timing.is_usual() && !is_attended;
        Ok(Self {
            ports,
            settings,
            timing,
            decoder,
            is_commanded,
            is_attended,
            is_usual,
            constants: AlreadySet::default(),
            others: AlreadySet::default(),
            told: (state.program.control.has_room(), state.report.word),
            has_news: false,
            rests: None,
            state,
            watch: None,
            met: None,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PipelinedCorePorts;
        let drives = [data(P::FETCH_REQUEST), data(P::DATA_REQUEST), ack(P::INTERRUPT)];
        let control = self.ports.control.is_connected.then_some(ack(P::CONTROL));
        let report = self.ports.report.is_connected.then_some(data(P::REPORT));
        let responses = [P::FETCH_RESPONSE, P::DATA_RESPONSE];
        vec![Process::new(0).drives(drives).drives(control).drives(report).accepts(responses)]
    }

    // There are several cores as a rule: inside the loop over them, what it takes to call is saved.
    #[inline(always)]
    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (presents, address) = (self.state.fetch.presents, self.state.fetch_address());
        signals.write_first_if(self.ports.fetch_request, presents, address.to_u64());
        self.evaluate_data(signals);
    }

    #[inline(always)]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.commit_exchanged(self.fetched(edge.signals), self.data_channels(edge.signals), edge);
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
            self.state.program.book_many(counters, account, count);
        }
    }

    fn ask(&mut self, request: &mut dyn Any) {
        self.rests = None;
        answer(self, request);
    }

    fn outlook(&self, _: &[u64], outlook: &mut Outlook) -> Option<u64> {
        // A debugger may hold the core wherever it is.
        if self.watch.is_some() { None } else { self.state.outlook(outlook) }
    }

    fn glance(&self) -> u64 {
        self.state.fetch.pc.to_u64()
    }

    fn leap(&mut self, leap: Leap, earlier: Option<PipelinedState<A>>) {
        if let Some(earlier) = earlier {
            self.rests = None;
            self.state.leap(leap, &earlier);
        }
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
        self.note_end();
        Ok(())
    }
}

impl<A: Architecture> PipelinedCore<A> {
    /// Presents what there is to present besides a reference to an instruction.
    #[inline(always)]
    fn evaluate_data(&self, signals: &mut Signals) {
        let PipelinedState { presents_data, presented, .. } = &self.state;
        // Whether one is presented cannot be predicted: an unconditional write costs less than a branch.
        signals.write_first_if(self.ports.data_request, *presents_data, *presented);
        if !signals.are_set_already(&self.others) {
            self.evaluate_others(signals);
        }
    }

    /// What a core does at an edge, given what becomes of its references.
    #[inline(always)]
    fn commit_exchanged(&mut self, fetched: Fetched, side: impl DataSide, edge: &mut Edge<'_>) {
        if self.is_usual {
            self.cycle::<true>(fetched, side, edge);
        } else {
            self.cycle_unusual(fetched, side, edge.reborrow());
        }
        let is_empty = self.state.decode.is_none() && self.state.program.stop.is_none();
        debug_assert!(!is_empty || self.state.missing == self.oldest_unissued());
        debug_assert_eq!(self.state.fetch.presents, self.may_present_fetch());
        debug_assert_eq!(self.state.presents_data, self.may_present_data());
        debug_assert!(!self.state.presents_data || self.state.presented == self.oldest_reference());
    }

    /// What a core does in each cycle. Says whether a store that no instruction waits for had no answer, and what the cycle went to.
    /// Without a control port, as is usual, a core issues until its program ends.
    #[inline(always)]
    fn cycle<const IS_USUAL: bool>(
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
        let has_failed_late = self.exchange_data::<IS_USUAL>(side, edge);
        let has_ended = if IS_USUAL { has_failed_late } else { self.state.program.stop.is_some() };
        let account = if has_ended { self.stand(edge.cycle()) } else { self.advance::<IS_USUAL>(side, edge) };
        self.state.program.book(edge.counters, account);
        (has_failed_late, account.0)
    }

    /// What a core does whose program has ended.
    fn stand(&mut self, cycle: u64) -> (Cause, A::Word) {
        self.deliver_late(cycle);
        (Cause::Halted, A::Word::default())
    }

    /// The same for a core that is attended, or with other timing than the default. A waiting command is obeyed when all that was
    /// issued before this cycle has completed.
    #[inline(never)]
    fn cycle_unusual(&mut self, fetched: Fetched, side: impl DataSide, mut edge: Edge<'_>) {
        let arrives = matches!(fetched, Fetched::Answer { .. }) || side.is_answered();
        if let Some(account) = self.rests.filter(|_| !arrives) {
            self.rest(account, &mut edge);
        } else {
            self.cycle_awake(fetched, side, &mut edge);
        }
        if self.is_attended {
            // What lines of interrupts are answered changes only when an interrupt is entered, and in the cycle after.
            let takes_words = self.state.program.interrupts.takes_words();
            self.attend(edge.signals);
            let told = (self.state.program.control.has_room(), self.state.report.word);
            self.has_news = std::mem::replace(&mut self.told, told) != told || takes_words;
            if self.has_news {
                self.others.forget();
            }
        }
        if self.is_commanded {
            let control = &self.ports.control;
            if control.is_connected && edge.signals.is_received(control.port) {
                self.rests = None;
            }
            self.note_fetch_change();
        }
    }

    #[inline(always)]
    fn cycle_awake(&mut self, fetched: Fetched, side: impl DataSide, edge: &mut Edge<'_>) {
        let may_obey = self.state.program.control.pending().is_some_and(|order| self.may_obey(order));
        self.met = None;
        let (has_failed_late, cause) = self.cycle::<false>(fetched, side, edge);
        if self.met.is_some() {
            edge.pause();
        }
        if may_obey && !has_failed_late {
            self.obey(edge.cycle());
        }
        let is_stalled = matches!(cause, Cause::Load | Cause::InstructionMiss);
        self.rests = if is_stalled { self.resting_account() } else { None };
    }

    /// What [`Self::cycle_awake`] does in a cycle in which nothing can change.
    #[inline(always)]
    fn rest(&mut self, account: (Cause, A::Word), edge: &mut Edge<'_>) {
        let state = &mut self.state;
        (state.recent, state.fresh, state.wrong_path) = (state.fresh, 0, false);
        self.met = None;
        state.program.book(edge.counters, account);
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

    fn evaluate_attended(&self, signals: &mut Signals) {
        if self.ports.control.is_connected {
            signals.acknowledge(self.ports.control.port, self.state.program.control.has_room());
        }
        self.state.program.interrupts.acknowledge(&self.ports.interrupt, signals);
        if self.ports.report.is_connected {
            signals.write(self.ports.report.port, self.state.report.word);
        }
    }

    /// Looks at commands and interrupts and goes on with its report.
    #[inline]
    fn attend(&mut self, signals: &Signals) {
        self.state.program.control.listen(&self.ports.control, signals);
        self.state.program.look_at_lines(&self.ports.interrupt, signals);
        if self.ports.report.is_connected {
            self.report(signals);
        }
    }

    /// One step of every stage from memory to decode, oldest first, so that each sees where the older ones have moved to.
    /// Returns what the cycle went to, and the address of the instruction that it is booked on.
    #[inline(always)]
    fn advance<const IS_USUAL: bool>(
        &mut self,
        side: impl DataSide,
        edge: &mut Edge<'_>,
    ) -> (Cause, A::Word) {
        if !IS_USUAL {
            self.state.recent = self.state.fresh;
        }
        (self.state.wrong_path, self.state.fresh) = (false, 0);
        if !IS_USUAL {
            self.deliver_late(edge.cycle());
        }
        if let Some(account) = self.advance_memory::<IS_USUAL>(side, edge) {
            return account;
        }
        if let Some(place) = self.state.execute.take()
            && !self.execute::<IS_USUAL>(place, edge)
            && IS_USUAL
        {
            return self.issue_nothing();
        }
        self.issue::<IS_USUAL>(edge.cycle())
    }

    /// Takes note of whether the program has ended.
    fn note_end(&mut self) {
        let is_alone = !self.is_attended && self.watch.is_none();
        self.is_usual = self.timing.is_usual() && is_alone && self.state.program.stop.is_none();
    }

    /// Whether everything that was issued has completed.
    fn is_drained(&self) -> bool {
        let state = &self.state;
        state.execute.is_none() && state.memory.iter().all(Option::is_none) && state.late.loads.is_empty()
    }

    /// Time passes while what was issued completes; a command waits for that.
    fn may_obey(&self, order: Order) -> bool {
        matches!(order, Order::StandUntil(_)) || self.is_drained()
    }

    /// Obeys what is pending, if anything is.
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

    /// Goes on telling what the core holds, if it stands.
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

    /// If nothing can change before something arrives: what the cycles until then go to.
    fn resting_account(&self) -> Option<(Cause, A::Word)> {
        let state = &self.state;
        let has_order = state.program.control.pending().is_some() || state.program.interrupts.takes_words();
        let has_word = state.report.word.is_some();
        if has_order || has_word || !state.store_buffer.is_empty() || state.fetch.presents {
            return None;
        }
        let is_fetching = state.fetch.outstanding || state.fetch.buffer.is_some();
        let has_more = !state.fetch.pc.is_aligned(A::PARCEL_BYTES) || state.has_short_instruction();
        if !is_fetching && has_more {
            return None;
        }
        if state.program.stop.is_some() {
            return Some((Cause::Halted, A::Word::default()));
        }
        if let Some(account) = self.waits_for_response() {
            return Some(account);
        }
        if let Some(load) = self.awaits_late_load() {
            return Some((Cause::Load, load));
        }
        if !self.is_drained() || state.exception_pending {
            return None;
        }
        if state.program.control.halted {
            return Some((Cause::Halted, A::Word::default()));
        }
        if A::CAN_WAIT && state.program.interrupts.awaited().is_some_and(|due| due > 0) {
            return state.decode.map(|place| (Cause::Halted, state.flight(place).slot.pc));
        }
        let waits_for_instruction = state.decode.is_none()
            && state.fetch.buffer.is_none()
            && state.fetch.outstanding
            && state.held == 0
            && state.empty_cause == Cause::InstructionMiss;
        waits_for_instruction.then_some((Cause::InstructionMiss, state.missing))
    }
}
