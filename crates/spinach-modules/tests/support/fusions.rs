//! Fused modules must equal the unfused ones.

use std::sync::{Arc, Mutex};

use spinach_engine::{ChannelId, Observed, Observer, Simulation, elaborate};

use super::{Bench, Random, registry, run_to};

/// Content of every channel: the words, if any were presented, and the acknowledgement.
type Channels = Vec<(Option<Vec<u64>>, bool)>;

struct Watcher {
    seen: Arc<Mutex<Vec<Channels>>>,
    /// All channels by name; `None` if it does not say which it looks at.
    named: Option<Vec<ChannelId>>,
}

impl Observer for Watcher {
    fn looks_at(&self) -> Option<&[ChannelId]> {
        self.named.as_deref()
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        let channels = observed.netlist.channels.ids().map(|channel| observed.channel(channel));
        self.seen.lock().expect("no thread panicked").push(channels.collect());
    }
}

fn simulation(bench: &Bench, is_fused: bool, prepare: impl Fn(&mut Simulation)) -> Simulation {
    let elaborated = elaborate(&bench.design, &registry()).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(elaborated);
    prepare(&mut simulation);
    simulation.set_fusing(is_fused);
    simulation.set_check_dependencies(false);
    simulation
}

fn channels(simulation: &mut Simulation) -> Channels {
    let channels: Vec<ChannelId> = simulation.netlist().channels.ids().collect();
    channels.into_iter().map(|channel| simulation.channel(channel)).collect()
}

fn names(simulation: &Simulation) -> Vec<String> {
    let netlist = simulation.netlist();
    netlist.channels.ids().map(|channel: ChannelId| netlist.channel_name(channel)).collect()
}

fn assert_same_channels(cycle: u64, names: &[String], fused: &Channels, single: &Channels) {
    for (name, (fused, single)) in names.iter().zip(fused.iter().zip(single)) {
        assert_eq!(fused, single, "after cycle {cycle}, {name}");
    }
}

fn assert_same_counters(fused: &mut Simulation, single: &mut Simulation) {
    let counters = |simulation: &mut Simulation| simulation.statistics().iter().collect::<Vec<_>>();
    assert_eq!(counters(fused), counters(single));
}

fn assert_same(fused: &mut Simulation, single: &mut Simulation) {
    assert_same_counters(fused, single);
    let modules: Vec<_> = fused.netlist().modules.ids().collect();
    for module in modules {
        let path = &fused.netlist().modules[module].path.clone();
        assert_eq!(fused.state(module), single.state(module), "the state of {path}");
    }
    let saved = |simulation: &mut Simulation| simulation.checkpoint().expect("every state can be saved");
    assert_eq!(saved(fused), saved(single));
}

/// Compares fused modules with the same modules unfused: every channel after every cycle, also as observers see it, every counter
/// and state, awake and asleep, in one piece and cycle by cycle, and across checkpoints from one to the other.
///
/// Returns the names of those that do.
pub(crate) fn assert_equal_to_single(bench: &Bench, cycles: u64) -> Vec<Vec<String>> {
    assert_equal_when_prepared(bench, cycles, |_| ())
}

/// The same after `prepare` has given memories what they hold at the beginning.
pub(crate) fn assert_equal_when_prepared(
    bench: &Bench,
    cycles: u64,
    prepare: impl Fn(&mut Simulation),
) -> Vec<Vec<String>> {
    let simulation = |is_fused| {
        let mut simulation = simulation(bench, is_fused, &prepare);
        // Checkpoints are equal only if the same periods are skipped.
        simulation.set_idle_skip(false);
        simulation
    };
    let (mut fused, mut single) = (simulation(true), simulation(false));
    let (names, fusions) = (names(&fused), fused.fusions());
    for cycle in 1..=cycles {
        run_to(&mut fused, cycle);
        run_to(&mut single, cycle);
        assert_same_channels(cycle, &names, &channels(&mut fused), &channels(&mut single));
        if cycle == cycles / 2 {
            let (from_fused, from_single) = (fused.checkpoint(), single.checkpoint());
            let (from_fused, from_single) =
                (from_fused.expect("it is saved"), from_single.expect("it is saved"));
            assert_eq!(from_fused, from_single);
            fused.restore(&from_single).expect("it is one of this design");
            single.restore(&from_fused).expect("it is one of this design");
        }
        if cycle == cycles / 3 {
            // And back, two cycles later.
            fused.set_fusing(false);
        } else if cycle == cycles / 3 + 2 {
            fused.set_fusing(true);
        }
    }
    assert_same(&mut fused, &mut single);
    for sleeping in [true, false] {
        let [fused, single] = [true, false].map(|is_fused| {
            let mut simulation = simulation(is_fused);
            simulation.set_sleeping(sleeping);
            let seen: Arc<Mutex<Vec<Channels>>> = Arc::default();
            run_to(&mut simulation, cycles / 3);
            let named = (!sleeping).then(|| simulation.netlist().channels.ids().collect());
            simulation.add_observer(Box::new(Watcher { seen: Arc::clone(&seen), named }));
            run_to(&mut simulation, cycles / 3 * 2);
            drop(simulation.take_observers());
            run_to(&mut simulation, cycles);
            assert_same(&mut simulation, &mut single);
            let seen = seen.lock().expect("no thread panicked");
            seen.clone()
        });
        for (cycle, (fused, single)) in (cycles / 3..).zip(fused.iter().zip(&single)) {
            assert_same_channels(cycle, &names, fused, single);
        }
    }
    fusions
}

