//! Speed of the studies: `cargo bench -p spinach-analysis`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot run has no result")]

#[path = "../tests/support/elf.rs"]
mod elf;
#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Instant;

use elf::Executable;
use spinach_analysis::coherence::{
    AccessSource, Configuration, Geometry, Protocol, Reference, Study, System, study,
};
use spinach_analysis::image::Image;
use spinach_analysis::issue_limits::{self, Order, Pipeline, Prediction, issue_limits};
use spinach_analysis::trace::{
    Access, AccessReader, AccessWriter, Filter, Profile, TaskTracker, TraceReader, TraceRequest, record,
};
use spinach_isa::mips::Mips;
use support::Random;

/// Walks a ring of descriptors, sums their bytes, links them into lists and counts them in a table: loads, stores and
/// branches in the mix of firmware, the branches depending on data.
const PROGRAM: &str = "
        lui    s0,0x1
        addiu  s1,zero,1
frame:  andi   t0,s1,0x3ff
        sll    t0,t0,0x4
        addu   t0,s0,t0
        lw     t1,0(t0)
        lw     t2,4(t0)
        addu   t1,t1,s1
        sw     t1,0(t0)
        andi   t3,t1,0x7
        beq    t3,zero,short
        sw     s1,8(t0)
        addiu  t4,zero,4
sum:    lbu    t5,0(t0)
        addiu  t0,t0,1
        addiu  t4,t4,-1
        addu   t2,t2,t5
        bgtz   t4,sum
        xor    t6,t2,t5
        sll    t6,t6,0x2
        andi   t6,t6,0xffc
        addu   t6,s0,t6
        lw     t7,16384(t6)
        jal    count
        addiu  t7,t7,1
        sw     t7,16384(t6)
short:  addiu  s1,s1,1
        sltiu  t8,s1,-1
        bne    t8,zero,frame
        subu   s2,s1,t2
        break
count:  addiu  sp,s0,0x7000
        sw     ra,-4(sp)
        lw     t9,-8(sp)
        addu   t9,t9,t7
        sw     t9,-8(sp)
        lw     ra,-4(sp)
        jr     ra
        nop";

const INSTRUCTIONS: u64 = 20_000_000;
const REFERENCES: u64 = 20_000_000;

fn report(name: &str, count: u64, start: Instant) {
    println!("{name:52} {:8.1} M/s", count as f64 / start.elapsed().as_secs_f64() / 1e6);
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn record_program(path: &Path) {
    let functions = [("main", 0, 31), ("count", 31, 8)];
    let image = Image::parse("program", &Executable::new(PROGRAM, &functions).bytes()).unwrap();
    let recording = TraceRequest {
        extensions: Vec::new(),
        memory_base: 0,
        memory_bytes: 1 << 17,
        instructions_maximum: INSTRUCTIONS,
    };
    let tasks = TaskTracker::new(&image, &BTreeMap::new()).unwrap();
    let start = Instant::now();
    let count = record(&image, &recording, tasks, path).unwrap();
    report("trace: execute and write", count, start);
    let bytes = std::fs::metadata(path).unwrap().len();
    println!("{:52} {:8.2} bytes", "trace: size of an instruction", bytes as f64 / count as f64);
}

fn bench_trace(path: &Path) {
    let start = Instant::now();
    let mut reader = TraceReader::open(path).unwrap();
    while !reader.next_group().unwrap().is_empty() {}
    report("trace: read", INSTRUCTIONS, start);
    let start = Instant::now();
    Profile::read(&mut TraceReader::open(path).unwrap(), &Filter::default(), &Mips::default()).unwrap();
    report("trace: read into a profile", INSTRUCTIONS, start);
}

fn bench_issue_limits(path: &Path) {
    let limits = |configurations: &[issue_limits::Configuration]| {
        let mut reader = TraceReader::open(path).unwrap();
        issue_limits(&mut reader, &Filter::default(), &Mips::default(), configurations).unwrap()
    };
    for (order, name) in [(Order::InOrder, "in order"), (Order::OutOfOrder, "out of order")] {
        for (pipeline, prediction) in
            [(Pipeline::Perfect, Prediction::Perfect), (Pipeline::Stalls, Prediction::OnePerCycle)]
        {
            let width = NonZeroU32::new(4).unwrap();
            let window = issue_limits::Configuration::WINDOW;
            let configuration = issue_limits::Configuration { order, width, pipeline, prediction, window };
            let start = Instant::now();
            let limit = limits(&[configuration])[0];
            let ipc = limit.instructions_per_cycle();
            let name = format!("issue limit, with reading: {name}, 4 wide, ipc {ipc:.2}");
            report(&name, INSTRUCTIONS, start);
        }
    }
    let table = issue_limits::Configuration::table_2(&[1, 2, 4].map(|width| NonZeroU32::new(width).unwrap()));
    let start = Instant::now();
    limits(&table);
    report("issue limits: table 2, instructions x 30 cores", INSTRUCTIONS * table.len() as u64, start);
}

fn random_accesses(random: &mut Random) -> Vec<Access> {
    // Half of the accesses go to descriptors that move on, half to a few shared words, as in firmware.
    let access = |cycle: u64| Access {
        agent: random.below(8) as u16,
        address: match random.below(2) {
            0 => 0x1_0000 + (cycle / 16 * 16 + u64::from(4 * random.below(4))) % 0x1_8000,
            _ => u64::from(0x1000 + 4 * random.below(256)),
        },
        bytes: 4,
        write: random.below(3) == 0,
        cycle,
    };
    (0..REFERENCES).map(access).collect()
}

fn bench_coherence() {
    let accesses = random_accesses(&mut Random(1));
    for (capacity, protocol) in [(256, Protocol::Mesi), (32 << 10, Protocol::Mesi), (32 << 10, Protocol::Msi)]
    {
        let configuration = Configuration { protocol, geometry: Geometry::fully_associative(capacity) };
        let mut system = System::new(configuration, 8).unwrap();
        let start = Instant::now();
        for access in &accesses {
            let (cache, address) = (access.agent as u8, access.address);
            system.access(&Reference { cache, write: access.write, address, bytes: access.bytes });
        }
        let total = system.report().total();
        let hits = 100.0 * total.hits() as f64 / total.accesses() as f64;
        report(
            &format!("coherence: {protocol:?}, 8 caches of {capacity} B, {hits:.0} % hits"),
            REFERENCES,
            start,
        );
    }
    let path = temporary("bench_accesses.parquet");
    let mut writer = AccessWriter::create(&path, true).unwrap();
    accesses.iter().for_each(|access| writer.push(access).unwrap());
    let agents: Vec<String> = (0..8).map(|agent| format!("agent{agent}")).collect();
    writer.close(&agents).unwrap();
    let configurations: Vec<Configuration> = (4..=15)
        .map(|log2| Configuration {
            protocol: Protocol::Mesi,
            geometry: Geometry::fully_associative(1 << log2),
        })
        .collect();
    let whole = Study { caches: agents.into_iter().map(|agent| vec![agent]).collect(), ..Study::default() };
    let start = Instant::now();
    let source = AccessSource::Accesses(AccessReader::open(&path).unwrap());
    study(vec![source], &whole, &configurations, &Mips::default()).unwrap();
    report("coherence: figure 3, with reading, references x 12", REFERENCES * 12, start);
    std::fs::remove_file(path).unwrap();
}

fn main() {
    let path = temporary("bench_trace.parquet");
    record_program(&path);
    bench_trace(&path);
    bench_issue_limits(&path);
    std::fs::remove_file(path).unwrap();
    bench_coherence();
}
