//! How fast the cores simulate, one core on one memory: `cargo bench -p spinach-modules --bench cores`.
//!
//! The memory answers in the same cycle, so that nothing but the core's own hazards costs cycles.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::error::Error;
use std::time::Instant;

use spinach_engine::{Design, Frequency, ParameterValue, Simulation, Size, Time, elaborate};
use spinach_isa::mips::assemble::assemble;

/// Each run is cut into slices, and the fastest counts, so that what else the machine does matters less.
const SLICES: u64 = 1_000;
const CYCLES_PER_SLICE: u64 = 20_000;
const FEMTOSECONDS_PER_CYCLE: u64 = 1_000_000;

/// The ones-complement sum over 1 KiB of halfwords, again and again.
const CHECKSUM: &str = "
        addiu  s0,zero,0x1000
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

/// A bitwise CRC-32 over 1 KiB: short, badly predictable branches.
const CRC: &str = "
        addiu  s0,zero,0x1000
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

fn machine(kind: &str, words: &[u32]) -> Result<Simulation, Box<dyn Error>> {
    let mut design = Design::new();
    let domain = design.domain("core", Frequency::from_hertz(1_000_000_000)?);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let parameters: [(&str, ParameterValue); 3] =
        [("size", Size(0x1_0000).into()), ("latency", 0_u32.into()), ("contents", bytes.into())];
    let memory = design.module("memory", "multiported_memory", domain, parameters);
    let core = design.module("core", kind, domain, Vec::<(&str, ParameterValue)>::new());
    for (lane, bundle) in ["fetch", "data"].into_iter().enumerate() {
        design.connect_lanes((core, &format!("{bundle}_request"), 0), (memory, "port_request", lane));
        design.connect_lanes((memory, "port_response", lane), (core, &format!("{bundle}_response"), 0));
    }
    Ok(Simulation::new(elaborate(&design, &spinach_modules::registry())?))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:18} {:10} {:>12} {:>16} {:>6}", "core", "program", "Mcycles/s", "Minstructions/s", "IPC");
    for kind in ["functional_mips", "pipelined_mips"] {
        for (program, text) in [("checksum", CHECKSUM), ("crc", CRC)] {
            let mut simulation = machine(kind, &assemble(text, 0)?)?;
            let mut fastest = f64::INFINITY;
            for slice in 1..=SLICES {
                let start = Instant::now();
                let until = slice * CYCLES_PER_SLICE * FEMTOSECONDS_PER_CYCLE;
                simulation.run_until(Time::from_femtoseconds(until));
                fastest = fastest.min(start.elapsed().as_secs_f64());
            }
            let statistics = simulation.statistics();
            let mut found = statistics.iter().filter(|(name, _)| *name == "core.instructions");
            let instructions = found.next().map_or(0, |(_, count)| count);
            let ratio = instructions as f64 / (SLICES * CYCLES_PER_SLICE) as f64;
            let cycles = CYCLES_PER_SLICE as f64 / fastest / 1e6;
            let instructions = cycles * ratio;
            println!("{kind:18} {program:10} {cycles:12.1} {instructions:16.1} {ratio:6.2}");
        }
    }
    Ok(())
}
