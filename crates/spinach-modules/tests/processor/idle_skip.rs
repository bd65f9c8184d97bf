//! Skipping the repetitions of cores that poll has no visible effect.

use serde_json::Value;
use spinach_engine::{Frequency, ModuleId, Outcome, ParameterValue, Simulation, Size, Time, elaborate};
use spinach_isa::mips::assemble::assemble;
use spinach_modules::values::{Reference, Response};

use crate::support::{self, Bench, Random, script};

const CYCLES: u64 = 200_000;

/// Counts rounds of a loop that reads words until a timer interrupts it, which it does `PERIOD` cycles after it was set.
const PROGRAM: &str = "
        mfc0 s1,c0_count
        addiu s1,s1,PERIOD
        mtc0 s1,c0_compare
        ori t0,zero,0x8001
        mtc0 t0,c0_status
        addiu s0,zero,0
    poll: lw t1,0x400(zero)
        lw t2,0x404(zero)
        mult t1,t2
        bne t1,zero,done
        lw t3,0x408(zero)
        beq zero,zero,poll
        addu t4,t2,t3
    done: break
";

/// Lets the poll end at the third interrupt, and sets the timer again before.
const HANDLER: &str = "
        addiu s0,s0,1
        addiu t5,zero,3
        bne s0,t5,again
        nop
        sw s0,0x400(zero)
    again: addiu s1,s1,PERIOD
        mtc0 s1,c0_compare
        eret
        nop
";

/// Waits for a clock twice: until the distance to a point of time turns positive, and until that is less. Counts the rounds.
const WAITS: &str = "
        mfc0 s1,c0_count
        addiu s1,s1,PERIOD
        addiu s0,zero,0
    first: mfc0 t0,c0_count
        lw t1,0x404(zero)
        subu t2,t0,s1
        mult t1,t1
        addu t3,t0,t1
        or t4,t2,zero
        bltz t4,first
        addiu s0,s0,1
        addiu s2,s1,PERIOD
    second: lw t1,0x408(zero)
        mfc0 t0,c0_count
        sltu t5,t0,s2
        addiu s0,s0,3
        bne t5,zero,second
        xor t6,t0,zero
    done: break
";

/// Waits until a bit of a shifted clock is set, and set again after it was not, repeatedly.
const SHIFTS: &str = "
        addiu s0,zero,20
    clear: mfc0 t0,c0_count
        srl t1,t0,11
        andi t1,t1,1
        bne t1,zero,clear
        nop
    set: mfc0 t0,c0_count
        srl t1,t0,11
        andi t1,t1,1
        beq t1,zero,set
        addiu s1,s1,1
        bne s0,zero,clear
        addiu s0,s0,-1
    done: break
";

const VECTOR: u32 = 0x200;
const PIPELINED: &str = "pipelined_core";
const FUNCTIONAL: &str = "functional_core";

/// Cores of different periods and latencies on banks behind a crossbar, each with a cache of instructions, run for a while.
fn run(kind: &str, program: &str, case: [u32; 3], cycles: u64, skips: bool) -> Simulation {
    let mut simulation = start(kind, program, case, None);
    simulation.set_idle_skip(skips);
    // In several runs, so that some end within a leap.
    for part in 1..=3 {
        let until = Time::from_femtoseconds(part * cycles / 3 * 1_000_000);
        assert_eq!(simulation.run_until(until), Outcome::Reached);
    }
    simulation
}

/// Random numbers of others, and the latency in cycles of the joint between them and the cores, if there is one.
struct Others<'r> {
    random: &'r mut Random,
    latency: Option<u64>,
}

