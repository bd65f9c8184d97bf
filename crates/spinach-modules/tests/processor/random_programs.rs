//! Random programs: every core computes what the reference interpreter computes, whatever the memory does.

use std::collections::BTreeMap;

use spinach_engine::parameter::{ParameterDeclaration, ParameterType};
use spinach_engine::{ParameterValue, Size};
use spinach_isa::instruction_set::Class;
use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::interpreter::{Registers, step};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::semantics::redirection;
use spinach_isa::mips::{Extensions, Mips, Trap, decode};
use spinach_modules::processor::accounts::RUNNING_CAUSES;
use spinach_modules::processor::control::Command;
use spinach_modules::processor::profile::Profile;

use crate::machine::{AHEAD, MEMORY_BYTES, Machine, Run};
use crate::support::{Random, registry};

const DATA: u32 = 0x8000;
pub(crate) const VECTOR: u32 = 0x4000;

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len() as u64) as usize]
}

fn register(random: &mut Random) -> &'static str {
    pick(random, &["zero", "at", "v0", "v1", "a0", "a1", "t0", "t1", "ra"])
}

/// An instruction that does not transfer control.
fn plain(random: &mut Random) -> String {
    let (a, b, c) = (register(random), register(random), register(random));
    let small = random.below(0x200) as i64 - 0x100;
    match random.below(13) {
        0..=2 => {
            let operation =
                pick(random, &["addu", "subu", "and", "or", "xor", "nor", "slt", "sltu", "add", "sub"]);
            format!("{operation} {a},{b},{c}")
        }
        3 => format!("{} {a},{b},{small}", pick(random, &["addiu", "slti", "sltiu", "addi"])),
        4 => format!("{} {a},{b},{:#x}", pick(random, &["andi", "ori", "xori"]), random.below(0x1_0000)),
        5 => format!("lui {a},{:#x}", random.below(0x1_0000)),
        6 => format!("{} {a},{b},{}", pick(random, &["sll", "srl", "sra"]), random.below(32)),
        7 => match random.below(3) {
            0 => format!("{} {a},{b}", pick(random, &["mult", "multu"])),
            1 => format!("{} zero,{a},{b}", pick(random, &["div", "divu"])),
            _ => format!("{} {a}", pick(random, &["mfhi", "mflo", "mthi", "mtlo"])),
        },
        8..=9 => {
            let load = pick(random, &["lw", "lh", "lhu", "lb", "lbu", "lwl", "lwr", "ll"]);
            format!("{load} {a},{}(gp)", aligned(random, load))
        }
        10..=11 => {
            let store = pick(random, &["sw", "sh", "sb", "swl", "swr", "sc"]);
            format!("{store} {a},{}(gp)", aligned(random, store))
        }
        _ => match random.below(4) {
            0 => "sync".to_owned(),
            1 => format!("update {a},s0,gp"),
            2 => "set s0,gp".to_owned(),
            _ => format!("addiu s0,zero,{}", random.below(256)),
        },
    }
}

/// An offset, most often such that the access is aligned.
fn aligned(random: &mut Random, operation: &str) -> u64 {
    let offset = random.below(0x80);
    let unit = match operation {
        "lw" | "sw" | "ll" | "sc" => 4,
        "lh" | "lhu" | "sh" => 2,
        _ => 1,
    };
    if random.below(10) == 0 { offset } else { offset - offset % unit }
}

/// Instructions that may raise an exception in addition to those of arithmetic and misaligned addresses.
fn exceptional(random: &mut Random, with_bus_errors: bool) -> String {
    let (a, b) = (register(random), register(random));
    match random.below(if with_bus_errors { 6 } else { 5 }) {
        0 => "syscall".to_owned(),
        1 => format!("{} {a},{b}", pick(random, &["teq", "tne", "tlt", "tgeu"])),
        2 => ".word 0xfc000000".to_owned(),
        3 => format!("mfc0 {a},c0_cause"),
        4 => format!("mfc0 {a},c0_epc"),
        _ => format!("lw {a},-4(sp)"),
    }
}

