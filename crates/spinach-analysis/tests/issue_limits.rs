//! Issue limits equal those of a simulator that steps through cycles and looks at every pair of instructions.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::num::NonZeroU32;

use spinach_analysis::issue_limits::{
    Analysis, Configuration, IssueLimit, Order, Pipeline, Prediction, issue_limits,
};
use spinach_analysis::operation::Operation;
use spinach_analysis::trace::{Filter, Instruction};
use spinach_isa::instruction_set::Part;
use spinach_isa::mips::Mips;
use support::{Random, random_stream, trace};

fn configurations(windows: &[u32]) -> Vec<Configuration> {
    let mut all = Vec::new();
    for order in [Order::InOrder, Order::OutOfOrder] {
        for width in [1, 2, 3, 4, 7] {
            for pipeline in [Pipeline::Perfect, Pipeline::Stalls] {
                for prediction in [Prediction::Perfect, Prediction::OnePerCycle, Prediction::None] {
                    for window in windows {
                        let (width, window) =
                            (NonZeroU32::new(width).unwrap(), NonZeroU32::new(*window).unwrap());
                        all.push(Configuration { order, width, pipeline, prediction, window });
                    }
                }
            }
        }
    }
    all
}

fn limits(stream: &[Instruction], configurations: &[Configuration]) -> Vec<IssueLimit> {
    let mips = Mips::default();
    let mut analysis = Analysis::new(configurations, &mips);
    stream.iter().for_each(|instruction| analysis.push(instruction));
    analysis.finish()
}

/// The definition of the model, word for word, without regard to speed.
struct BruteForce<'stream> {
    stream: &'stream [Instruction],
    operations: Vec<Operation>,
    configuration: Configuration,
    issued_at: Vec<Option<u64>>,
}

impl BruteForce<'_> {
    fn cycles(stream: &[Instruction], configuration: Configuration) -> u64 {
        let mips = Mips::default();
        let operations =
            stream.iter().map(|instruction| Operation::decode(&mips, instruction.word)).collect();
        let issued_at = vec![None; stream.len()];
        let mut machine = BruteForce { stream, operations, configuration, issued_at };
        let mut cycle = 0;
        while machine.issued_at.iter().any(Option::is_none) {
            machine.step(cycle);
            cycle += 1;
        }
        cycle
    }

    fn step(&mut self, cycle: u64) {
        for candidate in 0..self.stream.len() {
            if self.issued_at[candidate].is_some() {
                continue;
            }
            if self.may_issue(candidate, cycle) {
                self.issued_at[candidate] = Some(cycle);
            } else if self.configuration.order == Order::InOrder {
                return;
            }
        }
    }

    fn may_issue(&self, candidate: usize, cycle: u64) -> bool {
        let stalls = self.configuration.pipeline == Pipeline::Stalls;
        let now = |other: &usize| self.issued_at[*other] == Some(cycle);
        let operation = &self.operations[candidate];
        let redirects = operation.control_flow.redirects();
        if (0..self.stream.len()).filter(now).count() >= self.configuration.width.get() as usize {
            return false;
        }
        let mut issued_now = (0..self.stream.len()).filter(now);
        if stalls
            && operation.memory.is_some()
            && issued_now.any(|other| self.operations[other].memory.is_some())
        {
            return false;
        }
        let mut issued_now = (0..self.stream.len()).filter(now);
        if self.configuration.prediction == Prediction::OnePerCycle
            && redirects
            && issued_now.any(|other| self.operations[other].control_flow.redirects())
        {
            return false;
        }
        let before = |other: usize| self.issued_at[other].is_some_and(|issued| issued < cycle);
        let window = self.configuration.window.get() as usize;
        if self.configuration.order == Order::OutOfOrder
            && candidate >= window
            && !(0..=candidate - window).all(before)
        {
            return false;
        }
        (0..candidate).all(|earlier| self.allows(earlier, candidate, cycle))
    }

    fn allows(&self, earlier: usize, candidate: usize, cycle: u64) -> bool {
        let (first, second) = (&self.operations[earlier], &self.operations[candidate]);
        let ready = |latency| self.issued_at[earlier].is_some_and(|issued| issued + latency <= cycle);
        let overwritten = |register: u8| {
            (earlier + 1..candidate).any(|between| self.operations[between].writes.contains(register))
        };
        let needs_register =
            first.writes.iter().any(|register| second.reads.contains(register) && !overwritten(register));
        let stalls = self.configuration.pipeline == Pipeline::Stalls;
        if needs_register && !ready(if stalls && first.reads_memory() { 2 } else { 1 }) {
            return false;
        }
        let word = |index: usize| self.stream[index].address.map(|address| address / 4);
        let overwritten = || {
            (earlier + 1..candidate).any(|between| {
                let operation = &self.operations[between];
                let whole = operation
                    .memory
                    .is_some_and(|memory| memory.size_bytes == 4 && memory.part == Part::Whole);
                operation.writes_memory() && whole && word(between) == word(candidate)
            })
        };
        let same_word = || word(earlier) == word(candidate) && !overwritten();
        if first.writes_memory() && second.reads_memory() && same_word() && !ready(1) {
            return false;
        }
        let own_slot = candidate == earlier + 1
            && first.delay_slots > 0
            && self.stream[candidate].pc == self.stream[earlier].pc + 4;
        let holds_up =
            self.configuration.prediction == Prediction::None && first.control_flow.redirects() && !own_slot;
        !holds_up || ready(1)
    }
}