/// The same at the beginning; others write into the memory now and then, at a clock that never rests.
fn start(
    kind: &str,
    program: &str,
    [cores, period, history]: [u32; 3],
    others: Option<Others<'_>>,
) -> Simulation {
    let mut bench = Bench::new();
    let none: [(&str, ParameterValue); 0] = [];
    let size: [(&str, ParameterValue); 2] = [("size", Size(0x1000).into()), ("latency", 1_u32.into())];
    let memory = bench.design.module("memory", "multiported_memory", bench.domain, size.clone());
    let code = bench.design.module("code", "multiported_memory", bench.domain, size);
    for number in 0..cores {
        let parameters: [(&str, ParameterValue); 5] = [
            ("identity", number.into()),
            ("history", history.into()),
            ("exception_vector", u64::from(VECTOR).into()),
            ("profile_bytes", Size(0x400).into()),
            ("on_fault", "halt".into()),
        ];
        let timing: [(&str, ParameterValue); 2] =
            [("multiply_latency", (3 * number + 1).into()), ("load_use_delay", (number + 1).into())];
        let quantum: [(&str, ParameterValue); 2] =
            [("quantum", (100_u32 >> number).into()), ("calls", (number == 1).into())];
        let own = if kind == PIPELINED { timing } else { quantum };
        let parameters = parameters.into_iter().chain(own);
        let core = bench.design.module(format!("core{number}"), kind, bench.domain, parameters);
        let cache =
            bench.design.module(format!("cache{number}"), "cache_controller", bench.domain, none.clone());
        bench.design.connect((core, "fetch_request"), (cache, "port_request"));
        bench.design.connect((cache, "port_response"), (core, "fetch_response"));
        let lane = number as usize;
        bench.design.connect_lanes((cache, "memory_request", 0), (code, "port_request", lane));
        bench.design.connect_lanes((code, "port_response", lane), (cache, "memory_response", 0));
        bench.design.connect_lanes((core, "data_request", 0), (memory, "port_request", lane));
        bench.design.connect_lanes((memory, "port_response", lane), (core, "data_response", 0));
    }
    if let Some(others) = others {
        write_now_and_then(&mut bench, (memory, cores as usize), others);
    }
    let elaborated = elaborate(&bench.design, &support::registry()).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(elaborated);
    simulation.set_check_dependencies(false);
    let code = simulation.netlist().find_module("code").unwrap();
    for (place, text) in [(0, program), (VECTOR, HANDLER)] {
        let text = text.replace("PERIOD", &period.to_string());
        let words = assemble(&text, place).unwrap_or_else(|error| panic!("{error}"));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert!(simulation.contents(code).unwrap().write(place.into(), &bytes));
    }
    simulation
}

/// A source at another clock that writes words which the cores read, ten in a row, to a lane of the memory: through FIFOs, or through
/// a joint of this latency.
fn write_now_and_then(bench: &mut Bench, (memory, lane): (ModuleId, usize), others: Others<'_>) {
    let Others { random, latency } = others;
    let hertz = [333_000_000, 1_000_000_000, 170_000_000][random.below(3) as usize];
    let other = bench.design.domain("other", Frequency::from_hertz(hertz).unwrap());
    let values: Vec<(u64, u64)> = (0..60).map(|_| (random.below(2), random.below(9))).collect();
    let write = |(word, value): &(u64, u64)| Reference::write(0x404 + 4 * word, 4, u128::from(*value));
    let respond = |(word, value): &(u64, u64)| Response { data: (word + 2 * value).into(), is_fault: false };
    let script = match latency {
        None => script(&values.iter().map(write).collect::<Vec<_>>()),
        Some(_) => script(&values.iter().map(respond).collect::<Vec<_>>()),
    };
    let parameters: [(&str, ParameterValue); 5] = [
        ("script", script.into()),
        ("stall_percent", (30 * random.below(4)).into()),
        ("seed", random.below(99).into()),
        ("start", random.below(2_000).into()),
        ("pause", (500 + random.below(6_000)).into()),
    ];
    let source = bench.design.module("source", "test_source", other, parameters);
    let none: [(&str, ParameterValue); 0] = [];
    let sink = bench.design.module("sink", "test_sink", other, none.clone());
    let core = bench.domain;
    let mut cross = |name: &str, from, to| {
        if let Some(latency) = latency {
            let begin = bench.design.module(format!("{name}.begin"), "test_departures", from, none.clone());
            let end = bench.design.module(format!("{name}.end"), "test_arrivals", to, [("delay", latency)]);
            bench.design.connect((begin, "far"), (end, "near"));
            return (begin, end);
        }
        let fifo = bench.design.module(name, "asynchronous_fifo", from, none.clone());
        bench.design.modules.values_mut().last().unwrap().clocks.insert("to".to_owned(), to);
        (fifo, fifo)
    };
    let (there, back) = (cross("there", other, core), cross("back", core, other));
    bench.design.connect((source, "output"), (there.0, "input"));
    bench.design.connect_lanes((there.1, "output", 0), (memory, "port_request", lane));
    bench.design.connect_lanes((memory, "port_response", lane), (back.0, "input", 0));
    bench.design.connect((back.1, "output"), (sink, "input"));
}

/// Visible state of a core.
fn seen(simulation: &mut Simulation, cores: u32) -> Vec<Value> {
    let states = (0..cores).map(|number| {
        let core = simulation.netlist().find_module(&format!("core{number}")).unwrap();
        simulation.state(core).unwrap()["program"].clone()
    });
    states.collect()
}

