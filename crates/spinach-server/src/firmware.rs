//! Calls of supervisor mode, served as firmware in machine mode would (RISC-V Supervisor Binary Interface 1.0): base, timer,
//! interrupts between harts, remote fences, state of harts, reset, counters of events, and the console of the legacy extensions.

use spinach_isa::riscv::supervisor::{Privilege, interrupt};

use crate::answer::{Answer, Error};
use crate::calls::{self, Call, Refusal};
use crate::counter_calls;
use crate::hart::{Hart, Registers};
use crate::machine::{End, Machine};

const A0: usize = 10;
const A1: usize = 11;
const FUNCTION: usize = 16;

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
const EXTENSIONS: [u64; 12] = [
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
    counter_calls::EXTENSION,
    calls::EXTENSION,
];

/// Version 1.0.
const VERSION: u64 = 1 << 24;

/// Error numbers of Linux, for calls of user mode.
const BAD_ADDRESS: i64 = -14;
const BUSY: i64 = -16;
const INVALID: i64 = -22;
const NO_SYSTEM_CALL: i64 = -38;

impl Machine {
    /// Serves a call that a hart has just made.
    pub(crate) fn serve(&mut self, caller: usize) {
        self.harts[caller].count();
        let arguments: [u64; 3] = [A0, A1, A1 + 1].map(|number| self.harts[caller].general(number));
        let hart = &mut self.harts[caller];
        let (extension, function) = (hart.general(calls::EXTENSION_REGISTER), hart.general(FUNCTION));
        if hart.control.privilege == Privilege::User {
            // Other calls of user mode are the kernel's.
            let answer = match self.serve_call(caller, function, arguments) {
                Ok(value) => value as i64,
                Err(Refusal::Unknown) => NO_SYSTEM_CALL,
                Err(Refusal::Name) => INVALID,
                Err(Refusal::Address) => BAD_ADDRESS,
                Err(Refusal::Full) => BUSY,
            };
            self.harts[caller].set_general(A0, answer as u64);
            return;
        }
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
            (BASE, 1) => Ok(calls::IMPLEMENTATION),
            // Version of the implementation; vendor, architecture and implementation of the machine: none.
            (BASE, 2 | 4..=6) => Ok(0),
            (BASE, 3) => Ok(u64::from(EXTENSIONS.contains(&first))),
            (TIMER, 0) => {
                self.harts[caller].control.timer = first;
                Ok(0)
            }
            (INTERRUPTS, 0) => self.each(first, second, |hart| hart.control.pending |= interrupt::SOFTWARE),
            // Decoded instructions follow the writes to their memory.
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
            (counter_calls::EXTENSION, function) => {
                let hart = &mut self.harts[caller];
                let arguments = [A0, A1, A1 + 1, A1 + 2, A1 + 3].map(|number| hart.general(number));
                hart.serve_counters(function, arguments)
            }
            (calls::EXTENSION, function) => {
                self.serve_call(caller, function, arguments).map_err(|refusal| match refusal {
                    Refusal::Unknown => Error::NotSupported,
                    Refusal::Name => Error::InvalidParameter,
                    Refusal::Address => Error::InvalidAddress,
                    Refusal::Full => Error::NoResources,
                })
            }
            (RESET, 0) => {
                self.end = Some(match (first, second) {
                    (0, 0) => End::PoweredOff,
                    (1 | 2, 0) => End::Restarts,
                    _ => End::Failed,
                });
                Ok(0)
            }
            _ => Err(Error::NotSupported),
        }
    }

    /// Applies an action to each hart of a mask whose lowest bit is hart `base`; to all if `base` is -1.
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

impl Machine {
    /// Serves a call of a hart in any mode. The machine stops at the end of the turn, unless refused.
    pub(crate) fn serve_call(
        &mut self,
        caller: usize,
        function: u64,
        arguments: [u64; 3],
    ) -> Result<u64, Refusal> {
        if !self.takes_calls {
            return Err(Refusal::Unknown);
        }
        let call = match function {
            calls::BEGIN => Call::Begin(self.name(caller, arguments[0], arguments[1])?),
            calls::END => Call::End,
            calls::CHECKPOINT => Call::Checkpoint,
            calls::EXIT => Call::Exit(arguments[0] as u8),
            _ => return Err(Refusal::Unknown),
        };
        if self.calls.len() >= calls::KEPT_MAXIMUM {
            return Err(Refusal::Full);
        }
        if let Call::Exit(_) = call {
            self.end = Some(End::PoweredOff);
        }
        self.calls.push(call);
        self.is_called = true;
        Ok(0)
    }

    fn name(&self, caller: usize, address: u64, length: u64) -> Result<String, Refusal> {
        let length = usize::try_from(length).ok().filter(|length| *length <= calls::NAME_MAXIMUM_BYTES);
        let mut name = vec![0; length.ok_or(Refusal::Name)?];
        self.look(caller, address, &mut name).ok_or(Refusal::Address)?;
        String::from_utf8(name).map_err(|_| Refusal::Name)
    }

    /// Enables calls, which then stop the machine; before, they are refused.
    pub fn listen_to_calls(&mut self) {
        self.takes_calls = true;
    }

    /// Takes the calls made since the last time, oldest first.
    pub fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }
}
