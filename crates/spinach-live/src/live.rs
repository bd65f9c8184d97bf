//! Run of a simulation connected to the world: arriving frames enter the simulation, and departing frames leave it.

pub(crate) mod waiting;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use serde::Serialize;
use spinach_engine::{Condition, Control, Limit, ModuleId, Outcome, Progress, Simulation, Time};
use spinach_modules::traffic::live_frames::{EXPECT, SEND};

use self::waiting::wait;
use crate::face::{Face, LONGEST_MESSAGE, Sent};
use crate::pace::Pace;
use crate::recording::{Arrival, RecordingWriter};

/// Counter of frames that a sink exports.
pub(crate) const DELIVERED: &str = "delivered";

/// Maximum number of frames that wait in a source; more stay with the kernel.
const MOST_WAITING: usize = 256;
/// Maximum number of frames that wait for a full face; more are dropped.
const MOST_UNSENT: usize = 4096;
/// Bytes of the addresses and the type of a frame.
pub(crate) const HEADER_BYTES: usize = 14;

/// Maximum length of a piece of the run before the faces are polled again.
const LONGEST_PIECE: Duration = Duration::from_millis(2);
/// Pieces of a run in simulated time.
const PIECES: std::ops::RangeInclusive<u64> = 1_000_000_000..=100_000_000_000_000;
/// Rests of a run that is as far as wall time, unless something comes: a quarter of the silence before.
const RESTS: std::ops::RangeInclusive<Duration> = Duration::from_micros(100)..=Duration::from_millis(100);

/// A face, and the destination of its incoming messages.
pub struct Entrance {
    /// Name of the entrance: `wire` or `host`.
    pub name: String,
    /// User's name of the device behind it.
    pub device: String,
    /// The device; none in a replay.
    pub face: Option<Box<dyn Face>>,
    /// Takes frames on the lane [`SEND`].
    pub source: ModuleId,
    /// Takes the same frames on the lane [`EXPECT`].
    pub sink: ModuleId,
    /// Exports the frames of the other direction, and counts them as `delivered`.
    pub exit: ModuleId,
    /// Bytes of the longest frame that the source may send.
    pub longest: usize,
}

/// Counts of frames that passed an entrance.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Passage {
    /// User's name of the device.
    pub device: String,
    /// Frames that came in and went into the simulation.
    pub received: u64,
    /// Frames that left the simulation and went out.
    pub sent: u64,
    /// Incoming frames that were dropped, by reason.
    pub dropped_inward: BTreeMap<&'static str, u64>,
    /// Outgoing frames that were dropped, by reason.
    pub dropped_outward: BTreeMap<&'static str, u64>,
    /// Frames that the machine dropped before they were read; nothing if unknown.
    pub missed: Option<u64>,
}

/// Source of arriving frames.
pub enum Input {
    /// The faces of the entrances. All of it is recorded, if that is wanted.
    Faces(Option<RecordingWriter>),
    /// A recording: until its end, the same messages come in at the same instants.
    Recording(VecDeque<Arrival>),
}

struct Open {
    entrance: Entrance,
    passage: Passage,
    unsent: VecDeque<Vec<u8>>,
    // Number of frames that may go in before the source's backlog is queried again.
    room: usize,
    // Number of frames that had left the simulation at the last look.
    delivered: u64,
}

/// Run connected to the world.
pub struct Live {
    entrances: Vec<Open>,
    // Lanes for messages other than frames. Their numbers follow those of the entrances.
    lanes: Vec<(ModuleId, u32)>,
    input: Input,
    pace: Option<Pace>,
    piece: Time,
    longest_piece: Duration,
    last_activity: Instant,
    buffer: Vec<u8>,
}

impl Live {
    /// Connects entrances to a simulation that has not begun.
    pub fn new(entrances: Vec<Entrance>, input: Input) -> Self {
        let open = |entrance: Entrance| Open {
            passage: Passage { device: entrance.device.clone(), ..Passage::default() },
            entrance,
            unsent: VecDeque::new(),
            room: 0,
            delivered: 0,
        };
        Self {
            entrances: entrances.into_iter().map(open).collect(),
            lanes: Vec::new(),
            input,
            pace: None,
            piece: Time::from_femtoseconds(*PIECES.start()),
            longest_piece: LONGEST_PIECE,
            last_activity: Instant::now(),
            buffer: vec![0; LONGEST_MESSAGE],
        }
    }

