//! Call graph: accounts of instructions by the calls that led to them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::accounts::{Cause, RUNNING_CAUSES};
use super::profile::AddressAccount;

/// Deeper calls, and calls beyond this number of contexts, or of callers of all contexts, belong to the last known function.
const DEEPEST: u32 = 250;
const MOST_CONTEXTS: usize = 1 << 16;
const MOST_CALLERS: u64 = 1 << 20;
/// Number of instructions whose cycles are kept until they complete. Those on a wrong path never do.
const MOST_WAITING: usize = 32;

/// Control transfer of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Flow {
    /// Step to the next instruction, or within the function.
    Within,
    /// Call with a return address.
    Call { return_address: u64 },
    /// Jump to a register, or return from an exception: a return, if the call graph has a matching call.
    Back,
}

/// A function, called from one place in one context.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Context {
    parent: u32,
    /// The instruction that called; the first address of the function.
    site: u64,
    entry: u64,
    return_address: u64,
    depth: u32,
    /// Number of calls.
    count: u64,
}

/// Control is about to arrive somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Departure {
    site: u64,
    flow: Flow,
    /// Number of instructions still before it, or bundles: delay slots.
    slots: u32,
}

/// The stack of calls of a core as far as it is known, and the accounts by it. Completed instructions belong to the context
/// in which they complete, cycles to that in which the instruction completes that they were counted on, or has completed if it
/// is a load that left the memory stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "SavedCalls", from = "SavedCalls")]
pub(super) struct Calls {
    /// Contexts; the first is code without a caller.
    contexts: Vec<Context>,
    known: HashMap<(u32, u64, u64), u32>,
    /// Sum of their depths.
    callers: u64,
    current: u32,
    departure: Option<Departure>,
    waiting: Vec<(u64, [u64; RUNNING_CAUSES])>,
    accounts: HashMap<(u32, u64), AddressAccount>,
}

/// [`Calls`] as they are shown and saved.
#[derive(Serialize, Deserialize)]
struct SavedCalls {
    contexts: Vec<Context>,
    current: u32,
    departure: Option<Departure>,
    waiting: Vec<(u64, [u64; RUNNING_CAUSES])>,
    accounts: Vec<(u32, u64, AddressAccount)>,
}

impl From<Calls> for SavedCalls {
    fn from(calls: Calls) -> Self {
        let Calls { contexts, current, departure, waiting, accounts, .. } = calls;
        let mut accounts: Vec<_> =
            accounts.into_iter().map(|((context, pc), account)| (context, pc, account)).collect();
        // A checkpoint does not depend on the order in a hash table.
        accounts.sort_unstable_by_key(|(context, pc, _)| (*context, *pc));
        Self { contexts, current, departure, waiting, accounts }
    }
}

impl From<SavedCalls> for Calls {
    fn from(saved: SavedCalls) -> Self {
        let SavedCalls { mut contexts, mut current, departure, waiting, accounts } = saved;
        // Parents come first in every state that was saved. A damaged one must not make a circle.
        let is_sound = contexts
            .iter()
            .enumerate()
            .all(|(number, context)| number == 0 || (context.parent as usize) < number);
        if !is_sound || current as usize >= contexts.len() {
            (contexts, current) = (vec![ROOT], 0);
        }
        let keys = contexts.iter().zip(0..).skip(1);
        let known =
            keys.map(|(context, number)| ((context.parent, context.site, context.entry), number)).collect();
        let accounts = accounts.into_iter().map(|(context, pc, account)| ((context, pc), account)).collect();
        let callers = contexts.iter().map(|context| u64::from(context.depth)).sum();
        Self { contexts, known, callers, current, departure, waiting, accounts }
    }
}

const ROOT: Context = Context { parent: 0, site: 0, entry: 0, return_address: 0, depth: 0, count: 0 };

impl Calls {
    pub(super) fn new() -> Self {
        Self {
            contexts: vec![ROOT],
            known: HashMap::new(),
            callers: 0,
            current: 0,
            departure: None,
            waiting: Vec::new(),
            accounts: HashMap::new(),
        }
    }

