//! Random netlists: the schedule against the interpreter, channel by channel and cycle by cycle.
//!
//! A failure prints the seed; `SPINACH_SEED=n cargo test -p spinach-engine --test proof` runs that netlist alone.

use std::sync::{Arc, Mutex};

use spinach_engine::bare::Bare;
use spinach_engine::{ChannelId, ModuleId, Observed, Observer, Part, Simulation, Time, elaborate};

use crate::support::interpreter::{Interpreter, Known, known};
use crate::support::plan::{Layout, Plan};
use crate::support::random::Random;
use crate::support::registry;

/// Netlists of each quarter: with `SPINACH_LONG=1` thousands. Under Miri, which is a thousand times slower, one small one.
fn netlists() -> u64 {
    match std::env::var_os("SPINACH_LONG") {
        _ if cfg!(miri) => 1,
        Some(_) => 2_000,
        None => 160,
    }
}

/// The size of the netlist under Miri.
const SIZE_UNDER_MIRI: usize = 5;

/// View of the interpreter at one instant: for each connection of the plan and each half of it, if its domain ticks.
struct Instant {
    time: Time,
    signals: Vec<(usize, Part, Known)>,
}

/// Everything the interpreter can say of a run.
struct Reference {
    instants: Vec<Instant>,
    ends: Vec<End>,
}

/// Final state and counters of one module of the plan.
#[derive(PartialEq, Debug)]
struct End {
    state: serde_json::Value,
    counters: Vec<u64>,
}

fn channels_of(plan: &Plan, layout: &Layout, netlist: &spinach_engine::Netlist) -> Vec<ChannelId> {
    let channel = |((module, port, lane), _): &((usize, &str, usize), _)| {
        netlist.find_channel(&layout.path(*module), port, *lane).expect("every connection has a channel")
    };
    plan.connections.iter().map(channel).collect()
}

fn modules_of(plan: &Plan, layout: &Layout, netlist: &spinach_engine::Netlist) -> Vec<ModuleId> {
    let module = |module| netlist.find_module(&layout.path(module)).expect("every module is there");
    (0..plan.modules.len()).map(module).collect()
}

fn interpret(plan: &Plan, instants: usize) -> Reference {
    let layout = Layout::plain(plan);
    let elaborated = elaborate(&plan.design(&layout), &registry()).unwrap_or_else(|error| panic!("{error}"));
    let mut interpreter = Interpreter::new(Bare::new(elaborated));
    let channels = channels_of(plan, &layout, interpreter.bare.netlist());
    let mut connection_of = vec![0; channels.len()];
    for (connection, channel) in channels.iter().enumerate() {
        connection_of[spinach_engine::Id::index(*channel)] = connection;
    }
    let instant = |(time, settled): (Time, crate::support::interpreter::Settled)| Instant {
        time,
        signals: settled
            .into_iter()
            .map(|(signal, known)| {
                (connection_of[spinach_engine::Id::index(signal.channel)], signal.part, known)
            })
            .collect(),
    };
    let instants = (0..instants).map(|_| instant(interpreter.step())).collect();
    let bare = &interpreter.bare;
    let end = |module: ModuleId| {
        let before = bare.netlist().modules.values().take(spinach_engine::Id::index(module));
        let first: usize = before.map(|node| node.declaration.counters.len()).sum();
        let count = bare.netlist().modules[module].declaration.counters.len();
        End {
            state: bare.state(module).expect("states can be read"),
            counters: bare.counters()[first..first + count].to_vec(),
        }
    };
    Reference { instants, ends: modules_of(plan, &layout, bare.netlist()).into_iter().map(end).collect() }
}

fn simulation(plan: &Plan, layout: &Layout) -> Simulation {
    let elaborated = elaborate(&plan.design(layout), &registry()).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(elaborated);
    simulation.set_check_dependencies(false);
    simulation
}

