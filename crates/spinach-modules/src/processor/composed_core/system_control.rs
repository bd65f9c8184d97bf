//! `system_control`: coprocessor 0, the completion of instructions, and the account of cycles.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AnyNumber, Declaration, Edge, Input, Module, OrUnconnected, Output, Process, Signals, ack, data,
    parameters, ports,
};
use spinach_isa::registered::classic::Trap;

use super::super::accounts::{COUNTERS, Cause, Event};
use super::super::control::{Command, Order};
use super::super::decoded::{DecodeCache, Kind};
use super::super::form::General;
use super::super::interrupts::check_lines;
use super::super::program::{Program, Slot};
use super::super::settings::{CoreParameters, Settings};
use super::super::stop::{Stop, StopCause};
use super::control_word::{
    ACCESS, COPROCESSOR_REGISTER, IN_DELAY_SLOT, IS_VALID, KIND, PART, SYSTEM, system,
};
use spinach_isa::registered::Classic;

parameters! {
    /// The parameters of system control: those of any core.
    pub struct SystemControlParameters {
        /// Parameters of every core.
        pub core: CoreParameters,
        /// Number of memory stages of the pipeline. With two, a younger instruction may have advanced too far at a bus error of a
        /// load, so that this always ends the program.
        pub memory_stages: u32 = 1 => in 1..=2,
    }
}

ports! {
    /// Ports of system control.
    pub struct SystemControlPorts {
        /// The instruction in the last memory stage: its address in the upper, itself in the lower 32 bits.
        pub completing: Input<u64>,
        /// Its control word, with bit 63 set if there is one and bit 62 if it is in a delay slot.
        pub completing_control: Input<u64>,
        /// Bits 0 to 3: the exception that it raised, or 0: 1 misaligned fetch, 2 nothing answered the fetch, 3 misaligned load, 4
        /// misaligned store, 5 system call, 6 break, 7 reserved instruction, 8 coprocessor unusable, 9 overflow, 10 trap, 11
        /// guarded address, 12 no privilege for coprocessor 0, 13 interrupt. Bit 4: it is a branch that was taken. Bit 5: it annulled its
        /// delay slot.
        pub completing_outcome: Input<u64>,
        /// The address that it refers to.
        pub completing_address: Input<u64>,
        /// Value from memory; bit 32 at a bus error.
        pub value: Input<u64>,
        /// Not 0 while it has to wait.
        pub wait: Input<u64>,
        /// Not 0 if an instruction is in execute or in a memory stage.
        pub busy: Input<u64>,
        /// A store that failed, as the load-store unit reports it.
        pub late_fault: Input<u64>,
        /// The instruction in execute: its address in the upper, itself in the lower 32 bits.
        pub executing: Input<u64>,
        /// Its control word.
        pub executing_control: Input<u64>,
        /// The value of its second source register.
        pub operand: Input<u64>,
        /// Set if it leaves execute without an exception.
        pub executes: Input<u64>,
        /// Use of the cycle, by number, in bits 32 to 34, and the instruction that it is counted for.
        pub account: Input<u64>,
        /// Commands from outside: 1 in the upper 32 bits halts the core, 2 resumes it, 3 makes it continue at the address in
        /// the lower 32 bits, 4 lets it execute one instruction and halt. All but 1 wait until what was issued has completed.
        pub control: OrUnconnected<Input<u64>>,
        /// External interrupts, one lane for each of at most five lines. A line is up while its lane presents a word; the word is
        /// taken when an interrupt is entered of which the line is a cause.
        pub interrupt: AnyNumber<Input<u64>>,
        /// Bit 32: everything younger than the completing instruction is thrown away, and execution continues at the address
        /// in bits 0 to 31. Bit 33: the program has ended.
        pub redirect: Output<u64>,
        /// Value that the instruction in execute reads from coprocessor 0, or the target address of an exception return.
        pub read: Output<u64>,
        /// Bit 0: the program runs. Bit 1: coprocessor 0 may be used. Bit 2: instructions may be issued. Bit 3: the instruction in
        /// execute is interrupted.
        pub status: Output<u64>,
        /// Order of a command to the stages before execute at the end of the cycle: bit 32, fetch everything not issued once
        /// more; bit 33, continue at the address in bits 0 to 31.
        pub order: Output<u64>,
    }
}

