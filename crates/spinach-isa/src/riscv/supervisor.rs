//! The control and status registers of a server, and how exceptions and interrupts work in supervisor and user mode (volume II,
//! chapter 4, and the extensions Sstc and Sscofpmf).
//!
//! # Choices where the architecture leaves one
//! - There is no machine mode: every exception and interrupt is served in supervisor mode, but calls of the environment from there,
//!   which the core serves as firmware would.
//! - Addresses are physical or Sv39; `satp` keeps what it holds if a write asks for another mode. There are no address space
//!   identifiers.
//! - `cycle` counts cycles since the start of the machine, also those of waiting; `time` is the machine's.

use serde::{Deserialize, Serialize};

/// Privilege mode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Privilege {
    User,
    Supervisor,
}

/// An exception, as `scause` and `stval` describe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Exception {
    /// The number of the cause.
    pub cause: u64,
    /// The address or instruction concerned.
    pub value: u64,
}

/// Numbers of exceptions.
#[expect(missing_docs, reason = "the manual's names")]
pub mod cause {
    pub const FETCH_ACCESS: u64 = 1;
    pub const ILLEGAL_INSTRUCTION: u64 = 2;
    pub const BREAKPOINT: u64 = 3;
    pub const LOAD_MISALIGNED: u64 = 4;
    pub const LOAD_ACCESS: u64 = 5;
    pub const STORE_MISALIGNED: u64 = 6;
    pub const STORE_ACCESS: u64 = 7;
    pub const CALL_FROM_USER: u64 = 8;
    pub const FETCH_PAGE: u64 = 12;
    pub const LOAD_PAGE: u64 = 13;
    pub const STORE_PAGE: u64 = 15;
}

/// Bits of `sip` and `sie`.
#[expect(missing_docs, reason = "the names say it")]
pub mod interrupt {
    pub const SOFTWARE: u64 = 1 << 1;
    pub const TIMER: u64 = 1 << 5;
    pub const EXTERNAL: u64 = 1 << 9;
    pub const COUNTER_OVERFLOW: u64 = 1 << 13;
}

const INTERRUPTS_ENABLED: u64 = 1 << 1;
const INTERRUPTS_WERE_ENABLED: u64 = 1 << 5;
const CAME_FROM_SUPERVISOR: u64 = 1 << 8;
const FLOAT_STATE: u64 = 3 << 13;
const MAY_ACCESS_USER: u64 = 1 << 18;
const MAY_READ_CODE: u64 = 1 << 19;
const WRITABLE_STATUS: u64 = INTERRUPTS_ENABLED
    | INTERRUPTS_WERE_ENABLED
    | CAME_FROM_SUPERVISOR
    | FLOAT_STATE
    | MAY_ACCESS_USER
    | MAY_READ_CODE;
/// User mode has registers of 64 bits.
const USER_WIDTH: u64 = 2 << 32;
const STATE_IS_DIRTY: u64 = 1 << 63;
const SV39: u64 = 8 << 60;
const TABLE_BITS: u64 = (1 << 44) - 1;

/// Values of the counters.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    /// Instructions executed.
    pub instructions: u64,
    /// Cycles since the start of the machine.
    pub cycles: u64,
    /// The machine's time, in ticks of its time base.
    pub ticks: u64,
    /// The event counter that is read, or `scountovf`.
    pub event: u64,
}

/// The control and status registers of a hart, and its privilege.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Control {
    /// Privilege mode of the hart.
    pub privilege: Privilege,
    /// Software, external and overflow interrupts that are pending, as bits of `sip`. The timer's follows from `timer`.
    pub pending: u64,
    /// `stimecmp`: from which tick on the timer interrupts.
    pub timer: u64,
    /// `satp`.
    pub translation: u64,
    status: u64,
    enabled: u64,
    vector: u64,
    counters_of_user: u64,
    environment: u64,
    scratch: u64,
    resume: u64,
    cause: u64,
    value: u64,
    float_flags: u8,
    rounding: u8,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            privilege: Privilege::Supervisor,
            pending: 0,
            timer: u64::MAX,
            translation: 0,
            status: 0,
            enabled: 0,
            vector: 0,
            counters_of_user: 0,
            environment: 0,
            scratch: 0,
            resume: 0,
            cause: 0,
            value: 0,
            float_flags: 0,
            rounding: 0,
        }
    }
}