fn ends(plan: &Plan, layout: &Layout, simulation: &mut Simulation) -> Vec<End> {
    let modules = modules_of(plan, layout, simulation.netlist());
    let end = |module| {
        let names = simulation.netlist().modules[module].declaration.counters.iter().map(|(name, _)| *name);
        // One by one: each is to be up to date without the others.
        let counters = names.map(|name| simulation.counter(module, name).expect("it is declared")).collect();
        End { state: simulation.state(module).expect("states can be read"), counters }
    };
    modules.into_iter().map(end).collect()
}

// Steps from instant to instant and compares every signal that settled.
fn follow(reference: &Reference, plan: &Plan, layout: &Layout, simulation: &mut Simulation, what: &str) {
    let channels = channels_of(plan, layout, simulation.netlist());
    for instant in &reference.instants {
        simulation.run_until(instant.time.saturating_add(Time::from_femtoseconds(1)));
        for (connection, part, expected) in &instant.signals {
            let seen = known(simulation.channel(channels[*connection]), *part);
            assert!(
                seen == *expected,
                "{what}: {part:?} of {} at {}: {seen:?}, but the interpreter says {expected:?}",
                simulation.netlist().channel_name(channels[*connection]),
                instant.time,
            );
        }
    }
    compare_ends(reference, plan, layout, simulation, what);
}

fn compare_ends(
    reference: &Reference,
    plan: &Plan,
    layout: &Layout,
    simulation: &mut Simulation,
    what: &str,
) {
    let seen = ends(plan, layout, simulation);
    for (module, (seen, expected)) in seen.iter().zip(&reference.ends).enumerate() {
        let path = layout.path(module);
        assert_eq!(seen, expected, "{what}: {path}, a {}", plan.modules[module].kind);
    }
}

struct Watcher;

impl Observer for Watcher {
    fn observe(&mut self, observed: &Observed<'_>) {
        for channel in observed.netlist.channels.ids() {
            std::hint::black_box(observed.moves(channel));
        }
    }
}

/// Values that moved: the instant in femtoseconds, the channel and the words.
type Moves = Arc<Mutex<Vec<(u64, ChannelId, Vec<u64>)>>>;

/// Notes what moves through some channels, at every instant or, as a tap, only when something does.
struct Mover {
    channels: Vec<ChannelId>,
    is_tap: bool,
    moves: Moves,
}

