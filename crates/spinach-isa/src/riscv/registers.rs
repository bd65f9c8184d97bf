//! The registers of a core.

use serde::{Deserialize, Serialize};

use super::control::ControlRegisters;
use super::{RiscV, Trap, Width};
use crate::architecture::{RegisterFile, Transfer};

/// The architectural state of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Registers<W: Width> {
    pc: W,
    general: [W; 32],
    link: Option<W>,
    /// The control and status registers.
    pub(super) control: ControlRegisters<W>,
}

/// Names of the general registers in the standard calling convention, by number.
pub(super) const GENERAL_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl<W: Width> RegisterFile<RiscV<W>> for Registers<W> {
    fn reset(pc: W, core: u32) -> Self {
        Self { pc, general: [W::default(); 32], link: None, control: ControlRegisters::reset(core) }
    }

    #[inline(always)]
    fn general(&self, number: u8) -> W {
        self.general[usize::from(number & 31)]
    }

    #[inline(always)]
    fn set_general(&mut self, number: u8, value: W) {
        self.general[usize::from(number & 31)] = value;
        self.general[0] = W::default();
    }

    #[inline(always)]
    fn pc(&self) -> W {
        self.pc
    }

    #[inline(always)]
    fn in_delay_slot(&self) -> bool {
        false
    }

    fn jump_to(&mut self, pc: W) {
        self.pc = pc;
    }

    #[inline]
    fn place_at(&mut self, pc: W, _: bool) {
        self.pc = pc;
    }

    #[inline(always)]
    fn advance(&mut self, bytes: u32) {
        self.pc = self.pc.plus(bytes);
    }

    #[inline(always)]
    fn advance_after(&mut self, transfer: &Transfer<W>, bytes: u32) {
        self.pc = if transfer.taken { transfer.target } else { self.pc.plus(bytes) };
    }

    #[inline]
    fn link(&mut self) -> &mut Option<W> {
        &mut self.link
    }

    fn set_interrupt_lines(&mut self, lines: u8) {
        self.control.set_interrupt_lines(lines);
    }

    fn interrupting_lines(&self) -> u8 {
        self.control.interrupting_lines()
    }

    fn next_interrupt(&self, _: u64) -> u64 {
        if self.control.interrupting_lines() == 0 { u64::MAX } else { 0 }
    }

    fn forget_time(&mut self) {
        self.control.cycles = 0;
    }

    fn pass_time(&mut self, from: u64, to: u64) {
        self.control.cycles = self.control.cycles.wrapping_add(to - from);
    }

    fn handler(&self, trap: Trap<W>, configured: Option<W>) -> Option<W> {
        self.control.handler(trap).or(configured)
    }

    fn enter_exception(&mut self, trap: Trap<W>, pc: W, _: bool) {
        self.control.enter_exception(trap, pc);
    }
}
