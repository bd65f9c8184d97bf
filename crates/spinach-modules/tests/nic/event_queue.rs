//! The event queue: what cores receive, in which order and when.

use spinach_engine::{ParameterValue, Simulation};
use spinach_modules::values::{Reference, Response};

use super::support::{Bench, Initiator, Random, Stalls, counter, run_to};

const WAIT: u64 = 0x00;
const START: u64 = 0x04;
const DONE: u64 = 0x08;
const RAISE: u64 = 0x0c;
const ADD_START: u64 = 0x10;
const ADD: u64 = 0x14;
const TIMER: u64 = 0x18;

const ADDED_NUMBER: u32 = 77;

fn write(offset: u64, word: u32) -> Reference {
    Reference::write(offset, 4, u128::from(word.swap_bytes()))
}

fn read(offset: u64) -> Reference {
    Reference::read(offset, 4)
}

fn source_of(event: u32) -> u32 {
    event >> 24
}

fn count_of(event: u32) -> u32 {
    event & 0xff_ffff
}

/// A queue, the accesses to its sources, and those of each core.
struct Queue {
    bench: Bench,
    sources: Initiator,
    cores: Vec<Initiator>,
}

/// An access of a core, or of another block to the sources.
#[derive(Clone, Copy)]
struct Access {
    taken: u64,
    answered: u64,
    offset: u64,
    word: u32,
    is_fault: bool,
}

impl Queue {
    fn new(
        parameters: &[(&str, ParameterValue)],
        sources: &[Reference],
        cores: &[Vec<Reference>],
        stalls: Stalls,
    ) -> Self {
        let mut bench = Bench::new();
        let queue = bench.design.module("queue", "event_queue", bench.domain, parameters.to_vec());
        let sources = bench.initiator((queue, "registers", 0), sources, stalls);
        let cores = (0..cores.len()).map(|lane| bench.initiator((queue, "core", lane), &cores[lane], stalls));
        let cores = cores.collect();
        Self { bench, sources, cores }
    }

    /// The accesses of each core that were answered after `cycles` cycles.
    fn run(&self, cycles: u64, asked: &[Vec<Reference>]) -> (Simulation, Vec<Vec<Access>>) {
        let mut simulation = self.bench.run(cycles);
        let cores = self.cores.iter().zip(asked);
        let accesses = cores.map(|(core, asked)| accesses(core, asked, &mut simulation)).collect();
        (simulation, accesses)
    }
}

fn accesses(initiator: &Initiator, asked: &[Reference], simulation: &mut Simulation) -> Vec<Access> {
    let taken = initiator.requested(simulation);
    let responses = initiator.responses::<Response>(simulation);
    let answered = asked.iter().zip(taken).zip(responses);
    answered
        .map(|((reference, taken), (answered, response))| Access {
            taken,
            answered,
            offset: reference.address,
            word: (response.data as u32).swap_bytes(),
            is_fault: response.is_fault,
        })
        .collect()
}

/// Events that a core received with their first elements, from accesses that alternate between `WAIT` and `START`.
fn events(accesses: &[Access]) -> Vec<(u32, u32)> {
    let waits = accesses.windows(2).filter(|pair| pair[0].offset == WAIT && pair[1].offset == START);
    waits.map(|pair| (pair[0].word, pair[1].word)).collect()
}

fn waits_and_starts(number: usize) -> Vec<Reference> {
    [read(WAIT), read(START)].repeat(number)
}

#[test]
fn each_element_of_a_counter_is_given_once_and_in_pieces() {
    // Indices pass 2^32.
    const FIRST: u32 = u32::MAX - 40;
    for stalls in Stalls::all() {
        let mut random = Random::new(3);
        let mut produced = [FIRST; 2];
        let writes: Vec<Reference> = (0..60)
            .map(|_| {
                let counter = random.below(2) as usize;
                produced[counter] = produced[counter].wrapping_add(random.below(7) as u32);
                write(4 * counter as u64, produced[counter])
            })
            .collect();
        let asked = vec![waits_and_starts(400); 3];
        let parameters = [("elements", vec![5_u64, 3].into()), ("first_index", u64::from(FIRST).into())];
        let queue = Queue::new(&parameters, &writes, &asked, stalls);
        let (mut simulation, accesses) = queue.run(4_000, &asked);
        let mut given: [Vec<(u32, u32)>; 2] = [Vec::new(), Vec::new()];
        for (event, start) in accesses.iter().flat_map(|core| events(core)) {
            let source = source_of(event) as usize;
            assert!((1..=[5, 3][source]).contains(&count_of(event)), "{stalls:?}");
            given[source].push((start.wrapping_sub(FIRST), count_of(event)));
        }
        for (pieces, produced) in given.iter_mut().zip(produced) {
            pieces.sort_unstable();
            let end = pieces.iter().fold(0, |next, (start, count)| {
                assert_eq!(*start, next, "{stalls:?}");
                next + count
            });
            assert_eq!(end, produced.wrapping_sub(FIRST), "{stalls:?}");
        }
        let number: usize = given.iter().map(Vec::len).sum();
        assert_eq!(counter(&mut simulation, "queue", "events"), number as u64);
    }
}

