//! A hart: its registers, and its caches of pages and blocks.

use serde::{Deserialize, Serialize};
use spinach_isa::riscv::Operation;
use spinach_isa::riscv::supervisor::{Control, Counters, Exception, Privilege};

use crate::counting::{Counted, Counting};
use crate::mmu::Mmu;
use crate::steps::Step;

/// Number of jumps that a hart remembers.
pub(crate) const JUMPS: usize = 4096;

const SCOUNTEREN: u32 = 0x106;
const CYCLE_TIME_AND_INSTRUCTIONS: u64 = 7;

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub(crate) operation: Operation,
    pub(crate) rd: u8,
    pub(crate) rs1: u8,
    pub(crate) rs2: u8,
    /// Immediate operand; targets relative to the instruction are relative to the block here.
    pub(crate) immediate: u32,
    pub(crate) word: u32,
    /// Offset from the start of its block, in bytes.
    pub(crate) offset: u16,
    pub(crate) bytes: u8,
    pub(crate) step: Step,
}

/// The architectural state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Registers {
    /// The address of the next instruction.
    pub pc: u64,
    general: Vec<u64>,
    /// The floating-point registers.
    pub float: [u64; 32],
    /// Control and status.
    pub control: Control,
    /// Instructions executed.
    pub instructions: u64,
    /// Offset of its time from that, modulo 2^64: cycles in which it waited or entered handlers, and the timing of the others.
    pub other_cycles: u64,
    /// The address that a load has reserved.
    pub(crate) reservation: Option<u64>,
    /// True if it waits for an interrupt.
    pub(crate) waits: bool,
    /// Events and counters.
    pub(crate) counting: Counting,
    /// Number of instructions of a timed block that are left.
    pub(crate) rest: usize,
}

impl Registers {
    /// About to execute at `pc`, as firmware leaves them: user mode may read the counters, as OpenSBI lets it.
    pub fn new(pc: u64) -> Self {
        let mut control = Control::default();
        control.write(SCOUNTEREN, CYCLE_TIME_AND_INSTRUCTIONS);
        Self {
            pc,
            general: vec![0; 32],
            float: [0; 32],
            control,
            instructions: 0,
            other_cycles: 0,
            reservation: None,
            waits: false,
            counting: Counting::default(),
            rest: 0,
        }
    }
}

/// Arena place of the block that begins at an address, under some page tables and privilege.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    pub(crate) pc: u64,
    pub(crate) context: u64,
    pub(crate) block: u32,
}

pub(crate) const NO_JUMP: Jump = Jump { pc: 0, context: u64::MAX, block: 0 };

/// A hart.
#[derive(Debug)]
pub struct Hart {
    /// The general registers, as many as a `u8` can name; those from 32 on take what is written to register 0.
    pub(crate) general: [u64; 256],
    pub(crate) pc: u64,
    pub(crate) float: [u64; 32],
    pub(crate) control: Control,
    pub(crate) instructions: u64,
    pub(crate) other_cycles: u64,
    pub(crate) reservation: Option<u64>,
    pub(crate) waits: bool,
    /// Cycles in which it has waited for an interrupt, from its creation on.
    pub(crate) waited_cycles: u64,
    pub(crate) counting: Counting,
    pub(crate) counted: Counted,
    pub(crate) mmu: Mmu,
    pub(crate) jumps: Box<[Jump; JUMPS]>,
    /// Number of instructions of its block before any other event matters: a stop condition has interrupted a timed block.
    pub(crate) rest: usize,
    /// Page tables that translated the addresses of instructions.
    pub(crate) context: u64,
    pub(crate) blocks_generation: u64,
    cycles_per_tick: u64,
}