impl Control {
    /// True if the privilege suffices for a register, and the register is writable if `writes`.
    fn is_allowed(&self, number: u32, writes: bool) -> bool {
        let needs_supervisor = number >> 8 & 3 != 0;
        let is_read_only = number >> 10 == 3;
        let is_counter = number & !0x1f == 0xc00;
        if is_counter && self.privilege == Privilege::User && self.counters_of_user >> (number & 31) & 1 == 0
        {
            return false;
        }
        (!needs_supervisor || self.privilege == Privilege::Supervisor) && !(is_read_only && writes)
    }

    /// Value of a register, for an instruction that also writes it or not; `None` if that is an illegal instruction.
    pub fn read(&self, number: u32, writes: bool, counters: Counters) -> Option<u64> {
        if !self.is_allowed(number, writes) || number <= 3 && !self.float_is_on() {
            return None;
        }
        Some(match number {
            0x001 => self.float_flags.into(),
            0x002 => self.rounding.into(),
            0x003 => u64::from(self.float_flags) | u64::from(self.rounding) << 5,
            0x100 => {
                let is_dirty = self.status & FLOAT_STATE == FLOAT_STATE;
                self.status | USER_WIDTH | if is_dirty { STATE_IS_DIRTY } else { 0 }
            }
            0x104 => self.enabled,
            0x105 => self.vector,
            0x106 => self.counters_of_user,
            0x10a => self.environment,
            0x140 => self.scratch,
            0x141 => self.resume,
            0x142 => self.cause,
            0x143 => self.value,
            0x144 => self.pending_at(counters.ticks),
            0x14d => self.timer,
            0x180 => self.translation,
            0xc00 => counters.cycles,
            0xc02 => counters.instructions,
            0xc01 => counters.ticks,
            0xc03..=0xc1f | 0xda0 => counters.event,
            _ => return None,
        })
    }

    /// Writes a register that [`Self::read`] has allowed to write.
    pub fn write(&mut self, number: u32, value: u64) {
        const SOURCES: u64 =
            interrupt::SOFTWARE | interrupt::TIMER | interrupt::EXTERNAL | interrupt::COUNTER_OVERFLOW;
        const WRITABLE_PENDING: u64 = interrupt::SOFTWARE | interrupt::COUNTER_OVERFLOW;
        match number {
            0x001 => self.set_float(value as u8 & 31, self.rounding),
            0x002 => self.set_float(self.float_flags, value as u8 & 7),
            0x003 => self.set_float(value as u8 & 31, (value >> 5) as u8 & 7),
            0x100 => self.status = value & WRITABLE_STATUS,
            0x104 => self.enabled = value & SOURCES,
            // Direct or vectored.
            0x105 => self.vector = value & !2,
            0x106 => self.counters_of_user = value & 0xffff_ffff,
            // Fences in user mode order devices as memory: they do so anyway.
            0x10a => self.environment = value & 1,
            0x140 => self.scratch = value,
            0x141 => self.resume = value & !1,
            0x142 => self.cause = value,
            0x143 => self.value = value,
            0x144 => self.pending = self.pending & !WRITABLE_PENDING | value & WRITABLE_PENDING,
            0x14d => self.timer = value,
            0x180 if matches!(value >> 60, 0 | 8) => self.translation = value & (SV39 | TABLE_BITS),
            _ => {}
        }
    }

    fn set_float(&mut self, flags: u8, rounding: u8) {
        (self.float_flags, self.rounding) = (flags, rounding);
        self.note_float_change();
    }

