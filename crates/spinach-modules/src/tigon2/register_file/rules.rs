//! Content of the registers of a file, and its derivation.

use serde::{Deserialize, Serialize};

use super::parameters::RegisterFileParameters;

/// Place of a register in the tables below: its offset over four.
type Index = u16;

/// Write behaviour of a register.
#[derive(Clone, Copy, Debug)]
struct Writing {
    reset: u32,
    writable: u32,
    cleared_by_one: u32,
    // The register and the bits one of which must be set, or the write is ignored.
    guard: Option<(Index, u32)>,
}

/// Read behaviour of a register, if not the stored word.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Stored,
    // Some bits follow from other registers: first and last rule.
    Derived(u16, u16),
    // The index bits are stored, the others follow from another register.
    Pointer { base: Index, base_mask: u32, addend: u32, index_mask: u32 },
    // The producer, or 0 if the next step would make it equal to the consumer.
    Room { producer: Index, consumer: Index, step: u32, index_mask: u32 },
    // One side of a semaphore.
    Semaphore { number: u16, side: u8 },
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    Any,
    Differs,
    Reached,
    // The first register, a consumer, is behind the second, the reference, if it does not lie between that and this producer.
    Behind(Index),
}

#[derive(Clone, Copy, Debug)]
struct Derived {
    bits: u32,
    condition: Condition,
    first: Index,
    second: Index,
    mask: u32,
}

#[derive(Clone, Copy, Debug)]
enum Effect {
    Set,
    Clear,
    Copy,
    Reset,
    SetOnFall,
}

#[derive(Clone, Copy, Debug)]
struct Action {
    trigger: u32,
    effect: Effect,
    target: Index,
    word: u32,
}

#[derive(Clone, Copy, Debug)]
struct Timer {
    register: Index,
    prescale: Index,
    prescale_mask: u32,
}

/// Everything about the registers that does not change.
pub(super) struct Rules {
    writings: Vec<Writing>,
    readings: Vec<Reading>,
    derived: Vec<Derived>,
    // By the register whose writing triggers them.
    actions: Vec<(Index, Action)>,
    has_actions: Vec<bool>,
    timers: Vec<Timer>,
    semaphores: usize,
}

/// Content of the registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Words {
    words: Vec<u32>,
    // For each timer the cycle from which on it counts towards its next tick.
    starts: Vec<u64>,
    // For each semaphore 0 if it is free, else the number of the side that has it, from 1 on.
    owners: Vec<u8>,
}

/// Registers that a write changed, besides the written one.
pub(super) enum Affected {
    Some([Option<u16>; 2]),
    All,
}

impl Rules {
    /// Checks the tables.
    ///
    /// # Errors
    /// If a table is malformed; says which entry and what is wrong.
    pub(super) fn new(parameters: &RegisterFileParameters) -> Result<Self, String> {
        let count = usize::try_from(parameters.size.0 / 4).unwrap_or_default();
        let plain = Writing { reset: 0, writable: u32::MAX, cleared_by_one: 0, guard: None };
        let mut rules = Self {
            writings: vec![plain; count],
            readings: vec![Reading::Stored; count],
            derived: Vec::new(),
            actions: Vec::new(),
            has_actions: vec![false; count],
            timers: Vec::new(),
            semaphores: parameters.semaphores.len() / 2,
        };
        let at = |name: &str, offset: u64| index(name, offset, count);
        for [offset, reset, writable, cleared] in rows("registers", &parameters.registers)? {
            let writing = Writing {
                reset: reset as u32,
                writable: writable as u32,
                cleared_by_one: cleared as u32,
                guard: None,
            };
            rules.writings[usize::from(at("registers", offset)?)] = writing;
        }
        for [offset, guard, mask] in rows("guards", &parameters.guards)? {
            let guard = at("guards", guard)?;
            rules.writings[usize::from(at("guards", offset)?)].guard = Some((guard, mask as u32));
        }
        rules.add_derived(parameters, count)?;
        rules.add_readings(parameters, count)?;
        for [offset, trigger, effect, target, word] in rows("actions", &parameters.actions)? {
            let effect = match effect {
                0 => Effect::Set,
                1 => Effect::Clear,
                2 => Effect::Copy,
                3 => Effect::Reset,
                4 => Effect::SetOnFall,
                other => return Err(format!("actions: there is no effect {other}, only 0 to 4")),
            };
            let (offset, target) = (at("actions", offset)?, at("actions", target)?);
            let action = Action { trigger: trigger as u32, effect, target, word: word as u32 };
            rules.actions.push((offset, action));
            rules.has_actions[usize::from(offset)] = true;
        }
        for [offset, prescale, mask] in rows("timers", &parameters.timers)? {
            rules.timers.push(Timer {
                register: at("timers", offset)?,
                prescale: at("timers", prescale)?,
                prescale_mask: mask as u32,
            });
        }
        Ok(rules)
    }

