//! Differences of machines from those of a checkpoint, with both values.

use std::collections::BTreeMap;

use crate::machine::Configuration;
use crate::pci::function::{Description, bytes_text};

/// Number of differences shown.
const SHOWN: usize = 4;

/// A machine: its configuration and the functions on its bus.
type Described<'a> = (&'a Configuration, &'a [Description]);

/// Differences of a machine, by parameters as a user sets them.
pub(crate) fn differences(then: Described<'_>, now: Described<'_>) -> Vec<String> {
    let mut found = changed(&of_configuration(then.0), &of_configuration(now.0));
    for number in 0..then.1.len().max(now.1.len()) {
        let path = if number == 0 { "card".to_owned() } else { format!("card {}", number + 1) };
        let pair = [then.1.get(number), now.1.get(number)];
        match pair {
            [Some(then), Some(now)] if then.text == now.text => {}
            [Some(then), Some(now)] if then.kind == now.kind && then.parameters != now.parameters => {
                let of_card = changed(&then.parameters, &now.parameters);
                found.extend(of_card.iter().map(|difference| format!("{path}.{difference}")));
            }
            [Some(then), Some(now)] if then.kind == now.kind => {
                found.extend(difference(&path, [Some(&then.text), Some(&now.text)]));
            }
            _ => found.extend(difference(&path, pair.map(|card| card.map(|card| card.kind.as_str())))),
        }
    }
    if found.is_empty() {
        // It follows from others.
        let turns = [then.0, now.0].map(|it| format!("{} cycles", it.turn_cycles));
        found.extend(difference("turn of harts", turns.each_ref().map(|turn| Some(turn.as_str()))));
    }
    found
}

/// Difference of a value, if there is one.
pub(crate) fn difference(name: &str, [then, now]: [Option<&str>; 2]) -> Option<String> {
    match (then, now) {
        (then, now) if then == now => None,
        (None, _) => Some(format!("{name} was missing")),
        (_, None) => Some(format!("{name} is missing")),
        (Some(then), Some(now)) => Some(format!("{name} was {then} and is {now}")),
    }
}

/// The first differences as text, and the number of the others.
pub(crate) fn listed(differences: &[String]) -> String {
    let first = differences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}

fn of_configuration(it: &Configuration) -> BTreeMap<String, String> {
    let hertz = it.ticks_per_s.saturating_mul(it.cycles_per_tick);
    BTreeMap::from([
        ("harts".to_owned(), it.harts.to_string()),
        ("memory".to_owned(), bytes_text(it.memory_bytes)),
        ("clock".to_owned(), format!("{} MHz", hertz as f64 / 1e6)),
    ])
}

fn changed(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let added = now.keys().filter(|name| !then.contains_key(*name));
    let pair = |name: &String| [then, now].map(|values| values.get(name).map(String::as_str));
    then.keys().chain(added).filter_map(|name| difference(name, pair(name))).collect()
}
