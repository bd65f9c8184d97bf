//! Random programs of RV32IMAC: cores compute what the interpreter computes, whatever the memory does and whenever they are
//! interrupted. The code is of the kind that the interpreter is held to QEMU with.

#[path = "../../../spinach-isa/tests/support/riscv_code.rs"]
mod riscv_code;

use riscv_code::{Code, DATA_BYTES, GP, Numbers, SCRATCH, SP, TP, b, i, j, random_item, s};
use spinach_isa::architecture::{ArchitectureTrap, RegisterFile};
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::riscv::{Registers, Rv32, Trap};

use crate::machine::{AHEAD, MEMORY_BYTES, Machine};
use crate::random_programs::{COUNTED, Loads, VECTOR, machine};
use crate::support::Random;

const DATA: u32 = 0x8000;
/// Number of bytes of data at random behind the program.
pub(crate) const RANDOM_BYTES: u32 = DATA_BYTES;
const COUNTER: u32 = DATA + DATA_BYTES;
const ITEMS: usize = 150;
const ROUNDS: u32 = 3;

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MSCRATCH: u32 = 0x340;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const INTERRUPTS_ENABLED: u32 = 8;
/// A register that the prologue may use before it gets its random value.
const T0: u32 = 5;

impl Numbers for Random {
    fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        Self::below(self, limit.into()) as u32
    }
}

fn read_control(rd: u32, number: u32) -> u32 {
    i(0x73, 2, rd, 0, number)
}

fn write_control(number: u32, rs1: u32) -> u32 {
    i(0x73, 1, 0, rs1, number)
}

/// An instruction of 4 bytes that raises an exception.
fn exceptional(random: &mut Random, code: &mut Code, with_bus_errors: bool) {
    match Numbers::below(random, if with_bus_errors { 4 } else { 3 }) {
        0 => code.long(0x73),
        1 => code.long(0x7b),
        2 => code.long(i(0x03, 2, T0, GP, 1 + Numbers::below(random, 3))),
        _ => {
            code.load(SCRATCH, 0x00f0_0000);
            code.long(i(0x03, 2, T0, SCRATCH, 0));
        }
    }
}

fn program(random: &mut Random, with_bus_errors: bool) -> Code {
    let mut code = Code::default();
    for (control, value) in [(MTVEC, VECTOR), (MIE, 0x1f << 16), (MSTATUS, INTERRUPTS_ENABLED)] {
        code.load(T0, value);
        code.long(write_control(control, T0));
    }
    code.load(SCRATCH, COUNTER);
    code.load(T0, ROUNDS);
    code.long(s(2, SCRATCH, T0, 0));
    code.load(SP, DATA + DATA_BYTES / 2);
    code.load(GP, DATA + DATA_BYTES / 2);
    for number in T0..32 {
        code.load(number, random.word());
    }
    let start = code.bytes();
    for _ in 0..ITEMS {
        if Numbers::below(random, 20) == 0 {
            exceptional(random, &mut code, with_bus_errors);
        }
        random_item(random, &mut code);
    }
    code.load(SCRATCH, COUNTER);
    code.long(i(0x03, 2, T0, SCRATCH, 0));
    code.long(i(0x13, 0, T0, T0, 0xfff));
    code.long(s(2, SCRATCH, T0, 0));
    code.long(b(0, T0, 0, 8));
    code.long(j(0, start.wrapping_sub(code.bytes())));
    code.long(i(0x73, 7, 0, INTERRUPTS_ENABLED, MSTATUS));
    code.load(10, 0);
    code.long(0x0010_0073); // ebreak
    code
}