    /// Polls devices after shorter pieces of the run.
    pub(crate) fn shorten_pieces(&mut self, longest: Duration) {
        self.longest_piece = longest;
    }

    /// Adds a lane of a module for injected messages; returns its number among all that lets something in.
    pub(crate) fn add_lane(&mut self, module: ModuleId, lane: u32) -> usize {
        self.lanes.push((module, lane));
        self.entrances.len() + self.lanes.len() - 1
    }

    /// Lets a message in through a lane, and records it.
    pub(crate) fn inject(
        &mut self,
        number: usize,
        message: &[u8],
        simulation: &mut Simulation,
    ) -> Result<(), String> {
        self.let_through(number, message, simulation)?;
        self.last_activity = Instant::now();
        if let Input::Faces(Some(recorder)) = &mut self.input {
            recorder.add(simulation.now(), number, message).map_err(unrecorded)?;
        }
        Ok(())
    }

    // Passes a message from an entrance or a lane into the simulation.
    fn let_through(&self, number: usize, message: &[u8], simulation: &mut Simulation) -> Result<(), String> {
        if let Some(open) = self.entrances.get(number) {
            return open.inject(message, simulation);
        }
        let lane = self.lanes.get(number - self.entrances.len());
        let (module, lane) = *lane.ok_or("the recording has more entrances than this run")?;
        let module =
            simulation.outside(module).ok_or("a module that takes messages in has no way to do it")?;
        module.inject(lane, message)
    }