    fn add_derived(&mut self, parameters: &RegisterFileParameters, count: usize) -> Result<(), String> {
        let mut sorted = Vec::new();
        for [offset, bits, condition, first, second, mask] in rows("derived", &parameters.derived)? {
            let condition = match condition {
                0 => Condition::Any,
                1 => Condition::Differs,
                2 => Condition::Reached,
                other => return Err(format!("derived: there is no condition {other}, only 0 to 2")),
            };
            let (first, second) = (index("derived", first, count)?, index("derived", second, count)?);
            let rule = Derived { bits: bits as u32, condition, first, second, mask: mask as u32 };
            sorted.push((index("derived", offset, count)?, rule));
        }
        for [offset, bits, consumer, reference, producer, mask] in rows("behind", &parameters.behind)? {
            let condition = Condition::Behind(index("behind", producer, count)?);
            let (first, second) = (index("behind", consumer, count)?, index("behind", reference, count)?);
            let rule = Derived { bits: bits as u32, condition, first, second, mask: mask as u32 };
            sorted.push((index("behind", offset, count)?, rule));
        }
        sorted.sort_by_key(|(offset, _)| *offset);
        for (offset, rule) in sorted {
            let next = self.derived.len() as u16;
            let reading = &mut self.readings[usize::from(offset)];
            *reading = match *reading {
                Reading::Derived(start, _) => Reading::Derived(start, next + 1),
                _ => Reading::Derived(next, next + 1),
            };
            self.derived.push(rule);
        }
        Ok(())
    }

    fn add_readings(&mut self, parameters: &RegisterFileParameters, count: usize) -> Result<(), String> {
        for [offset, base, base_mask, addend, index_mask] in rows("pointers", &parameters.pointers)? {
            self.readings[usize::from(index("pointers", offset, count)?)] = Reading::Pointer {
                base: index("pointers", base, count)?,
                base_mask: base_mask as u32,
                addend: addend as u32,
                index_mask: index_mask as u32,
            };
        }
        for [offset, producer, consumer, step, index_mask] in rows("rooms", &parameters.rooms)? {
            self.readings[usize::from(index("rooms", offset, count)?)] = Reading::Room {
                producer: index("rooms", producer, count)?,
                consumer: index("rooms", consumer, count)?,
                step: step as u32,
                index_mask: index_mask as u32,
            };
        }
        for (number, sides) in rows::<2>("semaphores", &parameters.semaphores)?.enumerate() {
            for (side, offset) in (1..).zip(sides) {
                let reading = &mut self.readings[usize::from(index("semaphores", offset, count)?)];
                *reading = Reading::Semaphore { number: number as u16, side };
            }
        }
        Ok(())
    }

    /// Number of registers.
    pub(super) fn count(&self) -> usize {
        self.writings.len()
    }

    /// Content of the registers after a reset, if the next cycle is `next_cycle`.
    pub(super) fn reset(&self, next_cycle: u64) -> Words {
        Words {
            words: self.writings.iter().map(|writing| writing.reset).collect(),
            starts: vec![next_cycle; self.timers.len()],
            owners: vec![0; self.semaphores],
        }
    }

    /// Read value of register number `index`.
    #[inline]
    pub(super) fn read(&self, words: &Words, index: usize) -> u32 {
        match self.readings[index] {
            Reading::Stored => words.words[index],
            Reading::Derived(first, beyond) => {
                let rules = &self.derived[usize::from(first)..usize::from(beyond)];
                rules.iter().fold(words.words[index], |word, rule| {
                    if self.holds(words, rule) { word | rule.bits } else { word & !rule.bits }
                })
            }
            Reading::Pointer { .. } => self.pointer(words, index),
            Reading::Room { producer, consumer, step, index_mask } => {
                let pointer = self.pointer(words, usize::from(producer));
                let next = pointer.wrapping_add(step) & index_mask;
                let is_full = next == self.pointer(words, usize::from(consumer)) & index_mask;
                if is_full { 0 } else { pointer }
            }
            Reading::Semaphore { number, side } => {
                u32::from(words.owners.get(usize::from(number)) == Some(&side))
            }
        }
    }

    // Derived bits follow from stored bits and from pointers, never from derived bits.
    fn pointer(&self, words: &Words, index: usize) -> u32 {
        match self.readings[index] {
            Reading::Pointer { base, base_mask, addend, index_mask } => {
                let base = words.words[usize::from(base)] & base_mask;
                base.wrapping_add(addend).wrapping_add(words.words[index] & index_mask)
            }
            _ => words.words[index],
        }
    }

