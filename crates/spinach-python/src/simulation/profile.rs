//! The accounts of instruction addresses, from the states of cores.

use serde::Deserialize;
use serde_json::Value;
use spinach_engine::{ModuleId, Simulation};
use spinach_modules::processor::accounts::RUNNING_CAUSES;
use spinach_modules::processor::debugging::{Answer, Question, Request};
use spinach_modules::processor::profile::{AccountSums, AddressAccount};

/// Sums of accounts as bytes, which Python unpacks when it reads them, as a run takes many and reads few: each address in order, and its
/// numbers (completions, cycles by cause, accesses), as 64-bit little-endian integers.
pub(super) fn packed(sums: &AccountSums) -> Vec<u8> {
    let mut packed = Vec::with_capacity(sums.iter().len() * size_of::<(u64, AddressAccount)>());
    for (address, account) in sums.iter() {
        let numbers: [u64; RUNNING_CAUSES + 2] = (*account).into();
        packed.extend_from_slice(&address.to_le_bytes());
        packed.extend_from_slice(numbers.map(u64::to_le_bytes).as_flattened());
    }
    packed
}

// A profile as the state of a core shows it: the accounts of the parcels of one range, and of further ranges.
#[derive(Deserialize)]
struct Profile {
    start: u64,
    parcel_bytes: u64,
    accounts: Vec<(u64, AddressAccount)>,
    further: Option<Box<Self>>,
}

/// Adds the accounts of a core, if it answers questions; false if it does not.
pub(super) fn add_answered(engine: &mut Simulation, core: ModuleId, sums: &mut AccountSums) -> bool {
    let mut request = Request { question: Question::Accounts(std::mem::take(sums)), answer: None };
    engine.ask(core, &mut request);
    if let Question::Accounts(added) = request.question {
        *sums = added;
    }
    request.answer.is_some()
}

/// First cycle that the accounts of a core do not hold, if they are ahead of its counters.
pub(super) fn accounted_until(engine: &mut Simulation, core: ModuleId) -> u64 {
    match asked(engine, core, Question::AccountedUntil) {
        Some(Answer::Cycle(cycle)) => cycle,
        _ => 0,
    }
}

/// True if a core answers that it keeps no accounts by calls.
pub(super) fn has_no_calls(engine: &mut Simulation, core: ModuleId) -> bool {
    matches!(asked(engine, core, Question::Calls), Some(Answer::Refused))
}

fn asked(engine: &mut Simulation, core: ModuleId, question: Question) -> Option<Answer> {
    let mut request = Request { question, answer: None };
    engine.ask(core, &mut request);
    request.answer
}

/// Adds the profile in the state of a core, if it keeps one.
///
/// # Errors
/// If it does not show a profile; with the reason.
pub(super) fn add(state: &Value, sums: &mut AccountSums) -> serde_json::Result<()> {
    let mut profile = Option::<Box<Profile>>::deserialize(&state["program"]["profile"])?;
    while let Some(range) = profile {
        let address = |parcel| range.start + range.parcel_bytes * parcel;
        sums.add(range.accounts.into_iter().map(|(parcel, account)| (address(parcel), account)));
        profile = range.further;
    }
    Ok(())
}

/// A core's accounts by calls.
///
/// First its contexts: the number of the caller's, which comes before, the place that called, the function that it called, the number of
/// such calls. The first is code without a caller. Then accounts, each with the number of its context and its address.
pub(super) type CallAccounts = (Vec<(usize, u64, u64, u64)>, Vec<(usize, u64, Vec<u64>)>);

// Accounts by calls as the state of a core shows them.
#[derive(Deserialize)]
struct Calls {
    contexts: Vec<Context>,
    current: usize,
    waiting: Vec<(u64, Vec<u64>)>,
    accounts: Vec<(usize, u64, Vec<u64>)>,
}

#[derive(Deserialize)]
struct Context {
    parent: usize,
    site: u64,
    entry: u64,
    count: u64,
}

/// The accounts by calls in the state of a core; empty if it keeps none. Cycles of instructions that have not completed belong to the
/// function that the core is in.
///
/// # Errors
/// If it does not show call counts; with the reason.
pub(super) fn calls(state: &Value) -> serde_json::Result<CallAccounts> {
    let Some(calls) = Option::<Calls>::deserialize(&state["program"]["calls"])? else {
        return Ok(Default::default());
    };
    let Calls { contexts, current, waiting, mut accounts } = calls;
    accounts.extend(waiting.into_iter().map(|(pc, cycles)| {
        // No instruction, cycles by cause, no access.
        (current, pc, [0].into_iter().chain(cycles).chain([0]).collect())
    }));
    let contexts = contexts.into_iter().map(|it| (it.parent, it.site, it.entry, it.count)).collect();
    Ok((contexts, accounts))
}