#[test]
fn what_cores_that_poll_did_is_complete() {
    for case in [[1, 30_000, 16], [1, 30_000, 1024], [2, 25_001, 64], [3, 32_345, 16]] {
        let skipped = compare(PROGRAM, case);
        assert!(skipped > CYCLES / 8, "{case:?}: only {skipped} cycles were skipped");
    }
}

#[test]
fn what_cores_that_wait_for_a_clock_did_is_complete() {
    for case in [[1, 20_000, 16], [1, 20_001, 64], [2, 17_503, 16], [3, 21_111, 1024]] {
        let skipped = compare(WAITS, case);
        assert!(skipped > CYCLES / 8, "{case:?}: only {skipped} cycles were skipped");
    }
}

/// Wherever in a round periods begin and end: also between the cycle in which a branch is resolved and that in which it executes.
#[test]
fn a_clock_is_waited_for_as_long_as_it_takes() {
    for before in 0..24 {
        let program = format!("{}{WAITS}", "nop\n".repeat(before));
        let skipped = compare(&program, [1, 10_000 + 7 * before as u32, 16]);
        assert!(skipped > CYCLES / 16, "after {before}: only {skipped} cycles were skipped");
    }
}

/// The interrupt, the end of the wait and the end of each run come in every cycle of a period, so that the rest is also exactly some
/// periods long.
#[test]
fn the_rest_may_be_any_number_of_cycles() {
    const ROUND: u32 = 40;
    for more in 0..ROUND {
        for program in [PROGRAM, WAITS] {
            let skipped =
                compare_for(PIPELINED, program, [1, 2_500 + more, 16], 18_000 + 3 * u64::from(more));
            assert!(skipped > 1_000, "{more}: only {skipped} cycles were skipped");
        }
    }
}

#[test]
fn cores_whose_comparisons_cannot_be_told_are_simulated() {
    assert_eq!(compare(SHIFTS, [1, 0, 64]), 0);
    assert_eq!(compare(SHIFTS, [2, 0, 64]), 0);
}

/// The same for cores that run ahead, and sleep until the cycle up to which they have: no quantum is a number of rounds.
#[test]
fn what_functional_cores_that_poll_did_is_complete() {
    for case in [[1, 30_000, 16], [1, 30_000, 1024], [2, 25_001, 64], [3, 32_345, 16]] {
        let skipped = compare_for(FUNCTIONAL, PROGRAM, case, CYCLES);
        assert!(skipped > CYCLES / 8, "{case:?}: only {skipped} cycles were skipped");
    }
    for more in 0..40 {
        let cycles = 50_000 + 250 * u64::from(more);
        let skipped = compare_for(FUNCTIONAL, PROGRAM, [1 + more % 2, 8_000 + 37 * more, 16], cycles);
        assert!(skipped > 1_000, "{more}: only {skipped} cycles were skipped");
    }
    // All quanta end at one place of the loop.
    let tight = PROGRAM.replace("lw t2,0x404(zero)", "").replace("mult t1,t2", "");
    assert!(compare_for(FUNCTIONAL, &tight, [1, 30_000, 16], CYCLES) > CYCLES / 8);
    assert_eq!(compare_for(FUNCTIONAL, WAITS, [2, 17_503, 16], CYCLES), 0);
}

/// Runs pipelined cores with and without; returns how many cycles were skipped.
fn compare(program: &str, case: [u32; 3]) -> u64 {
    compare_for(PIPELINED, program, case, CYCLES)
}

fn compare_for(kind: &str, program: &str, case: [u32; 3], cycles: u64) -> u64 {
    let [cores, ..] = case;
    let [mut plain, mut skipping] = [false, true].map(|skips| run(kind, program, case, cycles, skips));
    let place = format!("{case:?}");
    assert_eq!(plain.repeated_cycles(), 0);
    let counters: Vec<(String, u64)> = plain.statistics().iter().collect();
    for ((name, count), (_, other)) in counters.iter().zip(skipping.statistics().iter()) {
        assert_eq!(*count, other, "{place}: {name}");
    }
    let skipped = skipping.repeated_cycles();
    let (plain, skipping) = (seen(&mut plain, cores), seen(&mut skipping, cores));
    for (number, (plain, skipping)) in plain.iter().zip(&skipping).enumerate() {
        assert_eq!(plain["stop"]["cause"], "Finished", "{place}");
        for part in ["registers", "profile", "history", "stop", "interrupts"] {
            assert_eq!(plain[part], skipping[part], "{place}: {part} of core {number}");
        }
    }
    skipped
}