    fn holds(&self, words: &Words, rule: &Derived) -> bool {
        let first = self.pointer(words, usize::from(rule.first));
        let second = || self.pointer(words, usize::from(rule.second));
        match rule.condition {
            Condition::Any => first & rule.mask != 0,
            Condition::Differs => (first ^ second()) & rule.mask != 0,
            Condition::Reached => first.wrapping_sub(second()) as i32 >= 0,
            Condition::Behind(producer) => {
                let (reference, producer) = (second(), self.pointer(words, usize::from(producer)));
                first.wrapping_sub(reference) & rule.mask > producer.wrapping_sub(reference) & rule.mask
            }
        }
    }

    /// Writes `word` to register number `index` before cycle `next_cycle`, with everything that follows. `None` if the write is
    /// ignored.
    pub(super) fn write(
        &self,
        words: &mut Words,
        index: usize,
        word: u32,
        next_cycle: u64,
    ) -> Option<Affected> {
        if let Reading::Semaphore { number, side } = self.readings[index] {
            let owner = &mut words.owners[usize::from(number)];
            *owner = match *owner {
                0 => side,
                own if own == side => 0,
                other => other,
            };
            return Some(Affected::Some([None; 2]));
        }
        let writing = &self.writings[index];
        if writing.guard.is_some_and(|(guard, mask)| words.words[usize::from(guard)] & mask == 0) {
            return None;
        }
        let stored = &mut words.words[index];
        let before = *stored;
        *stored = *stored & !writing.writable & !(writing.cleared_by_one & word) | word & writing.writable;
        for (timer, start) in self.timers.iter().zip(&mut words.starts) {
            if index == usize::from(timer.register) || index == usize::from(timer.prescale) {
                *start = next_cycle;
            }
        }
        if self.has_actions[index] {
            return Some(self.act(words, index, before, word, next_cycle));
        }
        Some(Affected::Some([None; 2]))
    }

    fn act(&self, words: &mut Words, index: usize, before: u32, word: u32, next_cycle: u64) -> Affected {
        let mut affected = [None; 2];
        for (_, action) in self.actions.iter().filter(|(trigger, _)| usize::from(*trigger) == index) {
            let triggering = if matches!(action.effect, Effect::SetOnFall) { before & !word } else { word };
            if action.trigger != 0 && triggering & action.trigger == 0 {
                continue;
            }
            let target = &mut words.words[usize::from(action.target)];
            match action.effect {
                Effect::Set | Effect::SetOnFall => *target |= action.word,
                Effect::Clear => *target &= !action.word,
                Effect::Copy => *target = *target & !action.word | word & action.word,
                Effect::Reset => {
                    *words = self.reset(next_cycle);
                    return Affected::All;
                }
            }
            if let Some(free) = affected.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(action.target);
            }
        }
        Affected::Some(affected)
    }

    /// Cycle `cycle`: lets the timers tick that are due.
    pub(super) fn tick(&self, words: &mut Words, cycle: u64) {
        for (number, timer) in self.timers.iter().enumerate() {
            if cycle >= timer.due(words, number) {
                words.starts[number] = cycle + 1;
                let word = &mut words.words[usize::from(timer.register)];
                *word = word.wrapping_add(1);
            }
        }
    }

    /// The first cycle in which a timer ticks if nothing is written before; `u64::MAX` without timers.
    pub(super) fn next_tick(&self, words: &Words) -> u64 {
        let timers = self.timers.iter().enumerate();
        timers.map(|(number, timer)| timer.due(words, number)).min().unwrap_or(u64::MAX)
    }
}

impl Timer {
    // Next tick of this timer, number `number`.
    fn due(&self, words: &Words, number: usize) -> u64 {
        let prescale = words.words[usize::from(self.prescale)] & self.prescale_mask;
        words.starts[number] + u64::from(prescale)
    }
}

impl Words {
    /// True if this can replace `other`.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.words.len() == other.words.len()
            && self.starts.len() == other.starts.len()
            && self.owners.len() == other.owners.len()
    }

    /// Changes the stored bits of register number `index`; returns true if they differ.
    pub(super) fn change(&mut self, index: usize, change: impl FnOnce(u32) -> u32) -> bool {
        let Some(word) = self.words.get_mut(index) else { return false };
        let before = std::mem::replace(word, change(*word));
        before != *word
    }
}

fn index(table: &str, offset: u64, count: usize) -> Result<Index, String> {
    if !offset.is_multiple_of(4) || offset / 4 >= count as u64 {
        return Err(format!("{table}: {offset:#x} is not the offset of a register"));
    }
    Ok((offset / 4) as Index)
}

fn rows<'a, const N: usize>(
    table: &str,
    numbers: &'a [u64],
) -> Result<impl Iterator<Item = [u64; N]> + 'a, String> {
    if !numbers.len().is_multiple_of(N) {
        return Err(format!("{table} has {} numbers, but an entry has {N}", numbers.len()));
    }
    Ok(numbers.chunks_exact(N).map(|row| std::array::from_fn(|column| row[column])))
}