#[test]
fn a_signal_is_held_by_one_core_until_it_is_done() {
    const SIGNALS: u32 = 3;
    for stalls in Stalls::all() {
        let mut random = Random::new(5);
        let asked: Vec<Vec<Reference>> = (0..3)
            .map(|_| {
                let step = |_| match random.below(6) {
                    0 => write(DONE, 0),
                    1 | 2 => write(RAISE, random.below(1 << SIGNALS) as u32),
                    _ => read(WAIT),
                };
                (0..300).map(step).collect()
            })
            .collect();
        let raised: Vec<Reference> =
            (0..200).map(|word| write(4 * random.below(u64::from(SIGNALS)), word)).collect();
        let queue = Queue::new(&[("signals", SIGNALS.into())], &raised, &asked, stalls);
        let (mut simulation, accesses) = queue.run(6_000, &asked);
        let mut held = Vec::new();
        for ((core, answered), asked) in queue.cores.iter().zip(&accesses).zip(&asked) {
            // The last access may have been taken without an answer.
            let taken: Vec<(u64, u64)> = asked
                .iter()
                .map(|reference| reference.address)
                .zip(core.requested(&mut simulation))
                .collect();
            for (at, access) in answered.iter().enumerate().filter(|(_, access)| access.offset == WAIT) {
                let end = taken[at + 1..].iter().find(|(offset, _)| *offset == WAIT || *offset == DONE);
                held.push((source_of(access.word), access.answered, end.map_or(u64::MAX, |end| end.1)));
                assert_eq!(count_of(access.word), 0);
            }
        }
        held.sort_unstable();
        assert!(held.len() > 100, "{stalls:?}: {}", held.len());
        for pair in held.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert!(pair[0].2 < pair[1].1, "{stalls:?}: {pair:?}");
        }
        // Each write that raises a signal is given, merged with one before it, or still waits.
        let mut writes = queue.sources.requested(&mut simulation).len() as u64;
        for (core, asked) in queue.cores.iter().zip(&asked) {
            let taken = core.requested(&mut simulation).len();
            let raises = asked[..taken].iter().filter(|reference| reference.address == RAISE);
            writes += raises.map(|raise| u64::from((raise.data as u32).count_ones())).sum::<u64>();
        }
        let ends = counter(&mut simulation, "queue", "events") + counter(&mut simulation, "queue", "merged");
        assert!((ends..=ends + u64::from(SIGNALS)).contains(&writes), "{stalls:?}: {writes} and {ends}");
    }
}

#[test]
fn a_signal_that_is_raised_while_it_is_held_is_given_afterwards() {
    let asked =
        vec![vec![write(RAISE, 2), read(WAIT), read(START), write(RAISE, 2), write(DONE, 0), read(WAIT)]];
    let queue = Queue::new(&[], &[], &asked, Stalls::NONE);
    let (mut simulation, accesses) = queue.run(40, &asked);
    let words: Vec<u32> = accesses[0].iter().map(|access| access.word).collect();
    assert_eq!(words, [0, 1 << 24, 0, 0, 0, 1 << 24]);
    assert_eq!(counter(&mut simulation, "queue", "merged"), 0);
}

#[test]
fn a_source_keeps_the_word_that_was_written_to_it() {
    let written = [write(0, 12), write(4, 700), read(0), read(4), read(8), read(12)];
    let parameters = [("elements", vec![4_u64].into()), ("signals", 2_u64.into())];
    let asked = vec![waits_and_starts(4)];
    let queue = Queue::new(&parameters, &written, &asked, Stalls::NONE);
    let (mut simulation, accesses) = queue.run(60, &asked);
    let sources: Vec<(u32, bool)> = self::accesses(&queue.sources, &written, &mut simulation)
        .iter()
        .map(|access| (access.word, access.is_fault))
        .collect();
    assert_eq!(sources[2..], [(12, false), (700, false), (0, false), (0, true)]);
    let mut given = events(&accesses[0]);
    given.sort_unstable();
    // The counter has twelve elements, the signal its word.
    assert_eq!(given, [(4, 0), (4, 4), (4, 8), (1 << 24, 700)]);
}

