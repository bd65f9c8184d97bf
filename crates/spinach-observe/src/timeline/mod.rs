//! A run as a timeline that Perfetto's viewer opens: the execution of cores, the activity of blocks, the traffic of memories, and
//! the journeys of frames.
//!
//! Cores tell by notes. Everything else is seen on channels, so that it works for any system; a simulation that is watched so does
//! not sleep.

mod cores;
mod frames;
mod messages;
mod reading;
mod servers;
mod writer;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spinach_analysis::trace::TaskTracker;
use spinach_engine::{
    ChannelId, Id, Listener, ModuleId, Netlist, Note, Observed, Observer, Payload, Time, Value,
};
use spinach_modules::notes::Noted;
use spinach_modules::values::{Block, BlockResponse, Frame, Reference};

use self::cores::Cores;
use self::frames::{Frames, Journey};
pub use self::reading::{ReadJourney, journeys_of};
pub use self::servers::{Categories, FunctionNames, LinkFrame, RecordedServer, write_servers};
use self::writer::{Track, Writer};

/// Idle time after which a block counts as resting.
const RESTS_AFTER: Time = Time::from_femtoseconds(200_000_000);
/// Interval between counter samples of memories.
const COUNTED_EVERY: Time = Time::from_femtoseconds(1_000_000_000);
/// The names of the rows that hold the journeys of frames.
pub(crate) const JOURNEYS: &str = "frames";

/// Subjects of a timeline, with their names.
#[derive(Debug, Default)]
pub struct Watched {
    /// The cores with their names, and the functions and tasks of their firmware; `None` for a system without firmware.
    pub cores: Option<(Vec<(String, ModuleId)>, TaskTracker)>,
    /// Blocks that are busy while anything moves at them.
    pub blocks: Vec<(String, ModuleId)>,
    /// Memories, by the modules that count their traffic.
    pub memories: Vec<(String, Vec<ModuleId>)>,
}

/// A timeline that is being written. Clones are handles to the same one.
#[derive(Clone)]
pub struct Timeline(Arc<Mutex<Option<Open>>>);

struct Open {
    writer: Writer,
    cores: Option<Cores>,
    /// Core numbers by module.
    numbers: BTreeMap<usize, u16>,
    watched: Vec<WatchedChannel>,
    blocks: Vec<Busy>,
    memories: Vec<Moved>,
    frames: Frames,
    now: Time,
    names: Vec<String>,
    /// The modules that each channel leads from and to.
    ends: Vec<(ModuleId, ModuleId)>,
}

struct WatchedChannel {
    channel: ChannelId,
    carries: Carries,
    /// The blocks at its ends.
    blocks: Vec<usize>,
    memory: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Carries {
    Frame,
    Block,
    BlockResponse,
    Reference,
    Other,
}

/// A block that is busy from `since` on, if it is.
struct Busy {
    track: Track,
    since: Option<Time>,
    last: Time,
}

/// Bytes that a memory moved since the last sample.
struct Moved {
    track: Track,
    bytes: u64,
    counted: Time,
}

impl Timeline {
    /// Begins a timeline in the file `path`, which is replaced when it is finished.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, watched: Watched, netlist: &Netlist) -> io::Result<Self> {
        let mut writer = Writer::create(path)?;
        let mut numbers = BTreeMap::new();
        let cores = watched.cores.map(|(cores, tasks)| {
            numbers = cores.iter().zip(0..).map(|((_, module), number)| (module.index(), number)).collect();
            let names: Vec<_> = cores.into_iter().map(|(name, _)| name).collect();
            Cores::new(tasks, &names, &mut writer)
        });
        let group = writer.group("blocks");
        let busy = |(name, _): &(String, ModuleId)| Busy {
            track: writer.track(name, group),
            since: None,
            last: Time::ZERO,
        };
        let blocks: Vec<_> = watched.blocks.iter().map(busy).collect();
        let group = writer.group("memories");
        let moved = |(name, _): &(String, Vec<ModuleId>)| Moved {
            track: writer.counter(name, "Mb/s", group),
            bytes: 0,
            counted: Time::ZERO,
        };
        let memories = watched.memories.iter().map(moved).collect();
        let channels = watch(netlist, &watched.blocks, &watched.memories);
        let names = netlist.channels.ids().map(|channel| netlist.channel_name(channel)).collect();
        let open = Open {
            writer,
            cores,
            numbers,
            watched: channels,
            blocks,
            memories,
            frames: Frames::default(),
            now: Time::ZERO,
            names,
            ends: netlist.channels.values().map(|it| (it.from.module, it.to.module)).collect(),
        };
        Ok(Self(Arc::new(Mutex::new(Some(open)))))
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// Channels to watch: those that carry frames or runs of bytes, and those of blocks and memories.
fn watch(
    netlist: &Netlist,
    blocks: &[(String, ModuleId)],
    memories: &[(String, Vec<ModuleId>)],
) -> Vec<WatchedChannel> {
    let watched = netlist.channels.iter().filter_map(|(id, channel)| {
        let carries = match channel.value_type.name {
            "frame" => Carries::Frame,
            "block" => Carries::Block,
            "block_response" => Carries::BlockResponse,
            "reference" => Carries::Reference,
            _ => Carries::Other,
        };
        let ends = [channel.from.module, channel.to.module];
        let at = blocks.iter().enumerate().filter(|(_, (_, module))| ends.contains(module));
        let at: Vec<_> = at.map(|(index, _)| index).collect();
        let memory = memories.iter().position(|(_, modules)| modules.contains(&channel.to.module));
        let carries_frames = matches!(carries, Carries::Frame | Carries::Block | Carries::BlockResponse);
        (carries_frames || !at.is_empty() || memory.is_some()).then_some(WatchedChannel {
            channel: id,
            carries,
            blocks: at,
            memory,
        })
    });
    watched.collect()
}

impl Listener for Timeline {
    fn hear(&mut self, notes: &[Note]) {
        let mut open = self.open();
        let Some(Open { writer, cores: Some(cores), numbers, now, .. }) = open.as_mut() else { return };
        for note in notes {
            if let Some(core) = numbers.get(&note.module.index())
                && let Noted::Retired { pc, .. } = Noted::from_words(note.words)
            {
                cores.retired(*core, pc, note.time, writer);
                *now = note.time.max(*now);
            }
        }
    }
}

impl Observer for Timeline {
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
        for watched in &self.watched {
            if !observed.moves(watched.channel) {
                continue;
            }
            for block in &watched.blocks {
                self.blocks[*block].touch(time, &mut self.writer);
            }
            let (Some(words), _) = observed.channel(watched.channel) else { continue };
            let word = |index: u32| words[index as usize];
            let (bytes, payload) = moved(watched.carries, word);
            if let Some(memory) = watched.memory {
                self.memories[memory].bytes += bytes;
            }
            if let Some(payload) = payload {
                let is_frame = watched.carries == Carries::Frame;
                let bytes = observed.payload(watched.channel, payload);
                self.frames.moved(time, watched.channel, bytes, is_frame);
            }
        }
        for memory in &mut self.memories {
            memory.count(time, &mut self.writer);
        }
    }

