//! `functional_core`: one instruction after the other, without a pipeline.
//!
//! Where memories lend their bytes (see [`spinach_engine::Reach`]), it [runs ahead](ahead): at one edge it executes as many instructions
//! as nothing else can notice, one for each cycle to come, and then rests for these cycles.
//!
//! Elsewhere an instruction is fetched in one cycle and completes in the next if the memory answers at once, so that two cycles go to an
//! instruction. Every reference is waited for, stores included, so that every exception is precise.
//!
//! The cycle in which an instruction completes is counted as `execution`, the one in which it arrives as `pipeline`, and the cycles
//! spent waiting as in a pipelined core.

mod ahead;
mod block;
mod code;
mod direct_memories;
mod repetition;
mod running_ahead;
mod step;

use std::any::Any;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Idle, Input, Leap, Module, OrUnconnected, Outlook, Output, Process, Reach,
    Signals, ack, data, parameters, ports,
};
use spinach_isa::architecture::{Answer, Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::debugging::Hit;
use spinach_isa::registered::NAMES;
use spinach_isa::word::Word;

use self::ahead::Ahead;
use super::accounts::{COUNTERS, Cause, Event};
use super::control::Command;
use super::data_port::{next_reference, response_register, response_value};
use super::debugging::{self, Debugged, Load, View, Watch, set, view};
use super::decoded::{DecodeCache, Kind, Work, instruction_word};
use super::form::General;
use super::interrupts::check_lines;
use super::profile::AccountSums;
use super::program::{Period, Program, Slot};
use super::settings::{CoreParameters, Settings};
use super::stop::StopCause;
use crate::values::{Reference, Response};

parameters! {
    /// The parameters of a functional core.
    pub struct FunctionalCoreParameters {
        /// Parameters of every core.
        pub core: CoreParameters,
        /// The instruction set that the core executes.
        pub instruction_set: String = NAMES[0].to_owned() => of NAMES,
        /// Maximum number of cycles that the core runs ahead of everything else, where it reaches memory directly; 0 for never:
        /// each reference uses the ports.
        pub quantum: u32 = 256 => in 0..=65536,
    }
}

ports! {
    /// Ports of a functional core.
    pub struct FunctionalCorePorts {
        /// Instruction memory.
        pub fetch: { request: Output<Reference>, response: Input<Response> },
        /// Data memory.
        pub data: { request: Output<Reference>, response: Input<Response> },
        /// Commands from outside: 1 in the upper 32 bits halts the core, 2 resumes it, 3 makes it continue at the address in
        /// the lower 32 bits, 4 lets it execute one instruction and halt. All but 1 wait until what was issued has completed.
        pub control: OrUnconnected<Input<u64>>,
        /// External interrupts, one lane for each of at most five lines. A line is up while its lane presents a word; the word is
        /// taken when an interrupt is entered of which the line is a cause.
        pub interrupt: AnyNumber<Input<u64>>,
    }
}

/// Everything in a functional core that changes from cycle to cycle.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct FunctionalState<A: Architecture> {
    /// Registers, end, history, profile. The program counter is that of the instruction to complete next.
    pub program: Program<A>,
    /// True if the memory has taken the reference to the next instruction.
    is_fetching: bool,
    /// The half of an instruction that lies across two words, once it is there.
    parcel: Option<u16>,
    /// True if the instruction being fetched is no longer needed.
    discards: bool,
    step: Option<Step<A>>,
    /// The first cycle whose instruction is not executed yet; 0 if that is the coming one.
    rests_until: u64,
    /// True if the core waits for an interrupt that is not due in the coming cycle.
    awaits_interrupt: bool,
}

/// An instruction that has arrived.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct Step<A: Architecture> {
    slot: Slot<A>,
    /// Its reference, if it has one.
    reference: Option<Reference>,
    /// True if the memory has taken the reference.
    is_taken: bool,
    /// The address as the instruction computes it.
    address: A::Word,
    /// Previous value of the destination register, as far as it is needed.
    previous: A::Word,
    /// Number of references answered before that one.
    part: u8,
    /// Why it cannot complete.
    stop: Option<StopCause<A>>,
}

