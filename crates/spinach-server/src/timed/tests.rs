//! Timing of the core and its caches on short programs whose times can be worked out by hand.

use super::Timed;
use super::core::{Core, Executed, Reference};
use super::memories::Memories;
use super::pages::Tables;
use super::parameters::{LINE_BYTES, Shape, TimedParameters};
use super::ports::Port;
use super::recipe::{Recipe, Work};
use crate::memory::{Memory, PAGE_BYTES};

const CLOCK_HZ: u64 = 4_000_000_000;
/// From a request to memory to the last byte of a line: 50 ns, and 64 bytes at 4 per cycle.
const MEMORY: u64 = 200 + 16;
const SECOND_LEVEL: u64 = 25;
const HIT: u64 = 3;

struct Bench {
    core: Core,
    memories: Memories,
    /// Page tables, whose pages are the smallest where they have none.
    tables: Memory,
    root: Option<u64>,
    pc: u64,
}

impl Bench {
    fn new(parameters: &TimedParameters) -> Self {
        let mut memories = Memories::new(parameters, 2, CLOCK_HZ);
        // Code is in the first level.
        for line in 0..256 {
            memories.fetch(0, line, 0);
        }
        let mut core = Core::new(parameters);
        core.wait_until(100_000);
        let mut bench =
            Self { core, memories, tables: Memory::new(0, PAGE_BYTES), root: Some(0), pc: 0x1000 };
        bench.calculate(0, 0);
        bench
    }

    fn run(&mut self, recipe: Recipe, place: Option<usize>, next: Option<u64>) -> u64 {
        let end = self.pc + 4;
        let next = next.unwrap_or(end);
        let reference = recipe.refers().then_some(Reference { address: place.unwrap_or(0) as u64, place });
        let it =
            Executed { recipe: &recipe, pc: self.pc, place: self.pc as usize % 0x2000, end, next, reference };
        self.pc = next;
        let tables = Tables { root: self.root, memory: &self.tables };
        self.core.execute(0, &mut self.memories, &tables, &it)
    }

    fn calculate(&mut self, source: u8, destination: u8) -> u64 {
        self.run(
            Recipe { work: Work::Calculates(1), port: Port::Integer, sources: [source, 0, 0], destination },
            None,
            None,
        )
    }

    fn load(&mut self, source: u8, destination: u8, place: usize) -> u64 {
        self.run(
            Recipe { work: Work::Loads, port: Port::Memory, sources: [source, 0, 0], destination },
            Some(place),
            None,
        )
    }

    fn store(&mut self, place: usize) -> u64 {
        self.run(
            Recipe { work: Work::Stores, port: Port::Memory, sources: [0, 0, 0], destination: 0 },
            Some(place),
            None,
        )
    }

    fn branch(&mut self, next: Option<u64>) -> u64 {
        self.run(
            Recipe { work: Work::Branches, port: Port::Integer, sources: [0, 0, 0], destination: 0 },
            None,
            next,
        )
    }

    /// Meets the page of a place, and lets nothing begin before that is over.
    fn meet_page(&mut self, place: usize) {
        self.load(0, 1, place);
        self.run(
            Recipe { work: Work::Serialises, port: Port::Integer, sources: [0; 3], destination: 0 },
            None,
            None,
        );
    }

    /// Cycles of `count` repetitions.
    fn cycles(&mut self, count: u64, mut step: impl FnMut(&mut Self, u64) -> u64) -> u64 {
        let begin = step(self, 0);
        let end = (1..=count).map(|turn| step(self, turn)).last().unwrap_or(begin);
        end - begin
    }
}

fn bench() -> Bench {
    Bench::new(&TimedParameters::default())
}

#[test]
fn four_independent_instructions_are_executed_in_a_cycle_and_dependent_ones_one() {
    assert_eq!(bench().cycles(400, |bench, turn| bench.calculate(0, 1 + (turn % 30) as u8)), 100);
    assert_eq!(bench().cycles(400, |bench, _| bench.calculate(1, 1)), 400);
    let two_wide = TimedParameters { width: 2, ..TimedParameters::default() };
    assert_eq!(
        Bench::new(&two_wide).cycles(400, |bench, turn| bench.calculate(0, 1 + (turn % 30) as u8)),
        200
    );
}

