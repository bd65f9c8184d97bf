//! Schedules of random blocks hold up to the verifier, and the verifier to schedules that are wrong.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

#[path = "support/elf.rs"]
mod elf;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use elf::{CODE, Executable};
use spinach_analysis::image::{Image, ImageError};
use spinach_analysis::trace::{
    Filter, MappedCode, Profile, RecordError, TaskTracker, TraceReader, TraceRequest, record,
};
use spinach_analysis::vliw::{
    Block, Evaluation, Machine, MachineError, MemoryOrder, Paths, Schedule, Violation, blocks, evaluate,
    listing, schedule, verify,
};
use spinach_isa::instruction_set::Class;
use spinach_isa::mips::Mips;
use support::{Random, temporary};

fn image(assembly: &str) -> Image {
    Image::parse("test", &Executable::new(assembly, &[("main", 0, 4)]).bytes()).unwrap()
}

fn blocks_of(assembly: &str) -> Vec<Block> {
    blocks(&image(assembly), &Mips::default(), &BTreeSet::new())
}

fn machines() -> Vec<Machine> {
    let mut machines: Vec<Machine> = Machine::TABLE_1
        .iter()
        .map(|(integer, memory, branch)| Machine::new(*integer, *memory, *branch))
        .collect();
    for machine in machines.clone() {
        machines.push(Machine {
            memory_order: MemoryOrder::DisjointOffsets,
            load_latency: 2,
            multiply_latency: 4,
            ..machine.clone()
        });
        machines.push(Machine { original_delay_slot: true, issue_width: Some(2), ..machine.clone() });
        machines.push(Machine { register_renaming: true, load_latency: 3, ..machine });
    }
    machines
}

/// Random straight code over few registers that ends in a branch, or falls through.
fn random_assembly(random: &mut Random) -> String {
    let registers = ["v0", "v1", "a0", "a1", "t0", "zero"];
    let mut text = String::new();
    for _ in 0..random.below(24) {
        let [a, b, c] = [0; 3].map(|_| random.choose(&registers));
        let offset = 4 * random.below(4);
        text += &match random.below(14) {
            0..=3 => format!("addu {a},{b},{c}\n"),
            4 => format!("sll {a},{b},3\n"),
            5 => format!("mult {a},{b}\n"),
            6 => format!("mflo {a}\n"),
            7 | 8 => format!("lw {a},{offset}({b})\n"),
            9 => format!("sw {a},{offset}({b})\n"),
            10 => format!("sb {a},{offset}({b})\n"),
            11 => format!("swl {a},{offset}({b})\n"),
            12 => random.choose(&["ll v0,0(a0)\n", "sc v0,0(a0)\n", "mfc0 v0,$12\n", "sync\n"]).to_owned(),
            _ => "nop\n".to_owned(),
        };
    }
    let slot = random.choose(&["nop", "addu v0,v0,a0", "lw v1,4(a0)", "sw v1,4(a0)", "addu ra,ra,v0"]);
    let exit = random.choose(&["beq v0,v1,0x1000", "bnel a0,v1,0x1000", "jal 0x1000", "jr v0", "j 0x1000"]);
    match random.below(5) {
        0 => format!("{text}break"),
        1 => format!("{text}addu v0,v0,v0"),
        _ => format!("{text}{exit}\n{slot}"),
    }
}

#[test]
fn schedules_hold_up_to_the_verifier() {
    let mut shorter = 0;
    for seed in 0..150 {
        let assembly = random_assembly(&mut Random(seed));
        for machine in machines() {
            for block in blocks_of(&assembly) {
                let schedule = schedule(&block, &machine).unwrap();
                let verdict = verify(&block, &schedule, &machine);
                assert_eq!(verdict, Ok(()), "seed {seed}, {machine:?}\n{assembly}\n{schedule:?}");
                shorter += u32::from(schedule.bundles.len() < block.instructions.len());
            }
        }
    }
    assert!(shorter > 1000);
}

