//! The time base and the three timers that follow it: programmable, fixed-interval and watchdog.

use serde::{Deserialize, Serialize};

/// Bits of the control register TCR.
mod control {
    pub(super) const WATCHDOG_PERIOD_SHIFT: u32 = 30;
    pub(super) const WATCHDOG_RESET_SHIFT: u32 = 28;
    pub(super) const WATCHDOG_INTERRUPTS: u32 = 1 << 27;
    pub(super) const PROGRAMMABLE_INTERRUPTS: u32 = 1 << 26;
    pub(super) const FIXED_PERIOD_SHIFT: u32 = 24;
    pub(super) const FIXED_INTERRUPTS: u32 = 1 << 23;
    pub(super) const RELOADS: u32 = 1 << 22;
}

/// Bits of the status register TSR.
mod status {
    pub(super) const WATCHDOG_ARMED: u32 = 1 << 31;
    pub(super) const WATCHDOG: u32 = 1 << 30;
    pub(super) const WATCHDOG_RESET_SHIFT: u32 = 28;
    pub(super) const PROGRAMMABLE: u32 = 1 << 27;
    pub(super) const FIXED: u32 = 1 << 26;
}

/// The exponents of two of the periods that TCR chooses among, in clocks.
const FIXED_PERIODS: [u32; 4] = [9, 13, 17, 21];
const WATCHDOG_PERIODS: [u32; 4] = [17, 21, 25, 29];

/// The timers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timers {
    pub time_base: u64,
    control: u32,
    status: u32,
    programmable: u32,
    reload: u32,
}

/// Interrupts that the timers ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimerInterrupts {
    pub watchdog: bool,
    pub fixed: bool,
    pub programmable: bool,
}

/// Number of rises of the bit with a period of 2^`exponent` clocks while the time base advances by `clocks`.
const fn rises(time_base: u64, clocks: u64, exponent: u32) -> u64 {
    let since_rise = time_base.wrapping_add(1 << (exponent - 1)) & ((1 << exponent) - 1);
    (since_rise + clocks) >> exponent
}

/// Clocks until that bit rises next.
const fn until_rise(time_base: u64, exponent: u32) -> u64 {
    let period = 1 << exponent;
    let half = period / 2;
    period - (time_base.wrapping_add(half) & (period - 1))
}

impl Timers {
    fn fixed_exponent(&self) -> u32 {
        FIXED_PERIODS[(self.control >> control::FIXED_PERIOD_SHIFT & 3) as usize]
    }

    fn watchdog_exponent(&self) -> u32 {
        WATCHDOG_PERIODS[(self.control >> control::WATCHDOG_PERIOD_SHIFT & 3) as usize]
    }

    /// Lets clocks pass.
    pub(super) fn pass(&mut self, clocks: u64) {
        if rises(self.time_base, clocks, self.fixed_exponent()) > 0 {
            self.status |= status::FIXED;
        }
        for _ in 0..rises(self.time_base, clocks, self.watchdog_exponent()).min(3) {
            self.expire_watchdog();
        }
        self.count_down(clocks);
        self.time_base = self.time_base.wrapping_add(clocks);
    }

    fn expire_watchdog(&mut self) {
        let reset = self.control >> control::WATCHDOG_RESET_SHIFT & 3;
        if self.status & status::WATCHDOG_ARMED == 0 {
            self.status |= status::WATCHDOG_ARMED;
        } else if self.status & status::WATCHDOG == 0 {
            self.status |= status::WATCHDOG;
        } else {
            self.status |= reset << status::WATCHDOG_RESET_SHIFT;
        }
    }

    fn count_down(&mut self, clocks: u64) {
        let count = u64::from(self.programmable);
        if count == 0 {
        } else if clocks < count {
            self.programmable -= clocks as u32;
        } else {
            self.status |= status::PROGRAMMABLE;
            let reloads = self.control & control::RELOADS != 0 && self.reload != 0;
            let beyond = clocks - count;
            let reload = u64::from(self.reload);
            self.programmable = if reloads { (reload - beyond % reload) as u32 } else { 0 };
        }
    }

    /// The present interrupt requests.
    pub(super) fn interrupts(&self) -> TimerInterrupts {
        let asks = |enable: u32, event: u32| self.control & enable != 0 && self.status & event != 0;
        TimerInterrupts {
            watchdog: asks(control::WATCHDOG_INTERRUPTS, status::WATCHDOG),
            fixed: asks(control::FIXED_INTERRUPTS, status::FIXED),
            programmable: asks(control::PROGRAMMABLE_INTERRUPTS, status::PROGRAMMABLE),
        }
    }

    /// True if the watchdog has requested a reset.
    pub(super) fn asks_for_reset(&self) -> bool {
        self.status >> status::WATCHDOG_RESET_SHIFT & 3 != 0
    }