#[test]
fn a_chain_of_loads_takes_the_time_of_each_level() {
    let place = 0x10_0000;
    let mut bench = bench();
    let mut chain = |stride: usize, count: u64| {
        bench.cycles(count, |bench, turn| bench.load(1, 1, place + turn as usize * stride)) / count
    };
    // Lines in no cache: besides, pages are met for the first time; so within one page.
    assert_eq!(chain(LINE_BYTES, 63), HIT + SECOND_LEVEL + MEMORY);
    assert_eq!(chain(LINE_BYTES, 63), HIT);
    // 4 MiB of lines are too much for the first level and not for the second. Every 64th meets a new page.
    let pages = 1024;
    let walk = TimedParameters::default().walk_cycles;
    let all = |chain: &mut dyn FnMut(usize, u64) -> u64| chain(LINE_BYTES, 64 * pages);
    all(&mut chain);
    assert_eq!(all(&mut chain), (64 * (HIT + SECOND_LEVEL) + walk) / 64);
}

#[test]
fn miss_cycles_are_those_beyond_the_second_level() {
    // Less the cycle in which another line may occupy the bus between the levels.
    const BEYOND: u64 = MEMORY - 1;
    let mut bench = bench();
    let mut misses = |first: usize| {
        let before = bench.core.counts().miss_cycles;
        (0..8).for_each(|turn| _ = bench.load(1, 1, 0x10_0000 + (first + turn) * LINE_BYTES));
        bench.core.counts().miss_cycles - before
    };
    assert_eq!([misses(0), misses(0), misses(8)], [8 * BEYOND, 0, 8 * BEYOND]);
}

#[test]
fn an_untimed_instruction_misses_the_second_level_once_for_each_line() {
    let mut bench = bench();
    let recipe = Recipe { work: Work::Loads, port: Port::Memory, sources: [0; 3], destination: 1 };
    let mut time = 1_000_000;
    let mut warmed = |code: usize, place: usize| {
        let reference = Some(Reference { address: place as u64, place: Some(place) });
        let (pc, end) = (code as u64, code as u64 + 4);
        let it = Executed { recipe: &recipe, pc, place: code, end, next: end, reference };
        let tables = Tables { root: bench.root, memory: &bench.tables };
        time += 1000;
        bench.core.warm(0, &mut bench.memories, &tables, &it, time)
    };
    assert_eq!([warmed(0x1000, 0x10_0000), warmed(0x1004, 0x10_0008)], [1, 0]);
    assert_eq!([warmed(0x1008, 0x10_0000 + LINE_BYTES), warmed(0x100c, 0x10_0000)], [1, 0]);
    assert_eq!([warmed(0x20_0000, 0x10_0000), warmed(0x20_0004, 0x10_0000)], [1, 0]);
}

#[test]
fn a_taken_branch_ends_its_group() {
    let jumps = |bytes: u64| {
        bench().cycles(400, |bench, _| {
            let recipe = Recipe { work: Work::Jumps, port: Port::Integer, sources: [0; 3], destination: 0 };
            let next = bench.pc + bytes;
            bench.run(recipe, None, Some(next))
        })
    };
    assert_eq!([jumps(4), jumps(8)], [100, 400]);
}

#[test]
fn a_page_takes_one_translation_whatever_its_size_and_memory_without_tables_none() {
    let walks = |bench: &mut Bench| {
        let before = bench.core.counts().walks;
        for turn in 0..2000 {
            // The same line of code.
            bench.pc = 0x1000;
            bench.load(1, 1, 0x4000_0000 + turn % 1000 * PAGE_BYTES);
        }
        bench.core.counts().walks - before
    };
    // 1000 pages of 4 KiB are too many.
    assert_eq!(walks(&mut bench()), 2000);
    let mut bench = bench();
    // Valid and readable, for the second GiB.
    bench.tables.store(8, &[3]).unwrap();
    assert_eq!(walks(&mut bench), 1);
    bench.root = None;
    bench.core.forget_pages();
    assert_eq!(walks(&mut bench), 0);
}

#[test]
fn pages_are_remembered_next_to_others_of_any_size() {
    let mut bench = bench();
    // Only the second GiB is one page.
    bench.tables.store(8, &[3]).unwrap();
    let before = bench.core.counts().walks;
    for place in [0x1000_0000, 0x4000_0000, 0x1000_0000 + PAGE_BYTES].into_iter().cycle().take(300) {
        bench.pc = 0x1000;
        bench.load(1, 1, place);
    }
    assert_eq!(bench.core.counts().walks - before, 3);
}

