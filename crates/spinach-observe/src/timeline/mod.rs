//! A run as a timeline that Perfetto's viewer opens: the execution of cores, the activity of blocks, the traffic of memories, and
//! the journeys of frames.
//!
//! Cores tell by notes. Blocks and memories have what their counters say, as results and reports do. Frames are seen on channels, so
//! that it works for any system; a simulation that is watched so does not sleep.

mod by_domain;
mod cores;
mod frames;
mod messages;
mod rates;
mod reading;
mod servers;
mod writer;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spinach_analysis::trace::TaskTracker;
use spinach_engine::{
    ChannelId, Id, Listener, ModuleId, Netlist, Note, Observed, Observer, Payload, Time, Value,
};
use spinach_modules::notes::Noted;
use spinach_modules::values::{Block, BlockResponse, Frame};

use self::by_domain::ByDomain;
use self::cores::Cores;
use self::frames::{Frames, Journey};
pub use self::rates::Rate;
use self::rates::Rates;
pub use self::reading::{ReadJourney, journeys_of};
pub use self::servers::{Categories, FunctionNames, LinkFrame, RecordedServer, write_servers};
use self::writer::{Track, Writer};

/// The names of the rows that hold the journeys of frames.
pub(crate) const JOURNEYS: &str = "frames";

/// Subjects of a timeline, with their names.
#[derive(Debug, Default)]
pub struct Watched {
    /// The cores with their names, and the functions and tasks of their firmware; `None` for a system without firmware.
    pub cores: Option<(Vec<(String, ModuleId)>, TaskTracker)>,
    /// Activity of blocks.
    pub blocks: Vec<Rate>,
    /// The traffic of memories.
    pub memories: Vec<Rate>,
}

/// A timeline that is being written. Clones are handles to the same one.
#[derive(Clone)]
pub struct Timeline {
    open: Arc<Mutex<Option<Open>>>,
    /// The channels that it looks at.
    channels: Arc<[ChannelId]>,
}

struct Open {
    writer: Writer,
    cores: Option<Cores>,
    /// Core numbers by module.
    numbers: Vec<Option<u16>>,
    watched: Vec<WatchedChannel>,
    watched_by_domain: ByDomain,
    /// Places of the watched channels that a value moves through at this instant.
    moving: Vec<usize>,
    rates: Rates,
    frames: Frames,
    now: Time,
    names: Vec<String>,
    /// The modules that each channel leads from and to.
    ends: Vec<(ModuleId, ModuleId)>,
}

struct WatchedChannel {
    channel: ChannelId,
    carries: Carries,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Carries {
    Frame,
    Block,
    BlockResponse,
}

impl Timeline {
    /// Begins a timeline in the file `path`, which is replaced when it is finished.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, watched: Watched, netlist: &Netlist) -> io::Result<Self> {
        let mut writer = Writer::create(path)?;
        let mut numbers = vec![None; netlist.modules.len()];
        let cores = watched.cores.map(|(cores, tasks)| {
            cores.iter().zip(0..).for_each(|((_, module), number)| numbers[module.index()] = Some(number));
            Cores::new(tasks, cores, netlist, &mut writer)
        });
        let groups = [("blocks", &watched.blocks[..]), ("memories", &watched.memories)];
        let rates = Rates::new(groups, netlist, &mut writer);
        let names = netlist.channels.ids().map(|channel| netlist.channel_name(channel)).collect();
        let watched = watch(netlist);
        let domains = watched.iter().map(|it| slice::from_ref(&netlist.channels[it.channel].domain));
        let open = Open {
            writer,
            cores,
            numbers,
            watched_by_domain: ByDomain::new(netlist, domains),
            watched,
            moving: Vec::new(),
            rates,
            frames: Frames::default(),
            now: Time::ZERO,
            names,
            ends: netlist.channels.values().map(|it| (it.from.module, it.to.module)).collect(),
        };
        let channels = open.watched.iter().map(|watched| watched.channel).collect();
        Ok(Self { open: Arc::new(Mutex::new(Some(open))), channels })
    }

    /// True if the timeline is finished: no more is written.
    pub fn is_finished(&self) -> bool {
        self.open().is_none()
    }

    /// Adds rows for the harts of a recorded server, the `number`-th. Functions are by number.
    pub fn add_server(
        &self,
        server: &RecordedServer<'_>,
        number: usize,
        functions: &[FunctionNames],
        categories: &Categories,
    ) {
        if let Some(open) = self.open().as_mut() {
            servers::add_server(&mut open.writer, server, number, functions, categories);
        }
    }

