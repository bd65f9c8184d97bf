//! Reports of a watch, besides the references that it passes.

use spinach_engine::{ParameterValue, Size};
use spinach_modules::values::Reference;

use super::contract::{connect, memory};
use super::support::contract::BASE;
use super::support::{Bench, Random, SinkState, Stalls, counter, state};

/// The bus carries all bytes, whoever receives the writes to the range; nothing is lost if a listener makes others wait.
#[test]
fn writes_to_the_range_and_the_bytes_of_every_reference_are_told_in_order() {
    for stalls in Stalls::all() {
        let mut random = Random::new(5);
        let references: Vec<Reference> = (0..300)
            .map(|_| {
                let size = 1 << random.below(4);
                let address = BASE + random.below(256) / size * size;
                if random.below(2) == 0 {
                    Reference::read(address, size as u8)
                } else {
                    Reference::write(address, size as u8, 0x1234)
                }
            })
            .collect();
        let mut bench = Bench::new();
        let memory = memory(&mut bench, 2);
        let parameters: [(&str, ParameterValue); 2] = [("base", BASE.into()), ("size", Size(64).into())];
        let watch = bench.design.module("watch", "write_watch", bench.domain, parameters);
        connect(&mut bench, (watch, "memory"), (memory, "port"));
        for port in ["written", "carried"] {
            let stall_percent = [("stall_percent", stalls.response_percent)];
            let hearer = bench.design.module(port, "test_sink", bench.domain, stall_percent);
            bench.design.connect((watch, port), (hearer, "input"));
        }
        bench.initiator((watch, "port", 0), &references, stalls);
        let mut simulation = bench.run(10_000);
        let mut heard = |path: &str| -> Vec<u64> {
            state::<SinkState>(&mut simulation, path).received.iter().map(|(_, words)| words[0]).collect()
        };
        let sizes: Vec<u64> = references.iter().map(|it| u64::from(it.size)).collect();
        assert_eq!(heard("carried"), sizes, "{stalls:?}");
        let watched = references.iter().filter(|it| it.access.writes() && it.address < BASE + 64);
        let written: Vec<u64> = watched.map(|it| it.address - BASE).collect();
        assert_eq!(heard("written"), written, "{stalls:?}");
        assert_eq!(counter(&mut simulation, "watch", "writes"), written.len() as u64);
    }
}
