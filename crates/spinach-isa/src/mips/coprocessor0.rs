//! Coprocessor 0: the registers that bare-metal firmware needs, exception entry and return.
//!
//! As in the R4000 (user's manual, chapters 4 and 5) without translation and caches. There is no notion of time
//! here: the owner of the clock calls [`Coprocessor0::advance_count`] and [`Coprocessor0::set_interrupt_lines`].

use serde::{Deserialize, Serialize};

use super::trap::Trap;

/// Numbers of the registers.
pub mod number {
    /// Address of the last misaligned access.
    pub const BAD_ADDRESS: u8 = 8;
    /// Free-running counter; advances at half the R4000's pipeline clock.
    pub const COUNT: u8 = 9;
    /// Raises the timer interrupt when Count reaches it; writing it withdraws the interrupt.
    pub const COMPARE: u8 = 11;
    /// Privilege and interrupt masks.
    pub const STATUS: u8 = 12;
    /// Cause of the last exception and pending interrupts.
    pub const CAUSE: u8 = 13;
    /// Resume address after an exception.
    pub const EXCEPTION_PC: u8 = 14;
    /// Processor identification.
    pub const PROCESSOR_ID: u8 = 15;
    /// Number of the core on the chip. The R4000 has no such register; number 22 is the first that later architectures leave to
    /// the implementer, and any assembler can name it.
    pub const CORE: u8 = 22;
    /// Resume address after a reset or an error.
    pub const ERROR_PC: u8 = 30;
}

/// Bits of Status.
pub mod status {
    /// Interrupts enabled.
    pub const INTERRUPT_ENABLE: u32 = 1;
    /// In an exception handler: privileged, interrupts off.
    pub const EXCEPTION_LEVEL: u32 = 1 << 1;
    /// After a reset or an error: privileged, interrupts off.
    pub const ERROR_LEVEL: u32 = 1 << 2;
    /// Privilege field: 0 kernel, 1 supervisor, 2 user.
    pub const PRIVILEGE: u32 = 3 << 3;
    /// Interrupt mask, one bit per pending bit of Cause.
    pub const INTERRUPT_MASK: u32 = 0xff << 8;
    /// Exceptions go to the boot vector.
    pub const BOOT_VECTORS: u32 = 1 << 22;
    /// Coprocessor 0 is usable without privilege.
    pub const COPROCESSOR0_USABLE: u32 = 1 << 28;
    /// The bits that exist.
    pub const WRITABLE: u32 = INTERRUPT_ENABLE
        | EXCEPTION_LEVEL
        | ERROR_LEVEL
        | PRIVILEGE
        | INTERRUPT_MASK
        | BOOT_VECTORS
        | COPROCESSOR0_USABLE;
}

/// Bits of Cause.
pub mod cause {
    /// Position of the exception code.
    pub const CODE_SHIFT: u32 = 2;
    /// The exception code.
    pub const CODE: u32 = 0x1f << CODE_SHIFT;
    /// The two software interrupts, the only bits that software can write.
    pub const SOFTWARE_INTERRUPTS: u32 = 3 << 8;
    /// Position of the five external interrupt lines.
    pub const EXTERNAL_SHIFT: u32 = 10;
    /// The five external interrupt lines.
    pub const EXTERNAL_INTERRUPTS: u32 = 0x1f << EXTERNAL_SHIFT;
    /// The timer interrupt.
    pub const TIMER_INTERRUPT: u32 = 1 << 15;
    /// Position of the number of the coprocessor that was unusable.
    pub const COPROCESSOR_SHIFT: u32 = 28;
    /// The number of the coprocessor that was unusable.
    pub const COPROCESSOR: u32 = 3 << COPROCESSOR_SHIFT;
    /// The exception hit a delay slot; EPC names the branch.
    pub const BRANCH_DELAY: u32 = 1 << 31;
}