/// One instruction after the other, without a pipeline. See its declaration.
pub struct FunctionalCore<A: Architecture> {
    ports: FunctionalCorePorts,
    settings: Settings<A>,
    decoder: DecodeCache<A>,
    state: FunctionalState<A>,
    quantum: u32,
    /// State for running ahead, if any instruction is within reach.
    ahead: Option<Box<Ahead<A>>>,
    /// Stop conditions of a debugger, and the one met in the last cycle.
    watch: Option<Box<Watch>>,
    hit: Option<Hit>,
    /// Reference of a load for a debugger until the memory has taken it, and the outcome of the last one.
    load: Option<Reference>,
    loaded: Load,
    /// The beginning of a period that may be repeated, while it lasts.
    period: Option<Box<Period>>,
}

impl<A: Architecture> Module for FunctionalCore<A> {
    type Parameters = FunctionalCoreParameters;
    type Ports = FunctionalCorePorts;
    type State = FunctionalState<A>;

    const SLEEPS: bool = true;
    const REPEATS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "functional_core",
            family: "processor",
            documentation: "A core without a pipeline.\n\nIt fetches an instruction in one cycle and completes it in the next, \
                            if the memory responds at once. If only interconnect is between it and its memories, it accesses \
                            them directly: it executes one instruction in each cycle, decoded in blocks, up to \
                            `quantum` cycles ahead of everything else, and its counts of events may be ahead by as much; those of cycles and \
                            instructions are not. Fast to simulate, for start-up and for correctness. It takes the place of any other core. Every \
                            exception is precise; interrupts come between instructions.",
            timing: "All outputs are registered. Responses are always accepted, commands unless one waits to be obeyed.",
            source: "Spinach thesis, section 3.2.4, table 3.4 (Functional MIPS)",
            parameters: FunctionalCoreParameters::declare(),
            ports: FunctionalCorePorts::declare(),
            counters: COUNTERS,
            clocks: &["clock"],
        }
    }

    fn new(parameters: FunctionalCoreParameters, ports: FunctionalCorePorts) -> Result<Self, String> {
        let settings = parameters.core.settings()?;
        check_lines(&ports.interrupt)?;
        let program = Program::new(&settings);
        let state = FunctionalState {
            program,
            is_fetching: false,
            parcel: None,
            discards: false,
            step: None,
            rests_until: 0,
            awaits_interrupt: false,
        };
        let decoder = DecodeCache::new(settings.architecture);
        let (ahead, quantum) = (None, parameters.quantum);
        Ok(Self {
            decoder,
            ports,
            settings,
            state,
            quantum,
            ahead,
            watch: None,
            hit: None,
            load: None,
            loaded: Load::default(),
            period: None,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FunctionalCorePorts;
        let drives = [data(P::FETCH_REQUEST), data(P::DATA_REQUEST), ack(P::INTERRUPT)];
        let control = self.ports.control.is_connected.then_some(ack(P::CONTROL));
        vec![Process::new(0).drives(drives).drives(control).accepts([P::FETCH_RESPONSE, P::DATA_RESPONSE])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        signals.write(self.ports.fetch_request, self.presented_fetch());
        signals.write(self.ports.data_request, self.presented_data());
        signals.acknowledge(self.ports.control.port, self.state.program.control.has_room());
        self.state.program.interrupts.acknowledge(&self.ports.interrupt, signals);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        self.hit = None;
        if !self.is_running() {
            self.exchange_load(edge.signals);
        }
        let is_resting = self.state.rests_until > edge.cycle();
        let account = if is_resting {
            None
        } else if self.state.step.is_some() {
            Some(self.execute(edge))
        } else {
            let account = if self.may_run_ahead() { self.run_ahead(edge) } else { Some(self.fetch(edge)) };
            self.obey(edge.cycle());
            account
        };
        if self.state.rests_until <= edge.cycle() + 1 {
            self.state.rests_until = 0;
        }
        if self.watch.is_some() && self.hit.is_some() {
            edge.pause();
        }
        match account {
            Some(account) => self.state.program.book::<General>(edge.counters, account),
            // The cycles are accounted for on their instructions already.
            None => count_rest(edge.counters, 1, u64::from(is_resting)),
        }
        self.state.program.control.listen(&self.ports.control, edge.signals);
        self.state.program.look_at_lines(&self.ports.interrupt, edge.signals);
        if A::CAN_WAIT {
            self.state.awaits_interrupt = self.state.program.interrupts.are_awaited(edge.cycle() + 1);
        }
    }

    fn idle(&self) -> Idle {
        if self.load.is_some() {
            return Idle::No;
        }
        let state = &self.state;
        let waits = match &state.step {
            Some(step) => step.is_taken,
            None => state.is_fetching || !self.is_running(),
        };
        if state.rests_until != 0 && !state.program.interrupts.takes_words() {
            // The last commit of the rest ends it, so that something may be presented right after it.
            return Idle::UntilCycle(state.rests_until - 1);
        }
        let has_order = state.program.control.pending().is_some() || state.program.interrupts.takes_words();
        match state.program.interrupts.awaited() {
            _ if !waits || has_order => Idle::No,
            // An interrupt that is due in the next cycle is decided in the one before.
            Some(due) if state.awaits_interrupt => Idle::UntilCycle(due.saturating_sub(1)),
            _ => Idle::UntilInput,
        }
    }

    fn slept(&mut self, first: u64, count: u64, counters: &mut [u64]) {
        let rested = self.state.rests_until.saturating_sub(first).min(count);
        count_rest(counters, rested, rested);
        if rested == count {
            return;
        }
        let count = count - rested;
        let account = match &self.state.step {
            Some(step) => (Cause::Load, step.slot.pc),
            None => self.account_of_fetch(false),
        };
        self.state.program.book_many(counters, account, count);
    }

    fn outlook(&self, _: &[u64], outlook: &mut Outlook) -> Option<u64> {
        self.predict(outlook)
    }

    fn outlook_hash(&self) -> u64 {
        self.state.program.registers.pc().to_u64()
    }

    fn begin_period(&mut self, _: u64, advances: &[u64]) {
        self.period = Some(Box::new(self.state.program.begin_period(advances)));
    }

    fn repeatable(&self) -> u64 {
        let advances = self.period.as_ref().is_some_and(|period| period.advances::<A::Word>().is_some());
        if advances { 0 } else { u64::MAX }
    }

    fn leap(&mut self, leap: Leap) {
        self.repeat(leap);
    }

    fn reaches(&self) -> Vec<usize> {
        let ports = vec![FunctionalCorePorts::FETCH_REQUEST, FunctionalCorePorts::DATA_REQUEST];
        if self.quantum > 0 { ports } else { Vec::new() }
    }

    fn attach(&mut self, reach: &Reach<'_>) {
        self.ahead = Ahead::new(self.settings.architecture, reach).map(Box::new);
    }

    fn ask(&mut self, request: &mut dyn Any) {
        debugging::answer(self, request);
    }

    fn line(&self) -> Option<String> {
        let program = &self.state.program;
        let next = || format!("next {:#x}", program.registers.pc());
        Some(if program.stop.is_some() { String::new() } else { next() })
    }

    fn state(&self) -> &FunctionalState<A> {
        &self.state
    }

    fn restore(&mut self, state: FunctionalState<A>) -> Result<(), String> {
        self.state.program.check_replacement(&state.program)?;
        self.state = state;
        if let Some(ahead) = &mut self.ahead {
            ahead.clear();
        }
        Ok(())
    }
}

impl<A: Architecture> FunctionalCore<A> {
    fn is_running(&self) -> bool {
        let may_issue = self.state.program.is_running() && self.state.program.control.may_issue();
        may_issue && !self.state.awaits_interrupt
    }

    #[inline]
    fn presented_fetch(&self) -> Option<Reference> {
        let state = &self.state;
        let pc = state.program.registers.pc();
        let is_aligned = pc.is_aligned(A::PARCEL_BYTES);
        let is_free = state.step.is_none() && !state.is_fetching && state.rests_until == 0;
        let presents = is_free && is_aligned && self.is_running() && !self.may_run_ahead();
        let address = if state.parcel.is_some() { pc.plus(2) } else { pc & !A::Word::from_u64(3) };
        presents.then(|| Reference { source: self.settings.identity, ..Reference::read(address.to_u64(), 4) })
    }

    #[inline]
    fn presented_data(&self) -> Option<Reference> {
        let step = self.state.step.as_ref().filter(|_| self.state.rests_until == 0);
        step.and_then(|step| step.reference.filter(|_| !step.is_taken)).or(self.load)
    }

    /// Notes that the reference of a load for a debugger was taken or answered. Nothing else is under way then.
    #[inline(never)]
    fn exchange_load(&mut self, signals: &Signals) {
        if self.state.step.is_some() {
            return;
        }
        if signals.is_sent(self.ports.data_request) {
            self.load = None;
        }
        if let Some(response) = signals.received(self.ports.data_response) {
            self.loaded = Load::of(response.data as u64, response.is_fault);
        }
    }

    fn account_of_fetch(&self, has_arrived: bool) -> (Cause, A::Word) {
        let cause = match (self.is_running(), has_arrived) {
            (false, _) => Cause::Halted,
            (true, true) => Cause::Pipeline,
            (true, false) => Cause::InstructionMiss,
        };
        (cause, self.state.program.registers.pc())
    }

    /// Waits for the next instruction.
    #[inline]
    fn fetch(&mut self, edge: &Edge<'_>) -> (Cause, A::Word) {
        let signals = edge.signals;
        let state = &mut self.state;
        let pc = state.program.registers.pc();
        state.is_fetching |= signals.is_sent(self.ports.fetch_request);
        let mut arrived = None;
        if let Some(response) = signals.received(self.ports.fetch_response) {
            state.is_fetching = false;
            if !std::mem::take(&mut state.discards) {
                let word = instruction_word::<A>(response.data as u64);
                if response.is_fault {
                    state.parcel = None;
                    arrived = Some((word, Some(A::Trap::fetch_bus_error(pc))));
                } else {
                    arrived = join_parcels::<A>(&mut state.parcel, pc, word).map(|word| (word, None));
                }
            }
        } else if !pc.is_aligned(A::PARCEL_BYTES) && !state.is_fetching && self.is_running() {
            arrived = Some((0, Some(A::Trap::misaligned_fetch(pc))));
        }
        let account = self.account_of_fetch(arrived.is_some());
        // An instruction that arrives at a halted core, or at one that is delayed before it, is fetched again later.
        if let Some((word, trap)) = arrived.filter(|_| self.is_running()) {
            if !self.state.program.control.issues(pc.to_u64(), edge.cycle(), &self.settings.delays) {
                return (Cause::Halted, pc);
            }
            let interrupt = self.state.program.interrupts.is_due(edge.cycle()).then_some(A::Trap::INTERRUPT);
            self.begin(pc, word, interrupt.or(trap));
        }
        account
    }

    #[inline]
    fn begin(&mut self, pc: A::Word, word: u32, trap: Option<A::Trap>) {
        let in_delay_slot = self.state.program.registers.in_delay_slot();
        let decoded = *self.decoder.decode(pc, word);
        let slot = Slot { pc, decoded, was_fetched: trap.is_none(), in_delay_slot };
        let address = A::Word::default();
        let mut step =
            Step { slot, reference: None, is_taken: false, address, previous: address, part: 0, stop: None };
        if let Some(trap) = trap {
            step.stop = Some(StopCause::of(trap));
        } else if slot.decoded.accesses_memory() {
            match self.state.program.refer(&slot, &self.settings) {
                Ok(referred) => {
                    step.reference = (!referred.has_failed).then_some(referred.reference);
                    step.address = referred.address;
                    step.previous = referred.previous;
                }
                Err(cause) => step.stop = Some(cause),
            }
        }
        self.state.step = Some(step);
        if let Some(watch) = &self.watch {
            self.hit = watch.meets(pc, &decoded, &self.state.program.registers);
        }
    }

    /// Completes the instruction that has arrived, if the memory lets it.
    #[inline]
    fn execute(&mut self, edge: &mut Edge<'_>) -> (Cause, A::Word) {
        let FunctionalState { program, step: Some(step), .. } = &mut self.state else {
            return (Cause::Pipeline, A::Word::default());
        };
        let pc = step.slot.pc;
        let mut response = None;
        if step.reference.is_some() {
            step.is_taken |= edge.signals.is_sent(self.ports.data_request);
            response = edge.signals.received(self.ports.data_response);
            if response.is_none() {
                return (if step.is_taken { Cause::Load } else { Cause::Conflict }, pc);
            }
        }
        if A::HAS_RUNS && go_on(program, step, response, self.settings.identity) {
            return (Cause::Pipeline, pc);
        }
        let outcome = match step.stop {
            Some(cause) => Err(cause),
            None => perform(program, step, response, edge),
        };
        self.conclude(outcome, edge);
        (Cause::Execution, pc)
    }

    /// Ends the present instruction: it has executed, and may be a taken branch, or raises an exception.
    #[inline]
    fn conclude(&mut self, outcome: Result<bool, StopCause<A>>, edge: &mut Edge<'_>) {
        let FunctionalState { program, step: step @ Some(_), .. } = &mut self.state else { return };
        let Some(step) = step.take() else { return };
        match outcome {
            Ok(branch_taken) => program.complete::<General>(&step.slot, step.address, branch_taken, edge),
            Err(cause) => {
                let handler = program.raise(cause, &step.slot, true, &self.settings, edge);
                program.registers.jump_to(handler.unwrap_or(step.slot.pc));
            }
        }
    }

    /// Obeys the pending command, if any.
    #[inline]
    fn obey(&mut self, cycle: u64) {
        if let Some(Command::Jump(address)) = self.state.program.obey(cycle) {
            self.state.program.registers.jump_to(A::Word::from_u64(address));
            self.state.discards = self.state.is_fetching;
            self.state.parcel = None;
        }
    }
}

impl<A: Architecture> Debugged for FunctionalCore<A> {
    fn add_accounts(&mut self, sums: &mut AccountSums) {
        if let Some(profile) = &mut self.state.program.profile {
            profile.add_to(sums);
        }
    }

    fn accounted_until(&self) -> u64 {
        self.state.rests_until
    }

    fn keeps_calls(&self) -> bool {
        self.state.program.calls.is_some()
    }

    fn watch(&mut self, watch: Option<Box<Watch>>) {
        (self.watch, self.hit) = (watch, None);
    }

    fn hit(&self) -> Option<Hit> {
        self.hit
    }

    fn settle(&mut self) {
        self.state.program.control.settle();
        // Unless the memory took its reference, an instruction was not executed.
        self.state.step = self.state.step.filter(|step| step.is_taken);
    }

    fn view(&self) -> View {
        let program = &self.state.program;
        let issued = self.state.step.as_ref();
        view(program, program.registers.pc(), issued.is_some_and(|step| !step.is_taken), issued.is_none())
    }

    fn set(&mut self, general: u8, value: u64) -> bool {
        let taken = self.state.step.as_ref().filter(|step| step.is_taken);
        let awaited = taken.map_or(0, |step| 1 << (step.slot.decoded.destination & 63));
        set(&mut self.state.program, general, value, awaited)
    }

    fn load(&mut self, address: u64) -> bool {
        let may_load = self.state.step.is_none() && !self.state.program.control.may_issue();
        if may_load {
            self.load = Some(Reference { source: self.settings.identity, ..Reference::read(address, 4) });
            self.loaded = Load::Awaited;
        }
        may_load
    }

    fn loaded(&self) -> Load {
        self.loaded
    }
}

/// Counts cycles whose instructions were executed at an edge, the first of them at this one, and the `instructions` of later ones.
#[inline]
fn count_rest(counters: &mut [u64], cycles: u64, instructions: u64) {
    counters[Cause::Execution as usize] += cycles;
    counters[Event::Instruction as usize] += instructions;
}

/// The instruction at `pc` once the word that was fetched for it, or for its second half, has arrived; `None` if that is only the
/// first half of it.
#[inline]
fn join_parcels<A: Architecture>(parcel: &mut Option<u16>, pc: A::Word, word: u32) -> Option<u32> {
    if A::PARCEL_BYTES == 4 {
        return Some(word);
    }
    let is_short = |word: u32| A::instruction_bytes(word) == 2;
    match parcel.take() {
        Some(first) => Some(u32::from(first) | word << 16),
        None if pc.is_aligned(4) => Some(if is_short(word) { word & 0xffff } else { word }),
        None if is_short(word >> 16) => Some(word >> 16),
        None => {
            *parcel = Some((word >> 16) as u16);
            None
        }
    }
}

fn answer<A: Architecture>(step: &Step<A>, response: Response) -> Answer<A::Word> {
    let data = A::Word::from_u64(response.data as u64);
    Answer { address: step.address, part: step.part.into(), previous: step.previous, data }
}

/// Makes the next reference of an instruction that makes several. Says whether there is one.
fn go_on<A: Architecture>(
    program: &mut Program<A>,
    step: &mut Step<A>,
    response: Option<Response>,
    source: u16,
) -> bool {
    let Some(response) = response.filter(|response| !response.is_fault && step.stop.is_none()) else {
        return false;
    };
    let decoded = &step.slot.decoded;
    let next = next_reference(decoded, step.address, step.part + 1, &program.registers, source);
    let Some(next) = next else { return false };
    let answer = answer(step, response);
    let (register, value) = response_register::<A>(&decoded.instruction(), &answer);
    program.registers.set_general(register, value);
    (step.reference, step.is_taken) = (Some(next), false);
    (step.part, step.previous) = (step.part + 1, answer.data);
    true
}

/// Executes the instruction, and returns true for a taken branch.
#[inline]
fn perform<A: Architecture>(
    program: &mut Program<A>,
    step: &Step<A>,
    response: Option<Response>,
    edge: &mut Edge<'_>,
) -> Result<bool, StopCause<A>> {
    let decoded = &step.slot.decoded;
    if let Work::Calculate(function) = decoded.work {
        program.calculate(decoded, function)?;
        program.registers.advance(decoded.bytes());
        return Ok(false);
    }
    match decoded.kind() {
        Kind::Plain | Kind::ExceptionReturn | Kind::Barrier => {
            program.compute(&step.slot, edge.cycle()).map(|()| false)
        }
        Kind::RegisterTransfer | Kind::DirectJump => {
            let outcome = program.transfer(&step.slot, edge)?;
            let taken = outcome.is_some_and(|outcome| outcome.taken);
            if let Some(outcome) = outcome {
                program.registers.advance_after(&outcome, decoded.bytes());
            }
            Ok(taken & decoded.is_branch())
        }
        Kind::Awaited | Kind::Posted => {
            if response.is_some_and(|response| response.is_fault) {
                let named = step.reference.map(|reference| A::Word::from_u64(reference.address));
                let stores = step.reference.is_some_and(|reference| reference.access.writes());
                let trap = A::Trap::data_bus_error(named.unwrap_or(step.address), stores);
                return Err(StopCause::Exception(trap));
            }
            let value = response.map_or(A::store_failed(step.previous), |response| {
                response_value(decoded, &answer(step, response))
            });
            program.registers.set_general(decoded.destination, value);
            program.update_base(decoded, step.address);
            program.registers.advance(decoded.bytes());
            Ok(false)
        }
    }
}
