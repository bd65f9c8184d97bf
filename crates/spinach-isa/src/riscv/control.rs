//! The control and status registers of machine mode (volume II, chapter 3).

use serde::{Deserialize, Serialize};

use super::{Trap, Width};

const INTERRUPTS_ENABLED: u64 = 1 << 3;
const INTERRUPTS_WERE_ENABLED: u64 = 1 << 7;
/// The mode before: there is machine mode only.
const PREVIOUS_MODE: u64 = 3 << 11;
/// The interrupt of the first external line.
const FIRST_LINE: u32 = 16;
const LINES: u64 = 0x1f << FIRST_LINE;
/// Line 0 is the external interrupt of machine mode too, and line 1 that of its timer: software enables the number that it knows.
const EXTERNAL: u64 = 1 << 11;
const TIMER: u64 = 1 << 7;
/// The lines as bits of `mip`.
const fn pending_of(lines: u8) -> u64 {
    let external = if lines & 1 != 0 { EXTERNAL } else { 0 };
    let timer = if lines & 2 != 0 { TIMER } else { 0 };
    (lines as u64) << FIRST_LINE & LINES | external | timer
}

/// The control and status registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct ControlRegisters<W: Width> {
    mstatus: u64,
    mie: u64,
    mip: u64,
    mtvec: W,
    mscratch: W,
    mepc: W,
    mcause: W,
    mtval: W,
    mhartid: u32,
    /// Bits of `mip` that interrupted last. One that has gone down between the instant at which an instruction was interrupted and
    /// the entry of the handler is still the cause.
    interrupted: u32,
    /// `mcycle`: cycles of the core's clock.
    pub(super) cycles: u64,
}

/// Advance of a register in `cycles` cycles if nothing is written; `None` where that depends on more.
pub(super) fn advance_of<W: Width>(number: u32, cycles: u64) -> Option<W> {
    match number {
        0xb00 | 0xc00 | 0xc01 => Some(W::from_u64(cycles)),
        // The upper half, when the lower one overflows.
        0xb80 | 0xc80 | 0xc81 => None,
        _ => Some(W::default()),
    }
}

impl<W: Width> ControlRegisters<W> {
    pub(super) fn reset(core: u32) -> Self {
        let zero = W::default();
        Self {
            mstatus: PREVIOUS_MODE,
            mie: 0,
            mip: 0,
            mtvec: zero,
            mscratch: zero,
            mepc: zero,
            mcause: zero,
            mtval: zero,
            mhartid: core,
            interrupted: 0,
            cycles: 0,
        }
    }

    /// Value of a register; `None` if the number is unassigned.
    pub(super) fn read(&self, number: u32) -> Option<W> {
        Some(match number {
            0x300 => W::from_u64(self.mstatus),
            0x301 => {
                // The width, then I, M, A and C.
                W::from_u64(u64::from(W::BITS / 32) << (W::BITS - 2) | 1 << 8 | 1 << 12 | 1 | 1 << 2)
            }
            0x304 => W::from_u64(self.mie),
            0x305 => self.mtvec,
            0x340 => self.mscratch,
            0x341 => self.mepc,
            0x342 => self.mcause,
            0x343 => self.mtval,
            0x344 => W::from_u64(self.mip),
            0xb00 | 0xc00 | 0xc01 => W::from_u64(self.cycles),
            0xb80 | 0xc80 | 0xc81 if W::BITS == 32 => W::from_u64(self.cycles >> 32),
            // No vendor, no architecture, no implementation.
            0xf11..=0xf13 => W::default(),
            0xf14 => W::from_u64(self.mhartid.into()),
            _ => return None,
        })
    }

    /// Writes a register that exists; `None` if it can only be read.
    pub(super) fn write(&mut self, number: u32, value: W) -> Option<()> {
        let bits = value.to_u64();
        match number {
            0x300 => self.mstatus = bits & (INTERRUPTS_ENABLED | INTERRUPTS_WERE_ENABLED) | PREVIOUS_MODE,
            0x304 => self.mie = bits & (LINES | EXTERNAL | TIMER),
            0x305 => self.mtvec = value & !W::from_u64(2),
            0x340 => self.mscratch = value,
            0x341 => self.mepc = value & !W::from_u64(1),
            0x342 => self.mcause = value,
            0x343 => self.mtval = value,
            0xb00 if W::BITS == 32 => self.cycles = self.cycles & !0xffff_ffff | bits,
            0xb00 => self.cycles = bits,
            0xb80 => self.cycles = self.cycles & 0xffff_ffff | bits << 32,
            0x301 | 0x344 => {}
            _ => return None,
        }
        self.note_interrupting_lines();
        Some(())
    }

    pub(super) fn set_interrupt_lines(&mut self, lines: u8) {
        self.mip = pending_of(lines);
        self.note_interrupting_lines();
    }

    fn note_interrupting_lines(&mut self) {
        match self.interrupting() {
            0 => {}
            bits => self.interrupted = bits as u32,
        }
    }

    /// Bits of `mip` that interrupt now.
    fn interrupting(&self) -> u64 {
        let is_enabled = self.mstatus & INTERRUPTS_ENABLED != 0;
        if is_enabled { self.mip & self.mie } else { 0 }
    }

    /// The lines that interrupt now.
    pub(super) fn interrupting_lines(&self) -> u8 {
        let bits = self.interrupting();
        let (external, timer) = (bits & EXTERNAL != 0, bits & TIMER != 0);
        (bits >> FIRST_LINE) as u8 | u8::from(external) | u8::from(timer) << 1
    }

    /// Number of the interrupt that is taken: external, then timer, then the lowest line.
    fn cause_of_interrupt(&self) -> u64 {
        let bits = match self.interrupting() {
            0 => self.interrupted.into(),
            bits => bits,
        };
        let standard = [EXTERNAL, TIMER].into_iter().find(|bit| bits & bit != 0);
        standard.unwrap_or(bits).trailing_zeros().into()
    }

    /// Handler address, if `mtvec` gives one.
    pub(super) fn handler(&self, trap: Trap<W>) -> Option<W> {
        let base = self.mtvec & !W::from_u64(3);
        let is_vectored = self.mtvec.low_bits() & 1 != 0 && trap == Trap::Interrupt;
        let offset = if is_vectored { 4 * self.cause_of_interrupt() } else { 0 };
        (base != W::default()).then(|| base.wrapping_add(W::from_u64(offset)))
    }

    pub(super) fn enter_exception(&mut self, trap: Trap<W>, pc: W) {
        let (cause, value) = match trap {
            Trap::Interrupt => (1 << (W::BITS - 1) | self.cause_of_interrupt(), W::default()),
            _ => trap.cause(),
        };
        (self.mepc, self.mcause, self.mtval) = (pc, W::from_u64(cause), value);
        let was_enabled = self.mstatus & INTERRUPTS_ENABLED != 0;
        self.mstatus = PREVIOUS_MODE | if was_enabled { INTERRUPTS_WERE_ENABLED } else { 0 };
    }

    /// Leaves the handler; returns the resume address.
    pub(super) fn return_from_exception(&mut self) -> W {
        let was_enabled = self.mstatus & INTERRUPTS_WERE_ENABLED != 0;
        let enabled = if was_enabled { INTERRUPTS_ENABLED } else { 0 };
        self.mstatus = PREVIOUS_MODE | INTERRUPTS_WERE_ENABLED | enabled;
        self.note_interrupting_lines();
        self.mepc
    }
}
