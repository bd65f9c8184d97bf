//! The accounts of instruction addresses, from the states of cores.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// For each instruction address the numbers of its account.
pub(super) type Accounts = BTreeMap<u64, Vec<u64>>;

// A profile as the state of a core shows it: the accounts of the parcels of one range, and of further ranges.
#[derive(Deserialize)]
struct Profile {
    start: u64,
    parcel_bytes: u64,
    accounts: Vec<(u64, Vec<u64>)>,
    further: Option<Box<Self>>,
}

/// Adds what the state of a core shows as its profile, if it keeps one.
///
/// # Errors
/// If what it shows is no profile; says why.
pub(super) fn add(state: &Value, sums: &mut Accounts) -> serde_json::Result<()> {
    let mut profile = Option::<Box<Profile>>::deserialize(&state["program"]["profile"])?;
    while let Some(range) = profile {
        for (parcel, numbers) in range.accounts {
            let sum = sums
                .entry(range.start + range.parcel_bytes * parcel)
                .or_insert_with(|| vec![0; numbers.len()]);
            sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        profile = range.further;
    }
    Ok(())
}
