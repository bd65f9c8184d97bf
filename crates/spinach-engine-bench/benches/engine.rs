//! Engine costs. Every number is the best of many short repetitions, interleaved so that a slow spell of the machine touches all
//! of them. The ratios mean more than the nanoseconds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use spinach_engine::bare::Bare;
use spinach_engine::{
    Design, DomainId, Elaborated, Frequency, Limit, Observed, Observer, Outcome, Signals, Simulation, Time,
};
use spinach_engine_bench::design;
use spinach_engine_bench::network::Network;
use spinach_engine_bench::worklist::WorkList;

mod small {
    spinach_engine_bench::straight_line!("/straight_line_50.rs");
}
mod large {
    spinach_engine_bench::straight_line!("/straight_line_800.rs");
}

/// Counts the bytes that are allocated at present.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is the same here and there.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Calls each of `bodies` in turn, `rounds` times, and returns the shortest time of each in nanoseconds.
fn best_of(rounds: usize, bodies: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; bodies.len()];
    for _ in 0..rounds {
        for (body, best) in bodies.iter_mut().zip(&mut best) {
            let start = Instant::now();
            body();
            *best = best.min(start.elapsed().as_nanos() as f64);
        }
    }
    best
}

/// One line of the table that comes last.
type Row = (String, String);

fn nanoseconds(value: f64) -> String {
    format!("{value:9.2} ns")
}

macro_rules! compare {
    ($rows:expr, $size:literal, $network:ty, $cycles:expr) => {{
        let network = Network::random($size);
        let mut simulation = Simulation::new(design::elaborate(&network));
        let mut worklist = WorkList::new(Bare::new(design::elaborate(&network)));
        let mut straight_line = Box::new(<$network>::new());
        let cycles: u64 = $cycles;
        let times = best_of(
            40,
            &mut [
                &mut || (0..cycles).for_each(|_| black_box(&mut straight_line).cycle()),
                &mut || design::run_cycles(&mut simulation, cycles),
                &mut || (0..cycles).for_each(|_| worklist.cycle()),
            ],
        );
        let checksum = straight_line.checksum();
        assert_eq!(design::checksum(&mut simulation), checksum, "schedule and straight-line code disagree");
        assert_eq!(worklist.checksum(), checksum, "work list and straight-line code disagree");
        let module_cycles = (cycles * $size) as f64;
        let per_module: Vec<f64> = times.iter().map(|time| time / module_cycles).collect();
        let [straight, schedule, interpreter] = per_module[..] else { unreachable!("three were measured") };
        for (what, value, against) in [
            ("straight-line code", straight, String::new()),
            ("static schedule", schedule, format!("  {:.1} x straight-line", schedule / straight)),
            ("work-list interpreter", interpreter, format!("  {:.1} x schedule", interpreter / schedule)),
        ] {
            let what = format!("{} modules: {what}, per module and cycle", $size);
            $rows.push((what, format!("{}{against}", nanoseconds(value))));
        }
    }};
}

struct Watcher(u64);

impl Observer for Watcher {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.0 += observed.edges.len() as u64;
    }
}

fn observation(rows: &mut Vec<Row>) {
    let network = Network::random(50);
    let new = || Simulation::new(design::elaborate(&network));
    let (mut plain, mut watched, mut unwatched) = (new(), new(), new());
    watched.add_observer(Box::new(Watcher(0)));
    unwatched.add_observer(Box::new(Watcher(0)));
    unwatched.take_observers();
    let cycles = 4000;
    let times = best_of(
        40,
        &mut [
            &mut || design::run_cycles(&mut plain, cycles),
            &mut || design::run_cycles(&mut unwatched, cycles),
            &mut || design::run_cycles(&mut watched, cycles),
        ],
    );
    for (what, time) in ["never observed", "no longer observed", "observed"].into_iter().zip(times) {
        rows.push((format!("50 modules: {what}, per cycle"), nanoseconds(time / cycles as f64)));
    }
}

/// A source that never sends and its sink in each of `domains` domains, which must not sleep: nanoseconds for one edge of one.
fn edges(domains: u64) -> f64 {
    let mut design = Design::new();
    for index in 0..domains {
        let frequency =
            Frequency::from_hertz(100_000_000 + 33_333_333 * index).expect("it is a sane frequency");
        let clock = design.domain(format!("clock{index}"), frequency);
        let source =
            design.module(format!("source{index}"), "source", clock, [("percent", 0u64), ("limit", 0)]);
        let sink = design.module(format!("sink{index}"), "sink", clock, [("percent", 0u64)]);
        design.connect((source, "output"), (sink, "input"));
    }
    let mut simulation = simulate(&design);
    simulation.set_sleeping(false);
    let ids: Vec<DomainId> = simulation.netlist().domains.ids().collect();
    let span = Time::from_nanoseconds(100_000).expect("it is soon");
    let times = best_of(
        40,
        &mut [&mut || {
            simulation.run_until(simulation.now().saturating_add(span));
        }],
    );
    let edges: u64 = ids.iter().map(|id| simulation.cycles(*id)).sum();
    times[0] / (edges as f64 / 40.0)
}

