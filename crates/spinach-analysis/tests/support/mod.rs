//! Helpers that several tests share.

#![allow(dead_code, reason = "each test needs some of them")]

use std::path::PathBuf;

use spinach_analysis::trace::{Instruction, InstructionHeader, TraceReader, TraceWriter};
use spinach_isa::mips::assemble::assemble;

/// A small generator of reproducible numbers (SplitMix64), so that a failure names its seed.
pub(crate) struct Random(pub u64);

impl Random {
    /// 32 uniform bits.
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed >> 32) as u32
    }

    /// Uniform below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    /// One of the choices.
    pub(crate) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }
}

/// A place for a file of this test run.
pub(crate) fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A header for traces of base MIPS.
pub(crate) fn header() -> InstructionHeader {
    InstructionHeader {
        instruction_set: "mips".to_owned(),
        extensions: Vec::new(),
        tasks: ["unknown", "idle", "send"].map(str::to_owned).to_vec(),
        overhead_tasks: vec!["idle".to_owned()],
        functions: ["unknown", "main"].map(str::to_owned).to_vec(),
    }
}

/// Writes a trace and opens it.
pub(crate) fn trace(name: &str, timed: bool, instructions: &[Instruction]) -> TraceReader {
    let path = temporary(name);
    let mut writer = TraceWriter::create(&path, timed).unwrap();
    instructions.iter().for_each(|instruction| writer.push(instruction).unwrap());
    writer.close(&header()).unwrap();
    TraceReader::open(&path).unwrap()
}

/// A stream as a core could retire it: random operations over a few registers and words, branches with their delay slots,
/// some annulled.
pub(crate) fn random_stream(random: &mut Random, length: usize) -> Vec<Instruction> {
    let registers = ["v0", "v1", "a0", "a1", "zero"];
    let mut stream = Vec::with_capacity(length + 1);
    let mut pc = 0x1000;
    while stream.len() < length {
        let [a, b, c] = [0; 3].map(|_| random.choose(&registers));
        let (text, uses_memory) = match random.below(12) {
            0..=2 => (format!("addu {a},{b},{c}"), false),
            3 => (format!("sll {a},{b},3"), false),
            4 => (format!("mult {a},{b}"), false),
            5 => (format!("mflo {a}"), false),
            6 | 7 => (format!("lw {a},0({b})"), true),
            8 => (format!("sw {a},0({b})"), true),
            9 => (random.choose(&["ll v0,0(a0)", "sc v1,0(a0)", "lwl v0,0(a0)"]).to_owned(), true),
            10 => (format!("bnel {a},{b},0x2000"), false),
            _ => (random.choose(&["beq v0,v1,0x2000", "j 0x3000", "jr v0", "jal 0x1000"]).to_owned(), false),
        };
        let word = assemble(&text, pc).unwrap()[0];
        let is_branch = !uses_memory && text.starts_with(['b', 'j']);
        let in_slot = stream.len() > 1 && random.below(2) == 0;
        let address = uses_memory.then(|| 0x100 + 4 * random.below(4) + random.below(2));
        // A branch never follows directly on a branch: that would be a branch in a delay slot.
        let follows_branch = stream.last().is_some_and(|last: &Instruction| last.taken);
        if is_branch && follows_branch {
            continue;
        }
        let address = address.map(u64::from);
        stream.push(Instruction { pc: pc.into(), word, address, taken: is_branch, ..Instruction::default() });
        pc = if is_branch && text.starts_with("bnel") && in_slot {
            pc + 8
        } else if follows_branch {
            0x1000 + 4 * random.below(64)
        } else {
            pc + 4
        };
    }
    stream
}
