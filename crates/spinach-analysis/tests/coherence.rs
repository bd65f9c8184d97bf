//! The caches behave as a model that keeps lists of lines and searches them.

#![allow(clippy::unwrap_used, reason = "a failed expectation fails the test")]

mod support;

use std::collections::HashMap;
use std::path::PathBuf;

use spinach_analysis::coherence::{
    AccessSource, CoherenceError, Configuration, Counts, Geometry, Protocol, Reference, Replacement, Study,
    System, study,
};
use spinach_analysis::trace::{Access, AccessReader, AccessWriter, TraceError};
use spinach_isa::mips::Mips;
use support::{Random, temporary};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Shared,
    Exclusive,
    Modified,
    Owned,
}

#[derive(Clone, Debug)]
struct Line {
    key: u64,
    state: State,
    /// Version of the line in the cache: the number of the write that it last saw.
    version: u64,
}

/// Caches as lists, newest line first, that search each other; memory as a map.
struct Model {
    configuration: Configuration,
    caches: Vec<Vec<Vec<Line>>>,
    counts: Vec<Counts>,
    memory: HashMap<u64, u64>,
    /// The last write of each line by anyone: what every read must see.
    latest: HashMap<u64, u64>,
    taken: Vec<Vec<u64>>,
    writes: u64,
}

impl Model {
    fn new(configuration: Configuration, caches: usize) -> Self {
        let (sets, _) = configuration.geometry.sets_and_ways().unwrap();
        Self {
            configuration,
            caches: vec![vec![Vec::new(); sets as usize]; caches],
            counts: vec![Counts::default(); caches],
            memory: HashMap::new(),
            latest: HashMap::new(),
            taken: vec![Vec::new(); caches],
            writes: 0,
        }
    }

    fn set(&mut self, cache: usize, key: u64) -> &mut Vec<Line> {
        let sets = self.caches[cache].len();
        &mut self.caches[cache][key as usize % sets]
    }

    fn position(&mut self, cache: usize, key: u64) -> Option<usize> {
        self.set(cache, key).iter().position(|line| line.key == key)
    }

    fn access(&mut self, reference: &Reference) {
        let size = u64::from(self.configuration.geometry.line_bytes);
        let last = reference.address + u64::from(reference.bytes) - 1;
        for key in reference.address / size..=last / size {
            let cache = usize::from(reference.cache);
            if reference.write {
                self.write(cache, key);
            } else {
                self.read(cache, key);
            }
            self.check(key);
        }
    }

    fn read(&mut self, cache: usize, key: u64) {
        self.counts[cache].reads += 1;
        if let Some(position) = self.position(cache, key) {
            self.counts[cache].read_hits += 1;
            self.use_line(cache, key, position);
        } else {
            self.count_miss(cache, key);
            let (mut shared, mut version) = (false, self.memory.get(&key).copied().unwrap_or(0));
            for other in 0..self.caches.len() {
                let Some(position) = self.position(other, key) else { continue };
                let moesi = self.configuration.protocol == Protocol::Moesi;
                let line = &mut self.set(other, key)[position];
                if matches!(line.state, State::Modified | State::Owned) {
                    version = line.version;
                }
                let was_modified = line.state == State::Modified;
                line.state = match line.state {
                    State::Modified | State::Owned if moesi => State::Owned,
                    _ => State::Shared,
                };
                shared = true;
                if was_modified && !moesi {
                    self.memory.insert(key, version);
                    self.counts[other].write_backs += 1;
                }
            }
            let msi = self.configuration.protocol == Protocol::Msi;
            let state = if shared || msi { State::Shared } else { State::Exclusive };
            self.fill(cache, Line { key, state, version });
        }
        let position = self.position(cache, key).unwrap();
        let seen = self.set(cache, key)[position].version;
        assert_eq!(seen, self.latest.get(&key).copied().unwrap_or(0), "stale read");
    }

    fn write(&mut self, cache: usize, key: u64) {
        self.writes += 1;
        let version = self.writes;
        self.latest.insert(key, version);
        self.counts[cache].writes += 1;
        let mut copies = 0;
        let present = self.position(cache, key);
        match present {
            Some(position) => {
                self.counts[cache].write_hits += 1;
                let state = self.set(cache, key)[position].state;
                let asks = matches!(state, State::Shared | State::Owned);
                self.counts[cache].upgrades += u64::from(asks);
                self.use_line(cache, key, position);
            }
            None => self.count_miss(cache, key),
        }
        for other in (0..self.caches.len()).filter(|other| *other != cache) {
            if let Some(position) = self.position(other, key) {
                self.set(other, key).remove(position);
                self.taken[other].push(key);
                copies += 1;
            }
        }
        self.counts[cache].invalidations += copies;
        self.counts[cache].invalidating_writes += u64::from(copies > 0);
        if present.is_none() {
            self.fill(cache, Line { key, state: State::Modified, version });
        }
        let position = self.position(cache, key).unwrap();
        let line = &mut self.set(cache, key)[position];
        (line.state, line.version) = (State::Modified, version);
    }