/// A program that only branches forward, except for one loop of a few rounds.
fn program(random: &mut Random, length: u64, with_bus_errors: bool) -> String {
    let mut lines = vec![
        format!("addiu gp,zero,{:#x}", DATA >> 1),
        "addu gp,gp,gp".to_owned(),
        "addiu s1,zero,3".to_owned(),
    ];
    lines.push("again: nop".to_owned());
    for index in 0..length {
        let target = (index + 1 + random.below(6)).min(length);
        let (a, b) = (register(random), register(random));
        let line = match random.below(10) {
            0 => format!("{} {a},{b},l{target}", pick(random, &["beq", "bne", "beql", "bnel"])),
            1 => {
                let branches = &[
                    "blez", "bgtz", "bltz", "bgez", "blezl", "bgtzl", "bltzl", "bgezl", "bltzal", "bgezall",
                ];
                format!("{} {a},l{target}", pick(random, branches))
            }
            2 => match random.below(4) {
                0 => format!("j l{target}"),
                1 => format!("jal l{target}"),
                2 => format!("addiu t9,zero,l{target}\n{}\njr t9", plain(random)),
                _ => format!("addiu t9,zero,l{target}\njalr {},t9", pick(random, &["ra", "v0"])),
            },
            3 if random.below(2) == 0 => exceptional(random, with_bus_errors),
            _ => plain(random),
        };
        lines.push(format!("l{index}: {line}"));
    }
    lines.push(format!("l{length}: nop\naddiu s1,s1,-1\nbgtz s1,again\nnop\nbreak"));
    lines.join("\n")
}

/// Words of memory: the program, the handler of exceptions, random data.
pub(crate) fn image(random: &mut Random, with_bus_errors: bool) -> Vec<u32> {
    let mut words =
        assemble(&program(random, 60, with_bus_errors), 0).unwrap_or_else(|error| panic!("{error}"));
    assert!(words.len() * 4 < VECTOR as usize);
    words.resize(VECTOR as usize / 4, 0);
    let handler = "mfc0 k0,c0_epc\naddiu k0,k0,4\nmtc0 k0,c0_epc\nmfc0 k1,c0_cause\naddu s2,s2,k1\neret\nnop";
    words.extend(assemble(handler, VECTOR).unwrap());
    words.resize(DATA as usize / 4, 0);
    words.extend((0..64).map(|_| random.next() as u32));
    words
}

/// Interpreter's result of a program.
struct Expected {
    registers: Registers,
    memory: FlatMemory,
    /// Every counter of a core that timing does not decide.
    counters: BTreeMap<&'static str, u64>,
}

impl Expected {
    fn count(&mut self, counter: &'static str) {
        *self.counters.entry(counter).or_default() += 1;
    }

