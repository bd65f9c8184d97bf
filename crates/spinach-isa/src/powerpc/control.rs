//! The machine state, the special registers of supervisors, exceptions and interrupts.

use serde::{Deserialize, Serialize};

use super::timers::Timers;
use super::{Trap, special};

/// Bits of the machine state register.
pub(super) mod machine_state {
    pub(crate) const WAITS: u32 = 1 << 18;
    pub(crate) const CRITICAL: u32 = 1 << 17;
    pub(crate) const EXTERNAL: u32 = 1 << 15;
    pub(crate) const PROBLEM: u32 = 1 << 14;
    pub(crate) const MACHINE_CHECKS: u32 = 1 << 12;
    pub(crate) const DEBUG: u32 = 1 << 9;
    /// All bits that there are, without those that switch translation on.
    pub(crate) const ALL: u32 = 0x020e_ff00;
}

/// Bits of the exception syndrome register.
mod syndrome {
    pub(super) const MACHINE_CHECK: u32 = 1 << 31;
    pub(super) const ILLEGAL: u32 = 1 << 27;
    pub(super) const PRIVILEGED: u32 = 1 << 26;
    pub(super) const TRAP: u32 = 1 << 25;
}

/// The external interrupt lines.
mod line {
    pub(super) const EXTERNAL: u8 = 1;
    pub(super) const CRITICAL: u8 = 2;
}

/// Handler offsets of exceptions, from EVPR on.
mod vector {
    pub(super) const CRITICAL: u32 = 0x100;
    pub(super) const MACHINE_CHECK: u32 = 0x200;
    pub(super) const EXTERNAL: u32 = 0x500;
    pub(super) const ALIGNMENT: u32 = 0x600;
    pub(super) const PROGRAM: u32 = 0x700;
    pub(super) const SYSTEM_CALL: u32 = 0xc00;
    pub(super) const PROGRAMMABLE: u32 = 0x1000;
    pub(super) const FIXED: u32 = 0x1010;
    pub(super) const WATCHDOG: u32 = 0x1020;
}

/// The version register of the cores in an XC2VP30 (Virtex-II Pro).
const VERSION: u32 = 0x2001_0860;

/// Registers that keep the written value: number, and the bits that they have.
const PLAIN: [(u32, u32); 21] = [
    (0x100, 0xffff_ffff), // USPRG0
    (0x110, 0xffff_ffff), // SPRG0 and on
    (0x111, 0xffff_ffff),
    (0x112, 0xffff_ffff),
    (0x113, 0xffff_ffff),
    (0x114, 0xffff_ffff),
    (0x115, 0xffff_ffff),
    (0x116, 0xffff_ffff),
    (0x117, 0xffff_ffff),
    (0x3b0, 0xffff_ffff), // ZPR
    (0x3b1, 0xff),        // PID: the process identifier, the lowest eight bits
    (0x3b3, 0xffff_ffff), // CCR0
    (0x3b9, 0xffff_ffff), // SGR
    (0x3ba, 0xffff_ffff), // DCWR
    (0x3bb, 0xffff_ffff), // SLER
    (0x3bc, 0xffff_ffff), // SU0R
    (0x3f4, 0xffff_ffff), // IAC1, IAC2
    (0x3f5, 0xffff_ffff),
    (0x3f6, 0xffff_ffff), // DAC1, DAC2
    (0x3f7, 0xffff_ffff),
    (0x3d3, 0xffff_ffff), // ICDBDR
];

/// The machine state and the special registers of supervisors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ControlRegisters {
    pub(super) machine_state: u32,
    /// Return addresses of exceptions, and the saved machine state: SRR0 and SRR1, and for critical ones SRR2 and SRR3.
    save_restore: [u32; 4],
    /// EVPR, once it was written.
    prefix: Option<u32>,
    syndrome: u32,
    data_address: u32,
    debug_status: u32,
    debug_control: u32,
    /// Cacheable regions of data and instructions, a bit for each 128 MB, the lowest addresses in the highest bit.
    data_cacheable: u32,
    instruction_cacheable: u32,
    plain: [u32; PLAIN.len()],
    core: u32,
    pub(super) lines: u8,
    pub(super) timers: Timers,
}