    /// Number of the present context.
    pub(super) fn current(&self) -> u32 {
        self.current
    }

    /// Counts cycles on the instruction at `pc`, which has completed in the context `completed_in` if there is one.
    pub(super) fn spend(&mut self, pc: u64, cause: Cause, cycles: u64, completed_in: Option<u32>) {
        let Some(place) = ((cause as usize) < RUNNING_CAUSES).then_some(cause as usize) else { return };
        if let Some(context) = completed_in {
            self.accounts.entry((context, pc)).or_default().cycles[place] += cycles;
            return;
        }
        if let Some((_, waiting)) = self.waiting.iter_mut().find(|(waiting, _)| *waiting == pc) {
            waiting[place] += cycles;
            return;
        }
        if self.waiting.len() == MOST_WAITING {
            let (pc, cycles) = self.waiting.remove(0);
            self.account(pc, |account| add(&mut account.cycles, &cycles));
        }
        let mut booked = [0; RUNNING_CAUSES];
        booked[place] = cycles;
        self.waiting.push((pc, booked));
    }

    /// Control has come to the instruction or the bundle at `pc`, which completes.
    pub(super) fn reach(&mut self, pc: u64) {
        match &mut self.departure {
            Some(departure) if departure.slots > 0 => departure.slots -= 1,
            Some(_) => self.arrive(pc),
            None => {}
        }
        if let Some(place) = self.waiting.iter().position(|(waiting, _)| *waiting == pc) {
            let (_, cycles) = self.waiting.swap_remove(place);
            self.account(pc, |account| add(&mut account.cycles, &cycles));
        }
    }

    /// Counts the completion of the instruction at `pc`, which was reached, or its bundle. It passes control on after `slots` more
    /// instructions or bundles.
    pub(super) fn complete(&mut self, pc: u64, accesses_memory: bool, flow: Flow, slots: u32) {
        self.account(pc, |account| {
            account.instructions += 1;
            account.accesses += u64::from(accesses_memory);
        });
        if flow != Flow::Within {
            self.departure = Some(Departure { site: pc, flow, slots });
        }
    }

    /// An exception is entered before the instruction at `pc` has completed.
    pub(super) fn interrupt(&mut self, pc: u64) {
        match self.departure.take() {
            Some(departure) if departure.slots == 0 => {
                self.departure = Some(departure);
                self.arrive(pc);
            }
            // The branch is executed again.
            _ => {}
        }
        self.departure = Some(Departure { site: pc, flow: Flow::Call { return_address: pc }, slots: 0 });
    }

    fn account(&mut self, pc: u64, change: impl FnOnce(&mut AddressAccount)) {
        change(self.accounts.entry((self.current, pc)).or_default());
    }

    // Control has gone to `pc`.
    fn arrive(&mut self, pc: u64) {
        let Some(Departure { site, flow, .. }) = self.departure.take() else { return };
        match flow {
            // A call that is not taken, or that only asks where it is.
            Flow::Call { return_address } if return_address == pc && site != pc => {}
            Flow::Call { return_address } => self.enter(site, pc, return_address),
            Flow::Back => self.leave(pc),
            Flow::Within => {}
        }
    }

    fn enter(&mut self, site: u64, entry: u64, return_address: u64) {
        let parent = self.current;
        let key = (parent, site, entry);
        if let Some(known) = self.known.get(&key) {
            self.current = *known;
            self.contexts[*known as usize].count += 1;
            return;
        }
        let depth = self.contexts[parent as usize].depth + 1;
        let callers = self.callers + u64::from(depth);
        if depth > DEEPEST || self.contexts.len() == MOST_CONTEXTS || callers > MOST_CALLERS {
            return;
        }
        self.callers = callers;
        self.current = self.contexts.len() as u32;
        self.contexts.push(Context { parent, site, entry, return_address, depth, count: 1 });
        self.known.insert(key, self.current);
    }