    /// Completes the file; returns how many frames it follows. A second call returns nothing.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(&self) -> io::Result<Option<usize>> {
        let Some(mut open) = self.open().take() else { return Ok(None) };
        open.finish_rows();
        let journeys = open.frames.journeys(&open.ends);
        open.write_journeys(&journeys);
        open.writer.complete()?;
        Ok(Some(journeys.len()))
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// Channels to watch: those that carry frames or runs of bytes.
fn watch(netlist: &Netlist) -> Vec<WatchedChannel> {
    let watched = netlist.channels.iter().filter_map(|(channel, found)| {
        let carries = match found.value_type.name {
            "frame" => Carries::Frame,
            "block" => Carries::Block,
            "block_response" => Carries::BlockResponse,
            _ => return None,
        };
        Some(WatchedChannel { channel, carries })
    });
    watched.collect()
}

impl Listener for Timeline {
    fn hear(&mut self, notes: &[Note]) {
        let mut open = self.open();
        let Some(Open { writer, cores: Some(cores), numbers, now, .. }) = open.as_mut() else { return };
        for note in notes {
            if let Some(core) = numbers[note.module.index()]
                && let Noted::Retired { pc, .. } = Noted::from_words(note.words)
            {
                cores.retired(core, pc, note.cycle);
            }
        }
        cores.advance(*now, writer);
    }
}

impl Observer for Timeline {
    fn looks_at(&self) -> Option<&[ChannelId]> {
        Some(&self.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        if let Some(open) = self.open().as_mut() {
            open.observe(observed);
        }
    }
}

impl Open {
    fn observe(&mut self, observed: &Observed<'_>) {
        let time = observed.time;
        self.now = time.max(self.now);
        let Self { watched, moving, .. } = self;
        self.watched_by_domain.each_due(observed, |place| {
            if observed.moves(watched[place].channel) {
                moving.push(place);
            }
        });
        moving.sort_unstable();
        for place in moving.drain(..) {
            let watched = &watched[place];
            let (Some(words), _) = observed.channel(watched.channel) else { continue };
            let word = |index: u32| words[index as usize];
            if let Some(payload) = payload_of(watched.carries, word) {
                let is_frame = watched.carries == Carries::Frame;
                let bytes = observed.payload(watched.channel, payload);
                self.frames.moved(time, watched.channel, bytes, is_frame);
            }
        }
        self.rates.observe(observed, &mut self.writer);
        if let Some(cores) = &mut self.cores {
            cores.observe(observed);
        }
    }

    fn finish_rows(&mut self) {
        if let Some(cores) = &mut self.cores {
            cores.finish(self.now, &mut self.writer);
        }
        self.rates.finish(self.now, &mut self.writer);
    }

    // One row for each frame that is under way at a time, with a slice for its journey and in it one for each stage: from one channel
    // to the next. The stages of one frame have its number as a flow.
    fn write_journeys(&mut self, journeys: &[Journey]) {
        let group = self.writer.group(JOURNEYS);
        let mut lanes: Vec<(Track, Time)> = Vec::new();
        for (journey, number) in journeys.iter().zip(1u64..) {
            let (Some((begin, first)), Some((end, last))) = (journey.stages.first(), journey.stages.last())
            else {
                continue;
            };
            let lane = lanes.iter().position(|(_, until)| until < begin).unwrap_or_else(|| {
                lanes.push((self.writer.track("frames under way", group), Time::ZERO));
                lanes.len() - 1
            });
            let track = lanes[lane].0;
            lanes[lane].1 = *end;
            let name = format!("frame {number}: {} to {}", source(self.name(*first)), sink(self.name(*last)));
            self.writer.begin(track, *begin, &name, &[number]);
            for pair in journey.stages.windows(2) {
                let [(from, left), (to, _)] = pair else { continue };
                let name = self.name(*left).to_owned();
                self.writer.begin(track, *from, &name, &[number]);
                self.writer.end(track, *to);
            }
            self.writer.end(track, *end);
        }
        self.write_waiting(journeys, group);
    }