#[test]
fn counts_are_the_sums_of_all_cores() {
    let mut timed = Timed::new(&TimedParameters::default(), 2);
    timed.cores = [2, 3]
        .map(|turns| {
            let mut bench = bench();
            for turn in 0..turns {
                bench.load(1, 1, 0x10_0000 + turn * PAGE_BYTES);
                let next = bench.pc + 8;
                bench.branch(Some(next));
            }
            let turns = turns as u64;
            bench.core.spend(turns, turns + 1, turns + 2);
            bench.core
        })
        .into();
    let [one, other] = [0, 1].map(|core: usize| timed.cores[core].counts());
    let sums = timed.counts();
    for (sum, one, other) in [
        (sums.cycles, one.cycles, other.cycles),
        (sums.instructions, one.instructions, other.instructions),
        (sums.branches, one.branches, other.branches),
        (sums.mispredictions, one.mispredictions, other.mispredictions),
        (sums.walks, one.walks, other.walks),
        (sums.device_cycles, one.device_cycles, other.device_cycles),
        (sums.miss_cycles, one.miss_cycles, other.miss_cycles),
    ] {
        assert!(one > 0 && other > 0, "{one} {other}");
        assert_eq!(sum, one + other);
    }
}

#[test]
fn new_page_tables_keep_the_count_of_walks() {
    let mut bench = bench();
    let walks = |bench: &mut Bench| {
        bench.load(1, 1, 0x40_0000);
        bench.core.counts().walks
    };
    let first = walks(&mut bench);
    assert_eq!(walks(&mut bench), first);
    bench.core.forget_pages();
    // The next line of code is fetched, too.
    bench.pc += LINE_BYTES as u64;
    assert_eq!(walks(&mut bench), first + 2);
}

#[test]
fn units_bound_what_issues_in_a_cycle() {
    let cycles = |work: Work, port: Port| {
        let mut bench = bench();
        bench.meet_page(0x40_0000);
        bench.cycles(400, |bench, turn| {
            let recipe = Recipe { work, port, sources: [0; 3], destination: 1 + (turn % 30) as u8 };
            bench.run(recipe, Some(0x40_0000), None)
        })
    };
    assert_eq!(cycles(Work::Loads, Port::Memory), 200);
    assert_eq!(cycles(Work::Calculates(7), Port::Multiplier), 400);
    assert_eq!(cycles(Work::Calculates(4), Port::Float), 200);
    assert_eq!(cycles(Work::Calculates(1), Port::Integer), 100);
    // A division ends before the next one begins.
    assert_eq!(cycles(Work::Occupies(12), Port::Multiplier), 4800);
}

#[test]
fn integer_and_float_divisions_do_not_wait_for_each_other() {
    let parameters = TimedParameters { multipliers: 4, float_units: 4, ..TimedParameters::default() };
    let cycles = Bench::new(&parameters).cycles(400, |bench, turn| {
        let port = if turn % 2 == 0 { Port::Multiplier } else { Port::Float };
        bench.run(Recipe { work: Work::Occupies(12), port, sources: [0; 3], destination: 1 }, None, None)
    });
    // There is one divider of each kind, however many units there are.
    assert_eq!(cycles, 200 * 12);
}

#[test]
fn independent_misses_overlap_as_far_as_there_are_places_for_them() {
    let misses = |first_level_misses: usize| {
        let parameters =
            TimedParameters { first_level_misses, memory_bytes_per_cycle: 64, ..TimedParameters::default() };
        let mut bench = Bench::new(&parameters);
        let lines = 62;
        bench.meet_page(0x20_0000);
        bench.cycles(lines, |bench, turn| bench.load(0, 2, 0x20_0040 + turn as usize * LINE_BYTES))
    };
    let alone = SECOND_LEVEL + 201;
    // One after the other, or 16 at a time: four rounds.
    assert_eq!(misses(1), 62 * alone);
    assert!((3 * alone..5 * alone).contains(&misses(16)), "{}", misses(16));
}

#[test]
fn the_bus_to_memory_bounds_a_stream() {
    let parameters = TimedParameters { first_level_misses: 40, ..TimedParameters::default() };
    let mut bench = Bench::new(&parameters);
    let lines = 1000;
    bench.meet_page(0x40_0000);
    let cycles = bench.cycles(lines, |bench, turn| bench.load(0, 2, 0x40_0040 + turn as usize * LINE_BYTES));
    // 64 bytes at 4 per cycle.
    assert!((16 * lines..17 * lines).contains(&cycles), "{cycles}");
}