/// Moves one instruction to another bundle.
fn disturb(schedule: &Schedule, random: &mut Random) -> Schedule {
    let mut bundles = schedule.bundles.clone();
    let full: Vec<usize> = (0..bundles.len()).filter(|bundle| !bundles[*bundle].is_empty()).collect();
    let from = random.choose(&full);
    let place = random.below(bundles[from].len() as u32) as usize;
    let instruction = bundles[from].remove(place);
    let to = random.below(bundles.len() as u32) as usize;
    bundles[to].push(instruction);
    bundles[to].sort_unstable();
    Schedule { bundles, ..*schedule }
}

#[test]
fn the_verifier_finds_what_the_dependence_graph_forbids() {
    let machine = Machine::new(8, 8, 1);
    let (mut legal, mut illegal) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let block = blocks_of(&random_assembly(&mut random)).remove(0);
        let graph = spinach_analysis::vliw::DependenceGraph::new(&block, &machine);
        let sound = schedule(&block, &machine).unwrap();
        if sound.operations() == 0 {
            continue;
        }
        let disturbed = disturb(&sound, &mut random);
        let place = |index| disturbed.bundles.iter().position(|bundle| bundle.contains(&index));
        let kept = graph.dependences.iter().all(|dependence| {
            place(dependence.to).unwrap() >= place(dependence.from).unwrap() + dependence.latency as usize
        });
        let exit_kept = block.exit.is_none_or(|exit| {
            let slots = block.delay_slots() as usize;
            let first_slot = disturbed.bundles.len() - slots;
            place(exit) == Some(first_slot - 1)
                && (!block.annuls()
                    || (0..block.instructions.len())
                        .filter_map(|index| Some((index, place(index)?)))
                        .all(|(index, place)| (index > exit) == (place >= first_slot)))
        });
        let expected = kept && exit_kept;
        let verdict = verify(&block, &disturbed, &machine);
        assert_eq!(verdict.is_ok(), expected, "seed {seed}: {verdict:?}\n{block:?}\n{disturbed:?}");
        (legal, illegal) = (legal + u32::from(expected), illegal + u32::from(!expected));
    }
    assert!(legal > 50 && illegal > 50, "{legal} {illegal}");
}

#[test]
fn a_register_used_again_holds_nothing_up_when_results_have_registers_of_their_own() {
    let block = blocks_of("lw v0,0(a0)\naddu v1,v0,v0\nlw v0,4(a0)\naddu a1,v0,v0\nbreak").remove(0);
    let machine = Machine { load_latency: 2, ..Machine::new(2, 2, 1) };
    let renamed = Machine { register_renaming: true, ..machine.clone() };
    let length = |machine: &Machine| schedule(&block, machine).unwrap().bundles.len();
    // The second load waits for the addition that reads what the first has loaded.
    assert_eq!((length(&machine), length(&renamed)), (6, 4));
    // Renamed, both loads share a bundle. In one register their results would arrive at once.
    let together = schedule(&block, &renamed).unwrap();
    assert_eq!(verify(&block, &together, &renamed), Ok(()));
    assert!(matches!(verify(&block, &together, &machine), Err(Violation::Order { .. })));
    // Operands must have arrived in either case.
    let early = Schedule { bundles: vec![vec![0, 1, 2, 3], vec![4]], wait_cycles: 0 };
    assert!(verify(&block, &early, &renamed).is_err());
}

/// Random blocks one after the other. All but the last end in branches.
fn random_path(random: &mut Random, blocks: u32) -> Block {
    let mut path = Block { instructions: Vec::new(), exit: None, side_exits: Vec::new() };
    while path.side_exits.len() < blocks as usize {
        let block = blocks_of(&random_assembly(random)).remove(0);
        let leaves = block.exit.is_some_and(|exit| block.instructions[exit].operation.delay_slots > 0);
        if leaves && !block.annuls() {
            let first = path.instructions.len();
            path.side_exits.extend(path.exit.take());
            path.exit = block.exit.map(|exit| first + exit);
            path.instructions.extend(block.instructions);
            if path.side_exits.len() + 1 == blocks as usize {
                break;
            }
        }
    }
    path
}