/// Everything in system control that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SystemControlState {
    /// Coprocessor 0, end, history, profile. The general registers are elsewhere.
    pub program: Program<Classic>,
    /// The cycle to come.
    cycle: u64,
}

/// Coprocessor 0, completion and accounts. See its declaration.
pub struct SystemControl {
    ports: SystemControlPorts,
    settings: Settings<Classic>,
    // True if an instruction without an answer leaves the younger ones as they were.
    has_precise_bus_errors: bool,
    decoder: DecodeCache<Classic>,
    state: SystemControlState,
}

const REGISTERED: u16 = 0;
const READ: u16 = 1;
const REDIRECT: u16 = 2;
const ORDER: u16 = 3;

const REDIRECTS: u64 = 1 << 32;
const ENDS: u64 = 1 << 33;
const FETCHES_AGAIN: u64 = 1 << 32;
const JUMPS: u64 = 1 << 33;

/// Reason for which the program cannot simply continue after this cycle.
enum Interruption {
    Exception(StopCause<Classic>),
    LateFault { pc: u32, address: u32 },
}

impl SystemControl {
    fn word(signals: &Signals, input: Input<u64>) -> u64 {
        signals.read(input).unwrap_or(0)
    }

    /// True if the instruction in the memory stage leaves it in this cycle.
    fn completes(&self, signals: &Signals) -> bool {
        let control = Self::word(signals, self.ports.completing_control);
        IS_VALID.is_set(control) && Self::word(signals, self.ports.wait) == 0
    }

    fn interruption(&self, signals: &Signals) -> Option<Interruption> {
        if let Some(fault) = signals.read(self.ports.late_fault) {
            return Some(Interruption::LateFault { pc: (fault >> 32) as u32, address: fault as u32 });
        }
        if !self.completes(signals) {
            return None;
        }
        let completing = Self::word(signals, self.ports.completing);
        let control = Self::word(signals, self.ports.completing_control);
        let address = Self::word(signals, self.ports.completing_address) as u32;
        let (pc, word) = ((completing >> 32) as u32, completing as u32);
        let code = word >> 6;
        let trap = match Self::word(signals, self.ports.completing_outcome) & 0xf {
            0 => {
                let is_answered = Self::word(signals, self.ports.value) >> 32 & 1 == 0;
                if KIND.of(control) != Kind::Awaited as u32 || is_answered {
                    return None;
                }
                let names_word = PART.is_set(control) || ACCESS.of(control) > 3;
                Trap::DataBusError { address: if names_word { address & !3 } else { address } }
            }
            1 => Trap::MisalignedLoad { address: pc },
            2 => Trap::FetchBusError { address: pc },
            3 => Trap::MisalignedLoad { address },
            4 => Trap::MisalignedStore { address },
            5 => Trap::Syscall { code: code & 0xf_ffff },
            6 => Trap::Breakpoint { code: code & 0xf_ffff },
            7 => Trap::ReservedInstruction { word },
            8 => Trap::CoprocessorUnusable { coprocessor: (word >> 26 & 3) as u8 },
            9 => Trap::Overflow,
            10 => Trap::Condition { code: if word >> 26 == 0 { code & 0x3ff } else { 0 } },
            11 => return Some(Interruption::Exception(StopCause::GuardedAddress { address })),
            13 => Trap::Interrupt,
            _ => Trap::CoprocessorUnusable { coprocessor: 0 },
        };
        Some(Interruption::Exception(StopCause::of(trap)))
    }

    fn redirect(&self, signals: &Signals) -> u64 {
        let pc = Self::word(signals, self.ports.completing) >> 32;
        match (self.interruption(signals), self.settings.exception_vector) {
            (None, _) => 0,
            (Some(Interruption::LateFault { pc, .. }), _) => REDIRECTS | ENDS | u64::from(pc),
            (Some(Interruption::Exception(StopCause::Exception(trap))), Some(vector))
                if self.is_precise(trap) =>
            {
                REDIRECTS | u64::from(vector)
            }
            (Some(Interruption::Exception(_)), _) => REDIRECTS | ENDS | pc,
        }
    }

    const fn is_precise(&self, trap: Trap) -> bool {
        self.has_precise_bus_errors || !matches!(trap, Trap::DataBusError { .. })
    }

