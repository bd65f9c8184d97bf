//! The disassembler of the PowerPC 405 agrees with GNU objdump, word for word.

#![allow(dead_code, reason = "each test uses a part of the shared helpers")]
#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::collections::BTreeSet;

use spinach_isa::architecture::Architecture;
use spinach_isa::instruction_set::{Class, DecodedInstruction};
use spinach_isa::powerpc::PowerPc405;
use support::Random;

const WORDS_PER_CODE: usize = 40;
/// Far enough from the ends of memory that no branch wraps around.
const BASE: u32 = 0x0800_0000;

/// Random words of all operations: of each primary opcode, and of each extended one of the two that have such.
fn words() -> Vec<u32> {
    let mut random = Random(0x405);
    let mut words = Vec::new();
    for code in 0..64 * 1024 {
        let (primary, extended) = (code / 1024, code % 1024);
        let is_extended = matches!(primary, 19 | 31);
        if !is_extended && extended != 0 {
            continue;
        }
        for _ in 0..WORDS_PER_CODE {
            let bits = random.word();
            let extended = if is_extended { bits & !0x7fe | extended << 1 } else { bits };
            let word = primary << 26 | extended & 0x03ff_ffff;
            // Comparisons of 64 bits are not of this set.
            let compares = matches!(primary, 10 | 11) || primary == 31 && matches!(word >> 1 & 0x3ff, 0 | 32);
            let word = if compares { word & !(1 << 21) } else { word };
            let has_hint = primary == 19 && matches!(word >> 1 & 0x3ff, 16 | 528);
            let word = if has_hint { word & !0xf800 } else { word };
            let word = if primary == 31 && word >> 1 & 0x3ff == 86 { word & !0x03e0_0000 } else { word };
            // The mnemonic contains the prediction of a branch.
            if PowerPc405::default().decode(word).class() != Class::Reserved {
                words.push(if matches!(primary, 16 | 19) { word & !(1 << 21) } else { word });
            }
        }
    }
    words
}

/// Comparisons as programmers write them, with the length in the name: `cmpwi cr1,r3,0` for `cmpi cr1,0,r3,0`.
fn without_length(text: &str) -> String {
    let names = [("cmp ", "cmpw "), ("cmpl ", "cmplw "), ("cmpi ", "cmpwi "), ("cmpli ", "cmplwi ")];
    match names.iter().find(|(raw, _)| text.starts_with(raw)) {
        Some((raw, name)) => text.replacen(raw, name, 1).replacen(",0,", ",", 1),
        None => text.to_owned(),
    }
}

/// A hint that later members of the family have in bits that the 405 reserves, of instructions that have one.
fn hint(word: u32) -> &'static str {
    let has_hint = matches!((word >> 26, word >> 1 & 0x3ff), (19, 16 | 528) | (31, 20 | 86));
    if has_hint { ",0" } else { "\n" }
}

#[test]
fn text_equals_that_of_gnu_objdump() {
    let words = words();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let base = format!("--adjust-vma={BASE}");
    let arguments = ["-D", "-z", &base, "-bbinary", "-mpowerpc:403", "-EB", "-M405,raw"];
    let tool = ("powerpc-linux-gnu-objdump", "binutils-powerpc-linux-gnu");
    let Some(output) = support::run_optional_tool(tool, &arguments, ("objdump-powerpc.bin", &bytes)).unwrap()
    else {
        return;
    };
    let listing = String::from_utf8(output.stdout).unwrap();
    let mut compared = BTreeSet::new();
    for line in listing.lines() {
        // "   4:\t7c 64 2a 14 \tadd     r3,r4,r5"
        let mut columns = line.splitn(3, '\t');
        let (Some(address), Some(_), Some(theirs)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        let address = u32::from_str_radix(address.trim().trim_end_matches(':'), 16).unwrap();
        let word = words[(address - BASE) as usize / 4];
        let theirs = theirs.split_whitespace().collect::<Vec<_>>().join(" ");
        let theirs = without_length(&theirs);
        let theirs = theirs.strip_suffix(hint(word)).unwrap_or(&theirs);
        // Bits that the architecture reserves are not looked at here.
        if theirs.starts_with(".long") {
            continue;
        }
        let instruction = PowerPc405::default().decode(word);
        let ours = PowerPc405::disassemble(instruction, address.into());
        // Some chips of the family name their device control registers.
        if ours.contains("dcr ") {
            continue;
        }
        assert_eq!(ours, theirs, "{word:#010x} at {address:#x}");
        compared.insert(instruction.mnemonic());
    }
    assert!(compared.len() > 150, "only {} mnemonics", compared.len());
}
