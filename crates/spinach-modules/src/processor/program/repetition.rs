//! Prediction of a program's behaviour, for the engine to find repetitions, and its state after skipped ones.

use std::ops::Range;

use spinach_engine::{Leap, Outlook};
use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::word::Word;

use super::super::calls::Calls;
use super::Program;

/// State at the beginning of a period, as needed to repeat it.
#[derive(Debug)]
pub(in super::super) struct Period {
    /// Number of instructions that the history had recorded.
    recorded: u64,
    calls: Option<Box<Calls>>,
    /// Advance of the [`ADVANCING`] registers in it, and the cycle up to which clocks have counted.
    advances: Vec<u64>,
}

/// The general registers whose values may advance with time, of instruction sets that can tell.
const ADVANCING: Range<u8> = 1..32;

impl Period {
    /// Advance of general registers, if any register advances.
    pub(in super::super) fn advances<W: Word>(&self) -> Option<[W; 32]> {
        let mut advances = [W::default(); 32];
        for (number, advance) in ADVANCING.zip(&self.advances) {
            advances[usize::from(number)] = W::from_u64(*advance);
        }
        self.advances.iter().any(|advance| *advance != 0).then_some(advances)
    }

    /// True if clocks have counted up to the same point of the period as in the one before.
    pub(in super::super) fn time_advances_by(&self, cycles: u64) -> bool {
        self.advances.last().is_some_and(|advance| *advance == cycles)
    }
}

impl<A: Architecture> Program<A> {
    /// Adds the state that determines the program's behaviour, and returns the cycle in which time alone changes it. The core adds
    /// the program counter.
    pub(in super::super) fn outlook(&self, outlook: &mut Outlook) -> Option<u64> {
        let mut registers = self.registers.clone();
        registers.jump_to(A::Word::default());
        if let Some(cycles) = A::CLOCK_CYCLES {
            outlook.set_clock_cycles(cycles);
            for number in ADVANCING {
                outlook.add_advancing(registers.general(number).to_u64());
                registers.set_general(number, A::Word::default());
            }
            outlook.add_advancing(self.counted_until);
            registers.forget_time();
        } else {
            outlook.add(&self.counted_until);
        }
        outlook.add(&(registers, self.has_entered_interrupt, self.stop.is_some()));
        self.control.outlook(outlook)?;
        Some(self.interrupts.outlook(outlook))
    }

    /// Begins a period that may be repeated.
    pub(in super::super) fn begin_period(&mut self, advances: &[u64]) -> Period {
        if let Some(profile) = &mut self.profile {
            profile.begin_period();
        }
        Period { recorded: self.history.recorded(), calls: self.calls.clone(), advances: advances.into() }
    }

    /// Repeats the effects of the period that ends now, as often as `leap` says.
    pub(in super::super) fn leap(&mut self, leap: Leap, period: &Period) {
        if let Some((time, registers)) = period.advances.split_last() {
            let all = |advance: &u64| advance.wrapping_mul(leap.periods);
            for (number, advance) in ADVANCING.zip(registers) {
                let value = self.registers.general(number).wrapping_add(A::Word::from_u64(all(advance)));
                self.registers.set_general(number, value);
            }
            self.count_cycles(self.counted_until + all(time));
        }
        self.history.leap(leap, period.recorded);
        if let Some(profile) = &mut self.profile {
            profile.repeat(leap.periods);
        }
        if let (Some(calls), Some(earlier)) = (&mut self.calls, &period.calls) {
            calls.repeat(earlier, leap.periods);
        }
    }
}