    // Number of frames that have moved through a channel and not yet through their next: the depth of the
    // queue behind it.
    fn write_waiting(&mut self, journeys: &[Journey], group: Track) {
        let mut changes: BTreeMap<usize, BTreeMap<Time, i64>> = BTreeMap::new();
        for journey in journeys {
            for pair in journey.stages.windows(2) {
                let [(from, left), (to, _)] = pair else { continue };
                let changes = changes.entry(left.index()).or_default();
                *changes.entry(*from).or_default() += 1;
                *changes.entry(*to).or_default() -= 1;
            }
        }
        for (channel, changes) in changes {
            let name = format!("after {}", self.names[channel]);
            let track = self.writer.counter(&name, "frames", group);
            let mut depth = 0;
            for (time, change) in changes {
                depth += change;
                self.writer.count(track, time, depth);
            }
        }
    }

    fn name(&self, channel: ChannelId) -> &str {
        &self.names[channel.index()]
    }
}

// Of a channel called `a.b -> c.d`, the module that it comes from, and the one that it leads to.
fn source(name: &str) -> &str {
    name.split(" -> ").next().unwrap_or(name)
}

fn sink(name: &str) -> &str {
    name.split(" -> ").nth(1).unwrap_or(name)
}

// The payload that travels with a value.
fn payload_of(carries: Carries, word: impl Fn(u32) -> u64) -> Option<Payload> {
    match carries {
        Carries::Frame => Some(Frame::load(word).bytes),
        Carries::Block => Block::load(word).write,
        Carries::BlockResponse => BlockResponse::load(word).read,
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::messages::Trace;
    use super::*;
    use crate::wire::{FRAMES, carry, temporary, wire};

    /// Records the times in nanoseconds at which frames move through channels.
    struct Moves(Vec<ChannelId>, Arc<Mutex<Vec<Vec<u64>>>>);

    impl Observer for Moves {
        fn observe(&mut self, observed: &Observed<'_>) {
            let mut times = self.1.lock().expect("no thread panicked");
            for (channel, times) in self.0.iter().zip(times.iter_mut()) {
                if observed.moves(*channel) {
                    times.push(observed.time.femtoseconds() / 1_000_000);
                }
            }
        }
    }

    #[test]
    fn frames_have_their_journeys_and_the_queues_between_their_depths() {
        let mut simulation = wire();
        let channel =
            |module, port| simulation.netlist().find_channel(module, port, 0).expect("it is connected");
        let channels = vec![channel("feeder", "wire"), channel("link", "output"), channel("far", "output")];
        let moves = Arc::new(Mutex::new(vec![Vec::new(); 3]));
        let path = temporary("journeys");
        let watched = Watched::default();
        let timeline = Timeline::create(&path, watched, simulation.netlist()).expect("it can be written");
        simulation.add_observer(Box::new(timeline.clone()));
        simulation.add_observer(Box::new(Moves(channels, Arc::clone(&moves))));
        carry(&mut simulation);
        assert_eq!(timeline.finish().expect("it was written"), Some(FRAMES as usize));
        let journeys = journeys_of(&path).expect("it is a timeline");
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it was written");

        let moves = moves.lock().expect("no thread panicked").clone();
        let mut depths = [BTreeMap::new(), BTreeMap::new()];
        for (number, journey) in journeys.iter().enumerate() {
            let times: Vec<u64> = moves.iter().map(|times| times[number]).collect();
            let name = format!("frame {}: feeder.wire to sink.wire", number + 1);
            let stage = |place: usize, name: &str| (name.to_owned(), times[place + 1] - times[place]);
            let stages = vec![stage(0, "feeder.wire -> link.input"), stage(1, "link.output -> far.input")];
            let (begin_ns, duration_ns) = (times[0], times[2] - times[0]);
            assert_eq!(*journey, ReadJourney { name, begin_ns, duration_ns, stages });
            for (depths, times) in depths.iter_mut().zip(times.windows(2)) {
                *depths.entry(times[0]).or_insert(0) += 1;
                *depths.entry(times[1]).or_insert(0) -= 1;
            }
        }
        let changes = depths.into_iter().flat_map(|depths| {
            depths.into_iter().scan(0, |depth, (time, change)| {
                *depth += change;
                Some((time, *depth))
            })
        });
        let changes: Vec<(u64, i64)> = changes.collect();
        let trace = Trace::decode(bytes.as_slice()).expect("it is a trace");
        let events =
            trace.packet.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
        let counted: Vec<_> = events.filter_map(|(time, event)| Some((time, event.counter_value?))).collect();
        assert_eq!(counted, changes);
    }
}