impl Hart {
    /// Hart with these registers; the time base ticks every `cycles_per_tick` cycles.
    pub fn new(registers: &Registers, cycles_per_tick: u64) -> Self {
        let mut general = [0; 256];
        for (register, value) in general.iter_mut().zip(&registers.general) {
            *register = *value;
        }
        Self {
            general,
            pc: registers.pc,
            float: registers.float,
            control: registers.control.clone(),
            instructions: registers.instructions,
            other_cycles: registers.other_cycles,
            reservation: registers.reservation,
            waits: registers.waits,
            waited_cycles: 0,
            counting: registers.counting.clone(),
            counted: Counted::new(
                registers.instructions,
                registers.instructions.wrapping_add(registers.other_cycles),
                registers.control.privilege,
                registers.counting.is_running(),
            ),
            mmu: Mmu::new(),
            jumps: Box::new([NO_JUMP; JUMPS]),
            rest: registers.rest,
            context: 0,
            blocks_generation: 0,
            cycles_per_tick,
        }
    }

    /// The architectural state.
    pub fn registers(&self) -> Registers {
        Registers {
            pc: self.pc,
            general: self.general[..32].to_vec(),
            float: self.float,
            control: self.control.clone(),
            instructions: self.instructions,
            other_cycles: self.other_cycles,
            reservation: self.reservation,
            waits: self.waits,
            counting: self.counting.clone(),
            rest: self.rest,
        }
    }

    /// A general register.
    pub fn general(&self, number: usize) -> u64 {
        self.general[number & 31]
    }

    /// Writes a general register other than register 0.
    pub fn set_general(&mut self, number: usize, value: u64) {
        if number & 31 != 0 {
            self.general[number & 31] = value;
        }
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u64 {
        self.pc
    }

    /// Continues at another address.
    pub fn set_pc(&mut self, pc: u64) {
        self.pc = pc & !1;
    }

    /// The control and status registers.
    pub fn control_mut(&mut self) -> &mut Control {
        &mut self.control
    }

    /// Entry for an address, which may be of another.
    #[inline(always)]
    pub(crate) fn jump(&self, pc: u64) -> &Jump {
        &self.jumps[(pc >> 1) as usize % JUMPS]
    }

    /// Cycles since the start of the machine.
    #[inline]
    pub fn time(&self) -> u64 {
        self.instructions.wrapping_add(self.other_cycles)
    }

    /// Lets time pass without instructions until a cycle.
    pub fn wait_until(&mut self, time: u64) {
        let before = self.time();
        if self.waits {
            self.waited_cycles += time.saturating_sub(before);
        }
        self.set_time(time.max(before));
    }

    pub(crate) fn set_time(&mut self, time: u64) {
        self.other_cycles = time.wrapping_sub(self.instructions);
    }

    pub(crate) fn counters(&self) -> Counters {
        let cycles = self.time();
        Counters { instructions: self.instructions, cycles, ticks: cycles / self.cycles_per_tick, event: 0 }
    }

    /// Cycle from which on the timer interrupts.
    pub(crate) fn timer_at(&self) -> u64 {
        self.control.timer.saturating_mul(self.cycles_per_tick)
    }

    /// Cycle of the next timer interrupt, if that is enabled and still to come.
    pub(crate) fn timer_ahead(&self) -> u64 {
        let at = self.timer_at();
        if self.control.awaits_timer() && at > self.time() { at } else { u64::MAX }
    }

    /// Forgets translations.
    pub(crate) fn flush_translations(&mut self) {
        self.mmu.flush();
        self.context += 2;
    }

    /// Drops its reservation: another hart may have written since.
    pub(crate) fn drop_reservation(&mut self) {
        self.reservation = None;
    }

    /// Enters the handler of an exception of the instruction at `pc`.
    pub(crate) fn enter(&mut self, exception: Exception, pc: u64) {
        self.pc = self.control.enter(exception, pc);
        self.other_cycles = self.other_cycles.wrapping_add(1);
    }

    /// True if it waits for an interrupt.
    pub fn is_waiting(&self) -> bool {
        self.waits
    }

    /// True if user mode executes.
    pub fn is_in_user_mode(&self) -> bool {
        self.control.privilege == Privilege::User
    }
}
