//! Every parameter of every kind of module, at its bounds and beyond them: a design works, or elaboration says why not. It never
//! panics, and no allocation fails.

#![allow(clippy::unwrap_used, reason = "these are tests, and a panic is how a test fails")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use spinach_engine::declaration::{Direction, Lanes};
use spinach_engine::parameter::{ParameterDeclaration, ParameterType};
use spinach_engine::{
    Declaration, Frequency, ParameterValue, Rate, Registry, Simulation, Size, Time, elaborate,
};
use support::Bench;

const CYCLES: u64 = 50;

/// A value of a type that is a number; nothing for other types, and where no frequency is that large.
fn number(parameter_type: ParameterType, value: u64) -> Option<ParameterValue> {
    Some(match parameter_type {
        ParameterType::Integer => value.into(),
        ParameterType::Size => Size(value).into(),
        ParameterType::Rate => Rate(value).into(),
        ParameterType::Time => Time::from_femtoseconds(value).into(),
        ParameterType::Frequency => Frequency::from_hertz(value).ok()?.into(),
        ParameterType::Integers => vec![value].into(),
        _ => return None,
    })
}

/// Value for a parameter without a default: 64 KiB, or the nearest bound.
fn needed(parameter: &ParameterDeclaration) -> Option<ParameterValue> {
    let (smallest, largest) = parameter.range.unwrap_or((0, u64::MAX));
    let text = || parameter.choices.first().map(|choice| (*choice).to_owned().into());
    number(parameter.parameter_type, (1u64 << 16).clamp(smallest, largest)).or_else(text)
}

/// The bounds, their neighbours, and the bounds of all numbers; other choices, and none; short and long lists.
fn probes(parameter: &ParameterDeclaration) -> Vec<ParameterValue> {
    let (smallest, largest) = parameter.range.unwrap_or((0, u64::MAX));
    let mut numbers =
        vec![smallest, largest, smallest.saturating_sub(1), largest.saturating_add(1), 0, 1, 3, u64::MAX];
    numbers.sort_unstable();
    numbers.dedup();
    let mut values: Vec<ParameterValue> =
        numbers.into_iter().filter_map(|value| number(parameter.parameter_type, value)).collect();
    values.extend(match parameter.parameter_type {
        ParameterType::Boolean => vec![false.into(), true.into()],
        ParameterType::Integers => {
            vec![Vec::<u64>::new().into(), vec![u64::MAX; 100].into(), vec![0u64; 3].into()]
        }
        ParameterType::Text => {
            let names = parameter.choices.iter().copied().chain(["", "no such choice"]);
            names.map(|name| name.to_owned().into()).collect()
        }
        ParameterType::Bytes => {
            vec![ParameterValue::Bytes(Vec::new()), ParameterValue::Bytes(vec![0xff; 10_000])]
        }
        _ => Vec::new(),
    });
    values
}

/// Simulates some cycles of a module whose inputs get nothing and whose outputs are refused now and then. Says what is wrong with it
/// if it cannot be elaborated.
fn try_out(
    registry: &Registry,
    declaration: &Declaration,
    changed: Option<(&str, &ParameterValue)>,
) -> Result<(), String> {
    let mut bench = Bench::new();
    let mut values: Vec<(&str, ParameterValue)> = Vec::new();
    for parameter in &declaration.parameters {
        let missing = || parameter.default.is_none().then(|| needed(parameter)).flatten();
        let value = changed.filter(|(name, _)| *name == parameter.name).map(|(_, value)| value.clone());
        values.extend(value.or_else(missing).map(|value| (parameter.name, value)));
    }
    let module = bench.design.module("module", declaration.kind, bench.domain, values);
    for port in &declaration.ports {
        if matches!(port.lanes, Lanes::Any | Lanes::Optional) {
            continue;
        }
        let name = format!("around_{}", port.name);
        if port.direction == Direction::Input {
            let script = [("script", Vec::<u64>::new())];
            let source = bench.design.module(name, "test_source", bench.domain, script);
            bench.design.connect((source, "output"), (module, port.name));
        } else {
            let sink = bench.design.module(name, "test_sink", bench.domain, [("stall_percent", 30u64)]);
            bench.design.connect((module, port.name), (sink, "input"));
        }
    }
    let elaborated = elaborate(&bench.design, registry).map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(elaborated);
    simulation.run_until(Time::from_femtoseconds(CYCLES * 1_000_000));
    let found = simulation.netlist().find_module("module").unwrap();
    simulation.state(found).map(drop).map_err(|error| error.to_string())
}

#[test]
#[ignore = "takes minutes: `make fuzz` runs it"]
fn no_parameter_at_its_bounds_makes_a_module_panic() {
    let registry = support::registry();
    let (mut tried, mut working, mut panicked) = (0, 0, Vec::new());
    let mut never_work = Vec::new();
    let library = spinach_modules::registry();
    for declaration in library.declarations() {
        match try_out(&registry, declaration, None) {
            Ok(()) => {}
            Err(problem) => never_work.push((declaration.kind, problem)),
        }
        for parameter in &declaration.parameters {
            for value in probes(parameter) {
                let attempt = || try_out(&registry, declaration, Some((parameter.name, &value)));
                tried += 1;
                match catch_unwind(AssertUnwindSafe(attempt)) {
                    Ok(Ok(())) => working += 1,
                    Ok(Err(problem)) => assert!(!problem.is_empty()),
                    Err(_) => panicked.push(format!("{}.{} = {value}", declaration.kind, parameter.name)),
                }
            }
        }
    }
    assert!(panicked.is_empty(), "these panicked:\n{}", panicked.join("\n"));
    println!("{working} of {tried} work; alone and with defaults, these kinds do not: {never_work:#?}");
    assert!(working > 500 && working < tried, "{working} of {tried}");
}
