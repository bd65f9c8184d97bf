//! Speed of the reference interpreter and of the decoder: `cargo bench -p spinach-isa`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::interpreter::{Registers, execute, step};
use spinach_isa::mips::memory::FlatMemory;
use spinach_isa::mips::{Extensions, Instruction, decode};

/// The ones-complement sum over 1 KiB of halfwords at `s0`, again and again.
const CHECKSUM: &str = "
again:  addu   t0,s0,zero
        addiu  t1,s0,1024
        addu   v0,zero,zero
sum:    lhu    t2,0(t0)
        lhu    t3,2(t0)
        addiu  t0,t0,4
        addu   v0,v0,t2
        bne    t0,t1,sum
        addu   v0,v0,t3
        srl    t2,v0,0x10
        andi   v0,v0,0xffff
        addu   v0,v0,t2
        j      again
        sh     v0,1026(s0)";

/// A bitwise CRC-32 over 1 KiB at `s0`: short, badly predictable branches.
const CRC: &str = "
        lui    s1,0xedb8
        ori    s1,s1,0x8320
again:  addu   t0,s0,zero
        addiu  t1,s0,1024
        addiu  v0,zero,-1
byte:   lbu    t2,0(t0)
        addiu  t3,zero,8
        xor    v0,v0,t2
bit:    andi   t4,v0,0x1
        beq    t4,zero,even
        srl    v0,v0,0x1
        xor    v0,v0,s1
even:   addiu  t3,t3,-1
        bgtz   t3,bit
        nop
        addiu  t0,t0,1
        bnel   t0,t1,byte
        nop
        j      again
        sw     v0,1024(s0)";

const INSTRUCTIONS: u64 = 50_000_000;
const DATA: u32 = 0x1000;

fn report(name: &str, count: u64, start: Instant) {
    println!("{name:28} {:8.1} M/s", count as f64 / start.elapsed().as_secs_f64() / 1e6);
}

fn machine(words: &[u32]) -> (Registers, FlatMemory) {
    let mut memory = FlatMemory::new(0, 0x2000);
    memory.words_mut()[..words.len()].copy_from_slice(words);
    for (index, word) in memory.words_mut()[DATA as usize / 4..].iter_mut().enumerate() {
        *word = (index as u32).wrapping_mul(0x9e37_79b9);
    }
    let mut registers = Registers::reset(0, 0);
    registers.set_general(16, DATA);
    (registers, memory)
}

fn main() -> Result<(), Box<dyn Error>> {
    let extensions = Extensions::default();
    for (name, source) in [("checksum", CHECKSUM), ("crc", CRC)] {
        let words = assemble(source, 0)?;
        let decoded: Vec<Instruction> = words.iter().map(|&word| decode(word, extensions)).collect();
        let (mut registers, mut memory) = machine(&words);
        let start = Instant::now();
        for _ in 0..INSTRUCTIONS {
            let instruction = &decoded[registers.pc as usize / 4];
            execute(&mut registers, &mut memory, instruction)?;
        }
        report(&format!("{name}, decoded once"), INSTRUCTIONS, start);
        black_box((&registers, &memory));

        let (mut registers, mut memory) = machine(&words);
        let start = Instant::now();
        for _ in 0..INSTRUCTIONS {
            step(&mut registers, &mut memory, extensions)?;
        }
        report(&format!("{name}, decoded each time"), INSTRUCTIONS, start);
        black_box((&registers, &memory));
    }
    let words = assemble(CRC, 0)?;
    let start = Instant::now();
    for index in 0..INSTRUCTIONS as usize {
        black_box(decode(black_box(words[index % words.len()]), extensions));
    }
    report("decode", INSTRUCTIONS, start);
    Ok(())
}