    /// Runs as [`Simulation::run`] does, and exchanges frames with devices meanwhile. Simulated time does not run ahead of wall
    /// time, unless it is a replay. A device that is gone stops the run.
    ///
    /// # Errors
    /// If a condition names something that does not exist.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        // Messages that arrive during a rest go in at the present, once the silence before them is simulated.
        let mut is_rested = false;
        loop {
            let exchanged = if is_rested { self.let_out(simulation) } else { self.exchange(simulation) };
            if let Err(reason) = exchanged {
                return Ok(Outcome::Stopped(reason));
            }
            let now = simulation.now();
            let end = self.end_of_piece(now, limit.time, false);
            // Short pieces cost more than they simulate: a lag of less than a rest is simulated after it.
            let is_near = !is_rested && end < limit.time && self.is_within_rest(now);
            is_rested = false;
            if now < limit.time && (end <= now || is_near) {
                if progress(Progress { now, limit: limit.time }) == Control::Stop {
                    return Ok(Outcome::Interrupted);
                }
                self.wait([]);
                is_rested = true;
                continue;
            }
            let outcome = self.run_piece(simulation, limit, end, progress)?;
            let is_over = match outcome {
                Outcome::Reached => simulation.now() >= limit.time,
                Outcome::ConditionHolds => holds(simulation, limit)?,
                _ => true,
            };
            if is_over {
                return Ok(self.exchange(simulation).map_or_else(Outcome::Stopped, |()| outcome));
            }
        }
    }

    /// Sends the remaining messages of the simulation, and returns the traffic of the entrances.
    ///
    /// # Errors
    /// If a device is gone; the message names it.
    pub fn finish(&mut self, simulation: &mut Simulation) -> Result<Summary, String> {
        let let_out = self.let_out(simulation);
        for open in &mut self.entrances {
            let left = open.unsent.drain(..).count() as u64;
            if left > 0 {
                *open.passage.dropped_outward.entry("no_room").or_default() += left;
            }
            // Closed here: the owner of the run may outlive it, and the next run may name the same device.
            open.passage.missed = open.entrance.face.take().and_then(|face| face.missed());
        }
        let_out?;
        let behind = self.behind(simulation.now());
        let most_behind = self.pace.as_ref().map_or(Duration::ZERO, Pace::most_behind);
        let passages = self.entrances.iter().map(|open| (open.entrance.name.clone(), open.passage.clone()));
        Ok(Summary {
            behind_ns: nanoseconds(behind),
            most_behind_ns: nanoseconds(most_behind),
            passages: passages.collect(),
        })
    }

    /// Lag of simulated time, which is `now`, behind wall time; none in a replay.
    pub fn behind(&mut self, now: Time) -> Duration {
        self.pace.as_mut().map_or(Duration::ZERO, |pace| pace.look(now))
    }

    /// Completes the recording, if there is one, of a run that ended at `time`; `ending` is JSON.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn end_recording(&mut self, time: Time, ending: &str) -> io::Result<()> {
        let Input::Faces(recorder) = &mut self.input else { return Ok(()) };
        recorder.take().map_or(Ok(()), |recorder| recorder.finish(time, ending))
    }

    // End of the next piece of the run; if a caller awaits it, the piece runs in any case.
    pub(crate) fn end_of_piece(&mut self, now: Time, limit: Time, is_awaited: bool) -> Time {
        match &self.input {
            Input::Recording(arrivals) => arrivals.front().map_or(limit, |next| next.time.min(limit)),
            Input::Faces(_) => {
                let pace = self.pace.get_or_insert_with(|| Pace::begin(now));
                pace.look(now);
                let horizon = if is_awaited { Time::MAX } else { pace.horizon() };
                limit.min(horizon).min(now.saturating_add(self.piece))
            }
        }
    }

    // Runs until `end`, or until a frame leaves the simulation. A piece that takes too long, as when the card becomes active in it,
    // ends early.
    pub(crate) fn run_piece(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        end: Time,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        let mut piece = Limit { time: end, ..limit.clone() };
        let is_live = matches!(self.input, Input::Faces(_));
        if is_live {
            for open in &self.entrances {
                let path = simulation.netlist().modules[open.entrance.exit].path.clone();
                let at_least = open.delivered + 1;
                piece = piece.or(Condition::Counter { path, counter: DELIVERED.to_owned(), at_least });
            }
        }
        let (began, first) = (Instant::now(), simulation.now());
        let most = 2 * self.longest_piece;
        let mut is_late = false;
        let outcome = simulation.run(&piece, &mut |so_far| {
            let control = progress(so_far);
            is_late = control != Control::Stop && is_live && began.elapsed() > most;
            if is_late { Control::Stop } else { control }
        })?;
        let took = began.elapsed();
        let femtoseconds = self.piece.femtoseconds();
        if is_late {
            let simulated = simulation.now().femtoseconds() - first.femtoseconds();
            self.piece = Time::from_femtoseconds((simulated / 2).max(*PIECES.start()));
        } else if took > self.longest_piece {
            self.piece = Time::from_femtoseconds((femtoseconds / 2).max(*PIECES.start()));
        } else if took < self.longest_piece / 4 && outcome == Outcome::Reached {
            self.piece = Time::from_femtoseconds((femtoseconds * 2).min(*PIECES.end()));
        }
        Ok(if is_late { Outcome::Reached } else { outcome })
    }

    pub(crate) fn exchange(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        self.let_out(simulation)?;
        self.let_in(simulation)
    }

    fn let_out(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        for open in &mut self.entrances {
            let delivered = counter(simulation, open.entrance.exit, DELIVERED);
            if delivered != open.delivered {
                open.delivered = delivered;
                let module = simulation.outside(open.entrance.exit);
                let module = module.ok_or("a module that hands frames out has no way to do it")?;
                while let Some(exported) = module.export(0) {
                    open.unsent.push_back(exported.message);
                }
                self.last_activity = Instant::now();
            }
            open.let_go()?;
        }
        Ok(())
    }

    fn let_in(&mut self, simulation: &mut Simulation) -> Result<(), String> {
        while let Some(arrival) = self.due(simulation.now()) {
            self.let_through(arrival.entrance, &arrival.message, simulation)?;
        }
        match &mut self.input {
            Input::Recording(_) => {}
            Input::Faces(recorder) => {
                if let Some(recorder) = recorder {
                    recorder.hand_over().map_err(unrecorded)?;
                }
                for (number, open) in self.entrances.iter_mut().enumerate() {
                    while let Some(length) = open.receive(&mut self.buffer, simulation)? {
                        let frame = &self.buffer[..length];
                        open.inject(frame, simulation)?;
                        if let Some(recorder) = recorder {
                            recorder.add(simulation.now(), number, frame).map_err(unrecorded)?;
                        }
                        self.last_activity = Instant::now();
                    }
                }
            }
        }
        Ok(())
    }

    // The next message of the recording, once its time has come.
    fn due(&mut self, now: Time) -> Option<Arrival> {
        let Input::Recording(arrivals) = &mut self.input else { return None };
        arrivals.front().filter(|next| next.time <= now)?;
        arrivals.pop_front()
    }

    fn rest(&self) -> Duration {
        (self.last_activity.elapsed() / 4).clamp(*RESTS.start(), *RESTS.end())
    }

    fn is_within_rest(&self, now: Time) -> bool {
        let rest = Time::from_femtoseconds(nanoseconds(self.rest()).saturating_mul(1_000_000));
        self.pace.as_ref().is_some_and(|pace| pace.horizon() < now.saturating_add(rest))
    }

    // Waits until a face has something, the longer the longer nothing has come: simulated time is as far as wall time.
    pub(crate) fn wait<const N: usize>(&self, others: [BorrowedFd<'_>; N]) {
        let patience = self.rest();
        let faces = self.entrances.iter().filter_map(|open| open.entrance.face.as_deref());
        wait(faces.map(Face::readiness).chain(others), patience);
    }
}

