//! Calls of supervisor mode, served as firmware in machine mode would (RISC-V Supervisor Binary Interface 1.0): base, timer,
//! interrupts between harts, remote fences, state of harts, reset, and the console of the legacy extensions.

use spinach_isa::riscv::supervisor::interrupt;

use crate::hart::{Hart, Registers};
use crate::machine::{End, Machine};

const A0: usize = 10;
const A1: usize = 11;
const FUNCTION: usize = 16;
const EXTENSION: usize = 17;

const LEGACY_SET_TIMER: u64 = 0;
const LEGACY_PUT_CHARACTER: u64 = 1;
const LEGACY_GET_CHARACTER: u64 = 2;
const LEGACY_SHUT_DOWN: u64 = 8;
const BASE: u64 = 0x10;
const TIMER: u64 = 0x5449_4d45;
const INTERRUPTS: u64 = 0x73_5049;
const REMOTE_FENCES: u64 = 0x5246_4e43;
const HART_STATE: u64 = 0x48_534d;
const RESET: u64 = 0x5352_5354;
const EXTENSIONS: [u64; 10] = [
    LEGACY_SET_TIMER,
    LEGACY_PUT_CHARACTER,
    LEGACY_GET_CHARACTER,
    LEGACY_SHUT_DOWN,
    BASE,
    TIMER,
    INTERRUPTS,
    REMOTE_FENCES,
    HART_STATE,
    RESET,
];

/// Version 1.0.
const VERSION: u64 = 1 << 24;
/// The specification's list of implementations does not have this one.
const IMPLEMENTATION: u64 = 0x5350_494e;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Error {
    NotSupported = -2,
    InvalidParameter = -3,
    AlreadyAvailable = -6,
}

type Answer = Result<u64, Error>;

impl Machine {
    /// Serves a call that a hart has just made.
    pub(crate) fn serve(&mut self, caller: usize) {
        let arguments: [u64; 3] = [A0, A1, A1 + 1].map(|number| self.harts[caller].general(number));
        let hart = &mut self.harts[caller];
        let (extension, function) = (hart.general(EXTENSION), hart.general(FUNCTION));
        let legacy = match extension {
            LEGACY_SET_TIMER => {
                hart.control.timer = arguments[0];
                0
            }
            LEGACY_PUT_CHARACTER => {
                self.board.console.output.push(arguments[0] as u8);
                0
            }
            LEGACY_GET_CHARACTER => match self.board.console.input.pop_front() {
                Some(character) => character.into(),
                None => u64::MAX,
            },
            LEGACY_SHUT_DOWN => {
                self.end = Some(End::PoweredOff);
                0
            }
            _ => {
                let answer = self.serve_extension(caller, (extension, function), arguments);
                let hart = &mut self.harts[caller];
                let (error, value) = match answer {
                    Ok(value) => (0, value),
                    Err(error) => (error as i64 as u64, 0),
                };
                hart.set_general(A0, error);
                hart.set_general(A1, value);
                return;
            }
        };
        self.harts[caller].set_general(A0, legacy);
    }

    fn serve_extension(&mut self, caller: usize, call: (u64, u64), arguments: [u64; 3]) -> Answer {
        let [first, second, third] = arguments;
        match call {
            (BASE, 0) => Ok(VERSION),
            (BASE, 1) => Ok(IMPLEMENTATION),
            // Version of the implementation; vendor, architecture and implementation of the machine: none.
            (BASE, 2 | 4..=6) => Ok(0),
            (BASE, 3) => Ok(u64::from(EXTENSIONS.contains(&first))),
            (TIMER, 0) => {
                self.harts[caller].control.timer = first;
                Ok(0)
            }
            (INTERRUPTS, 0) => self.each(first, second, |hart| hart.control.pending |= interrupt::SOFTWARE),
            // What was decoded follows what is written.
            (REMOTE_FENCES, 0) => self.each(first, second, |_| {}),
            (REMOTE_FENCES, 1 | 2) => self.each(first, second, Hart::flush_translations),
            (HART_STATE, 0) => self.start(first, second, third),
            (HART_STATE, 1) => {
                self.is_started[caller] = false;
                Ok(0)
            }
            (HART_STATE, 2) => {
                let is_started = self.is_started.get(first as usize).ok_or(Error::InvalidParameter)?;
                Ok(u64::from(!is_started))
            }
            (RESET, 0) => {
                let is_orderly = first == 0 && second == 0;
                self.end = Some(if is_orderly { End::PoweredOff } else { End::Failed });
                Ok(0)
            }
            _ => Err(Error::NotSupported),
        }
    }

    /// Does something to each hart of a mask whose lowest bit is hart `base`; to all if `base` is -1.
    fn each(&mut self, mask: u64, base: u64, mut action: impl FnMut(&mut Hart)) -> Answer {
        let harts = self.harts.len() as u64;
        let is_meant =
            |number: u64| base == u64::MAX || number >= base && mask >> (number - base).min(63) & 1 != 0;
        if base != u64::MAX && (base >= harts || mask.checked_shr((harts - base) as u32).unwrap_or(0) != 0) {
            return Err(Error::InvalidParameter);
        }
        for (number, hart) in self.harts.iter_mut().enumerate() {
            if is_meant(number as u64) {
                action(hart);
            }
        }
        Ok(0)
    }

    fn start(&mut self, number: u64, address: u64, opaque: u64) -> Answer {
        let index = number as usize;
        let is_started = self.is_started.get_mut(index).ok_or(Error::InvalidParameter)?;
        if std::mem::replace(is_started, true) {
            return Err(Error::AlreadyAvailable);
        }
        let old = &self.harts[index];
        let mut registers = Registers::new(address);
        (registers.instructions, registers.other_cycles) = (old.instructions, old.other_cycles);
        let mut hart = Hart::new(&registers, self.configuration.cycles_per_tick);
        hart.set_general(A0, number);
        hart.set_general(A1, opaque);
        self.harts[index] = hart;
        Ok(0)
    }
}
