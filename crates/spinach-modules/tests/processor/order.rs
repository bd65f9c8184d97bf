//! Actions of cores that run ahead do not depend on sleeping, fusing or the order in which a system is described.

use std::collections::BTreeMap;

use spinach_engine::{ModuleId, ParameterValue, Simulation, Size, elaborate};
use spinach_modules::values::{Access, Reference, all_enabled};

use crate::random_programs::{VECTOR, image};
use crate::support::{Bench, Random, registry, run_to, script};

/// Data of the programs, in banks behind a crossbar.
const DATA: u64 = 0x8000;
const DATA_BYTES: u64 = 0x200;
const CYCLES: u64 = 900;

type Parameters = Vec<(&'static str, ParameterValue)>;
type End = (String, &'static str, usize);

/// A system as data, to be described in any order.
#[derive(Default)]
struct Plan {
    modules: Vec<(String, &'static str, Parameters)>,
    connections: Vec<(End, End)>,
    code: Vec<u8>,
    data: Vec<u8>,
    banks: u64,
}

impl Plan {
    fn add(&mut self, name: impl Into<String>, kind: &'static str, parameters: Parameters) {
        self.modules.push((name.into(), kind, parameters));
    }

    fn connect(&mut self, from: (&str, &'static str, usize), to: (&str, &'static str, usize)) {
        let end = |(name, port, lane): (&str, &'static str, usize)| (name.to_owned(), port, lane);
        self.connections.push((end(from), end(to)));
    }
}

/// Any reference of a device to the data of the programs.
fn reference(random: &mut Random) -> Reference {
    let size = [1, 2, 4, 4][random.below(4) as usize];
    let access = [Access::Read, Access::Read, Access::Write, Access::Set][random.below(4) as usize];
    Reference {
        address: DATA + random.below(0x80) / u64::from(size) * u64::from(size),
        access,
        size: if access == Access::Set { 4 } else { size },
        enables: all_enabled(size),
        source: 9,
        data: random.next().into(),
    }
}

/// Some cores that execute one program, which stores to the data that others load, from a separate memory; and devices that refer
/// to the same data.
fn plan(random: &mut Random) -> Plan {
    let mut plan = Plan::default();
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let words = image(random, true);
    let (code, data) = words.split_at(DATA as usize / 4);
    (plan.code, plan.data) = (bytes(code), bytes(data));
    plan.banks = [1, 2, 4][random.below(3) as usize];
    let (cores, devices) = (1 + random.below(4) as usize, random.below(3) as usize);
    plan.add("code", "multiported_memory", vec![("size", Size(DATA).into())]);
    let crossbar: Parameters = vec![
        ("bases", vec![DATA].into()),
        ("sizes", vec![DATA_BYTES].into()),
        ("interleave", vec![plan.banks].into()),
        ("addressing", "banked".into()),
    ];
    plan.add("crossbar", "crossbar", crossbar);
    for bank in 0..plan.banks {
        let name = format!("bank{bank}");
        let base = if plan.banks == 1 { DATA } else { 0 };
        // Watched memory is out of reach, so that references to it go through the ports.
        let watch = if random.below(3) == 0 { vec![base + 8, 8_u64] } else { Vec::new() };
        let parameters: Parameters = vec![
            ("size", Size(DATA_BYTES / plan.banks).into()),
            ("base", base.into()),
            ("latency", (1 + random.below(3) as u32).into()),
            ("watch", watch.into()),
        ];
        plan.add(&*name, "multiported_memory", parameters);
        plan.connect(("crossbar", "target_request", bank as usize), (&name, "port_request", 0));
        plan.connect((&name, "port_response", 0), ("crossbar", "target_response", bank as usize));
    }
    for core in 0..cores {
        // Names in another order than numbers.
        let name = format!("core{}", (core + 3) * 7 % 11);
        let quantum = [0, 1, 2, 3, 5, 17, 64, 500][random.below(8) as usize];
        let parameters: Parameters = vec![
            ("identity", (core as u32).into()),
            ("on_fault", "halt".into()),
            ("exception_vector", VECTOR.into()),
            ("quantum", (quantum as u32).into()),
            ("history", [16_u32, 100][random.below(2) as usize].into()),
        ];
        plan.add(&*name, "functional_core", parameters);
        plan.connect((&name, "fetch_request", 0), ("code", "port_request", core));
        plan.connect(("code", "port_response", core), (&name, "fetch_response", 0));
        plan.connect((&name, "data_request", 0), ("crossbar", "initiator_request", core));
        plan.connect(("crossbar", "initiator_response", core), (&name, "data_response", 0));
    }
    for device in 0..devices {
        let (source, sink) = (format!("source{device}"), format!("a_sink{device}"));
        let references: Vec<Reference> = (0..150).map(|_| reference(random)).collect();
        let own: Parameters = vec![
            ("script", script(&references).into()),
            ("stall_percent", [0_u64, 50, 90][random.below(3) as usize].into()),
            ("seed", random.below(1000).into()),
        ];
        plan.add(&*source, "test_source", own);
        plan.add(&*sink, "test_sink", vec![("seed", random.below(1000).into())]);
        plan.connect((&source, "output", 0), ("crossbar", "initiator_request", cores + device));
        plan.connect(("crossbar", "initiator_response", cores + device), (&sink, "input", 0));
    }
    plan
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for place in (1..items.len()).rev() {
        items.swap(place, random.below(place as u64 + 1) as usize);
    }
}

fn simulation(plan: &mut Plan, order: Option<&mut Random>) -> Simulation {
    if let Some(random) = order {
        shuffle(&mut plan.modules, random);
        shuffle(&mut plan.connections, random);
    }
    let mut bench = Bench::new();
    let mut ids: BTreeMap<&str, ModuleId> = BTreeMap::new();
    for (name, kind, parameters) in &plan.modules {
        let id = bench.design.module(name.clone(), kind, bench.domain, parameters.clone());
        ids.insert(name, id);
    }
    for ((from, output, out), (to, input, lane)) in &plan.connections {
        bench.design.connect_lanes((ids[&**from], output, *out), (ids[&**to], input, *lane));
    }
    let elaborated = elaborate(&bench.design, &registry()).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(elaborated);
    simulation.set_check_dependencies(false);
    write(&mut simulation, "code", &plan.code);
    for bank in 0..plan.banks {
        let words = plan.data.chunks_exact(4).skip(bank as usize).step_by(plan.banks as usize);
        write(&mut simulation, &format!("bank{bank}"), &words.flatten().copied().collect::<Vec<u8>>());
    }
    simulation
}

fn write(simulation: &mut Simulation, name: &str, bytes: &[u8]) {
    let memory = simulation.netlist().find_module(name).unwrap();
    assert!(simulation.contents(memory).unwrap().write(0, bytes));
}

/// Everything observable in a run, by the names of modules.
fn outcome(simulation: &mut Simulation) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, String> =
        simulation.statistics().iter().map(|(name, count)| (name, count.to_string())).collect();
    let modules: Vec<ModuleId> = simulation.netlist().modules.ids().collect();
    for module in modules {
        let path = simulation.netlist().modules[module].path.clone();
        if let Some(contents) = simulation.contents(module) {
            let mut bytes = vec![0; contents.size() as usize];
            assert!(contents.read(0, &mut bytes));
            all.insert(format!("{path} contents"), format!("{bytes:?}"));
        }
        all.insert(format!("{path} state"), simulation.state(module).unwrap().to_string());
    }
    all
}

fn hold_all_orders_equal(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut plan = plan(&mut random);
        let mut reference = simulation(&mut plan, None);
        reference.set_sleeping(false);
        reference.set_fusing(false);
        run_to(&mut reference, CYCLES);
        let expected = outcome(&mut reference);
        for (sleeps, fuses, shuffles) in
            [(true, false, false), (true, true, false), (false, true, true), (true, true, true)]
        {
            let mut simulation = simulation(&mut plan, shuffles.then_some(&mut random));
            simulation.set_sleeping(sleeps);
            simulation.set_fusing(fuses);
            // In pieces: where a run ends changes nothing either.
            let first = 1 + random.below(CYCLES - 1);
            run_to(&mut simulation, first);
            run_to(&mut simulation, CYCLES);
            let found = outcome(&mut simulation);
            let differing = expected.iter().find(|(name, value)| found.get(*name) != Some(value));
            assert_eq!(
                differing.map(|(name, value)| (name, value, &found[name])),
                None,
                "with seed {seed}, asleep {sleeps}, as one {fuses}, shuffled {shuffles}"
            );
        }
    }
}

#[test]
fn no_order_shows_in_what_cores_do_ahead() {
    hold_all_orders_equal(0..25);
    // The loop of a core with a crossbar repeats itself, and its period does not divide the length of a ring.
    hold_all_orders_equal(2893..2894);
}

#[test]
#[ignore = "the long form"]
fn no_order_shows_in_what_cores_do_ahead_however_often() {
    hold_all_orders_equal(1000..6000);
}