#[test]
fn a_mispredicted_branch_empties_the_front_end() {
    let redirect = |redirect_cycles: u64| {
        let mut bench = Bench::new(&TimedParameters { redirect_cycles, ..TimedParameters::default() });
        let mut state = 1_u32;
        bench.cycles(2000, |bench, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let target = bench.pc + 4 + 4 * u64::from(state >> 31);
            bench.pc %= 0x1000;
            bench.branch(Some(if target == bench.pc + 4 { target } else { bench.pc + 8 }))
        })
    };
    let (short, long) = (redirect(7), redirect(17));
    // About half of them are mispredicted.
    let wrong = (long - short) / 10;
    assert!((700..1300).contains(&wrong), "{wrong}");
}

#[test]
fn a_load_gets_what_was_just_stored_and_a_fence_waits_for_the_cache() {
    let mut bench = bench();
    bench.store(0x60_0000);
    let forwarded = bench.load(0, 1, 0x60_0000);
    let fenced = bench.run(
        Recipe { work: Work::Fences, port: Port::Integer, sources: [0; 3], destination: 0 },
        None,
        None,
    );
    assert!(fenced - forwarded > MEMORY, "{forwarded} {fenced}");
    // Each load of a chain takes as long as a hit.
    let mut bench = self::bench();
    bench.meet_page(0x60_0800);
    bench.store(0x60_0000);
    assert_eq!(bench.cycles(20, |bench, _| bench.load(1, 1, 0x60_0000)), 20 * HIT);
}

#[test]
fn the_queue_and_the_reorder_buffer_bound_what_runs_ahead() {
    // From a load that misses to the end of another, with so many instructions between, which wait for the first if they are
    // dependent: a miss of its own, unless both overlap.
    let overlap = |parameters: &TimedParameters, between: usize, dependent: bool| {
        let mut bench = Bench::new(parameters);
        let first = bench.load(0, 1, 0x80_0000);
        for _ in 0..between {
            bench.calculate(u8::from(dependent), 2);
        }
        let cycles = bench.load(0, 3, 0x80_0000 + 8 * LINE_BYTES) - first;
        assert!(!(60..=MEMORY).contains(&cycles), "{cycles}");
        cycles < 60
    };
    let small = TimedParameters { reorder_buffer: 64, queue: 16, ..TimedParameters::default() };
    // Both loads and what is between are in the buffer; what is dependent is in the queue with the second load.
    assert!(overlap(&small, 62, false));
    assert!(!overlap(&small, 63, false));
    assert!(overlap(&small, 15, true));
    assert!(!overlap(&small, 16, true));
}

#[test]
fn a_serialising_instruction_is_alone_in_the_core() {
    let mut bench = bench();
    let serialise = |bench: &mut Bench| {
        bench.run(
            Recipe { work: Work::Serialises, port: Port::Integer, sources: [0; 3], destination: 0 },
            None,
            None,
        )
    };
    bench.meet_page(0x80_0000);
    let missed = bench.load(0, 1, 0x80_0040);
    // It is dispatched when everything before it has committed, and what follows when it has: each issues in the next cycle and
    // completes in the one after that.
    let alone = serialise(&mut bench);
    assert_eq!(alone - missed, 2);
    assert_eq!(bench.calculate(0, 2) - alone, 2);
    // Without it the instruction commits with the load.
    let missed = bench.load(0, 1, 0x80_0080);
    assert_eq!(bench.calculate(0, 2), missed);
}

#[test]
fn a_load_gets_only_what_is_on_its_way_to_the_cache() {
    let place = 0x60_0000;
    let mut bench = bench();
    bench.meet_page(place);
    // The store is in the cache; another hart has the line since then.
    bench.store(place);
    bench.run(
        Recipe { work: Work::Fences, port: Port::Integer, sources: [0; 3], destination: 0 },
        None,
        None,
    );
    let now = bench.run(
        Recipe { work: Work::Serialises, port: Port::Integer, sources: [0; 3], destination: 0 },
        None,
        None,
    );
    let line = (place / LINE_BYTES) as u64;
    let theirs = bench.memories.refer(1, line, now, true);
    bench.core.wait_until(theirs);
    let begin = bench.calculate(0, 2);
    // It issues with the instruction before, which completes in the next cycle.
    assert_eq!(bench.load(0, 1, place) - begin, HIT + SECOND_LEVEL - 1);
    // The next word that has the same entry is another, and comes from memory. Its load issues before the store commits.
    let begin = bench.store(place);
    assert!(bench.load(0, 1, place + 8 * 64) - begin > HIT + SECOND_LEVEL);
}