#[test]
fn limits_equal_those_of_the_brute_force_simulator() {
    let configurations = configurations(&[1, 3, 8, 1 << 10]);
    for seed in 0..60 {
        let mut random = Random(seed);
        let length = 1 + random.below(40) as usize;
        let stream = random_stream(&mut random, length);
        // One at a time, so that no other core's schedule counts.
        for limit in configurations.iter().flat_map(|one| limits(&stream, &[*one])) {
            let expected = BruteForce::cycles(&stream, limit.configuration);
            assert_eq!(limit.cycles, expected, "seed {seed}, {:?}\n{stream:?}", limit.configuration);
            assert_eq!(limit.instructions, stream.len() as u64);
        }
    }
}

/// True if `weaker` may do nothing that `stronger` may not.
fn restricts(weaker: &Configuration, stronger: &Configuration) -> bool {
    weaker.width <= stronger.width
        && weaker.pipeline <= stronger.pipeline
        && weaker.prediction <= stronger.prediction
        && weaker.order <= stronger.order
        && weaker.window <= stronger.window
}

#[test]
fn stronger_cores_are_never_slower() {
    let configurations = configurations(&[1 << 10]);
    for seed in 0..40 {
        let stream = random_stream(&mut Random(1000 + seed), 2000);
        let together = limits(&stream, &configurations);
        let alone: Vec<_> = configurations.iter().flat_map(|one| limits(&stream, &[*one])).collect();
        for stronger in 0..configurations.len() {
            let limit = &together[stronger];
            assert!(limit.cycles <= alone[stronger].cycles);
            assert!(alone.iter().any(|weaker| {
                weaker.cycles == limit.cycles && restricts(&weaker.configuration, &limit.configuration)
            }));
            for weaker in 0..configurations.len() {
                if restricts(&configurations[weaker], &configurations[stronger]) {
                    assert!(limit.cycles <= together[weaker].cycles, "seed {seed}: {limit:?}");
                    // From an in-order core on, this holds schedule by schedule.
                    let in_order = configurations[weaker].order == Order::InOrder;
                    let wider_only = configurations[stronger].order == Order::InOrder
                        || Configuration { order: Order::OutOfOrder, ..configurations[weaker] }
                            == configurations[stronger];
                    if in_order && wider_only {
                        assert!(alone[stronger].cycles <= alone[weaker].cycles, "seed {seed}: {limit:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn cores_are_streams_of_their_own_and_filters_apply() {
    let mut stream = random_stream(&mut Random(7), 5000);
    let alone = stream.clone();
    stream = stream.iter().flat_map(|first| [*first, Instruction { core: 3, task: 1, ..*first }]).collect();
    let mips = Mips::default();
    let configurations = Configuration::table_2(&[1, 2, 4].map(|width| NonZeroU32::new(width).unwrap()));
    assert_eq!(configurations.len(), 30);
    let expected = limits(&alone, &configurations);
    let mut reader = trace("two_cores.parquet", false, &stream);
    let both = issue_limits(&mut reader, &Filter::default(), &mips, &configurations).unwrap();
    for (both, one) in both.iter().zip(&expected) {
        assert_eq!((both.cycles, both.instructions), (2 * one.cycles, 2 * one.instructions));
        assert!(one.instructions_per_cycle() > 0.0);
    }
    let without_idle = Filter { tasks_excluded: vec!["idle".to_owned()], ..Filter::default() };
    let only_second =
        Filter { cores: Some(vec![3]), tasks: Some(vec!["idle".to_owned()]), ..Filter::default() };
    for (name, filter) in [("without_idle.parquet", without_idle), ("only_second.parquet", only_second)] {
        let mut reader = trace(name, false, &stream);
        assert_eq!(issue_limits(&mut reader, &filter, &mips, &configurations).unwrap(), expected);
    }
}