impl ControlRegisters {
    pub(super) fn reset(core: u32) -> Self {
        Self {
            machine_state: 0,
            save_restore: [0; 4],
            prefix: None,
            syndrome: 0,
            data_address: 0,
            debug_status: 0,
            debug_control: 0,
            data_cacheable: 0,
            instruction_cacheable: 0,
            plain: [0; PLAIN.len()],
            core,
            lines: 0,
            timers: Timers::default(),
        }
    }

    pub(super) fn waits(&self) -> bool {
        self.machine_state & machine_state::WAITS != 0
    }

    pub(super) fn is_user(&self) -> bool {
        self.machine_state & machine_state::PROBLEM != 0
    }

    /// True if stores to an address stay in the data cache, according to DCCR and DCWR.
    pub(super) fn writes_back(&self, address: u32) -> bool {
        let region = 1 << 31 >> (address >> 27);
        let write_through = self.read(special::DATA_WRITE_THROUGH).unwrap_or_default();
        self.data_cacheable & !write_through & region != 0
    }

    fn plain_place(number: u32) -> Option<usize> {
        PLAIN.iter().position(|(it, _)| *it == number)
    }

    /// Value of a special register other than those of the usual instructions; `None` if the number is unassigned or the register
    /// cannot be read.
    pub(super) fn read(&self, number: u32) -> Option<u32> {
        Some(match number {
            // The time base, and SPRG4 to SPRG7, for users.
            0x10c => self.timers.time_base as u32,
            0x10d => (self.timers.time_base >> 32) as u32,
            0x104..=0x107 => return self.read(number + 0x10),
            0x01a => self.save_restore[0],
            0x01b => self.save_restore[1],
            0x3de => self.save_restore[2],
            0x3df => self.save_restore[3],
            0x11e => self.core,
            0x11f => VERSION,
            0x3d4 => self.syndrome,
            0x3d5 => self.data_address,
            0x3d6 => self.prefix.unwrap_or(0),
            0x3d8 => self.timers.status(),
            0x3da => self.timers.control(),
            0x3db => self.timers.programmable(),
            0x3f0 => self.debug_status,
            0x3f2 => self.debug_control,
            0x3fa => self.data_cacheable,
            0x3fb => self.instruction_cacheable,
            _ => self.plain[Self::plain_place(number)?],
        })
    }

    /// Writes a special register; `None` if there is none of that number, or it cannot be written.
    pub(super) fn write(&mut self, number: u32, value: u32) -> Option<()> {
        let time_base = self.timers.time_base;
        match number {
            0x11c => self.timers.time_base = time_base & !0xffff_ffff | u64::from(value),
            0x11d => self.timers.time_base = time_base & 0xffff_ffff | u64::from(value) << 32,
            0x01a => self.save_restore[0] = value & !3,
            0x01b => self.save_restore[1] = value & machine_state::ALL,
            0x3de => self.save_restore[2] = value & !3,
            0x3df => self.save_restore[3] = value & machine_state::ALL,
            0x3d4 => self.syndrome = value,
            0x3d5 => self.data_address = value,
            0x3d6 => self.prefix = Some(value & 0xffff_0000),
            0x3d8 => self.timers.clear_status(value),
            0x3da => self.timers.set_control(value),
            0x3db => self.timers.set_programmable(value),
            0x3f0 => self.debug_status &= !value,
            0x3f2 => self.debug_control = value,
            0x3fa => self.data_cacheable = value,
            0x3fb => self.instruction_cacheable = value,
            _ => {
                let place = Self::plain_place(number)?;
                self.plain[place] = value & PLAIN[place].1;
            }
        }
        Some(())
    }

    /// True if user mode may access a special register.
    pub(super) fn is_for_users(number: u32) -> bool {
        number & 0x10 == 0
    }

    /// The interrupt that is taken now: its vector, and whether it is critical.
    fn pending(&self) -> Option<(u32, bool)> {
        let timers = self.timers.interrupts();
        let critical =
            [(self.lines & line::CRITICAL != 0, vector::CRITICAL), (timers.watchdog, vector::WATCHDOG)];
        let noncritical = [
            (self.lines & line::EXTERNAL != 0, vector::EXTERNAL),
            (timers.fixed, vector::FIXED),
            (timers.programmable, vector::PROGRAMMABLE),
        ];
        let first = |causes: &[(bool, u32)], enable: u32| {
            let cause = causes.iter().find(|(asks, _)| *asks);
            cause.filter(|_| self.machine_state & enable != 0).map(|(_, vector)| *vector)
        };
        first(&critical, machine_state::CRITICAL)
            .map(|vector| (vector, true))
            .or_else(|| first(&noncritical, machine_state::EXTERNAL).map(|vector| (vector, false)))
    }