/// Continues after the instruction that raised an exception, or at the interrupted one. Counts in `mscratch`: exceptions in the
/// lower 10 bits, interrupts above.
fn handler() -> Code {
    let count = |code: &mut Code, amount: u32| {
        code.long(read_control(TP, MSCRATCH));
        code.long(i(0x13, 0, TP, TP, amount));
        code.long(write_control(MSCRATCH, TP));
        code.long(0x3020_0073); // mret
    };
    let mut code = Code::default();
    code.long(read_control(TP, MCAUSE));
    code.long(b(4, TP, 0, 32));
    code.long(read_control(TP, MEPC));
    code.long(i(0x13, 0, TP, TP, 4));
    code.long(write_control(MEPC, TP));
    count(&mut code, 1);
    assert_eq!(VECTOR + code.bytes(), INTERRUPTED);
    count(&mut code, 0x400);
    code
}

/// Address at which the handler has recognised an interrupt.
const INTERRUPTED: u32 = VECTOR + 36;

pub(crate) fn image(random: &mut Random, with_bus_errors: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (code, end) in [(program(random, with_bus_errors), VECTOR), (handler(), DATA)] {
        bytes.extend(code.0.iter().flat_map(|parcel| parcel.to_le_bytes()));
        assert!(bytes.len() <= end as usize);
        bytes.resize(end as usize, 0);
    }
    bytes.extend((0..DATA_BYTES).map(|_| random.word() as u8));
    bytes
}

/// The interpreter, following the instructions that a core completed.
struct Replay {
    registers: Registers<u32>,
    memory: Bytes,
    exceptions: u32,
    interrupts: u32,
}

impl Replay {
    fn new(image: &[u8]) -> Self {
        let mut memory = Bytes::new(0, MEMORY_BYTES as usize);
        memory.bytes_mut()[..image.len()].copy_from_slice(image);
        Self { registers: RegisterFile::reset(0, 0), memory, exceptions: 0, interrupts: 0 }
    }

    /// Executes what the core completed. It enters the handler where the core did: for an exception, which the interpreter has to
    /// raise too, or for an interrupt, which must be enabled.
    fn follow(&mut self, completed: &[u32], what: &str) {
        for (index, pc) in completed.iter().enumerate() {
            if *pc == VECTOR {
                let at = self.registers.pc();
                let trap = if completed.get(index + 2) == Some(&INTERRUPTED) {
                    self.registers.set_interrupt_lines(1);
                    assert_eq!(self.registers.interrupting_lines(), 1, "enabled at {at:#x} {what}");
                    self.interrupts += 1;
                    Trap::INTERRUPT
                } else {
                    self.exceptions += 1;
                    let outcome = step(Rv32::default(), &mut self.registers, &mut self.memory);
                    outcome.expect_err(&format!("an exception at {at:#x} {what}"))
                };
                self.registers.enter_exception(trap, at, false);
                self.registers.jump_to(VECTOR);
                self.registers.set_interrupt_lines(0);
            }
            assert_eq!(self.registers.pc(), *pc, "instruction {index} {what}");
            let outcome = step(Rv32::default(), &mut self.registers, &mut self.memory);
            assert!(outcome.is_ok(), "{outcome:?} at {pc:#x} {what}");
        }
    }
}

fn riscv(machine: Machine) -> Machine {
    machine.with("instruction_set", "rv32").with("history", 0x1_0000_u32).with_memory("big_endian", false)
}