    fn count_miss(&mut self, cache: usize, key: u64) {
        let elsewhere = (0..self.caches.len()).any(|other| self.position(other, key).is_some());
        self.counts[cache].supplied_by_caches += u64::from(elsewhere);
        let taken = self.taken[cache].iter().position(|taken| *taken == key);
        if let Some(position) = taken {
            self.taken[cache].swap_remove(position);
            self.counts[cache].coherence_misses += 1;
        }
    }

    fn use_line(&mut self, cache: usize, key: u64, position: usize) {
        if self.configuration.geometry.replacement == Replacement::Lru {
            let line = self.set(cache, key).remove(position);
            self.set(cache, key).insert(0, line);
        }
    }

    fn fill(&mut self, cache: usize, line: Line) {
        let (_, ways) = self.configuration.geometry.sets_and_ways().unwrap();
        let set = self.set(cache, line.key);
        set.insert(0, line);
        if set.len() > ways as usize {
            let evicted = set.pop().unwrap();
            if matches!(evicted.state, State::Modified | State::Owned) {
                self.memory.insert(evicted.key, evicted.version);
                self.counts[cache].write_backs += 1;
            }
        }
    }

    /// A line that one cache may write is in no other; at most one answers for memory.
    fn check(&mut self, key: u64) {
        let states: Vec<State> = (0..self.caches.len())
            .filter_map(|cache| {
                let position = self.position(cache, key)?;
                Some(self.set(cache, key)[position].state)
            })
            .collect();
        let writable =
            states.iter().filter(|state| matches!(state, State::Exclusive | State::Modified)).count();
        assert!(writable == 0 || states.len() == 1, "single writer: {states:?}");
        assert!(states.iter().filter(|state| **state == State::Owned).count() <= 1);
    }
}

fn geometries() -> Vec<Geometry> {
    let geometry = |line_bytes, capacity_bytes, ways, replacement| Geometry {
        line_bytes,
        capacity_bytes,
        ways,
        replacement,
    };
    vec![
        Geometry::fully_associative(16),
        Geometry::fully_associative(64),
        geometry(16, 128, Some(2), Replacement::Lru),
        geometry(8, 96, Some(4), Replacement::Lru),
        geometry(4, 32, Some(1), Replacement::Lru),
        geometry(16, 64, None, Replacement::Fifo),
        geometry(32, 256, Some(2), Replacement::Fifo),
    ]
}

#[test]
fn caches_behave_as_the_model() {
    for (index, geometry) in geometries().into_iter().enumerate() {
        for protocol in [Protocol::Msi, Protocol::Mesi, Protocol::Moesi] {
            for caches in [1, 2, 5] {
                let configuration = Configuration { protocol, geometry };
                let mut random = Random(index as u64);
                let base = if index % 2 == 0 { 0x1_0000 } else { 0xffff_ffe0_0001_0000 };
                let mut system = System::new(configuration, caches).unwrap();
                let mut model = Model::new(configuration, caches);
                for _ in 0..3000 {
                    let reference = Reference {
                        cache: random.below(caches as u32) as u8,
                        write: random.below(3) == 0,
                        address: base + u64::from(4 * random.below(64)),
                        bytes: random.choose(&[1, 2, 4, 4, 4, 24]),
                    };
                    system.access(&reference);
                    model.access(&reference);
                    assert_eq!(system.report().caches, model.counts, "{configuration:?} {reference:?}");
                }
            }
        }
    }
}