/// Offset of the general exception vector from its base.
const GENERAL_VECTOR: u32 = 0x180;
/// Base of the vectors while Status selects the boot vectors.
const BOOT_BASE: u32 = 0xbfc0_0200;

/// The state of coprocessor 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coprocessor0 {
    /// Register 8.
    pub bad_address: u32,
    /// Register 9.
    pub count: u32,
    /// Register 11.
    pub compare: u32,
    /// Register 12.
    pub status: u32,
    /// Register 13.
    pub cause: u32,
    /// Register 14.
    pub exception_pc: u32,
    /// Register 15, constant.
    pub processor_id: u32,
    /// Register 22, constant.
    pub core: u32,
    /// Register 30.
    pub error_pc: u32,
    /// Base of the exception vectors while Status does not select the boot vectors. Fixed at 0x8000_0000 in
    /// the R4000; a parameter here, because addresses are physical and memory may lie elsewhere.
    pub exception_base: u32,
}

impl Coprocessor0 {
    /// The state after reset of core number `core`: privileged, interrupts off, boot vectors.
    pub const fn reset(core: u32) -> Self {
        Self {
            bad_address: 0,
            count: 0,
            compare: 0,
            status: status::ERROR_LEVEL | status::BOOT_VECTORS,
            cause: 0,
            exception_pc: 0,
            processor_id: 0x0400, // implementation 4, the R4000
            core,
            error_pc: 0,
            exception_base: 0x8000_0000,
        }
    }

    /// Value that `mfc0` reads from a register; 0 for absent registers.
    pub const fn read(&self, register: u8) -> u32 {
        match register {
            number::BAD_ADDRESS => self.bad_address,
            number::COUNT => self.count,
            number::COMPARE => self.compare,
            number::STATUS => self.status,
            number::CAUSE => self.cause,
            number::EXCEPTION_PC => self.exception_pc,
            number::PROCESSOR_ID => self.processor_id,
            number::CORE => self.core,
            number::ERROR_PC => self.error_pc,
            _ => 0,
        }
    }

    /// Effect of `mtc0` on a register. Constant or absent bits and registers ignore it.
    pub const fn write(&mut self, register: u8, value: u32) {
        match register {
            number::COUNT => self.count = value,
            number::COMPARE => {
                self.compare = value;
                self.cause &= !cause::TIMER_INTERRUPT;
            }
            number::STATUS => self.status = value & status::WRITABLE,
            number::CAUSE => {
                self.cause = self.cause & !cause::SOFTWARE_INTERRUPTS | value & cause::SOFTWARE_INTERRUPTS;
            }
            number::EXCEPTION_PC => self.exception_pc = value,
            number::ERROR_PC => self.error_pc = value,
            _ => {}
        }
    }

    /// True if privileged instructions are allowed.
    #[inline]
    pub const fn privileged(&self) -> bool {
        self.status & (status::EXCEPTION_LEVEL | status::ERROR_LEVEL | status::COPROCESSOR0_USABLE) != 0
            || self.status & status::PRIVILEGE == 0
    }

    /// Lets Count advance, raising the timer interrupt if it reaches Compare on the way.
    pub const fn advance_count(&mut self, increments: u32) {
        let distance = self.compare.wrapping_sub(self.count);
        if distance != 0 && distance <= increments {
            self.cause |= cause::TIMER_INTERRUPT;
        }
        self.count = self.count.wrapping_add(increments);
    }

    /// Sets the level of the five external interrupt lines; bit `n` is line `n`.
    pub const fn set_interrupt_lines(&mut self, lines: u8) {
        let lines = (lines as u32) << cause::EXTERNAL_SHIFT & cause::EXTERNAL_INTERRUPTS;
        self.cause = self.cause & !cause::EXTERNAL_INTERRUPTS | lines;
    }