    /// Clocks until the programmable or the fixed timer interrupts next; `None` if neither does.
    pub(super) fn until_noncritical(&self) -> Option<u64> {
        let programmable = (self.control & control::PROGRAMMABLE_INTERRUPTS != 0 && self.programmable != 0)
            .then_some(u64::from(self.programmable));
        let fixed = (self.control & control::FIXED_INTERRUPTS != 0)
            .then(|| until_rise(self.time_base, self.fixed_exponent()));
        programmable.into_iter().chain(fixed).min()
    }

    /// Clocks until the watchdog requests an interrupt; `None` if it does not, or requests one already.
    pub(super) fn until_watchdog(&self) -> Option<u64> {
        let asks = self.control & control::WATCHDOG_INTERRUPTS != 0 && self.status & status::WATCHDOG == 0;
        asks.then(|| self.until_expired(1 + u64::from(self.status & status::WATCHDOG_ARMED == 0)))
    }

    /// Clocks until the watchdog requests a reset.
    pub(super) fn until_reset(&self) -> Option<u64> {
        let steps = [status::WATCHDOG_ARMED, status::WATCHDOG].map(|bit| u64::from(self.status & bit == 0));
        let asks = self.control >> control::WATCHDOG_RESET_SHIFT & 3 != 0;
        asks.then(|| self.until_expired(1 + steps[0] + steps[1]))
    }

    /// Clocks until the watchdog has expired `times` times.
    fn until_expired(&self, times: u64) -> u64 {
        let exponent = self.watchdog_exponent();
        until_rise(self.time_base, exponent) + (times - 1) * (1 << exponent)
    }

    /// Value of TCR.
    pub(super) fn control(&self) -> u32 {
        self.control
    }

    /// Writes TCR. The choice of a reset stays once it was made.
    pub(super) fn set_control(&mut self, value: u32) {
        let chosen = self.control & 3 << control::WATCHDOG_RESET_SHIFT;
        self.control = value & 0xffc0_0000 | chosen;
    }

    /// Value of TSR.
    pub(super) fn status(&self) -> u32 {
        self.status
    }

    /// Clears the bits of TSR that are ones in `value`.
    pub(super) fn clear_status(&mut self, value: u32) {
        self.status &= !value;
    }

    /// Value of PIT.
    pub(super) fn programmable(&self) -> u32 {
        self.programmable
    }

    /// Writes PIT.
    pub(super) fn set_programmable(&mut self, value: u32) {
        (self.programmable, self.reload) = (value, value);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]
mod tests {
    use super::*;

    /// One clock after the other, as the manual describes the timers.
    fn pass_slowly(timers: &mut Timers, clocks: u64) {
        for _ in 0..clocks {
            let before = timers.time_base;
            timers.time_base += 1;
            let rises = |exponent: u32| !before & timers.time_base & 1 << (exponent - 1) != 0;
            let (fixed, watchdog) = (rises(timers.fixed_exponent()), rises(timers.watchdog_exponent()));
            if fixed {
                timers.status |= status::FIXED;
            }
            if watchdog {
                timers.expire_watchdog();
            }
            if timers.programmable != 0 {
                timers.programmable -= 1;
                if timers.programmable == 0 {
                    timers.status |= status::PROGRAMMABLE;
                    if timers.control & control::RELOADS != 0 {
                        timers.programmable = timers.reload;
                    }
                }
            }
        }
    }

    #[test]
    fn time_passes_in_long_steps_as_in_short_ones() {
        for control in [0x07c0_0000, 0x0f80_0000, 0x1840_0000] {
            let mut fast = Timers::default();
            fast.set_control(control);
            fast.set_programmable(777);
            let mut slow = fast.clone();
            for step in [1, 5, 250, 1, 255, 600, 177, 3000, 65_000, 131_072, 131_072, 131_072] {
                fast.pass(step);
                pass_slowly(&mut slow, step);
                assert_eq!(fast, slow, "{control:#x}");
            }
        }
    }

    #[test]
    fn an_interrupt_is_asked_for_when_it_was_foretold() {
        for (control, count) in [(0x0400_0000, 1), (0x0400_0000, 1000), (0x0080_0000, 0), (0x0480_0000, 300)]
        {
            let mut timers = Timers::default();
            timers.pass(37);
            timers.set_control(control);
            timers.set_programmable(count);
            let clocks = timers.until_noncritical().unwrap();
            let asks = |timers: &Timers| timers.interrupts().fixed || timers.interrupts().programmable;
            timers.pass(clocks - 1);
            assert!(!asks(&timers), "{control:#x}");
            timers.pass(1);
            assert!(asks(&timers), "{control:#x}");
        }
    }

    #[test]
    fn a_watchdog_interrupts_and_then_resets() {
        let mut timers = Timers::default();
        timers.set_control(0x1800_0000);
        let (interrupt, reset) = (timers.until_watchdog().unwrap(), timers.until_reset().unwrap());
        timers.pass(interrupt - 1);
        assert!(!timers.interrupts().watchdog);
        timers.pass(1);
        assert!(timers.interrupts().watchdog);
        timers.pass(reset - interrupt - 1);
        assert!(!timers.asks_for_reset());
        timers.pass(1);
        assert!(timers.asks_for_reset());
    }
}
