//! A crossbar and its banks behave equally, fused and unfused.

use spinach_engine::{ModuleId, ParameterValue, Size};
use spinach_modules::values::{Access, Reference, all_enabled};

use crate::support::fusions::assert_equal_to_single;
use crate::support::{Bench, Random, Stalls};

const CYCLES: u64 = 260;
const BASE: u64 = 0x1_0000;
const FURTHER: u64 = 0x8_0000;
const FURTHER_BYTES: u64 = 0x200;

// Any access to anywhere near the ranges.
fn reference(random: &mut Random, bytes: u64) -> Reference {
    let size = [4, 4, 4, 4, 1, 2, 8, 16, 3][random.below(9) as usize];
    let access = match random.below(14) {
        0..=5 => Access::Read,
        6..=9 => Access::Write,
        10 => Access::LoadLinked,
        11 => Access::StoreConditional,
        12 => Access::Set,
        _ => [Access::Update, Access::Add, Access::Swap][random.below(3) as usize],
    };
    let base = [BASE, BASE, BASE, FURTHER][random.below(4) as usize];
    let address = base + random.below(if base == BASE { bytes } else { FURTHER_BYTES } + 8);
    let is_aligned = random.below(8) != 0;
    Reference {
        address: if is_aligned { address & !(u64::from(size).next_power_of_two() - 1) } else { address },
        access,
        size,
        enables: if random.below(5) == 0 { random.next() as u16 } else { all_enabled(size) },
        source: random.below(3) as u16,
        data: u128::from(random.below(32)),
    }
}

// A crossbar before some banks, and memories that are not banks, since another lane of theirs leads elsewhere.
fn system(random: &mut Random) -> (Bench, usize) {
    let mut bench = Bench::new();
    let mut pick = |choices: &[u64]| choices[random.below(choices.len() as u64) as usize];
    let (banks, further) = (pick(&[1, 2, 3, 4, 7]), pick(&[0, 0, 1, 2]));
    let granule = pick(&[1, 4, 4, 8, 16]);
    let bytes = banks * 0x40;
    let has_further = further > 0;
    let with = |mut list: Vec<u64>, more: u64| {
        list.extend(has_further.then_some(more));
        list
    };
    let parameters: [(&str, ParameterValue); 6] = [
        ("bases", with(vec![BASE], FURTHER).into()),
        ("sizes", with(vec![bytes], FURTHER_BYTES).into()),
        ("interleave", with(vec![banks], further).into()),
        ("interleave_bytes", Size(granule).into()),
        ("addressing", ["full", "compact", "banked"][pick(&[0, 1, 1, 2, 2]) as usize].into()),
        ("outstanding", (pick(&[1, 2, 3, 8]) as u32).into()),
    ];
    let crossbar = bench.design.module("crossbar", "crossbar", bench.domain, parameters);
    let (mut expected, mut shared) = (0, Vec::new());
    for target in 0..banks + further {
        let is_bank = target < banks && pick(&[0, 1, 1, 1, 1]) == 1;
        expected += usize::from(is_bank);
        let latency = pick(&[1, 1, 1, 2, 5]);
        let watch = if pick(&[0, 0, 1]) == 1 { vec![8_u64, 16] } else { Vec::new() };
        let base = if pick(&[0, 0, 1]) == 1 { BASE } else { 0 };
        let parameters: [(&str, ParameterValue); 5] = [
            ("size", Size(0x100).into()),
            ("base", base.into()),
            ("latency", (latency as u32).into()),
            ("repeats", true.into()),
            ("watch", watch.into()),
        ];
        let path = format!("memory{target}");
        let memory = bench.design.module(path, "multiported_memory", bench.domain, parameters);
        connect(&mut bench, crossbar, target as usize, memory);
        if !is_bank {
            shared.push(memory);
        }
    }
    for memory in shared {
        let references: Vec<Reference> =
            (0..100).map(|_| Reference { address: 0x10, ..reference(random, bytes) }).collect();
        bench.initiator((memory, "port", 1), &references, Stalls::default());
    }
    let lanes = random.below(7) + 1;
    for lane in 0..lanes {
        let references: Vec<Reference> = (0..200).map(|_| reference(random, bytes)).collect();
        let percent = |random: &mut Random| [0, 0, 20, 60, 90][random.below(5) as usize];
        let stalls = Stalls {
            request_percent: percent(random),
            response_percent: percent(random),
            seed: random.below(1000),
        };
        let initiator = bench.initiator((crossbar, "initiator", lane as usize), &references, stalls);
        bench.set(&initiator, "pause", [0_u64, 0, 30][random.below(3) as usize]);
    }
    (bench, expected)
}

fn connect(bench: &mut Bench, crossbar: ModuleId, lane: usize, memory: ModuleId) {
    bench.design.connect_lanes((crossbar, "target_request", lane), (memory, "port_request", 0));
    bench.design.connect_lanes((memory, "port_response", 0), (crossbar, "target_response", lane));
}

fn hold_to_single(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (bench, banks) = system(&mut Random::new(seed));
        let fused = assert_equal_to_single(&bench, CYCLES);
        let names: Vec<usize> = fused.iter().map(Vec::len).collect();
        assert_eq!(names, if banks > 0 { vec![banks + 1] } else { vec![] }, "with seed {seed}");
    }
}

#[test]
fn a_crossbar_and_its_banks_act_as_one() {
    hold_to_single(0..60);
}

#[test]
#[ignore = "the long form"]
fn a_crossbar_and_its_banks_act_as_one_however_often() {
    hold_to_single(1000..6000);
}

// Requests of a crossbar depend on responses of the same cycle, so one behind another must not wait for it before it answers.
#[test]
fn a_crossbar_behind_a_crossbar_acts_as_one_with_its_banks() {
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut bench = Bench::new();
        let bytes = 0x80;
        let crossbars = ["first", "second"].map(|path| {
            let parameters: [(&str, ParameterValue); 3] = [
                ("bases", vec![BASE].into()),
                ("sizes", vec![bytes].into()),
                ("interleave", vec![if path == "first" { 1_u64 } else { 2 }].into()),
            ];
            bench.design.module(path, "crossbar", bench.domain, parameters)
        });
        let channels =
            ["request", "response"].map(|role| (format!("target_{role}"), format!("initiator_{role}")));
        let [first, second] = crossbars;
        bench.design.connect_lanes((first, &channels[0].0, 0), (second, &channels[0].1, 0));
        bench.design.connect_lanes((second, &channels[1].1, 0), (first, &channels[1].0, 0));
        for bank in 0..2 {
            let parameters: [(&str, ParameterValue); 2] =
                [("size", Size(0x100).into()), ("repeats", true.into())];
            let memory =
                bench.design.module(format!("bank{bank}"), "multiported_memory", bench.domain, parameters);
            connect(&mut bench, second, bank, memory);
        }
        for lane in 0..3 {
            let references: Vec<Reference> = (0..200).map(|_| reference(&mut random, bytes)).collect();
            bench.initiator((first, "initiator", lane), &references, Stalls::default());
        }
        assert_eq!(assert_equal_to_single(&bench, CYCLES), [["second", "bank0", "bank1"]]);
    }
}

#[test]
fn their_declared_dependencies_hold() {
    for seed in 0..6 {
        let (bench, _) = system(&mut Random::new(seed));
        let mut simulation = bench.start();
        simulation.set_check_dependencies(true);
        crate::support::run_to(&mut simulation, 100);
    }
}