    /// The bits of Cause that would interrupt if they were set; 0 while interrupts are off.
    #[inline]
    pub const fn enabled_interrupts(&self) -> u32 {
        const LEVELS: u32 = status::INTERRUPT_ENABLE | status::EXCEPTION_LEVEL | status::ERROR_LEVEL;
        let is_enabled = self.status & LEVELS == status::INTERRUPT_ENABLE;
        if is_enabled { self.status & status::INTERRUPT_MASK } else { 0 }
    }

    /// True if an interrupt would be taken before the next instruction.
    #[inline]
    pub const fn interrupt_pending(&self) -> bool {
        self.enabled_interrupts() & self.cause != 0
    }

    /// Enters the exception `trap` of the instruction at `pc`; returns the address of the handler. While already
    /// in a handler, EPC keeps pointing to where the first exception resumes.
    pub const fn enter_exception(&mut self, trap: Trap, pc: u32, in_delay_slot: bool) -> u32 {
        self.cause =
            self.cause & !(cause::CODE | cause::COPROCESSOR) | trap.exception_code() << cause::CODE_SHIFT;
        if let Trap::CoprocessorUnusable { coprocessor } = trap {
            self.cause |= (coprocessor as u32) << cause::COPROCESSOR_SHIFT & cause::COPROCESSOR;
        }
        if let Some(address) = trap.bad_address() {
            self.bad_address = address;
        }
        if self.status & status::EXCEPTION_LEVEL == 0 {
            self.cause &= !cause::BRANCH_DELAY;
            self.exception_pc = pc;
            if in_delay_slot {
                self.cause |= cause::BRANCH_DELAY;
                self.exception_pc = pc.wrapping_sub(4);
            }
            self.status |= status::EXCEPTION_LEVEL;
        }
        let boot = self.status & status::BOOT_VECTORS != 0;
        (if boot { BOOT_BASE } else { self.exception_base }).wrapping_add(GENERAL_VECTOR)
    }

    /// Leaves the handler; returns the address to resume at.
    pub const fn exception_return(&mut self) -> u32 {
        if self.status & status::ERROR_LEVEL != 0 {
            self.status &= !status::ERROR_LEVEL;
            self.error_pc
        } else {
            self.status &= !status::EXCEPTION_LEVEL;
            self.exception_pc
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timer_fires_exactly_at_compare() {
        let mut state = Coprocessor0::reset(0);
        state.write(number::STATUS, status::INTERRUPT_ENABLE | cause::TIMER_INTERRUPT);
        state.write(number::COMPARE, 10);
        state.advance_count(9);
        assert!(!state.interrupt_pending());
        state.advance_count(1);
        assert!(state.interrupt_pending());
        state.write(number::COMPARE, 9);
        assert!(!state.interrupt_pending());
        state.advance_count(u32::MAX);
        assert!(state.interrupt_pending(), "the counter wraps to Compare");
    }

    #[test]
    fn nested_exceptions_keep_the_first_resume_address() {
        let mut state = Coprocessor0::reset(0);
        state.write(number::STATUS, 0);
        assert_eq!(state.enter_exception(Trap::Overflow, 0x104, true), 0x8000_0180);
        assert_eq!((state.exception_pc, state.cause), (0x100, cause::BRANCH_DELAY | 12 << 2));
        state.enter_exception(Trap::MisalignedStore { address: 3 }, 0x8000_0200, false);
        assert_eq!((state.exception_pc, state.bad_address), (0x100, 3));
        assert_eq!(state.exception_return(), 0x100);
        assert_eq!(state.status, 0);
    }

    #[test]
    fn software_writes_only_what_it_may() {
        let mut state = Coprocessor0::reset(5);
        for register in 0..32 {
            state.write(register, u32::MAX);
        }
        assert_eq!(state.read(number::CAUSE), cause::SOFTWARE_INTERRUPTS);
        assert_eq!(state.read(number::STATUS), status::WRITABLE);
        assert_eq!(state.read(number::CORE), 5);
        assert_eq!(state.read(number::PROCESSOR_ID), 0x0400);
        assert_eq!(state.read(31), 0);
    }
}