    /// True if floating-point registers are enabled.
    #[inline]
    pub const fn float_is_on(&self) -> bool {
        self.status & FLOAT_STATE != 0
    }

    /// Records that a floating-point register has changed.
    #[inline]
    pub const fn note_float_change(&mut self) {
        self.status |= FLOAT_STATE;
    }

    /// Records exceptions of the floating-point unit.
    pub const fn add_float_flags(&mut self, flags: u8) {
        self.float_flags |= flags;
        self.note_float_change();
    }

    /// The rounding mode in `fcsr`.
    pub const fn rounding(&self) -> u8 {
        self.rounding
    }

    /// Address of the page tables, if addresses are translated at all.
    #[inline]
    pub const fn page_tables(&self) -> Option<u64> {
        if self.translation & SV39 == 0 { None } else { Some((self.translation & TABLE_BITS) << 12) }
    }

    /// True if supervisor mode may refer to pages of user mode.
    #[inline]
    pub const fn may_access_user(&self) -> bool {
        self.status & MAY_ACCESS_USER != 0
    }

    /// True if loads may refer to pages that can only be executed.
    pub const fn may_read_code(&self) -> bool {
        self.status & MAY_READ_CODE != 0
    }

    fn pending_at(&self, ticks: u64) -> u64 {
        self.pending | if ticks >= self.timer { interrupt::TIMER } else { 0 }
    }

    /// True if an interrupt is pending that is locally enabled, though perhaps not taken now: the condition that ends `wfi`.
    pub fn is_woken(&self, ticks: u64) -> bool {
        self.pending_at(ticks) & self.enabled != 0
    }

    /// True if the timer's interrupt is locally enabled.
    pub const fn awaits_timer(&self) -> bool {
        self.enabled & interrupt::TIMER != 0
    }

    /// The number of the interrupt to take now.
    pub fn interrupt(&self, ticks: u64) -> Option<u64> {
        let takes = self.privilege == Privilege::User || self.status & INTERRUPTS_ENABLED != 0;
        let candidates = self.pending_at(ticks) & self.enabled;
        if !takes || candidates == 0 {
            return None;
        }
        [9, 1, 5, 13].into_iter().find(|number| candidates >> number & 1 != 0)
    }

    /// Goes to the handler of an exception of the instruction at `pc`; where that is.
    pub fn enter(&mut self, exception: Exception, pc: u64) -> u64 {
        self.trap(exception.cause, exception.value, pc);
        self.vector & !3
    }

    /// Goes to the handler of an interrupt before the instruction at `pc`; where that is.
    pub fn enter_interrupt(&mut self, number: u64, pc: u64) -> u64 {
        self.trap(1 << 63 | number, 0, pc);
        let is_vectored = self.vector & 1 != 0;
        (self.vector & !3).wrapping_add(if is_vectored { 4 * number } else { 0 })
    }

    fn trap(&mut self, cause: u64, value: u64, pc: u64) {
        (self.cause, self.value, self.resume) = (cause, value, pc);
        let was_enabled = self.status & INTERRUPTS_ENABLED != 0;
        self.status &= !(INTERRUPTS_ENABLED | INTERRUPTS_WERE_ENABLED | CAME_FROM_SUPERVISOR);
        self.status |= if was_enabled { INTERRUPTS_WERE_ENABLED } else { 0 };
        self.status |= if self.privilege == Privilege::Supervisor { CAME_FROM_SUPERVISOR } else { 0 };
        self.privilege = Privilege::Supervisor;
    }

