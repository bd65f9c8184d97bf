//! Counters of a hart: its event counts, and the counters that its software reads and sets.

use spinach_isa::riscv::supervisor::{Counters, interrupt};

use crate::counting::{Counted, Counter, Counting, Event, EventCounts, FIRST_COUNTER, MODES};
use crate::hart::Hart;

const CYCLE: u32 = 0xc00;
const OVERFLOWS: u32 = 0xda0;

impl Hart {
    /// Cycles in which it did not wait for an interrupt, from any beginning on.
    fn busy_cycles(&self) -> u64 {
        self.time().wrapping_sub(self.waited_cycles)
    }

    /// Counts cycles and instructions up to now. The mode may have changed since: they belong to the mode before.
    #[inline]
    pub(crate) fn count(&mut self) {
        let (instructions, cycles, mode) = (self.instructions, self.busy_cycles(), self.control.privilege);
        let before = self.counted;
        if before.is_running {
            let counted = &mut self.counting.counted[before.mode as usize];
            counted[Event::Instructions as usize] += instructions - before.instructions;
            counted[Event::Cycles as usize] += cycles.wrapping_sub(before.cycles);
        }
        self.counted = Counted { instructions, cycles, mode, is_running: before.is_running };
    }

    /// True if events of timed cores are to be added.
    pub(crate) fn counts_events(&self) -> bool {
        self.counted.is_running
    }

    /// Adds events of the instructions since the last count.
    pub(crate) fn add_events(&mut self, before: &EventCounts, after: &EventCounts) {
        let counted = &mut self.counting.counted[self.counted.mode as usize];
        for (sum, (before, after)) in counted.iter_mut().zip(before.iter().zip(after)) {
            *sum += after - before;
        }
    }

    /// Processes overflows up to the last count; returns the cycle at which the next is possible.
    pub(crate) fn overflow(&mut self) -> u64 {
        if !self.counted.is_running {
            return u64::MAX;
        }
        let time = self.time();
        let Counting { counted, counters } = &mut self.counting;
        let mut next = u64::MAX;
        for counter in counters.iter_mut() {
            let Some(at) = counter.overflows_at else { continue };
            let total = counter.total(counted);
            if total >= at {
                (counter.overflows_at, counter.has_overflowed) = (None, true);
                self.control.pending |= interrupt::COUNTER_OVERFLOW;
            } else if counter.events.iter().any(|event| matches!(event, Event::Cycles | Event::Instructions))
            {
                next = next.min(time.saturating_add(at - total));
            }
        }
        next
    }

    /// Values of counters for an instruction that reads register `number`.
    pub(crate) fn counters_for(&self, number: u32) -> Counters {
        let index = number.wrapping_sub(CYCLE) as usize;
        let event = match number {
            OVERFLOWS => self.overflows(),
            _ => index.checked_sub(FIRST_COUNTER).map_or(0, |index| self.counter(index)),
        };
        Counters { event, ..self.counters() }
    }

    /// Counters that have overflowed, as bits of `scountovf`.
    fn overflows(&self) -> u64 {
        let bits = self.counting.counters.iter().enumerate();
        bits.map(|(index, counter)| u64::from(counter.has_overflowed) << (index + FIRST_COUNTER)).sum()
    }

    /// Value of a counter, from number 0 on; 0 if there is none.
    fn counter(&self, index: usize) -> u64 {
        let Some(counter) = self.counting.counters.get(index) else { return 0 };
        if !counter.is_running {
            return counter.value;
        }
        let mut counted = self.counting.counted;
        let last = &mut counted[self.counted.mode as usize];
        last[Event::Instructions as usize] += self.instructions - self.counted.instructions;
        last[Event::Cycles as usize] += self.busy_cycles().wrapping_sub(self.counted.cycles);
        counter.value.wrapping_add(counter.total(&counted))
    }

    /// A counter, for a change. Events are counted up to now.
    fn counter_mut(&mut self, index: usize) -> Option<(&mut Counter, &[EventCounts; MODES])> {
        self.count();
        let Counting { counted, counters } = &mut self.counting;
        counters.get_mut(index).map(|counter| (counter, &*counted))
    }

    /// True if a counter is free; `None` without such a counter.
    pub(crate) fn is_free(&self, index: usize) -> Option<bool> {
        self.counting.counters.get(index).map(|counter| counter.events.is_empty())
    }

    /// Takes a counter for events.
    pub(crate) fn configure(&mut self, index: usize, events: &[Event], excluded: [bool; MODES]) {
        if let Some((counter, _)) = self.counter_mut(index) {
            (counter.events, counter.excluded) = (events.to_vec(), excluded);
        }
    }

    /// Sets the value of a stopped counter.
    pub(crate) fn set_counter(&mut self, index: usize, value: u64) {
        if let Some((counter, _)) = self.counter_mut(index)
            && !counter.is_running
        {
            counter.value = value;
        }
    }

    /// Starts a counter; false if it runs already.
    pub(crate) fn start_counter(&mut self, index: usize) -> bool {
        let Some((counter, counted)) = self.counter_mut(index) else { return false };
        let was_running = std::mem::replace(&mut counter.is_running, true);
        if !was_running {
            let total = counter.total(counted);
            counter.has_overflowed = false;
            counter.overflows_at = total.checked_add(counter.value.wrapping_neg()).filter(|at| *at > total);
            counter.value = counter.value.wrapping_sub(total);
        }
        self.counted.is_running = true;
        !was_running
    }

    /// Stops a counter, and frees it; false if it did not run.
    pub(crate) fn stop_counter(&mut self, index: usize, frees: bool) -> bool {
        let Some((counter, counted)) = self.counter_mut(index) else { return false };
        let was_running = std::mem::replace(&mut counter.is_running, false);
        if was_running {
            counter.value = counter.value.wrapping_add(counter.total(counted));
            counter.overflows_at = None;
        }
        if frees {
            *counter = Counter { value: counter.value, ..Counter::default() };
        }
        self.counted.is_running = self.counting.is_running();
        was_running
    }
}