#[test]
fn paths_keep_their_exits_in_order_and_side_effects_behind_them() {
    let (mut speculated, mut refused) = (0, 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let path = random_path(&mut random, 3);
        assert_eq!(path.side_exits.len(), 2);
        for machine in machines() {
            let sound = schedule(&path, &machine).unwrap();
            assert_eq!(verify(&path, &sound, &machine), Ok(()), "seed {seed}, {machine:?}\n{path:?}");
            let place = |index| sound.bundles.iter().position(|bundle| bundle.contains(&index)).unwrap();
            let (first, last) = (path.side_exits[0], path.exit.unwrap());
            assert!(
                place(first) + 2 <= place(path.side_exits[1]) && place(path.side_exits[1]) + 2 <= place(last)
            );
            for (index, source) in path.instructions.iter().enumerate().skip(first + 2) {
                if source.has_side_effects() {
                    assert!(place(index) >= place(first) + 2, "seed {seed}");
                } else if !source.operation.is_nop() {
                    speculated += u32::from(place(index) < place(first) + 2);
                }
            }
            let disturbed = disturb(&sound, &mut random);
            let place = |index| disturbed.bundles.iter().position(|bundle| bundle.contains(&index)).unwrap();
            let too_early = path.side_exits.iter().any(|exit| {
                (exit + 2..path.instructions.len()).any(|later| {
                    let waits = path.instructions[later].has_side_effects() || later == last;
                    waits && place(later) < place(*exit) + 2
                })
            });
            if too_early {
                assert!(verify(&path, &disturbed, &machine).is_err(), "seed {seed}");
                refused += 1;
            }
        }
    }
    assert!(speculated > 500 && refused > 20, "{speculated} {refused}");
}

#[test]
fn the_verifier_counts_instructions_and_units() {
    let block = blocks_of("addu v0,a0,a1\naddu v1,a0,a1\nbreak").remove(0);
    let machine = Machine::new(1, 1, 1);
    let bundles = |bundles: &[&[usize]]| Schedule {
        bundles: bundles.iter().map(|bundle| bundle.to_vec()).collect(),
        wait_cycles: 0,
    };
    assert_eq!(verify(&block, &bundles(&[&[0], &[1], &[2]]), &machine), Ok(()));
    assert_eq!(verify(&block, &bundles(&[&[0, 1], &[2]]), &machine), Err(Violation::Resources { bundle: 0 }));
    assert_eq!(
        verify(&block, &bundles(&[&[0], &[2]]), &machine),
        Err(Violation::Count { instruction: 1, times: 0 })
    );
    let twice = bundles(&[&[0], &[0], &[1], &[2]]);
    assert_eq!(verify(&block, &twice, &machine), Err(Violation::Count { instruction: 0, times: 2 }));
}

const LOOP: &str = "
        addiu  s0,zero,100
        lui    s1,0x1
again:  lw     v0,0(s1)
        lw     v1,4(s1)
        addu   v0,v0,s0
        addu   v1,v1,s0
        sw     v0,0(s1)
        sw     v1,4(s1)
        addiu  s0,s0,-1
        bgtz   s0,again
        nop
        break";

fn recording() -> TraceRequest {
    TraceRequest {
        extensions: Vec::new(),
        memory_base: 0,
        memory_bytes: 1 << 17,
        instructions_maximum: 1_000_000,
    }
}

#[test]
fn another_image_than_the_firmware_of_the_trace_is_refused() {
    let traced = image(LOOP);
    let path = temporary("other_image.parquet");
    record(&traced, &recording(), TaskTracker::new(&traced, &BTreeMap::new()).unwrap(), &path).unwrap();
    let mut reader = TraceReader::open(&path).unwrap();
    let profile = Profile::read(&mut reader, &Filter::default(), &Mips::default()).unwrap();
    traced.check_traced(&profile).unwrap();
    let other = image(&LOOP.replace("addu   v1,v1", "addu   v1,v0"));
    let error = other.check_traced(&profile).unwrap_err().to_string();
    assert!(error.contains(" 100 of 902 traced instructions differ from it, the first at 0x"), "{error}");
}

