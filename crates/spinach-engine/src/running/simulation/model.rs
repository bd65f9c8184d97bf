//! The model that gives a state its meaning, and differences of another.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::contract::parameter::ParameterValue;
use crate::elaborating::Netlist;

/// Number of differences shown.
const SHOWN: usize = 4;
/// Beginning of the digest after a long value.
const DIGEST: &str = ", digest ";

/// Everything that gives a state its meaning, as names and values: modules, their parameters apart from those that are variable,
/// connections, clocks. The order in which they were described is not part of it.
pub(super) fn model(netlist: &Netlist) -> Vec<(String, String)> {
    let mut model = Vec::new();
    for node in netlist.modules.values() {
        model.push((node.path.clone(), node.declaration.kind.to_owned()));
        for (number, domain) in node.domains.iter().enumerate() {
            let domain = &netlist.domains[*domain];
            let (numerator, denominator) = domain.frequency.fraction();
            model.push((
                format!("clock {number} of {}", node.path),
                format!("{}, {numerator}/{denominator} Hz", domain.name),
            ));
        }
        for ((name, value), declared) in node.parameters.values.iter().zip(&node.declaration.parameters) {
            if !declared.is_variable {
                model.push((format!("{}.{name}", node.path), shown(value)));
            }
        }
    }
    for id in netlist.channels.ids() {
        let channel = format!("channel {}", netlist.channel_name(id));
        model.push((channel, netlist.channels[id].value_type.to_string()));
    }
    model
}

// Long values by their digest.
fn shown(value: &ParameterValue) -> String {
    let digest = match value {
        // A kernel has millions, and their text several times as many characters.
        ParameterValue::Bytes(bytes) => Sha256::digest(bytes),
        ParameterValue::Policy(_) | ParameterValue::Integers(_) => Sha256::digest(format!("{value:?}")),
        _ => return value.to_string(),
    };
    format!("{value}{DIGEST}{}", hexadecimal(&digest))
}

pub(super) fn fingerprint(model: &[(String, String)]) -> String {
    let mut digest = Sha256::new();
    for (name, value) in model {
        digest.update(format!("{name} = {value}\n"));
    }
    hexadecimal(&digest.finalize())
}

// The first half of a digest, which is more than enough to tell accidents apart.
pub(super) fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Differences of a model, as [`Simulation::model`](super::Simulation::model) returns it, from an earlier one, with both values. There are
/// none if a state of one is a state of the other.
///
/// Differences of what both have explain the others, apart from long values. Added and removed modules explain their parameters and
/// connections, and long values.
pub fn model_differences(then: &[(String, String)], now: &[(String, String)]) -> Vec<String> {
    let (old, new) = (values(then), values(now));
    let names: Vec<&str> = then.iter().chain(now).map(|(name, _)| name.as_str()).collect();
    let mut seen = HashSet::new();
    let other: Vec<&str> =
        names.into_iter().filter(|name| old.get(name) != new.get(name) && seen.insert(*name)).collect();
    let is_common = |name: &&str| {
        old.get(name).zip(new.get(name)).is_some_and(|(old, new)| without_digest(old) != without_digest(new))
    };
    // Names of modules and their parameters are single words.
    let is_outermost = |name: &&str| {
        let above = name.rsplit_once('.').map_or("", |(above, _)| above);
        !name.contains(' ') && old.contains_key(name) != new.contains_key(name) && !seen.contains(above)
    };
    let mut causes: Vec<&str> = other.iter().copied().filter(is_common).collect();
    if causes.is_empty() {
        causes = other.iter().copied().filter(is_outermost).collect();
    }
    let shown = if causes.is_empty() { &other } else { &causes };
    shown.iter().map(|name| difference(name, old.get(name), new.get(name))).collect()
}

fn without_digest(value: &str) -> &str {
    value.split_once(DIGEST).map_or(value, |(text, _)| text)
}

fn values(model: &[(String, String)]) -> HashMap<&str, &str> {
    model.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn difference(name: &str, then: Option<&&str>, now: Option<&&str>) -> String {
    let (Some(then), Some(now)) = (then, now) else {
        return format!("{name} {}", if then.is_none() { "was missing" } else { "is missing" });
    };
    // Integer frequencies are fractions, too.
    let [then, now] = [then, now].map(|value| without_digest(value).replace("/1 Hz", " Hz"));
    if then == now { format!("{name} had other content") } else { format!("{name} was {then} and is {now}") }
}

/// The first differences as text, and the number of the others.
pub(super) fn listed(differences: &[String]) -> String {
    let first = differences.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}