/// Runs cores that poll while others act, in pieces behind which something looks now and then at counters, at the state of a core or at
/// the memory, or writes into it. Returns what was seen and how many cycles were skipped.
fn run_beside(
    kind: &str,
    seed: u64,
    latency: Option<u64>,
    threads: usize,
    skips: bool,
) -> (Vec<String>, u64) {
    let mut random = Random::new(seed);
    let case = [1 + random.below(3) as u32, 9_000 + random.below(20_000) as u32, 16];
    let program = [PROGRAM, WAITS][usize::from(kind == PIPELINED && random.below(3) == 0)];
    let others = Others { random: &mut random, latency };
    let mut simulation = start(kind, program, case, Some(others));
    assert_eq!(simulation.islands(), if latency.is_some() { 3 } else { 1 });
    simulation.set_threads(threads);
    simulation.set_idle_skip(skips);
    let find = |simulation: &Simulation, path: &str| simulation.netlist().find_module(path).unwrap();
    let (core, memory, sink) =
        (find(&simulation, "core0"), find(&simulation, "memory"), find(&simulation, "sink"));
    let (mut seen, mut now) = (Vec::new(), 0);
    while now < CYCLES {
        let longest = [50, 20_000, 20_000, 20_000][random.below(4) as usize];
        now += 1 + random.below(longest);
        let until = Time::from_femtoseconds(now * 1_000_000 + random.below(1_000_000));
        assert_eq!(simulation.run_until(until), Outcome::Reached);
        match random.below(6) {
            0 => seen.push(format!("{:?}", simulation.statistics().iter().collect::<Vec<_>>())),
            // The program counter is up to date only once the program has ended.
            1 => seen.push(simulation.state(core).unwrap()["program"]["registers"]["general"].to_string()),
            2 => {
                let mut bytes = [0; 16];
                assert!(simulation.read_contents(memory).unwrap().read(0x400, &mut bytes));
                seen.push(format!("{bytes:?}"));
            }
            3 => seen.push(simulation.state(sink).unwrap().to_string()),
            4 => {
                let word = u32::try_from(random.below(9)).unwrap().to_be_bytes();
                assert!(simulation.contents(memory).unwrap().write(0x404 + 4 * random.below(2), &word));
            }
            _ => {}
        }
    }
    seen.push(format!("{:?}", simulation.statistics().iter().collect::<Vec<_>>()));
    for number in 0..case[0] {
        let core = find(&simulation, &format!("core{number}"));
        let program = simulation.state(core).unwrap()["program"].clone();
        seen.push(program["registers"]["general"].to_string());
        seen.extend(["profile", "history", "stop", "interrupts"].map(|part| program[part].to_string()));
    }
    (seen, simulation.repeated_cycles())
}

/// Compares such runs with and without; returns how many cycles were skipped.
fn compare_beside(kind: &str, seed: u64, latency: Option<u64>, threads: usize) -> u64 {
    let plain = run_beside(kind, seed, latency, 1, false);
    let skipping = run_beside(kind, seed, latency, threads, true);
    assert_eq!(plain.1, 0);
    for (place, (plain, skipping)) in plain.0.iter().zip(&skipping.0).enumerate() {
        assert_eq!(
            plain, skipping,
            "{kind}, seed {seed}, latency {latency:?}, {threads} threads, look {place}"
        );
    }
    skipping.1
}

/// While the clock domain of cores that repeat themselves is suspended, others act, and end the repetition at any time.
#[test]
fn what_cores_that_poll_beside_others_did_is_complete() {
    for (kind, least) in [(PIPELINED, 12), (FUNCTIONAL, 5)] {
        let skipped: u64 = (0..60).map(|seed| compare_beside(kind, seed, None, 1)).sum();
        let share = skipped * 100 / (60 * CYCLES);
        assert!(share > least, "{kind}: only {share} % of the cycles were skipped");
    }
}

/// The same if a joint is between the cores and others, so that they run in windows: shorter than a period and longer than a search.
#[test]
fn what_cores_that_poll_in_windows_did_is_complete() {
    for (latency, seeds) in [(5, 0..8), (40, 8..20), (700, 20..32), (2_500, 32..44)] {
        for (kind, least) in [(PIPELINED, 20), (FUNCTIONAL, 5)] {
            let compare = |seed| compare_beside(kind, seed, Some(latency), 1 + seed as usize % 2);
            let skipped: u64 = seeds.clone().map(compare).sum();
            let share = skipped * 100 / (CYCLES * seeds.clone().count() as u64);
            eprintln!("{kind}, latency {latency}: {share}");
            assert!(share > least, "{kind}, latency {latency}: only {share} % of the cycles were skipped");
        }
    }
}