/// Compares fused modules with the same modules unfused some cycles after an instruction has been replaced. Before that something may
/// look at them after every cycle.
pub(crate) fn assert_equal_after_change(
    bench: &Bench,
    program: &[u8],
    is_watched: bool,
    (cycle, place, word): (u64, u64, u32),
) {
    let [mut fused, mut single] = [true, false].map(|is_fused| {
        let mut simulation = simulation(bench, is_fused, |_| ());
        let instructions = simulation.netlist().find_module("instructions").expect("it is there");
        let core = simulation.netlist().find_module("core").expect("it is there");
        let write = |simulation: &mut Simulation, place, bytes: &[u8]| {
            assert!(simulation.contents(instructions).expect("it holds bytes").write(place, bytes));
        };
        write(&mut simulation, 0, program);
        for cycle in (1..cycle).filter(|_| is_watched) {
            run_to(&mut simulation, cycle);
            assert!(simulation.state(core).is_ok());
        }
        run_to(&mut simulation, cycle);
        write(&mut simulation, place, &word.to_le_bytes());
        run_to(&mut simulation, cycle + 40);
        simulation
    });
    assert_same(&mut fused, &mut single);
}

/// Compares a fusion whose core is suspended while it polls with the same modules unfused: every channel and counter, and registers,
/// history and profile of the core, in pieces of random length. The rest of the state is equal but for the places of a table.
pub(crate) fn assert_polls_as_single(bench: &Bench, cycles: u64, random: &mut Random) {
    let [mut fused, mut single] = [true, false].map(|is_fused| simulation(bench, is_fused, |_| ()));
    let names = names(&fused);
    let [core, mover] = ["core", "mover"].map(|name| fused.netlist().find_module(name).expect("it is there"));
    let program = |simulation: &mut Simulation| {
        let [mut core, mut mover] = [core, mover].map(|module| simulation.state(module).expect("it has one"));
        // A single mover that sleeps does not count cycles.
        mover["next_cycle"].take();
        (core["program"].take(), mover)
    };
    let mut cycle = 0;
    while cycle < cycles {
        cycle += 1 + random.below(cycles / 6);
        run_to(&mut fused, cycle);
        run_to(&mut single, cycle);
        assert_same_channels(cycle, &names, &channels(&mut fused), &channels(&mut single));
        assert_same_counters(&mut fused, &mut single);
        assert!(program(&mut fused) == program(&mut single), "after cycle {cycle}");
        if random.below(4) == 0 {
            single.restore(&fused.checkpoint().expect("it is saved")).expect("it is one of this design");
        }
    }
}

/// Compares fused modules with the same modules unfused at the ends of pieces of random length, if anything looks there: every channel,
/// counter and state. Now and then bytes of `memory`, or of `instructions` if they change, are replaced from outside. Returns the names of
/// those that are fused.
pub(crate) fn assert_equal_in_pieces(
    bench: &Bench,
    cycles: u64,
    instructions_change: bool,
    random: &mut Random,
) -> Vec<Vec<String>> {
    // Checkpoints are equal only if the same periods are skipped.
    let prepare = |simulation: &mut Simulation| simulation.set_idle_skip(false);
    let [mut fused, mut single] = [true, false].map(|is_fused| simulation(bench, is_fused, prepare));
    let (names, fusions) = (names(&fused), fused.fusions());
    let longest = [3, 40, 400][random.below(3) as usize];
    let mut cycle = 0;
    while cycle < cycles {
        cycle += 1 + random.below(longest);
        run_to(&mut fused, cycle);
        run_to(&mut single, cycle);
        // Data at random, and instructions that do nothing: zeros, or half of RV32's.
        for (name, bytes) in
            [("memory", random.next().to_le_bytes()), ("instructions", [0, 0, 0, 0, 1, 0, 1, 0])]
        {
            if random.below(3) != 0 || name == "instructions" && !instructions_change {
                continue;
            }
            let (place, half) = (4 * random.below(96), 4 * random.below(2) as usize);
            for simulation in [&mut fused, &mut single] {
                let memory = simulation.netlist().find_module(name).expect("it is there");
                let contents = simulation.contents(memory).expect("it holds bytes");
                assert!(contents.write(place, &bytes[half..half + 4]));
            }
        }
        if random.below(2) == 0 {
            continue;
        }
        assert_same_channels(cycle, &names, &channels(&mut fused), &channels(&mut single));
        assert_same_counters(&mut fused, &mut single);
        if random.below(8) == 0 {
            assert_same(&mut fused, &mut single);
            single.restore(&fused.checkpoint().expect("it is saved")).expect("it is one of this design");
        }
    }
    assert_same(&mut fused, &mut single);
    fusions
}