/// Counts of frames at the entrances of a run, and the lag of simulated time.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Summary {
    /// Lag of simulated time behind wall time at the end, in nanoseconds.
    pub behind_ns: u64,
    /// The most that it was behind.
    pub most_behind_ns: u64,
    /// Counts by the name of the entrance.
    #[serde(flatten)]
    pub passages: BTreeMap<String, Passage>,
}

impl Open {
    // The next frame that can go in, if any; its length in `buffer`.
    fn receive(&mut self, buffer: &mut [u8], simulation: &mut Simulation) -> Result<Option<usize>, String> {
        let Some(face) = &mut self.entrance.face else { return Ok(None) };
        loop {
            if self.room == 0 {
                let module = simulation.outside(self.entrance.source);
                let waiting = module.map_or(0, |module| module.waiting(SEND));
                self.room = MOST_WAITING.saturating_sub(waiting);
                if self.room == 0 {
                    return Ok(None);
                }
            }
            let received = face.receive(buffer);
            let received =
                received.map_err(|error| gone(&self.entrance.name, &self.passage.device, &error))?;
            let Some(length) = received else { return Ok(None) };
            let reason = if length < HEADER_BYTES {
                "runt"
            } else if length > self.entrance.longest {
                "oversize"
            } else {
                self.passage.received += 1;
                self.room -= 1;
                return Ok(Some(length));
            };
            *self.passage.dropped_inward.entry(reason).or_default() += 1;
        }
    }

    fn inject(&self, frame: &[u8], simulation: &mut Simulation) -> Result<(), String> {
        for (module, lane) in [(self.entrance.sink, EXPECT), (self.entrance.source, SEND)] {
            let module =
                simulation.outside(module).ok_or("a module that takes frames in has no way to do it")?;
            module.inject(lane, frame)?;
        }
        Ok(())
    }

    // Sends frames as long as the face takes them.
    fn let_go(&mut self) -> Result<(), String> {
        while let Some(frame) = self.unsent.front() {
            let sent = match &mut self.entrance.face {
                Some(face) => face.send(frame),
                None => Ok(Sent::Taken),
            };
            let sent = sent.map_err(|error| {
                // A second attempt, as by `finish`, would fail again.
                *self.passage.dropped_outward.entry("device_down").or_default() += self.unsent.len() as u64;
                self.unsent.clear();
                gone(&self.entrance.name, &self.passage.device, &error)
            })?;
            match sent {
                Sent::Taken => self.passage.sent += 1,
                Sent::Refused(reason) => *self.passage.dropped_outward.entry(reason).or_default() += 1,
                Sent::Later if self.unsent.len() <= MOST_UNSENT => return Ok(()),
                Sent::Later => *self.passage.dropped_outward.entry("no_room").or_default() += 1,
            }
            self.unsent.pop_front();
        }
        Ok(())
    }
}

/// A counter of a module; 0 if it has none of that name.
pub(crate) fn counter(simulation: &mut Simulation, module: ModuleId, counter: &str) -> u64 {
    let names = simulation.netlist().modules[module].declaration.counters;
    let index = names.iter().position(|(name, _)| *name == counter);
    index.map_or(0, |index| simulation.statistics().of(module)[index])
}

// Returns true if a condition of `limit` holds already. Runs nothing.
pub(crate) fn holds(simulation: &mut Simulation, limit: &Limit) -> Result<bool, String> {
    let here = Limit { time: simulation.now(), conditions: limit.conditions.clone(), deadlock_after: None };
    Ok(simulation.run(&here, &mut |_| Control::Continue)? == Outcome::ConditionHolds)
}

fn gone(entrance: &str, device: &str, error: &io::Error) -> String {
    format!("the {entrance} has lost {device}: {error}")
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unrecorded(error: io::Error) -> String {
    format!("the recording cannot be written: {error}")
}

pub(crate) fn nanoseconds(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