fn access_trace(name: &str, timed: bool, agents: &[&str], accesses: &[Access]) -> AccessReader {
    let path = temporary(name);
    let mut writer = AccessWriter::create(&path, timed).unwrap();
    accesses.iter().for_each(|access| writer.push(access).unwrap());
    writer.close(&agents.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap();
    AccessReader::open(&path).unwrap()
}

fn names(caches: &[&[&str]]) -> Vec<Vec<String>> {
    caches.iter().map(|agents| agents.iter().map(|name| (*name).to_owned()).collect()).collect()
}

const MESI_64: Configuration =
    Configuration { protocol: Protocol::Mesi, geometry: Geometry::fully_associative(64) };

#[test]
fn traces_are_interleaved_by_cycle_and_filtered_by_address() {
    let mut random = Random(5);
    let mut accesses: Vec<Access> = (0..20_000)
        .map(|cycle| Access {
            agent: random.below(3) as u16,
            address: u64::from(0x100 + 4 * random.below(40)),
            bytes: 4,
            write: random.below(4) == 0,
            cycle,
        })
        .collect();
    let agents = ["dma_read", "dma_write", "core0"];
    let whole = Study {
        caches: names(&[&["core0"], &["dma_read", "dma_write"]]),
        ranges: vec![(0x100, 0x17f)],
        ..Study::default()
    };
    let one = access_trace("one.parquet", false, &agents, &accesses);
    let expected = study(vec![AccessSource::Accesses(one)], &whole, &[MESI_64], &Mips::default()).unwrap();
    let split = |agent: u16| -> Vec<Access> {
        accesses
            .iter()
            .filter(|access| access.agent == agent)
            .map(|access| Access { agent: 0, ..*access })
            .collect()
    };
    let parts = [split(0), split(1), split(2)];
    let sources = || {
        let parts = agents.iter().zip(&parts);
        parts.map(|(agent, part)| {
            let file = format!("part_{agent}.parquet");
            AccessSource::Accesses(access_trace(&file, true, &[agent], part))
        })
    };
    let merged = study(sources().collect(), &whole, &[MESI_64], &Mips::default()).unwrap();
    assert_eq!(merged, expected);
    // The same by hand.
    let mut system = System::new(MESI_64, 2).unwrap();
    accesses.retain(|access| access.address < 0x180);
    for access in &accesses {
        let cache = u8::from(access.agent != 2);
        system.access(&Reference { cache, write: access.write, address: access.address, bytes: 4 });
    }
    assert_eq!(system.report(), expected[0]);
    assert_eq!(expected[0].total().accesses(), accesses.len() as u64);
}

#[test]
fn absent_agents_are_named_where_they_are_allowed() {
    let accesses = [Access { agent: 0, address: 0, bytes: 4, write: false, cycle: 0 }];
    let reader = access_trace("absent.parquet", false, &["mac", "dma"], &accesses);
    let caches = names(&[&["core1"], &["mac", "dma"]]);
    let whole = Study { caches, allow_absent: true, ..Study::default() };
    let reports = study(vec![AccessSource::Accesses(reader)], &whole, &[MESI_64], &Mips::default()).unwrap();
    assert_eq!(reports[0].absent, ["core1", "dma"]);
    assert_eq!(reports[0].caches[1].reads, 1);
}

/// Path of a trace whose writer was killed after some groups, and the accesses that can be read.
fn cut_trace(name: &str, agent: &str, cycles: u64) -> (PathBuf, u64) {
    let path = temporary(name);
    let agents = [agent.to_owned()];
    let mut writer = AccessWriter::create(&path, true).unwrap();
    for cycle in 0..cycles {
        let access = Access { agent: 0, address: 4 * (cycle % 64), bytes: 4, write: false, cycle };
        writer.push(&access).unwrap();
        writer.keep_readable(&agents).unwrap();
    }
    writer.close(&agents).unwrap();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1000]).unwrap();
    let reader = AccessReader::open(&path).unwrap();
    assert!(!reader.is_complete());
    assert!((1..cycles).contains(&reader.access_count()));
    (path, reader.access_count())
}

#[test]
fn a_study_ends_with_the_shortest_incomplete_trace() {
    let whole = Study { caches: names(&[&["mac"], &["dma"]]), ..Study::default() };
    let (cut, left) = cut_trace("cut.parquet", "mac", 60_000);
    let others: Vec<_> =
        (0..60_000).map(|cycle| Access { agent: 0, address: 4, bytes: 4, write: true, cycle }).collect();
    let other = access_trace("whole.parquet", true, &["dma"], &others);
    let counts = |sources: Vec<AccessReader>| {
        let sources = sources.into_iter().map(AccessSource::Accesses).collect();
        let reports = study(sources, &whole, &[MESI_64], &Mips::default()).unwrap();
        (reports[0].caches[0].accesses(), reports[0].caches[1].accesses())
    };
    // Accesses of one cycle are in the order of the sources.
    assert_eq!(counts(vec![AccessReader::open(&cut).unwrap(), other]), (left, left - 1));
    // A complete trace may end before the others.
    let short = access_trace("short.parquet", true, &["mac"], &others[..100]);
    let other = access_trace("whole.parquet", true, &["dma"], &others);
    assert_eq!(counts(vec![short, other]), (100, 60_000));
}

#[test]
fn mistakes_are_told() {
    let accesses = [Access { agent: 0, address: 0, bytes: 4, write: false, cycle: 0 }];
    let message = |caches: &[&[&str]], configuration: Configuration| {
        let reader = access_trace("mistakes.parquet", false, &["mac"], &accesses);
        let whole = Study { caches: names(caches), ..Study::default() };
        study(vec![AccessSource::Accesses(reader)], &whole, &[configuration], &Mips::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(message(&[&["mca"]], MESI_64), "no access is by an agent called `mca`\nchoose from: mac");
    assert!(message(&[&["mac"], &["mac"]], MESI_64).starts_with("agent `mac` is given to two caches\n"));
    let odd = Configuration { geometry: Geometry::fully_associative(24), ..MESI_64 };
    assert!(message(&[&["mac"]], odd).starts_with("a cache of 24 bytes does not divide"));
    let thin = Geometry { line_bytes: 12, ..MESI_64.geometry };
    assert!(
        message(&[&["mac"]], Configuration { geometry: thin, ..MESI_64 }).starts_with("a line of 12 bytes")
    );
    assert!(message(&[], MESI_64).starts_with("0 caches are impossible\n"));

    let sources = ["a.parquet", "b.parquet"]
        .map(|name| AccessSource::Accesses(access_trace(name, false, &["mac"], &accesses)));
    let untimed = study(sources.into(), &Study::default(), &[], &Mips::default());
    assert!(matches!(untimed, Err(CoherenceError::Trace(TraceError::Untimed { .. }))));
}
