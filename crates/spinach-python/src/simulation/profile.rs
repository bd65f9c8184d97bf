//! The accounts of instruction addresses, from the states of cores.

use std::collections::BTreeMap;

use serde_json::Value;

/// For each instruction address the numbers of its account.
pub(super) type Accounts = BTreeMap<u64, Vec<u64>>;

/// Adds what the state of a core shows as its profile, if it keeps one.
pub(super) fn add(state: &Value, sums: &mut Accounts) {
    let mut profile = &state["program"]["profile"];
    while let (Some(start), Some(accounts)) = (profile["start"].as_u64(), profile["accounts"].as_array()) {
        for account in accounts {
            let (Some(word), Some(numbers)) = (account[0].as_u64(), account[1].as_array()) else { continue };
            let sum = sums.entry(start + 4 * word).or_insert_with(|| vec![0; numbers.len()]);
            for (sum, number) in sum.iter_mut().zip(numbers) {
                *sum += number.as_u64().unwrap_or(0);
            }
        }
        profile = &profile["further"];
    }
}