fn check(kind: &'static str, loads: Loads, seeds: std::ops::Range<u64>) {
    let (mut interrupts, mut exceptions) = (0, 0);
    for seed in seeds {
        let mut random = Random::new(seed);
        let image = image(&mut random, loads.have_precise_bus_errors());
        for lines in [0, 1] {
            let mut machine = riscv(machine(kind, &mut random, loads));
            (machine.lines, machine.words_per_line, machine.seed) = (lines, 40, seed);
            let what = format!("with seed {seed} on {machine:?}");
            let mut run = machine.run_bytes(&image);
            assert_eq!(run.state(0)["program"]["stop"]["message"], "finished", "{what}");
            let completed: Vec<u32> = run.completions(0).iter().map(|(pc, _)| *pc).collect();
            assert_eq!(
                completed.len() as u64,
                run.counter(0, "instructions"),
                "the history holds all {what}"
            );
            let mut replay = Replay::new(&image);
            replay.follow(&completed, &what);
            assert!(lines > 0 || replay.interrupts == 0);
            let expected = serde_json::to_value(&replay.registers).unwrap();
            let found = run.state(0)["program"]["registers"].clone();
            assert_eq!(found["general"], expected["general"], "{what}");
            for name in ["mstatus", "mepc", "mcause", "mtval", "mscratch"] {
                assert_eq!(found["control"][name], expected["control"][name], "{name} {what}");
            }
            for address in (DATA..COUNTER + 4).step_by(4) {
                let bytes = &replay.memory.bytes()[address as usize..][..4];
                let word = u32::from_be_bytes(bytes.try_into().unwrap());
                assert_eq!(run.word(address), word, "bytes from {address:#x} {what}");
            }
            assert_eq!(run.counter(0, "exceptions"), u64::from(replay.interrupts + replay.exceptions));
            run.causes(0);
            (interrupts, exceptions) = (interrupts + replay.interrupts, exceptions + replay.exceptions);
        }
    }
    assert!(interrupts > 50 && exceptions > 50, "{interrupts} interrupts, {exceptions} exceptions");
}

#[test]
fn the_pipelined_core_computes_what_the_interpreter_does() {
    check("pipelined_core", Loads::FirstStage, 0..8);
}

#[test]
#[ignore = "the long form"]
fn the_pipelined_core_computes_what_the_interpreter_does_with_any_timing() {
    for loads in [Loads::FirstStage, Loads::SecondStage, Loads::Late] {
        check("pipelined_core", loads, 10_000..10_100);
    }
}

#[test]
fn the_functional_core_computes_what_the_interpreter_does() {
    check("functional_core", Loads::FirstStage, 0..8);
}

#[test]
fn so_does_the_functional_core_that_runs_ahead() {
    check(AHEAD, Loads::FirstStage, 0..8);
}

#[test]
fn blocks_of_instructions_do_what_each_of_them_does() {
    for seed in 200..220 {
        let mut random = Random::new(seed);
        let image = image(&mut random, true);
        let machine = riscv(machine(AHEAD, &mut random, Loads::FirstStage));
        let mut each = machine.run_bytes(&image);
        let mut blocks = machine.clone().with("history", 16_u32).run_bytes(&image);
        assert_eq!(blocks.counters(), each.counters(), "with seed {seed} on {machine:?}");
        let [blocks, each] = [&mut blocks, &mut each].map(|run| {
            let data: Vec<u32> = (DATA..COUNTER).step_by(4).map(|address| run.word(address)).collect();
            (run.state(0)["program"]["registers"].clone(), data)
        });
        assert_eq!(blocks, each, "with seed {seed} on {machine:?}");
    }
}

#[test]
fn so_does_the_pipelined_core_with_two_memory_stages() {
    check("pipelined_core", Loads::SecondStage, 16..24);
}

#[test]
fn so_does_the_pipelined_core_whose_loads_leave_the_memory_stage() {
    check("pipelined_core", Loads::Late, 32..40);
}

#[test]
fn both_cores_compute_the_same_without_interrupts() {
    for seed in 100..106 {
        let mut random = Random::new(seed);
        let image = image(&mut random, true);
        let [pipelined, functional] = ["pipelined_core", AHEAD].map(|kind| {
            let mut run = riscv(machine(kind, &mut random, Loads::FirstStage)).run_bytes(&image);
            let pcs: Vec<u32> = run.completions(0).iter().map(|(pc, _)| *pc).collect();
            let data: Vec<u32> = (DATA..COUNTER).step_by(4).map(|address| run.word(address)).collect();
            let counted = COUNTED.map(|name| (name, run.counter(0, name)));
            assert!(counted.iter().all(|(name, count)| *count > 0 || *name == "annulled"), "{counted:?}");
            (pcs, run.registers(0), data, counted)
        });
        assert_eq!(pipelined, functional, "with seed {seed}");
    }
}