impl Observer for Mover {
    fn channels(&self) -> Option<&[ChannelId]> {
        self.is_tap.then_some(&self.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        let time = observed.time.femtoseconds();
        let moving = self.channels.iter().filter(|channel| observed.moves(**channel));
        let moves = moving.map(|channel| (time, *channel, observed.channel(*channel).0.unwrap_or_default()));
        self.moves.lock().expect("no thread panicked").extend(moves);
    }
}

/// Values that move through some channels of a simulation, which is observed in every cycle or tapped.
fn moves(
    mut simulation: Simulation,
    channels: &[ChannelId],
    is_tap: bool,
    end: Time,
) -> Vec<(u64, ChannelId, Vec<u64>)> {
    let moves = Moves::default();
    let mover = Mover { channels: channels.to_vec(), is_tap, moves: Arc::clone(&moves) };
    simulation.add_observer(Box::new(mover));
    // Beyond what the interpreter saw, so that it comes to rest.
    simulation.run_until(end);
    drop(simulation.take_observers());
    std::mem::take(&mut *moves.lock().expect("no thread panicked"))
}

fn check(seed: u64, size: usize) {
    let mut random = Random::new(seed);
    let plan = Plan::random(&mut random, size);
    let instants = if cfg!(miri) { 10 } else { 40 + random.below(200) };
    let reference = interpret(&plan, instants);
    let plain = Layout::plain(&plan);

    let mut sleeping = simulation(&plan, &plain);
    sleeping.set_check_dependencies(true);
    follow(&reference, &plan, &plain, &mut sleeping, "sleeping, dependencies checked");

    let mut restless = simulation(&plan, &plain);
    restless.set_sleeping(false);
    follow(&reference, &plan, &plain, &mut restless, "never sleeping");

    let shuffled = Layout::shuffled(&plan, &mut random);
    follow(&reference, &plan, &shuffled, &mut simulation(&plan, &shuffled), "shuffled");

    let renamed = Layout::renamed(&plan, &mut random);
    follow(&reference, &plan, &renamed, &mut simulation(&plan, &renamed), "renamed");

    let mut observed = simulation(&plan, &renamed);
    observed.add_observer(Box::new(Watcher));
    follow(&reference, &plan, &renamed, &mut observed, "observed");

    let end = reference.instants.last().expect("there are some").time;
    let end = end.saturating_add(Time::from_femtoseconds(1));
    let channels = channels_of(&plan, &plain, simulation(&plan, &plain).netlist());
    let far = Time::from_femtoseconds(end.femtoseconds() * 3);
    for some in [channels.clone(), channels.into_iter().filter(|_| random.chance(20)).collect()] {
        let seen = [false, true].map(|is_tap| moves(simulation(&plan, &plain), &some, is_tap, far));
        assert_eq!(seen[0], seen[1], "a tap sees something else than an observer of every cycle");
    }

    let mut at_once = simulation(&plan, &plain);
    at_once.run_until(end);
    compare_ends(&reference, &plan, &plain, &mut at_once, "in one run");
    continue_in_pieces(&plan, end, &mut at_once, &mut random);
}

// Far beyond what the interpreter saw: one run, and another in pieces, saved and restored, observed and not, sleeping and not.
fn continue_in_pieces(plan: &Plan, from: Time, at_once: &mut Simulation, random: &mut Random) {
    let span = Time::from_femtoseconds(from.femtoseconds() * 5);
    let end = from.saturating_add(span);
    at_once.run_until(end);
    let mut pieces = simulation(plan, &Layout::shuffled(plan, random));
    while pieces.now() < end {
        let piece = random.draw() % (end.femtoseconds() / 4);
        pieces.run_until(pieces.now().saturating_add(Time::from_femtoseconds(piece)).min(end));
        match random.below(7) {
            0 => pieces.set_sleeping(random.chance(70)),
            1 => pieces.add_observer(Box::new(Watcher)),
            2 => drop(pieces.take_observers()),
            3 => {
                let saved = pieces.checkpoint().expect("states can be saved");
                let mut restored = simulation(plan, &Layout::plain(plan));
                // Restoring must erase the earlier state of a simulation.
                restored.run_until(Time::from_femtoseconds(random.draw() % end.femtoseconds()));
                restored.restore(&saved).expect("it is the same model");
                pieces = restored;
            }
            4 => drop(pieces.statistics().snapshot()),
            // As one does who changes single modules from outside.
            5 => {
                let modules: Vec<_> = pieces.netlist().modules.iter().map(|(module, _)| module).collect();
                modules.into_iter().filter(|_| random.chance(20)).for_each(|it| pieces.ask(it, &mut ()));
            }
            _ => {}
        }
    }
    let expected = at_once.checkpoint().expect("states can be saved");
    let seen = pieces.checkpoint().expect("states can be saved");
    assert!(seen == expected, "a run in pieces ends differently from one run");
}

// Small netlists first, so that the first failure is an easy one.
fn check_many(first_seed: u64) {
    let chosen = std::env::var("SPINACH_SEED").ok().and_then(|seed| seed.parse().ok());
    let netlists = netlists();
    for index in 0..netlists {
        let seed = first_seed + index;
        if chosen.is_some_and(|chosen: u64| chosen != seed) {
            continue;
        }
        let size = if cfg!(miri) {
            SIZE_UNDER_MIRI
        } else {
            usize::try_from(1 + index * index * 30 / (netlists * netlists)).expect("it is small")
        };
        let result = std::panic::catch_unwind(|| check(seed, size));
        assert!(result.is_ok(), "the netlist of seed {seed} with size {size} fails: SPINACH_SEED={seed}");
    }
}

#[test]
fn random_netlists_agree_with_the_interpreter_first_quarter() {
    check_many(0);
}

#[test]
fn random_netlists_agree_with_the_interpreter_second_quarter() {
    check_many(10_000);
}

#[test]
fn random_netlists_agree_with_the_interpreter_third_quarter() {
    check_many(20_000);
}

#[test]
fn random_netlists_agree_with_the_interpreter_fourth_quarter() {
    check_many(30_000);
}