    /// True if the waiting command, if any, is executed at the end of this cycle.
    fn obeys(&self, signals: &Signals) -> bool {
        Self::word(signals, self.ports.busy) == 0 && !signals.is_present(self.ports.late_fault)
    }

    fn order(&self, signals: &Signals) -> u64 {
        match self.state.program.control.pending() {
            Some(Order::Command(Command::Jump(address))) if self.obeys(signals) => {
                JUMPS | address & 0xffff_ffff
            }
            Some(_) if self.obeys(signals) => FETCHES_AGAIN,
            _ => 0,
        }
    }

    /// Use of the cycle. `may_issue` and `waits` tell if an instruction could be issued unless the program has ended.
    fn cause(&self, account: u64, may_issue: bool, waits: bool) -> Cause {
        match account >> 32 & 7 {
            _ if self.state.program.stop.is_some() || !may_issue && !waits => Cause::Halted,
            0 => Cause::Execution,
            1 => Cause::InstructionMiss,
            2 => Cause::Load,
            3 => Cause::Conflict,
            _ => Cause::Pipeline,
        }
    }

    fn slot(&mut self, instruction: u64, control: u64, was_fetched: bool) -> Slot<Classic> {
        let pc = (instruction >> 32) as u32;
        Slot {
            pc,
            decoded: *self.decoder.decode(pc, instruction as u32),
            was_fetched,
            in_delay_slot: IN_DELAY_SLOT.is_set(control),
        }
    }

    fn complete(&mut self, edge: &mut Edge<'_>) {
        let completing = Self::word(edge.signals, self.ports.completing);
        let control = Self::word(edge.signals, self.ports.completing_control);
        let outcome = Self::word(edge.signals, self.ports.completing_outcome);
        match self.interruption(edge.signals) {
            Some(Interruption::LateFault { pc, address }) => {
                let cause = StopCause::Exception(Trap::DataBusError { address });
                let stop = Stop::new(cause, pc, None, false, edge.cycle());
                self.state.program.end(stop, &self.settings, edge);
            }
            Some(Interruption::Exception(cause)) => {
                let was_fetched = !matches!(outcome & 0xf, 1 | 2);
                let slot = self.slot(completing, control, was_fetched);
                let is_precise = !matches!(cause, StopCause::Exception(trap) if !self.is_precise(trap));
                self.state.program.raise(cause, &slot, is_precise, &self.settings, edge);
            }
            None if self.completes(edge.signals) => {
                let slot = self.slot(completing, control, true);
                let address = Self::word(edge.signals, self.ports.completing_address) as u32;
                let branch_taken = outcome >> 4 & 1 != 0 && slot.decoded.is_branch();
                self.state.program.complete::<General>(&slot, address, branch_taken, edge);
                edge.count(Event::Annulled as usize, outcome >> 5 & 1);
            }
            None => {}
        }
    }

    fn execute(&mut self, edge: &mut Edge<'_>) {
        let control = Self::word(edge.signals, self.ports.executing_control);
        let concerns_this = matches!(SYSTEM.of(control), system::MOVE_TO | system::EXCEPTION_RETURN);
        if !concerns_this || Self::word(edge.signals, self.ports.executes) == 0 {
            return;
        }
        let executing = Self::word(edge.signals, self.ports.executing);
        let slot = self.slot(executing, control, true);
        let operand = Self::word(edge.signals, self.ports.operand) as u32;
        self.state.program.registers.set_general(slot.decoded.instruction().rt, operand);
        // Its permission to execute was checked before.
        let _ = self.state.program.compute(&slot, edge.cycle());
    }
}