#[test]
fn a_loop_is_weighted_by_its_profile() {
    let image = image(LOOP);
    let path = temporary("loop.parquet");
    let tasks = TaskTracker::new(&image, &BTreeMap::new()).unwrap();
    assert_eq!(record(&image, &recording(), tasks, &path).unwrap(), 2 + 900);
    let mips = Mips::default();
    let mut reader = TraceReader::open(&path).unwrap();
    let profile = Profile::read(&mut reader, &Filter::default(), &mips).unwrap();
    let blocks = blocks(&image, &mips, profile.entries());
    image.check_traced(&profile).unwrap();
    // The one integer unit is the limit: two additions wait for their loads, the third must not come before them, the branch
    // waits for it, and the delay slot holds nothing.
    let (evaluation, weighted) = evaluate(&blocks, &profile, &Machine::new(1, 1, 1)).unwrap();
    assert_eq!((evaluation.blocks, evaluation.source_instructions, evaluation.source_nops), (2, 902, 100));
    assert_eq!(evaluation.operations, 802);
    assert_eq!(evaluation.cycles, 2 + 100 * 6);
    assert_eq!(evaluation.slots, 3 * evaluation.cycles);
    assert_eq!(weighted[0].entries, 100);
    // Loads, additions, branch, delay slot, with one of the stores in each of the last two.
    let wide = Machine::new(3, 3, 1);
    assert_eq!(evaluate(&blocks, &profile, &wide).unwrap().0.cycles, 1 + 100 * 4);
    let apart = Machine { memory_order: MemoryOrder::DisjointOffsets, ..wide };
    let (evaluation, weighted) = evaluate(&blocks, &profile, &apart).unwrap();
    assert_eq!(evaluation.cycles, 1 + 100 * 4);
    // Now both stores share a bundle.
    assert_eq!(weighted[0].schedule.bundles[3].len(), 2);
    // A path of one block is the block; ten rounds of the loop as one overlap.
    let together = |blocks_maximum: u32, machine: &Machine| {
        let (filter, longest) = (Filter::default(), NonZeroU32::new(blocks_maximum).unwrap());
        let mut reader = TraceReader::open(&path).unwrap();
        Paths::read(&mut reader, &filter, &mips, &blocks, longest)
            .unwrap()
            .evaluate(&blocks, machine)
            .unwrap()
    };
    assert_eq!(Evaluation { blocks: 2, ..together(1, &apart) }, evaluation);
    let ten = together(10, &apart);
    assert_eq!((ten.operations, ten.source_instructions), (802, 902));
    // A round takes a branch with its slot, behind which the stores wait, and each load waits for the store before.
    assert!(ten.cycles < evaluation.cycles && ten.cycles >= 200, "{ten:?}");
    let text = listing(&image, &weighted[..1], &apart);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "0x00001008 in main+0x8: entered 100 times, 9 instructions in 4 bundles");
    assert!(lines[1].starts_with("  source                             | integer"), "{text}");
    assert!(lines[2].starts_with("  00001008 lw v0,0(s1)") && lines[2].contains("| "), "{text}");
    assert_eq!(lines.len(), 2 + 9 + 1, "{text}");
}

#[test]
fn blocks_begin_where_control_arrives() {
    let assembly = "
        beq    v0,zero,slot
        nop
        addu   v0,v0,v0
        j      0x1000
slot:   addu   v1,v1,v1
        jr     ra
        nop
        addu   a0,a0,a0";
    let starts = |entries: &[u32]| {
        let entries = entries.iter().copied().map(u64::from).collect();
        let found = blocks(&image(assembly), &Mips::default(), &entries);
        found.iter().map(|block| ((block.address() - CODE) / 4, block.instructions.len())).collect::<Vec<_>>()
    };
    // The slot of the jump also begins a block, with its successors.
    assert_eq!(starts(&[]), [(0, 2), (2, 3), (4, 1), (5, 2), (7, 1)]);
    assert_eq!(starts(&[CODE + 12]), [(0, 2), (2, 1), (3, 2), (4, 1), (5, 2), (7, 1)]);
}

