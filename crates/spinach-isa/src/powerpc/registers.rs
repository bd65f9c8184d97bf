//! The registers of a core.

use serde::{Deserialize, Serialize};

use super::control::ControlRegisters;
use super::{PowerPc405, Trap};
use crate::architecture::{RegisterFile, Transfer};

/// Numbers of registers beyond r1 to r31.
pub mod register {
    /// General register 0.
    pub const R0: u8 = 32;
    /// The condition register.
    pub const CONDITIONS: u8 = 33;
    /// The link register.
    pub const LINK: u8 = 34;
    /// The count register.
    pub const COUNT: u8 = 35;
    /// The register of carry and overflow.
    pub const EXCEPTIONS: u8 = 36;
    /// The reservation, for analyses only.
    pub const RESERVATION: u8 = 37;
    /// The machine state and all special registers together, for analyses only.
    pub const CONTROL: u8 = 38;

    /// Micro-operation number of general register `field`.
    pub const fn general(field: u8) -> u8 {
        if field == 0 { R0 } else { field }
    }
}

/// Bits of the register of carry and overflow.
pub(super) mod exceptions {
    /// Summary of overflow.
    pub(crate) const SUMMARY: u32 = 1 << 31;
    pub(crate) const OVERFLOW: u32 = 1 << 30;
    pub(crate) const CARRY: u32 = 1 << 29;
    /// All bits that there are, with the count of string instructions.
    pub(crate) const ALL: u32 = 0xe000_007f;
}

/// The state of a core as it is saved: the registers under their own names.
#[derive(Serialize, Deserialize)]
struct Saved {
    pc: u32,
    general: [u32; 32],
    conditions: u32,
    link_register: u32,
    count: u32,
    exceptions: u32,
    link: Option<u32>,
    control: ControlRegisters,
}

impl From<Registers> for Saved {
    fn from(registers: Registers) -> Self {
        Self {
            pc: registers.pc,
            general: std::array::from_fn(|field| registers.general(register::general(field as u8))),
            conditions: registers.general(register::CONDITIONS),
            link_register: registers.general(register::LINK),
            count: registers.general(register::COUNT),
            exceptions: registers.general(register::EXCEPTIONS),
            link: registers.link,
            control: registers.control,
        }
    }
}

impl From<Saved> for Registers {
    fn from(saved: Saved) -> Self {
        let Saved { pc, link, control, .. } = saved;
        let mut registers = Self { pc, general: [[0; 32]; 2], link, control };
        for (field, value) in (0..).zip(saved.general) {
            registers.set_general(register::general(field), value);
        }
        registers.set_general(register::CONDITIONS, saved.conditions);
        registers.set_general(register::LINK, saved.link_register);
        registers.set_general(register::COUNT, saved.count);
        registers.set_general(register::EXCEPTIONS, saved.exceptions);
        registers
    }
}

/// The architectural state of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Registers {
    pc: u32,
    /// Registers by number in a micro-operation; number 0 means none and stays 0.
    general: [[u32; 32]; 2],
    link: Option<u32>,
    /// The machine state and the special registers.
    pub(super) control: ControlRegisters,
}

impl Registers {
    pub(super) fn conditions(&self) -> u32 {
        self.general(register::CONDITIONS)
    }

    pub(super) fn set_conditions(&mut self, value: u32) {
        self.set_general(register::CONDITIONS, value);
    }

    pub(super) fn exceptions(&self) -> u32 {
        self.general(register::EXCEPTIONS)
    }

    pub(super) fn set_exceptions(&mut self, value: u32) {
        self.set_general(register::EXCEPTIONS, value & exceptions::ALL);
    }

    /// True if an overflow was noted and not cleared.
    pub(super) fn has_overflowed(&self) -> bool {
        self.exceptions() & exceptions::SUMMARY != 0
    }

    /// Sets condition field `field` to four bits.
    pub(super) fn set_condition_field(&mut self, field: u8, bits: u32) {
        let shift = 28 - 4 * u32::from(field & 7);
        self.set_conditions(self.conditions() & !(0xf << shift) | bits << shift);
    }

    /// Sets condition field `field` to how two numbers compare, and the summary of overflow.
    pub(super) fn record(&mut self, field: u8, comparison: u32) {
        let summary = u32::from(self.has_overflowed());
        self.set_condition_field(field, comparison | summary);
    }
}

impl RegisterFile<PowerPc405> for Registers {
    fn reset(pc: u32, core: u32) -> Self {
        Self { pc, general: [[0; 32]; 2], link: None, control: ControlRegisters::reset(core) }
    }

    #[inline(always)]
    fn general(&self, number: u8) -> u32 {
        self.general[usize::from(number >> 5 & 1)][usize::from(number & 31)]
    }

    #[inline(always)]
    fn set_general(&mut self, number: u8, value: u32) {
        self.general[usize::from(number >> 5 & 1)][usize::from(number & 31)] = value;
        self.general[0][0] = 0;
    }

    #[inline(always)]
    fn pc(&self) -> u32 {
        self.pc
    }

    #[inline(always)]
    fn in_delay_slot(&self) -> bool {
        false
    }

    fn jump_to(&mut self, pc: u32) {
        self.pc = pc;
    }

    #[inline]
    fn place_at(&mut self, pc: u32, _: bool) {
        self.pc = pc;
    }

    #[inline(always)]
    fn advance(&mut self, bytes: u32) {
        self.pc = self.pc.wrapping_add(bytes);
    }

    #[inline(always)]
    fn advance_after(&mut self, transfer: &Transfer<u32>, bytes: u32) {
        self.pc = if transfer.taken { transfer.target } else { self.pc.wrapping_add(bytes) };
    }

    #[inline]
    fn link(&mut self) -> &mut Option<u32> {
        &mut self.link
    }

    fn set_interrupt_lines(&mut self, lines: u8) {
        self.control.lines = lines;
    }

    fn interrupting_lines(&self) -> u8 {
        self.control.interrupting_lines()
    }

    fn next_interrupt(&self, cycle: u64) -> u64 {
        self.control.next_interrupt(cycle)
    }

    fn waits(&self) -> bool {
        self.control.waits()
    }

    fn pass_time(&mut self, from: u64, to: u64) {
        self.control.timers.pass(to - from);
    }

    fn handler(&self, trap: Trap, configured: Option<u32>) -> Option<u32> {
        self.control.handler(trap, configured)
    }

    fn enter_exception(&mut self, trap: Trap, pc: u32, _: bool) {
        self.control.enter_exception(trap, pc);
    }
}