    /// Executes an instruction and counts it.
    fn step(&mut self, extensions: Extensions) -> Result<(), Trap> {
        let address = self.registers.pc;
        let [rs, rt] = {
            let word = self.memory.words().get(address as usize / 4).copied().unwrap_or_default();
            let instruction = decode(word, extensions);
            [instruction.rs, instruction.rt].map(|number| self.registers.general(number))
        };
        step(&mut self.registers, &mut self.memory, extensions)?;
        let instruction = decode(self.memory.words()[address as usize / 4], extensions);
        self.count("instructions");
        match instruction.operation.description().class {
            Class::Load => self.count("loads"),
            Class::Store => self.count("stores"),
            Class::Atomic => self.count("atomics"),
            Class::Jump => self.count("jumps"),
            Class::Branch => {
                self.count("branches");
                let outcome = redirection(&instruction, address, rs, rt).expect("a branch has an outcome");
                if outcome.taken {
                    self.count("branches_taken");
                } else if outcome.annuls_delay_slot {
                    self.count("annulled");
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The counters of a core that follow from its program.
pub(crate) const COUNTED: [&str; 9] = [
    "instructions",
    "loads",
    "stores",
    "atomics",
    "branches",
    "branches_taken",
    "jumps",
    "annulled",
    "exceptions",
];

/// `None` for a program that does not end: an annulled delay slot or an exception can lead back.
fn interpret(image: &[u32]) -> Option<Expected> {
    let extensions = Extensions { tigon2: None, atomic_bit_array: true };
    let mut memory = FlatMemory::new(0, MEMORY_BYTES as u32);
    memory.words_mut()[..image.len()].copy_from_slice(image);
    let counters = COUNTED.iter().map(|name| (*name, 0)).collect();
    let mut expected = Expected { registers: Registers::reset(0, 0), memory, counters };
    for _ in 0..5_000 {
        match expected.step(extensions) {
            Ok(()) => {}
            Err(Trap::Breakpoint { .. }) => return Some(expected),
            Err(trap) => {
                expected.registers.enter_exception(trap);
                expected.registers.jump_to(VECTOR);
                expected.count("exceptions");
            }
        }
    }
    None
}

fn compare(run: &mut Run, expected: &Expected, what: &str) {
    assert_eq!(run.state(0)["program"]["stop"]["message"], "finished", "{what}");
    let registers = serde_json::to_value(&expected.registers).unwrap();
    let found = run.state(0)["program"]["registers"].clone();
    for part in ["general", "hi_lo", "pc", "link"] {
        assert_eq!(found[part], registers[part], "{part} {what}");
    }
    for part in ["cause", "exception_pc", "status", "bad_address"] {
        assert_eq!(found["coprocessor0"][part], registers["coprocessor0"][part], "{part} {what}");
    }
    for (index, word) in expected.memory.words().iter().enumerate().skip(DATA as usize / 4).take(64) {
        assert_eq!(run.word(index as u32 * 4), *word, "memory {:#x} {what}", index * 4);
    }
    let counted: BTreeMap<_, _> = COUNTED.iter().map(|name| (*name, run.counter(0, name))).collect();
    assert_eq!(counted, expected.counters, "{what}");
    run.causes(0);
}

/// Stage of a pipelined core in which loads wait for their answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loads {
    FirstStage,
    SecondStage,
    /// They leave the only memory stage.
    Late,
}

impl Loads {
    pub(crate) fn of(seed: u64) -> Self {
        [Self::FirstStage, Self::SecondStage, Self::Late][seed as usize % 3]
    }

    /// True if a handler can continue behind a load that had a bus error.
    pub(crate) fn have_precise_bus_errors(self) -> bool {
        self == Self::FirstStage
    }
}

/// Machines that differ in every parameter of timing and in what the memory does.
pub(crate) fn machine(kind: &'static str, random: &mut Random, loads: Loads) -> Machine {
    let mut machine = Machine::new(kind)
        .with("exception_vector", VECTOR)
        .with("history", 16_u32)
        .latencies(random.below(3), random.below(4))
        .with_memory("seed", random.next() >> 32);
    if random.below(3) > 0 {
        machine = machine
            .with_memory("refuse_percent", random.below(80))
            .with_memory("delay_percent", random.below(80));
    }
    if kind == AHEAD {
        let quantum: u64 = [1, 2, 3, 7, 20, 64, 4096][random.below(7) as usize];
        return machine.with("quantum", ParameterValue::from(quantum));
    }
    if kind == "functional_core" {
        return machine;
    }
    with_timing(machine, random, loads, false)
}

/// The same machine with random values of every parameter that only pipelined cores have: those of timing. A core that predicts branches
/// has a register of conditions.
pub(crate) fn with_timing(machine: Machine, random: &mut Random, loads: Loads, may_predict: bool) -> Machine {
    let registry = registry();
    let parameters = |kind| {
        let mut declarations = registry.declarations();
        &declarations.find(|declaration| declaration.kind == kind).expect("a kind of core").parameters
    };
    let others: Vec<_> = parameters("functional_core").iter().map(|parameter| parameter.name).collect();
    let timing = parameters("pipelined_core").iter().filter(|parameter| !others.contains(&parameter.name));
    let predicts = may_predict && random.below(2) == 0;
    timing.fold(machine, |machine, ParameterDeclaration { name, parameter_type, range, choices, .. }| {
        let (smallest, largest) = range.unwrap_or_default();
        let value: ParameterValue = match (*name, parameter_type) {
            ("memory_stages", _) => (1 + u32::from(loads == Loads::SecondStage)).into(),
            ("loads_under_way", _) if loads == Loads::Late => (1 + random.below(largest)).into(),
            ("loads_under_way", _) => 0_u32.into(),
            ("branch_prediction", _) => if predicts { "static" } else { "none" }.into(),
            ("branch_stage", _) if predicts => "decode".into(),
            (_, ParameterType::Boolean) => (random.below(2) == 0).into(),
            (_, ParameterType::Text) => pick(random, choices).into(),
            _ => (smallest + random.below(1 + (largest - smallest).min(8))).into(),
        };
        machine.with(name, value)
    })
}

fn check(kind: &'static str, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let loads = Loads::of(seed);
        let image = image(&mut random, loads.have_precise_bus_errors());
        let Some(expected) = interpret(&image) else { continue };
        for _ in 0..3 {
            let machine = machine(kind, &mut random, loads);
            let mut run = machine.run_words(&image);
            compare(&mut run, &expected, &format!("with seed {seed} on {machine:?}"));
        }
    }
}

#[test]
fn the_pipelined_core_computes_what_the_interpreter_does() {
    check("pipelined_core", 0..100);
}

#[test]
#[ignore = "the long form"]
fn the_pipelined_core_computes_what_the_interpreter_does_with_any_timing() {
    check("pipelined_core", 10_000..12_000);
}

#[test]
fn the_functional_core_computes_what_the_interpreter_does() {
    check("functional_core", 0..100);
}

#[test]
fn so_does_the_functional_core_that_runs_ahead() {
    check(AHEAD, 0..150);
}

/// With a long history every instruction is taken note of as it is executed, with a short one blocks are.
#[test]
fn taking_note_of_each_instruction_changes_nothing() {
    for seed in 5000..5040 {
        let mut random = Random::new(seed);
        let image = image(&mut random, true);
        if interpret(&image).is_none() {
            continue;
        }
        let machine =
            machine(AHEAD, &mut random, Loads::FirstStage).with("profile_bytes", Size(u64::from(DATA)));
        let mut blocks = machine.run_words(&image);
        let mut each = machine.clone().with("history", 4096_u32).run_words(&image);
        assert_eq!(blocks.counters(), each.counters(), "with seed {seed} on {machine:?}");
        let all = each.completions(0);
        assert_eq!(
            blocks.completions(0),
            all[all.len().saturating_sub(16)..],
            "with seed {seed} on {machine:?}"
        );
        let [blocks, each] = [&mut blocks, &mut each].map(|run| run.state(0)["program"].clone());
        assert_eq!(blocks["profile"], each["profile"], "with seed {seed} on {machine:?}");
        assert_eq!(blocks["registers"], each["registers"], "with seed {seed} on {machine:?}");
    }
}

#[test]
fn halting_and_going_on_changes_nothing_but_time() {
    for kind in ["pipelined_core", "functional_core", AHEAD] {
        for seed in 1000..1020 {
            let mut random = Random::new(seed);
            let loads = Loads::of(seed);
            let image = image(&mut random, loads.have_precise_bus_errors());
            let Some(expected) = interpret(&image) else { continue };
            let mut machine = machine(kind, &mut random, loads);
            machine.commands = [Command::Halt, Command::Resume].repeat(100);
            machine.pause_percent = 80;
            let mut run = machine.run_words(&image);
            compare(&mut run, &expected, &format!("with seed {seed} on {machine:?}"));
        }
    }
}

#[test]
fn standing_still_changes_nothing_but_time() {
    for kind in ["pipelined_core", "functional_core", AHEAD] {
        for seed in 4000..4030 {
            let mut random = Random::new(seed);
            let loads = Loads::of(seed);
            let image = image(&mut random, loads.have_precise_bus_errors());
            let Some(expected) = interpret(&image) else { continue };
            let handler = (u64::from(VECTOR)..u64::from(VECTOR) + 28).step_by(4);
            let places = (0..0x140).step_by(4).chain(handler).filter(|_| random.below(6) == 0);
            let places: Vec<u64> = places.collect();
            let rows = places.iter().flat_map(|at| [*at, 1 + random.below(30), 1 + random.below(3)]);
            let rows: Vec<u64> = rows.collect();
            let mut machine = machine(kind, &mut random, loads).with("delays", rows);
            if seed % 3 == 0 {
                machine.commands = [Command::Halt, Command::Resume].repeat(100);
                machine.pause_percent = 80;
            }
            let mut run = machine.run_words(&image);
            compare(&mut run, &expected, &format!("with seed {seed} on {machine:?}"));
        }
    }
}

#[test]
fn sleeping_changes_nothing() {
    for kind in ["pipelined_core", "functional_core", AHEAD] {
        for seed in 2000..2015 {
            let mut random = Random::new(seed);
            let loads = Loads::of(seed);
            let image = image(&mut random, loads.have_precise_bus_errors());
            if interpret(&image).is_none() {
                continue;
            }
            let mut machine = machine(kind, &mut random, loads)
                .latencies(random.below(20), random.below(40))
                .with("profile_bytes", Size(0x400));
            let mut asleep = machine.run_words(&image);
            machine.sleeping = false;
            let mut awake = machine.run_words(&image);
            assert_eq!(asleep.now(), awake.now());
            assert_eq!(asleep.counters(), awake.counters(), "with seed {seed} on {machine:?}");
            assert_eq!(asleep.state(0), awake.state(0), "with seed {seed} on {machine:?}");
        }
    }
}

#[test]
fn a_profile_says_where_every_cycle_went() {
    for kind in ["pipelined_core", "functional_core", AHEAD] {
        for seed in 3000..3010 {
            let mut random = Random::new(seed);
            let loads = Loads::of(seed);
            let image = image(&mut random, loads.have_precise_bus_errors());
            if interpret(&image).is_none() {
                continue;
            }
            let machine = machine(kind, &mut random, loads).with("profile_bytes", Size(u64::from(DATA)));
            let mut run = machine.run_words(&image);
            let causes = run.causes(0);
            let profile: Profile<Mips> =
                serde_json::from_value(run.state(0)["program"]["profile"].clone()).unwrap();
            let mut booked = [0; RUNNING_CAUSES];
            for entry in profile.accounts() {
                for (sum, cycles) in booked.iter_mut().zip(entry.cycles) {
                    *sum += cycles;
                }
            }
            assert_eq!(booked, causes);
            let instructions: u64 = profile.accounts().map(|entry| entry.instructions).sum();
            assert_eq!(instructions, run.counter(0, "instructions"));
            let accesses: u64 = profile.accounts().map(|entry| entry.accesses).sum();
            let counted = ["loads", "stores", "atomics"].map(|name| run.counter(0, name));
            assert_eq!(accesses, counted.iter().sum::<u64>());
        }
    }
}