fn simulate(design: &Design) -> Simulation {
    let elaborated =
        spinach_engine::elaborate(design, &design::registry()).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(elaborated)
}

/// A chain of `count` blocks that wait for requests that never come, and a source that keeps the domain awake or not.
fn blocks(count: usize, is_kept_awake: bool) -> Simulation {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(1_000_000_000).expect("it is a sane frequency"));
    let source = |design: &mut Design, name: &str, limit: u64| {
        design.module(name, "source", clock, [("limit", limit), ("percent", 100)])
    };
    let sink = |design: &mut Design, name: &str| design.module(name, "sink", clock, [("patient", true)]);
    let mut end = (source(&mut design, "never", 0), "output");
    for index in 0..count {
        let block =
            design.module(format!("block[{index}]"), "sleeping_block", clock, design::no_parameters());
        design.connect(end, (block, "request"));
        end = (block, "response");
    }
    let last = sink(&mut design, "last");
    design.connect(end, (last, "input"));
    let busy = source(&mut design, "busy", if is_kept_awake { u64::MAX } else { 0 });
    let receiver = sink(&mut design, "receiver");
    design.connect((busy, "output"), (receiver, "input"));
    simulate(&design)
}

fn sleeping(rows: &mut Vec<Row>) {
    let (mut asleep, mut restless) = (blocks(800, true), blocks(800, true));
    restless.set_sleeping(false);
    let (mut without, cycles) = (blocks(0, true), 500);
    let times = best_of(
        40,
        &mut [
            &mut || design::run_cycles(&mut asleep, cycles),
            &mut || design::run_cycles(&mut restless, cycles),
            &mut || design::run_cycles(&mut without, cycles),
        ],
    );
    let per_block = |time: f64| nanoseconds((time - times[2]) / cycles as f64 / 800.0);
    rows.push(("a sleeping block, per cycle".to_owned(), per_block(times[0])));
    rows.push(("the same block kept awake".to_owned(), per_block(times[1])));
    let mut idle = blocks(800, false);
    let hour = Time::from_femtoseconds(3600 * spinach_engine::FEMTOSECONDS_PER_SECOND);
    let start = Instant::now();
    assert_eq!(idle.run_until(hour), Outcome::Reached);
    rows.push(("800 blocks asleep for an hour of simulated time".to_owned(), microseconds(start)));
}

fn microseconds(start: Instant) -> String {
    format!("{:9.2} us", start.elapsed().as_nanos() as f64 / 1e3)
}

fn elaboration(rows: &mut Vec<Row>, size: usize) {
    let description = design::describe(&Network::random(size));
    let registry = design::registry();
    let elaborate = || spinach_engine::elaborate(&description, &registry);
    let times = best_of(10, &mut [&mut || assert!(black_box(elaborate()).is_ok())]);
    rows.push((format!("{size} modules: elaboration"), format!("{:9.2} ms", times[0] / 1e6)));
    let elaborated: Elaborated = elaborate().unwrap_or_else(|error| panic!("{error}"));
    let schedule = elaborated.dump("schedule").expect("there is such a pass");
    let runs = schedule.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count();
    drop(elaborated);
    let before = ALLOCATED.load(Ordering::Relaxed);
    let mut simulation = Simulation::new(elaborate().unwrap_or_else(|error| panic!("{error}")));
    let limit = Limit::time(Time::from_nanoseconds(100).expect("it is soon"));
    simulation.run_until(limit.time);
    // Of what is reserved for signals, only the pages in use take memory, a few bytes for each module.
    let bytes = ALLOCATED.load(Ordering::Relaxed) - before - size_of::<Signals>();
    rows.push((format!("{size} modules: memory per module, signals apart"), format!("{:9} B", bytes / size)));
    rows.push((format!("{size} modules: runs in the schedule"), format!("{runs:9}")));
}

fn main() {
    // Without `cargo bench` it was only asked whether this builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let mut rows = Vec::new();
    compare!(rows, 50, small::straight_line::Network50, 4000);
    compare!(rows, 800, large::straight_line::Network800, 250);
    rows.push(("one domain of a source and a sink: an edge".to_owned(), nanoseconds(edges(1))));
    rows.push(("four such domains: an edge".to_owned(), nanoseconds(edges(4))));
    observation(&mut rows);
    sleeping(&mut rows);
    elaboration(&mut rows, 50);
    elaboration(&mut rows, 800);
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    let text: Vec<String> = rows.iter().map(|(what, value)| format!("{what:width$}  {value}\n")).collect();
    #[allow(clippy::print_stdout, reason = "the table is what a benchmark is for")]
    {
        print!("{}", text.concat());
    }
}