#[test]
fn mistakes_are_told() {
    let block = blocks_of(LOOP).remove(1);
    let error = schedule(&block, &Machine::new(1, 0, 1)).unwrap_err().to_string();
    assert_eq!(error, "the machine has no unit for `lw v0,0(s1)` at 0x00001008, of class Load\ngive it one");
    assert_eq!(
        schedule(&block, &Machine { issue_width: Some(0), ..Machine::new(1, 1, 1) }),
        Err(MachineError::NoWidth)
    );
    assert_eq!(
        schedule(&block, &Machine { load_latency: 0, ..Machine::new(1, 1, 1) }),
        Err(MachineError::NoLatency)
    );
    assert_eq!(Machine::new(1, 1, 0).unit(Class::Branch), None);

    let sound = Executable::new(LOOP, &[("main", 0, 4)]);
    let parse = |executable: Executable<'_>| Image::parse("test.elf", &executable.bytes()).unwrap_err();
    assert!(matches!(parse(Executable { functions: &[], ..sound }), ImageError::NoSymbols { .. }));
    assert!(matches!(parse(Executable { machine: 2, ..sound }), ImageError::OtherMachine { .. }));
    assert!(matches!(parse(Executable { byte_order: 1, ..sound }), ImageError::NotElf { .. }));
    let whole = sound.bytes();
    for length in 0..whole.len() {
        let error = Image::parse("test.elf", &whole[..length]).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 2, "{error}");
    }
    let endless = Image::load("/dev/zero".as_ref()).unwrap_err().to_string();
    assert_eq!(endless, "the image /dev/zero has more than 256 MiB\ngive the linked image");
    let missing = Image::load("no/such.elf".as_ref()).unwrap_err().to_string();
    assert!(missing.ends_with("name a linked ELF executable"), "{missing}");

    let image = image("addiu v0,zero,2\njr v0\nnop");
    let tracker = || TaskTracker::new(&image, &BTreeMap::new()).unwrap();
    let path = temporary("mistakes_vliw.parquet");
    let outside = TraceRequest { memory_bytes: 64, ..recording() };
    let error = record(&image, &outside, tracker(), &path).unwrap_err();
    let code = u64::from(CODE);
    assert!(matches!(error, RecordError::OutsideMemory { address, .. } if address == code), "{error}");
    let error = record(&image, &recording(), tracker(), &path).unwrap_err();
    assert!(matches!(error, RecordError::Trap { pc: 2, .. }), "{error}");
    let tasks = BTreeMap::from([("mian".to_owned(), "idle".to_owned())]);
    let error = TaskTracker::new(&image, &tasks).unwrap_err().to_string();
    assert_eq!(error, "test has no function called `mian`\nchoose from: main");
}

#[test]
fn tasks_begin_with_their_functions() {
    let text = "nop\nnop\nnop\nnop\nnop\nnop";
    let functions = [("loop", 0, 2), ("send", 2, 1), ("helper", 3, 1)];
    let image = Image::parse("test", &Executable::new(text, &functions).bytes()).unwrap();
    let tasks = [("loop", "idle"), ("send", "send_frame")];
    let tasks = tasks.iter().map(|(function, task)| ((*function).to_owned(), (*task).to_owned())).collect();
    let mut tracker = TaskTracker::new(&image, &tasks).unwrap();
    assert_eq!(tracker.task_names(), ["unknown", "idle", "send_frame"]);
    assert_eq!(tracker.function_names(), ["unknown", "loop", "send", "helper"]);
    let mut at = |index: u32| tracker.locate(1, u64::from(CODE + 4 * index));
    // An address of no function, the loop, a handler, what it calls, and back.
    assert_eq!([at(5), at(0), at(2), at(3), at(2), at(1)], [(0, 0), (1, 1), (2, 2), (2, 3), (2, 2), (1, 1)]);
    // Code without functions begins a task, too.
    let addresses = u64::from(CODE + 16)..u64::from(CODE + 20);
    let code = MappedCode { addresses, name: "dispatch.S".to_owned(), task: "waiting".to_owned() };
    let mut tracker = TaskTracker::new(&image, &tasks).unwrap().with_code(&[code]);
    let mut at = |index: u32| tracker.locate(1, u64::from(CODE + 4 * index));
    assert_eq!([at(2), at(4), at(5), at(3)], [(2, 2), (3, 4), (3, 0), (3, 3)]);
    assert_eq!(
        (tracker.task_names()[3].as_str(), tracker.function_names()[4].as_str()),
        ("waiting", "dispatch.S")
    );
}