    // All functions above the caller that waits at `pc` have returned too.
    fn leave(&mut self, pc: u64) {
        let mut number = self.current;
        while number != 0 {
            let context = &self.contexts[number as usize];
            if context.return_address == pc {
                self.current = context.parent;
                return;
            }
            number = context.parent;
        }
    }

    /// Replays the counts since `earlier` n times.
    pub(super) fn repeat(&mut self, earlier: &Self, times: u64) {
        for (number, context) in self.contexts.iter_mut().enumerate() {
            let before = earlier.contexts.get(number).map_or(0, |before| before.count);
            context.count += (context.count - before) * times;
        }
        for (key, account) in &mut self.accounts {
            let before = earlier.accounts.get(key).copied().unwrap_or_default();
            account.instructions += (account.instructions - before.instructions) * times;
            account.accesses += (account.accesses - before.accesses) * times;
            for (cycles, before) in account.cycles.iter_mut().zip(before.cycles) {
                *cycles += (*cycles - before) * times;
            }
        }
    }
}

fn add(sums: &mut [u64; RUNNING_CAUSES], more: &[u64; RUNNING_CAUSES]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(calls: &Calls, context: u32, pc: u64) -> (u64, u64) {
        let account = calls.accounts.get(&(context, pc)).copied().unwrap_or_default();
        (account.instructions, account.cycles.iter().sum())
    }

    fn call(to: u64) -> Flow {
        Flow::Call { return_address: to }
    }

    fn complete(calls: &mut Calls, pc: u64, accesses_memory: bool, flow: Flow, slots: u32) {
        calls.reach(pc);
        calls.complete(pc, accesses_memory, flow, slots);
    }

    #[test]
    fn a_function_has_an_account_for_each_way_to_it() {
        let mut calls = Calls::new();
        for site in [0x100, 0x200] {
            complete(&mut calls, site, false, call(site + 8), 1);
            calls.spend(0x1000, Cause::Load, 3, None); // before the delay slot has completed
            complete(&mut calls, site + 4, false, Flow::Within, 0);
            complete(&mut calls, 0x1000, true, Flow::Back, 1);
            complete(&mut calls, 0x1004, false, Flow::Within, 0);
            complete(&mut calls, site + 8, false, Flow::Within, 0);
        }
        assert_eq!(calls.contexts.len(), 3);
        assert_eq!(calls.contexts.iter().map(|context| context.count).collect::<Vec<_>>(), [0, 1, 1]);
        for (context, site) in [(1, 0x100), (2, 0x200)] {
            assert_eq!((at(&calls, context, 0x1000), at(&calls, context, 0x1004)), ((1, 3), (1, 0)));
            assert_eq!((at(&calls, 0, site), at(&calls, 0, site + 4)), ((1, 0), (1, 0)));
            assert_eq!(at(&calls, 0, site + 8), (1, 0));
        }
    }

    #[test]
    fn bundles_are_reached_and_their_instructions_complete() {
        let mut calls = Calls::new();
        calls.reach(0x100);
        calls.complete(0x100, false, call(0x110), 1);
        calls.complete(0x108, false, Flow::Within, 0);
        calls.spend(0x104, Cause::Pipeline, 2, None);
        calls.reach(0x104);
        calls.complete(0x104, true, Flow::Within, 0);
        calls.complete(0x10c, true, Flow::Within, 0);
        assert_eq!((calls.current, at(&calls, 0, 0x104)), (0, (1, 2)));
        calls.reach(0x1000); // an empty bundle
        assert_eq!(calls.current, 1);
    }

    #[test]
    fn cycles_of_completed_loads_belong_to_the_context_of_these() {
        let mut calls = Calls::new();
        complete(&mut calls, 0x100, false, call(0x104), 0);
        complete(&mut calls, 0x1000, true, Flow::Back, 0);
        let completed_in = calls.current();
        complete(&mut calls, 0x104, false, Flow::Within, 0);
        calls.spend(0x1000, Cause::Load, 5, Some(completed_in));
        complete(&mut calls, 0x200, false, call(0x204), 0);
        calls.spend(0x1000, Cause::Conflict, 7, None);
        complete(&mut calls, 0x1000, true, Flow::Back, 0);
        assert_eq!((at(&calls, 1, 0x1000), at(&calls, 2, 0x1000)), ((1, 5), (1, 7)));
    }

    #[test]
    fn contexts_have_a_limited_number_of_callers() {
        let mut calls = Calls::new();
        (1..DEEPEST).for_each(|_| complete(&mut calls, 0x100, false, call(0x104), 0));
        for site in (0x1_0000..0x2_0000).step_by(8) {
            complete(&mut calls, site, false, call(site + 4), 0);
            complete(&mut calls, 0x2_0000, false, Flow::Back, 0);
            complete(&mut calls, site + 4, false, Flow::Within, 0);
        }
        let callers: u64 = calls.contexts.iter().map(|context| u64::from(context.depth)).sum();
        assert!((MOST_CALLERS - u64::from(DEEPEST)..=MOST_CALLERS).contains(&callers));
        let restored: Calls = serde_json::from_value(serde_json::to_value(&calls).unwrap()).unwrap();
        assert_eq!((calls.callers, restored.callers), (callers, callers));
    }

    #[test]
    fn interrupts_are_calls_and_calls_to_the_next_instruction_are_not() {
        let mut calls = Calls::new();
        complete(&mut calls, 0x100, false, call(0x104), 0);
        complete(&mut calls, 0x104, false, Flow::Within, 0);
        assert_eq!(calls.current, 0);
        complete(&mut calls, 0x108, false, call(0x10c), 0);
        calls.interrupt(0x1000);
        complete(&mut calls, 0x8000, false, Flow::Back, 0);
        assert_eq!(calls.contexts[calls.contexts[2].parent as usize].entry, 0x1000);
        complete(&mut calls, 0x1000, false, Flow::Back, 0);
        assert_eq!(calls.current, 1);
        complete(&mut calls, 0x10c, false, Flow::Within, 0);
        assert_eq!(calls.current, 0);
    }

    #[test]
    fn recursion_ends_and_a_return_past_several_callers_leaves_them_all() {
        let mut calls = Calls::new();
        for _ in 0..1000 {
            complete(&mut calls, 0x100, false, call(0x104), 0);
        }
        assert_eq!(calls.contexts.len() as u32, DEEPEST + 1);
        let mut calls = Calls::new();
        complete(&mut calls, 0x10, false, call(0x14), 0);
        complete(&mut calls, 0x100, false, call(0x104), 0);
        complete(&mut calls, 0x200, false, Flow::Back, 0);
        complete(&mut calls, 0x14, false, Flow::Within, 0);
        assert_eq!(calls.current, 0);
    }

    #[test]
    fn nothing_booked_is_lost_and_all_comes_back_as_it_was_saved() {
        let mut calls = Calls::new();
        for pc in 0..1000 {
            calls.spend(pc, Cause::Pipeline, 2, None);
            calls.spend(pc, Cause::Halted, 9, None);
        }
        complete(&mut calls, 999, false, Flow::Within, 0);
        let saved = serde_json::to_value(&calls).unwrap();
        let restored: Calls = serde_json::from_value(saved.clone()).unwrap();
        assert_eq!(serde_json::to_value(&restored).unwrap(), saved);
        let booked: u64 =
            restored.accounts.values().map(|account| account.cycles[Cause::Pipeline as usize]).sum();
        let waiting: u64 = restored.waiting.iter().map(|(_, cycles)| cycles.iter().sum::<u64>()).sum();
        assert_eq!(booked + waiting, 2000);
        let earlier = calls.clone();
        complete(&mut calls, 5, true, Flow::Within, 0);
        calls.repeat(&earlier, 9);
        assert_eq!(calls.accounts[&(0, 5)].instructions, 10);
    }
}