#[test]
fn a_line_that_another_hart_writes_is_fetched_again() {
    let parameters = TimedParameters::default();
    let mut memories = Memories::new(&parameters, 2, CLOCK_HZ);
    let line = 77;
    let first = memories.refer(0, line, 0, false);
    assert_eq!(memories.refer(0, line, first, false), first + HIT);
    let theirs = memories.refer(1, line, first, true);
    assert_eq!(theirs, first + HIT + SECOND_LEVEL);
    assert_eq!(memories.refer(0, line, theirs, false), theirs + HIT + SECOND_LEVEL);
    // Both have it now, so to write is to ask.
    assert_eq!(memories.refer(1, line, 2 * theirs, true), 2 * theirs + HIT + SECOND_LEVEL);
}

#[test]
fn code_that_a_hart_writes_is_fetched_again() {
    let (line, later) = (77, 10_000);
    for writer in 0..2 {
        let mut memories = Memories::new(&TimedParameters::default(), 2, CLOCK_HZ);
        memories.refer(writer, line, 0, false);
        for round in 1..4 {
            let at = round * later;
            // Once the writer does not have the line.
            if round == 2 {
                memories.refer(1 - writer, line, at - 2000, true);
            }
            memories.fetch(0, line, at - 1000);
            assert_eq!(memories.fetch(0, line, at), at, "round {round}");
            memories.refer(writer, line, at, true);
            memories.refer(writer, line + 1, at, true);
            assert_eq!(memories.fetch(0, line, at + 1000), at + 1000 + SECOND_LEVEL, "round {round}");
            assert_eq!(memories.fetch(0, line, at + 2000), at + 2000);
        }
    }
}

#[test]
fn a_load_does_not_get_what_another_hart_has_overwritten() {
    let place = 0x60_0000;
    let mut bench = bench();
    bench.meet_page(place + LINE_BYTES);
    let stored = bench.store(place);
    // The line is on its way from memory when another hart takes it.
    bench.memories.refer(1, (place / LINE_BYTES) as u64, stored + 1, true);
    let begin = bench.calculate(0, 2);
    assert!(bench.load(0, 1, place) - begin > HIT + SECOND_LEVEL);
}

#[test]
fn a_line_moves_between_the_levels_after_it_was_requested() {
    for (near_bytes_per_cycle, cycles) in [(64, 25), (32, 26), (4, 25 + 15), (2, 25 + 31)] {
        let parameters = TimedParameters { near_bytes_per_cycle, ..TimedParameters::default() };
        let mut memories = Memories::new(&parameters, 2, CLOCK_HZ);
        memories.refer(1, 77, 0, false);
        assert_eq!(memories.refer(0, 77, 10_000, false), 10_000 + HIT + cycles);
        assert_eq!(memories.beyond_second_level(10_000, 10_000 + HIT + cycles), 0);
    }
}

#[test]
fn what_a_device_writes_is_in_memory_or_in_the_second_level() {
    let mut memories = Memories::new(&TimedParameters::default(), 1, CLOCK_HZ);
    let (line, place) = (5, 5 * LINE_BYTES);
    let later = 10_000;
    memories.refer(0, line, 0, false);
    memories.device_wrote(place + 8, 4, later, false);
    assert_eq!(memories.refer(0, line, later, false), later + HIT + SECOND_LEVEL + MEMORY);
    memories.device_wrote(place - 1, 2, 2 * later, true);
    assert_eq!(memories.refer(0, line, 2 * later, false), 2 * later + HIT + SECOND_LEVEL);
}

#[test]
fn the_lines_of_a_cache_make_sets_whose_number_is_a_power_of_two() {
    let check = |bytes, ways| {
        let second_level = Shape { bytes, ways };
        TimedParameters { second_level, ..TimedParameters::default() }.check().is_ok()
    };
    assert!(check(4 * LINE_BYTES, 1) && check(4 * LINE_BYTES, 4) && check(12 * LINE_BYTES, 3));
    assert!(!check(4 * LINE_BYTES, 0) && !check(4 * LINE_BYTES, 3) && !check(12 * LINE_BYTES, 4));
    assert!(!check(4 * LINE_BYTES + 1, 4) && !check(0, 1));
}

#[test]
fn remembered_pages_make_sets_whose_number_is_a_power_of_two() {
    let check = |remembered_pages| TimedParameters { remembered_pages, ..TimedParameters::default() }.check();
    assert!([4, 8, 128, 1 << 20].map(check).iter().all(Result::is_ok));
    for (pages, near) in [(1, "as 4 do"), (6, "as 4 or 8 do"), (100, "as 64 or 128 do")] {
        let message = check(pages).unwrap_err();
        assert!(message.contains(near), "{message}");
    }
    assert!(check(0).is_err() && check(usize::MAX).is_err());
}