    /// Leaves a handler; returns the resume address. `None` in user mode, where it is an illegal instruction.
    pub fn leave(&mut self) -> Option<u64> {
        if self.privilege == Privilege::User {
            return None;
        }
        let came_from_supervisor = self.status & CAME_FROM_SUPERVISOR != 0;
        let was_enabled = self.status & INTERRUPTS_WERE_ENABLED != 0;
        self.status &= !(INTERRUPTS_ENABLED | CAME_FROM_SUPERVISOR);
        self.status |= INTERRUPTS_WERE_ENABLED | if was_enabled { INTERRUPTS_ENABLED } else { 0 };
        self.privilege = if came_from_supervisor { Privilege::Supervisor } else { Privilege::User };
        Some(self.resume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Counters = Counters { instructions: 7, cycles: 9, ticks: 100, event: 0 };

    /// In supervisor mode, with all interrupts enabled.
    fn enabled() -> Control {
        let mut control = Control::default();
        control.write(0x104, u64::MAX);
        control.write(0x100, INTERRUPTS_ENABLED);
        control
    }

    #[test]
    fn the_timer_interrupts_from_its_tick_on_and_not_before() {
        let mut control = enabled();
        control.write(0x14d, 100);
        assert_eq!([control.interrupt(99), control.interrupt(100)], [None, Some(5)]);
        assert_eq!(control.read(0x144, false, NOW), Some(interrupt::TIMER));
        // Nothing that software writes to sip clears it: only a later tick does.
        control.write(0x144, 0);
        assert_eq!(control.interrupt(100), Some(5));
        control.write(0x14d, 101);
        assert_eq!(control.interrupt(100), None);
    }

    #[test]
    fn external_comes_before_software_before_timer() {
        let mut control = enabled();
        control.timer = 0;
        assert_eq!(control.interrupt(0), Some(5));
        control.write(0x144, interrupt::SOFTWARE);
        assert_eq!(control.interrupt(0), Some(1));
        control.pending |= interrupt::EXTERNAL;
        assert_eq!(control.interrupt(0), Some(9));
    }

    #[test]
    fn a_handler_runs_without_interrupts_and_returns_to_where_it_came_from() {
        let mut control = enabled();
        control.privilege = Privilege::User;
        control.write(0x105, 0x8000_0001);
        control.write(0x144, interrupt::SOFTWARE);
        let exception = Exception { cause: cause::LOAD_PAGE, value: 0x1234 };
        assert_eq!(control.enter(exception, 0x4000), 0x8000_0000);
        assert_eq!((control.privilege, control.interrupt(0)), (Privilege::Supervisor, None));
        // `wfi` ends all the same.
        assert!(control.is_woken(0));
        assert_eq!([0x142, 0x143].map(|number| control.read(number, false, NOW)), [Some(13), Some(0x1234)]);
        assert_eq!(control.leave(), Some(0x4000));
        assert_eq!((control.privilege, control.interrupt(0)), (Privilege::User, Some(1)));
        // Interrupts have an entry each, exceptions one for all.
        assert_eq!(control.enter_interrupt(1, 0x4000), 0x8000_0004);
        assert_eq!(control.read(0x142, false, NOW), Some(1 << 63 | 1));
    }

    #[test]
    fn user_mode_reads_only_the_counters_that_it_may() {
        let mut control = Control { privilege: Privilege::User, ..Control::default() };
        assert_eq!(control.read(0xc01, false, NOW), None);
        assert_eq!(control.read(0x100, false, NOW), None);
        assert_eq!(control.leave(), None);
        control.privilege = Privilege::Supervisor;
        assert_eq!(control.read(0xc01, false, NOW), Some(100));
        assert_eq!(control.read(0xc01, true, NOW), None);
        control.write(0x106, 0b010);
        control.privilege = Privilege::User;
        assert_eq!([0xc00, 0xc01].map(|number| control.read(number, false, NOW)), [None, Some(100)]);
        control.write(0x106, 0b111);
        assert_eq!([0xc00, 0xc02].map(|number| control.read(number, false, NOW)), [Some(9), Some(7)]);
    }

    #[test]
    fn satp_keeps_what_it_holds_if_asked_for_another_mode() {
        let mut control = Control::default();
        control.write(0x180, SV39 | 0x8_0000);
        control.write(0x180, 9 << 60 | 0x9_0000);
        assert_eq!(control.page_tables(), Some(0x8000_0000));
        control.write(0x180, 0);
        assert_eq!(control.page_tables(), None);
    }
}