    fn finish_rows(&mut self) {
        if let Some(cores) = &mut self.cores {
            cores.finish(self.now, &mut self.writer);
        }
        for block in &mut self.blocks {
            block.rest(&mut self.writer);
        }
        for memory in &mut self.memories {
            memory.finish(self.now, &mut self.writer);
        }
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

// Number of bytes that a value moves or asks for, and the payload that travels with it.
fn moved(carries: Carries, word: impl Fn(u32) -> u64) -> (u64, Option<Payload>) {
    match carries {
        Carries::Frame => (0, Some(Frame::load(word).bytes)),
        Carries::Block => {
            let block = Block::load(word);
            (block.length.into(), block.write)
        }
        Carries::BlockResponse => (0, BlockResponse::load(word).read),
        Carries::Reference => (Reference::load(word).size.into(), None),
        Carries::Other => (0, None),
    }
}

impl Busy {
    fn touch(&mut self, time: Time, writer: &mut Writer) {
        if self.since.is_some() && time.saturating_sub(self.last) > RESTS_AFTER {
            self.rest(writer);
        }
        self.since.get_or_insert(time);
        self.last = time;
    }

    fn rest(&mut self, writer: &mut Writer) {
        if let Some(since) = self.since.take() {
            writer.begin(self.track, since, "busy", &[]);
            writer.end(self.track, self.last);
        }
    }
}

impl Moved {
    fn count(&mut self, time: Time, writer: &mut Writer) {
        if time.saturating_sub(self.counted) >= COUNTED_EVERY {
            self.write(time, writer);
        }
    }

    // Writes the traffic since the last count, until `time`.
    fn write(&mut self, time: Time, writer: &mut Writer) {
        let span = time.saturating_sub(self.counted);
        // Bits per femtosecond, times 10^9, are megabits a second.
        let rate = u128::from(self.bytes) * 8 * 1_000_000_000 / u128::from(span.femtoseconds());
        writer.count(self.track, self.counted, i64::try_from(rate).unwrap_or(i64::MAX));
        (self.bytes, self.counted) = (0, time);
    }

    // Writes the rest, and an end of traffic at `time`.
    fn finish(&mut self, time: Time, writer: &mut Writer) {
        if time > self.counted {
            self.write(time, writer);
        }
        writer.count(self.track, time, 0);
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::messages::{SLICE_BEGIN, Trace};
    use super::*;
    use crate::wire::{FRAMES, carry, temporary, wire};

    /// The slices of a block at which something moves at these nanoseconds.
    fn slices(moves: &[u64]) -> Vec<(u64, u64)> {
        let name = format!("spinach-busy-{}-{}", std::process::id(), moves.len());
        let path = std::env::temp_dir().join(name);
        let mut writer = Writer::create(&path).expect("temporary files can be written");
        let group = writer.group("blocks");
        let mut block = Busy { track: writer.track("block", group), since: None, last: Time::ZERO };
        for nanoseconds in moves {
            block.touch(Time::from_femtoseconds(nanoseconds * 1_000_000), &mut writer);
        }
        block.rest(&mut writer);
        writer.complete().expect("temporary files can be written");
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it was written");
        let trace = Trace::decode(bytes.as_slice()).expect("it is a trace");
        let events =
            trace.packet.iter().filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)));
        let (begins, ends): (Vec<_>, Vec<_>) =
            events.partition(|(_, event)| event.r#type == Some(SLICE_BEGIN));
        assert_eq!(begins.len(), ends.len());
        begins.into_iter().zip(ends).map(|((begin, _), (end, _))| (begin, end)).collect()
    }

    #[test]
    fn a_block_is_busy_from_its_first_transfer_to_the_last_before_a_rest() {
        assert_eq!(slices(&[10, 110, 310, 600]), [(10, 310), (600, 600)]);
        // A pause of exactly 200 ns does not end a slice.
        assert_eq!(slices(&[10, 210, 411]), [(10, 210), (411, 411)]);
    }

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
        // Its busy slices are not journeys.
        let link = simulation.netlist().find_module("link").expect("it is there");
        let watched = Watched { blocks: vec![("link".to_owned(), link)], ..Watched::default() };
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
