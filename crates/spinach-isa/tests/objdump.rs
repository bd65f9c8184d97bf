//! The disassembler agrees with GNU objdump, word for word.

#![allow(dead_code, reason = "each test uses a part of the shared helpers")]

mod support;

use spinach_isa::mips::disassemble::disassemble;
use spinach_isa::mips::operation::{Extension, Format};
use spinach_isa::mips::{Extensions, Operation, decode};
use support::Random;

const WORDS_PER_OPERATION: usize = 100;
/// Far enough from the ends of memory that no branch wraps around, which objdump prints in 64 bits.
const BASE: u32 = 0x0040_0000;

/// Random words of all operations that GNU objdump knows.
fn words() -> Vec<u32> {
    let mut random = Random(0x15a);
    let mut words = Vec::new();
    for description in Operation::ALL.iter().map(|operation| operation.description()) {
        if description.fixed_bits == u32::MAX || description.extension != Extension::Base {
            continue;
        }
        for _ in 0..WORDS_PER_OPERATION {
            let mut bits = random.word();
            // Register zero turns some instructions into aliases that objdump prints even so.
            for field in [0x1f << 21, 0x1f << 16] {
                bits |= if bits & field == 0 { field } else { 0 };
            }
            let mut word = description.fixed_bits | bits & description.format.variable_bits();
            if description.format == Format::RtCoprocessor0 {
                // Only registers that are present here have the same name there.
                let register = [8, 9, 11, 12, 13, 14, 15, 30][random.below(8) as usize];
                word = word & !(0x1f << 11) | register << 11;
            }
            words.push(word);
        }
    }
    words
}

#[test]
fn text_equals_that_of_gnu_objdump() {
    let words = words();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let base = format!("--adjust-vma={BASE}");
    let arguments = ["-D", "-z", &base, "-bbinary", "-mmips:4000", "-EB", "-Mno-aliases,cp0-names=mips32"];
    let tool = ("mips-linux-gnu-objdump", "binutils-mips-linux-gnu");
    let Some(output) = support::run_optional_tool(tool, &arguments, ("objdump.bin", &bytes)).unwrap() else {
        return;
    };
    let listing = String::from_utf8(output.stdout).unwrap();
    let mut compared = 0;
    for line in listing.lines() {
        // "   4:\t00851021 \taddu\tv0,a0,a1"
        let mut columns = line.splitn(3, '\t');
        let (Some(address), Some(_), Some(theirs)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        let address = u32::from_str_radix(address.trim().trim_end_matches(':'), 16).unwrap();
        let word = words[(address - BASE) as usize / 4];
        let ours = disassemble(decode(word, Extensions::default()), address).to_string();
        assert_eq!(ours, theirs.trim().replace('\t', " "), "{word:#010x} at {address:#x}");
        compared += 1;
    }
    assert_eq!(compared, words.len(), "every word is listed");
}