    pub(super) fn interrupting_lines(&self) -> u8 {
        match self.pending() {
            Some((vector::CRITICAL, _)) => line::CRITICAL,
            Some((vector::EXTERNAL, _)) => line::EXTERNAL,
            _ => 0,
        }
    }

    pub(super) fn next_interrupt(&self, cycle: u64) -> u64 {
        if self.pending().is_some() || self.timers.asks_for_reset() {
            return 0;
        }
        let is_enabled = |bit: u32| self.machine_state & bit != 0;
        let noncritical = self.timers.until_noncritical().filter(|_| is_enabled(machine_state::EXTERNAL));
        let watchdog = self.timers.until_watchdog().filter(|_| is_enabled(machine_state::CRITICAL));
        // A reset comes even if disabled.
        let clocks = noncritical.into_iter().chain(watchdog).chain(self.timers.until_reset()).min();
        clocks.map_or(u64::MAX, |clocks| cycle.saturating_add(clocks))
    }

    pub(super) fn handler(&self, trap: Trap, configured: Option<u32>) -> Option<u32> {
        let offset = match trap {
            Trap::Interrupt => self.pending()?.0,
            Trap::FetchBusError { .. } | Trap::DataBusError { .. } => {
                if self.prefix.is_some() && self.machine_state & machine_state::MACHINE_CHECKS == 0 {
                    return None;
                }
                vector::MACHINE_CHECK
            }
            Trap::Misaligned { .. } | Trap::MisalignedFetch { .. } => vector::ALIGNMENT,
            Trap::SystemCall => vector::SYSTEM_CALL,
            _ => vector::PROGRAM,
        };
        self.prefix.map(|prefix| prefix | offset).or(configured)
    }

    pub(super) fn enter_exception(&mut self, trap: Trap, pc: u32) {
        let is_machine_check = matches!(trap, Trap::FetchBusError { .. } | Trap::DataBusError { .. });
        let is_critical = match trap {
            Trap::Interrupt => self.pending().is_some_and(|(_, is_critical)| is_critical),
            _ => is_machine_check,
        };
        let resume = if trap == Trap::SystemCall { pc.wrapping_add(4) } else { pc };
        let first = if is_critical { 2 } else { 0 };
        self.save_restore[first..first + 2].copy_from_slice(&[resume, self.machine_state]);
        let mut kept = machine_state::MACHINE_CHECKS | machine_state::CRITICAL | machine_state::DEBUG;
        if is_critical {
            kept = machine_state::MACHINE_CHECKS;
        }
        if is_machine_check {
            kept = 0;
        }
        self.machine_state &= kept;
        match trap {
            Trap::FetchBusError { .. } => self.syndrome = syndrome::MACHINE_CHECK,
            Trap::DataBusError { address }
            | Trap::Misaligned { address }
            | Trap::MisalignedFetch { address } => {
                self.data_address = address;
            }
            Trap::IllegalInstruction { .. } => self.syndrome = syndrome::ILLEGAL,
            Trap::PrivilegedInstruction { .. } => self.syndrome = syndrome::PRIVILEGED,
            Trap::TrapInstruction | Trap::Breakpoint { .. } => self.syndrome = syndrome::TRAP,
            Trap::Interrupt | Trap::SystemCall => {}
        }
    }

    /// Leaves the handler of a critical exception or of another; returns the resume address.
    pub(super) fn return_from_exception(&mut self, is_critical: bool) -> u32 {
        let first = if is_critical { 2 } else { 0 };
        self.machine_state = self.save_restore[first + 1] & machine_state::ALL;
        self.save_restore[first]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_identifier_has_eight_bits() {
        let mut registers = ControlRegisters::reset(0);
        assert_eq!(registers.write(0x3b1, 0x1234_5678), Some(()));
        assert_eq!(registers.read(0x3b1), Some(0x78));
        assert_eq!(registers.write(0x3b0, 0x1234_5678), Some(()));
        assert_eq!(registers.read(0x3b0), Some(0x1234_5678));
    }
}
