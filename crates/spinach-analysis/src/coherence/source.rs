//! Translation of traces into references: agents to caches, several traces in the order of time.

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::Architecture;

use super::{CoherenceError, Configuration, Reference, Report, System};
use crate::operation::OperationCache;
use crate::trace::filter::BoundFilter;
use crate::trace::{Access, AccessReader, Filter, TraceError, TraceReader};

/// A trace to take accesses from.
pub enum AccessSource {
    /// An access trace.
    Accesses(AccessReader),
    /// The loads and stores of an instruction trace, by agents `core0`, `core1` and so on.
    Instructions(TraceReader, Filter),
}

/// Request of a coherence study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Study {
    /// Agents per cache. Agents that no cache serves are left out.
    pub caches: Vec<Vec<String>>,
    /// Only accesses that begin in one of these ranges of addresses, first and last; all if there is none.
    pub ranges: Vec<(u64, u64)>,
    /// Accept agents that make no access: [`Report::absent`] names them. An error otherwise.
    pub allow_absent: bool,
}

/// A trace in the making of references: its accesses a group at a time.
struct Feed<'set, Set> {
    reader: Reader<'set, Set>,
    group: Vec<Access>,
    position: usize,
    /// Per agent of this trace: true if it was seen, and its cache.
    agents: Vec<(bool, Option<u8>)>,
}

enum Reader<'set, Set> {
    Accesses(AccessReader),
    Instructions(Box<TraceReader>, BoundFilter, OperationCache<'set, Set>),
}

impl<'set, Set: Architecture> Feed<'set, Set> {
    fn new(source: AccessSource, instruction_set: &'set Set) -> Result<Self, TraceError> {
        let reader = match source {
            AccessSource::Accesses(reader) => Reader::Accesses(reader),
            AccessSource::Instructions(reader, filter) => {
                let filter = filter.bind(&reader)?;
                Reader::Instructions(Box::new(reader), filter, OperationCache::new(instruction_set))
            }
        };
        Ok(Self { reader, group: Vec::new(), position: 0, agents: Vec::new() })
    }

    fn check_timed(&self) -> Result<(), TraceError> {
        let (path, timed) = match &self.reader {
            Reader::Accesses(reader) => (reader.path(), reader.is_timed()),
            Reader::Instructions(reader, ..) => (reader.path(), reader.is_timed()),
        };
        if timed {
            return Ok(());
        }
        Err(TraceError::Untimed { path: path.to_owned(), needed_for: "interleaving with another trace" })
    }

    /// True if the writer of the trace was killed: other traces have later accesses that this one lacks.
    fn is_cut(&self) -> bool {
        match &self.reader {
            Reader::Accesses(reader) => !reader.is_complete(),
            Reader::Instructions(reader, ..) => !reader.is_complete(),
        }
    }

    fn agent_name(&self, agent: usize) -> String {
        match &self.reader {
            Reader::Accesses(reader) => reader.agents()[agent].clone(),
            Reader::Instructions(..) => format!("core{agent}"),
        }
    }

    /// The next access, without taking it.
    #[inline]
    fn peek(&mut self) -> Result<Option<Access>, TraceError> {
        if self.position == self.group.len() && !self.refill()? {
            return Ok(None);
        }
        Ok(Some(self.group[self.position]))
    }

    /// Reads groups until one has an access; returns true if there was one.
    fn refill(&mut self) -> Result<bool, TraceError> {
        self.position = 0;
        loop {
            self.group.clear();
            match &mut self.reader {
                Reader::Accesses(reader) => self.group.extend_from_slice(reader.next_group()?),
                Reader::Instructions(reader, filter, operations) => {
                    let group = reader.next_group()?;
                    if group.is_empty() {
                        return Ok(false);
                    }
                    for instruction in group.iter().filter(|instruction| filter.takes(instruction)) {
                        let operation = operations.get(instruction.word);
                        let (Some(address), Some(memory)) = (instruction.address, operation.memory) else {
                            continue;
                        };
                        self.group.push(Access {
                            agent: instruction.core,
                            address,
                            bytes: memory.size_bytes.into(),
                            write: operation.writes_memory(),
                            cycle: instruction.cycle,
                        });
                    }
                    if self.group.is_empty() {
                        continue;
                    }
                }
            }
            return Ok(!self.group.is_empty());
        }
    }

    /// The cache of an agent of this trace, looked up once.
    #[inline]
    fn cache(&mut self, agent: u16, caches: &[Vec<String>]) -> Option<u8> {
        let agent = usize::from(agent);
        match self.agents.get(agent) {
            Some((true, cache)) => *cache,
            _ => {
                let name = self.agent_name(agent);
                let cache = caches.iter().position(|agents| agents.contains(&name)).map(|cache| cache as u8);
                if agent >= self.agents.len() {
                    self.agents.resize(agent + 1, (false, None));
                }
                self.agents[agent] = (true, cache);
                cache
            }
        }
    }
}