impl Module for SystemControl {
    type Parameters = SystemControlParameters;
    type Ports = SystemControlPorts;
    type State = SystemControlState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "system_control",
            family: "processor",
            documentation: "Coprocessor 0, completion of instructions, and count of cycles by stall reason.\n\nIt records each \
                            instruction that leaves the memory stage. If the instruction raised an exception, all younger \
                            instructions are flushed, and execution continues at the handler or ends. Moves to coprocessor 0 and exception \
                            returns take effect when they leave execute.",
            timing: "`redirect` follows the memory stage within the cycle, `read` the instruction in execute, `order` follows \
                     `busy`; `status` is registered. Inputs are always acknowledged, commands unless one waits to be obeyed.",
            source: "MIPS R4000 User's Manual, chapters 4 and 5; Spinach thesis, section 4.5.3 (the account of cycles)",
            parameters: SystemControlParameters::declare(),
            ports: SystemControlPorts::declare(),
            counters: COUNTERS,
            clocks: &["clock"],
        }
    }

    fn new(parameters: SystemControlParameters, ports: SystemControlPorts) -> Result<Self, String> {
        let settings = parameters.core.settings()?;
        if !settings.delays.is_empty() {
            return Err("delays must be empty: which instruction is next is decided elsewhere".to_owned());
        }
        check_lines(&ports.interrupt)?;
        let state = SystemControlState { program: Program::new(&settings), cycle: 0 };
        let decoder = DecodeCache::new(settings.architecture);
        let has_precise_bus_errors = parameters.memory_stages == 1;
        Ok(Self { decoder, ports, settings, has_precise_bus_errors, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SystemControlPorts;
        let inputs = [
            P::COMPLETING,
            P::COMPLETING_CONTROL,
            P::COMPLETING_OUTCOME,
            P::COMPLETING_ADDRESS,
            P::VALUE,
            P::WAIT,
            P::LATE_FAULT,
        ];
        let others = [P::BUSY, P::EXECUTING, P::EXECUTING_CONTROL, P::OPERAND, P::EXECUTES, P::ACCOUNT];
        vec![
            Process::new(REGISTERED)
                .drives([data(P::STATUS)])
                .accepts(inputs)
                .accepts(others)
                .drives(self.ports.control.is_connected.then_some(ack(P::CONTROL)))
                .drives([ack(P::INTERRUPT)]),
            Process::new(READ).drives([data(P::READ)]).reads([data(P::EXECUTING_CONTROL)]),
            Process::new(REDIRECT).drives([data(P::REDIRECT)]).reads(inputs.map(data)),
            Process::new(ORDER).drives([data(P::ORDER)]).reads([P::BUSY, P::LATE_FAULT].map(data)),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, program) = (&self.ports, &self.state.program);
        match code {
            REGISTERED => {
                let runs = u64::from(program.is_running());
                let privileged = u64::from(program.registers.coprocessor0.privileged());
                let issues = u64::from(program.control.may_issue());
                let is_interrupted = u64::from(program.interrupts.is_due(self.state.cycle));
                let status = runs | privileged << 1 | issues << 2 | is_interrupted << 3;
                signals.write(ports.status, Some(status));
                program.interrupts.acknowledge(&ports.interrupt, signals);
                signals.acknowledge(ports.control.port, program.control.has_room());
            }
            READ => {
                let control = Self::word(signals, ports.executing_control);
                let read = if SYSTEM.of(control) == system::EXCEPTION_RETURN {
                    program.registers.coprocessor0.clone().exception_return()
                } else {
                    program
                        .registers_in(self.state.cycle)
                        .coprocessor0
                        .read(COPROCESSOR_REGISTER.of(control) as u8)
                };
                signals.write(ports.read, Some(u64::from(read)));
            }
            REDIRECT => signals.write(ports.redirect, Some(self.redirect(signals))),
            _ => signals.write(ports.order, Some(self.order(signals))),
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let account = Self::word(edge.signals, self.ports.account);
        let may_issue = self.state.program.control.may_issue();
        let waits = matches!(account >> 32 & 7, 2 | 3);
        if self.state.program.stop.is_none() {
            self.complete(edge);
            self.execute(edge);
        } else if let Some(Interruption::LateFault { .. }) = self.interruption(edge.signals) {
            self.complete(edge);
        }
        let cause = self.cause(account, may_issue, waits);
        self.state.program.book::<General>(edge.counters, (cause, account as u32));
        if cause == Cause::Execution {
            self.state.program.control.note_issue();
        }
        if self.obeys(edge.signals) {
            self.state.program.obey(edge.cycle());
        }
        self.state.program.control.listen(&self.ports.control, edge.signals);
        self.state.program.look_at_lines(&self.ports.interrupt, edge.signals);
        self.state.cycle = edge.cycle() + 1;
    }

    fn state(&self) -> &SystemControlState {
        &self.state
    }

    fn restore(&mut self, state: SystemControlState) -> Result<(), String> {
        self.state.program.check_replacement(&state.program)?;
        self.state = state;
        Ok(())
    }
}