#[test]
fn added_events_leave_in_their_order_and_beyond_the_capacity_not_at_all() {
    let add = |number: u32, count: u32| [write(ADD_START, 100 + count), write(ADD, number << 24 | count)];
    let mut own: Vec<Reference> = (1..=4).flat_map(|count| add(ADDED_NUMBER, count)).collect();
    own.extend(waits_and_starts(4));
    let asked = vec![own];
    let queue = Queue::new(&[("capacity", 3_u64.into())], &[], &asked, Stalls::NONE);
    let (mut simulation, accesses) = queue.run(80, &asked);
    let expected: Vec<_> = (1..=3).map(|count| (ADDED_NUMBER << 24 | count, 100 + count)).collect();
    assert_eq!(events(&accesses[0]), expected);
    let faults: Vec<usize> = (0..8).filter(|at| accesses[0][*at].is_fault).collect();
    assert_eq!(faults, [7]);
    assert_eq!(counter(&mut simulation, "queue", "added"), 3);
    assert_eq!(counter(&mut simulation, "queue", "lost"), 1);
}

#[test]
fn a_waiting_core_is_answered_in_the_cycle_after_the_event() {
    for start in 10..14 {
        let asked = vec![vec![read(WAIT)]; 2];
        let mut queue = Queue::new(&[], &[write(0, 1), write(4, 1)], &asked, Stalls::NONE);
        queue.bench.set(&queue.sources, "start", start);
        let (mut simulation, accesses) = queue.run(40, &asked);
        let written = queue.sources.requested(&mut simulation);
        assert_eq!(written, [start, start + 1]);
        // The first core waits as long as the second, and receives the first event.
        assert_eq!(accesses[0].iter().map(|access| access.answered).collect::<Vec<_>>(), [start + 1]);
        assert_eq!(accesses[1].iter().map(|access| access.answered).collect::<Vec<_>>(), [start + 2]);
    }
}

#[test]
fn one_core_receives_an_event_in_each_cycle_and_cores_take_turns() {
    let asked = vec![vec![read(WAIT)]; 4];
    let mut queue = Queue::new(&[("elements", vec![1_u64].into())], &[write(0, 4)], &asked, Stalls::NONE);
    queue.bench.set(&queue.sources, "start", 20_u64);
    let (_, accesses) = queue.run(40, &asked);
    let answered: Vec<u64> = accesses.iter().map(|core| core[0].answered).collect();
    assert_eq!(answered, [21, 22, 23, 24]);
}

#[test]
fn the_timer_raises_the_last_signal_at_its_cycle() {
    for cycles in [1, 2, 30] {
        let asked = vec![vec![write(TIMER, cycles), read(WAIT)]];
        let queue = Queue::new(&[("signals", 4_u64.into())], &[], &asked, Stalls::NONE);
        let (_, accesses) = queue.run(60, &asked);
        let [set, given] = accesses[0][..] else { panic!("both are answered") };
        assert_eq!(given.word, 3 << 24);
        assert_eq!(given.answered, (set.taken + u64::from(cycles)).max(given.taken) + 1);
    }
    let asked = vec![vec![write(TIMER, 10), write(TIMER, 0), read(WAIT)]];
    let queue = Queue::new(&[], &[], &asked, Stalls::NONE);
    assert_eq!(queue.run(200, &asked).1[0].len(), 2, "a timer that was stopped raises nothing");
}

#[test]
fn an_idle_queue_sleeps_and_misses_nothing() {
    let asked = vec![waits_and_starts(40); 2];
    let writes: Vec<Reference> = (1..=10).map(|index| write(0, index)).collect();
    let stalls = Stalls { request_percent: 90, ..Stalls::NONE };
    let queue = Queue::new(&[("elements", vec![2_u64].into())], &writes, &asked, stalls);
    let runs = [true, false].map(|sleeps| {
        let mut simulation = queue.bench.start();
        simulation.set_sleeping(sleeps);
        run_to(&mut simulation, 500);
        let cores = queue.cores.iter().map(|core| core.responses::<Response>(&mut simulation));
        cores.map(|responses| format!("{responses:?}")).collect::<Vec<_>>()
    });
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn what_is_not_a_register_is_a_fault() {
    let asked =
        vec![vec![write(WAIT, 1), read(DONE), read(0x1c), write(RAISE, 1 << 8), Reference::read(START, 2)]];
    let queue = Queue::new(&[], &[], &asked, Stalls::NONE);
    assert!(queue.run(40, &asked).1[0].iter().all(|access| access.is_fault));
    let problems = [
        ([("elements", vec![0_u64].into())], "an event has 1 to 16777215 elements"),
        ([("elements", vec![1_u64; 25].into())], "33 counters and signals are more than 32"),
    ];
    for (parameters, message) in problems {
        let parameters: [(&str, ParameterValue); 1] = parameters;
        let problem = Queue::new(&parameters, &[], &[vec![]], Stalls::NONE).bench.problem();
        assert!(problem.contains(message), "{problem}");
    }
}