/// References are simulated in runs of this many, so that they stay in the cache from one system to the next.
const RUN_REFERENCES: usize = 1 << 12;

/// Maximum number of lines of memory that may be touched: 256 MiB in lines of 16 bytes. Each takes memory of the host.
const LINES_MAXIMUM: usize = 1 << 24;

/// Simulates several systems on the same traces in one pass. Several traces are interleaved by their cycles; accesses of
/// one cycle are in the order of the sources. The study ends after the last access of a trace that is not complete, so that it
/// has all agents up to there. `instruction_set` is that of instruction traces.
///
/// # Errors
/// [`CoherenceError`].
pub fn study(
    sources: Vec<AccessSource>,
    study: &Study,
    configurations: &[Configuration],
    instruction_set: &impl Architecture,
) -> Result<Vec<Report>, CoherenceError> {
    check_agents(&study.caches)?;
    let systems = configurations.iter().map(|configuration| System::new(*configuration, study.caches.len()));
    let mut systems = systems.collect::<Result<Vec<_>, _>>()?;
    let feeds = sources.into_iter().map(|source| Feed::new(source, instruction_set));
    let mut feeds = feeds.collect::<Result<Vec<_>, _>>()?;
    if feeds.len() > 1 {
        feeds.iter().try_for_each(Feed::check_timed)?;
    }
    let mut references = Vec::with_capacity(RUN_REFERENCES);
    while let Some((feed, access)) = earliest(&mut feeds)? {
        feed.position += 1;
        let Some(cache) = feed.cache(access.agent, &study.caches) else { continue };
        let counts = |(first, last): &(u64, u64)| (*first..=*last).contains(&access.address);
        if !study.ranges.is_empty() && !study.ranges.iter().any(counts) {
            continue;
        }
        references.push(Reference {
            cache,
            write: access.write,
            address: access.address,
            bytes: access.bytes,
        });
        if references.len() == RUN_REFERENCES {
            simulate(&mut systems, &mut references);
            if systems.iter().any(|system| system.lines() > LINES_MAXIMUM) {
                return Err(CoherenceError::TooManyLines(LINES_MAXIMUM));
            }
        }
    }
    simulate(&mut systems, &mut references);
    let absent = absent(&feeds, study)?;
    Ok(systems.iter().map(|system| Report { absent: absent.clone(), ..system.report() }).collect())
}

fn simulate(systems: &mut [System], references: &mut Vec<Reference>) {
    systems.iter_mut().for_each(|system| references.iter().for_each(|reference| system.access(reference)));
    references.clear();
}

/// The feed whose next access comes first, with that access; none after the last access of an incomplete trace.
fn earliest<'feeds, 'set, Set: Architecture>(
    feeds: &'feeds mut [Feed<'set, Set>],
) -> Result<Option<(&'feeds mut Feed<'set, Set>, Access)>, TraceError> {
    let mut best: Option<(usize, Access)> = None;
    for (index, feed) in feeds.iter_mut().enumerate() {
        let Some(access) = feed.peek()? else {
            if feed.is_cut() {
                return Ok(None);
            }
            continue;
        };
        if best.is_none_or(|(_, best)| access.cycle < best.cycle) {
            best = Some((index, access));
        }
    }
    Ok(best.map(|(index, access)| (&mut feeds[index], access)))
}

fn check_agents(caches: &[Vec<String>]) -> Result<(), CoherenceError> {
    let mut names: Vec<&String> = caches.iter().flatten().collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(CoherenceError::SharedAgent(pair[0].clone())),
        None => Ok(()),
    }
}

/// Agents without an access, which would be a silent mistake in the name unless the study allows them.
fn absent<Set: Architecture>(feeds: &[Feed<'_, Set>], study: &Study) -> Result<Vec<String>, CoherenceError> {
    let seen = feeds.iter().flat_map(|feed| {
        let agents = feed.agents.iter().enumerate().filter(|(_, (seen, _))| *seen);
        agents.map(|(agent, _)| feed.agent_name(agent))
    });
    let mut known: Vec<String> = seen.collect();
    known.sort_unstable();
    known.dedup();
    let absent: Vec<_> =
        study.caches.iter().flatten().filter(|name| !known.contains(name)).cloned().collect();
    match absent.first() {
        Some(name) if !study.allow_absent => Err(CoherenceError::UnknownAgent { name: name.clone(), known }),
        _ => Ok(absent),
    }
}
