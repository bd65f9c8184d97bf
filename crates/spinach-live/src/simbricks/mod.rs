//! Peers in a simulation by SimBricks: other simulators, to which messages with timestamps go over shared memory.
//!
//! A message arrives the latency of its connection after it was sent. Each side reports its time at intervals, so the simulation
//! knows how long nothing arrives: it runs until the next arrival, and never beyond what its peers have promised. So all messages
//! are sent and taken at the same simulated times in each run. A connection without synchronisation takes messages when they come,
//! and time follows wall time.
//!
//! The protocol is described at <https://simbricks.github.io> and in its headers; all code here is of this project.

mod channel;
mod ethernet;
mod handshake;
mod pcie;
mod queue;
mod upper;

use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use spinach_engine::{Condition, Control, Limit, ModuleId, Outcome, Progress, Simulation, Time};

use self::channel::{Channel, Next};
use self::ethernet::Wire;
use self::handshake::Pending;
pub use self::handshake::{Role, Synchronisation, Terms};
use self::pcie::Device;
use self::upper::Carrier;
use crate::live::waiting::wait;
use crate::live::{Entrance, Summary, holds, nanoseconds};
use crate::pace::Pace;

const PICOSECOND: u64 = 1_000;
/// Simulated time in which a function answers the accesses that explore it.
const EXPLORATION: Time = Time::from_femtoseconds(100_000_000_000_000);
/// Piece of a run without synchronisation, after which messages are looked for.
const PIECE: Time = Time::from_femtoseconds(10_000_000_000);
/// Number of polls for a message before this process sleeps. Two servers with `ricenic` and a latency of 1 us took 5.5 and 7.0 s with
/// 32 polls, 4.6 and 3.9 s with 400 (two runs each; two virtual cores of an EPYC, first generation).
const LOOKS: u32 = 400;
/// Wall time of a sleep.
const SLEEP: Duration = Duration::from_micros(50);
/// Number of steps between two looks for peers that have closed their sockets.
const STEPS_PER_LOOK: u32 = 256;
/// Wall time for which the last messages wait for slots.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

enum Link {
    Pending(Pending),
    Open(Channel),
}

/// A connection, and the meaning of its messages.
struct End {
    carrier: Box<dyn Carrier>,
    link: Link,
}

impl End {
    fn open(&mut self) -> Option<&mut Channel> {
        match &mut self.link {
            Link::Open(channel) if !channel.is_terminated => Some(channel),
            _ => None,
        }
    }

    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        match &self.link {
            Link::Pending(pending) => pending.readiness(),
            Link::Open(channel) => Some(channel.readiness()).filter(|_| !channel.is_closed()),
        }
    }
}

/// Run of a simulation with peers.
pub struct Cosimulation {
    ends: Vec<End>,
    // Time of the simulation at which that of the peers began, once all have been met.
    origin: Option<Time>,
    pace: Option<Pace>,
    looks: u32,
    steps: u32,
    ending: Option<&'static str>,
}

impl Cosimulation {
    /// Makes the sockets for peers: of a host that reaches its device as the module, and of networks.
    ///
    /// # Errors
    /// If a socket cannot be made.
    pub fn new(host: Option<(ModuleId, Terms)>, wires: Vec<(Entrance, Terms)>) -> io::Result<Self> {
        let host = host.map(|(host, terms)| (Box::new(Device::new(host)) as Box<dyn Carrier>, terms));
        let wires =
            wires.into_iter().map(|(entrance, terms)| (Box::new(Wire::new(entrance)) as Box<_>, terms));
        let end = |(carrier, terms)| Ok(End { carrier, link: Link::Pending(Pending::new(terms)?) });
        let ends = host.into_iter().chain(wires).map(end).collect::<io::Result<_>>()?;
        Ok(Self { ends, origin: None, pace: None, looks: 0, steps: 0, ending: None })
    }

    /// Reason for which a peer has stopped the run, if one has: `ended` if it has announced this, `lost` if it has left or broken
    /// the protocol.
    pub fn ending(&self) -> Option<&'static str> {
        self.ending
    }

    /// Lag of simulated time, which is `now`, behind wall time; none with synchronised peers.
    pub fn behind(&mut self, now: Time) -> Duration {
        self.pace.as_mut().map_or(Duration::ZERO, |pace| pace.look(now))
    }

    /// Runs as [`Simulation::run`] does, and exchanges messages with the peers, which it meets first. Stops if a peer ends, leaves or breaks the
    /// protocol.
    ///
    /// # Errors
    /// If a condition names something that does not exist.
    pub fn run(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Outcome, String> {
        loop {
            if let Some(origin) = self.origin {
                self.send(simulation, origin)?;
                if simulation.now() >= limit.time {
                    return Ok(Outcome::Reached);
                }
            }
            if progress(Progress { now: simulation.now(), limit: limit.time }) == Control::Stop {
                return Ok(Outcome::Interrupted);
            }
            let outcome = match self.step(simulation, limit, progress) {
                Ok(outcome) => outcome?,
                Err(reason) => {
                    self.ending = self.ending.or(Some("lost"));
                    return Ok(Outcome::Stopped(reason));
                }
            };
            match outcome {
                Outcome::Reached => {}
                Outcome::ConditionHolds if !holds(simulation, limit)? => {}
                outcome => return Ok(outcome),
            }
        }
    }

    // One piece of the run, or a wait; an inner error is that of `run`, an outer one ends the run.
    fn step(
        &mut self,
        simulation: &mut Simulation,
        limit: &Limit,
        progress: &mut dyn FnMut(Progress) -> Control,
    ) -> Result<Result<Outcome, String>, String> {
        let Some(end) = self.advance(simulation)? else { return Ok(Ok(Outcome::Reached)) };
        let end = if self.origin.is_some() { end.min(limit.time) } else { end };
        let mut piece = Limit { time: end, ..limit.clone() };
        if self.origin.is_none() {
            piece.conditions.clear();
        }
        for (module, counter, seen) in self.ends.iter().filter_map(|end| end.carrier.stops_at()) {
            let path = simulation.netlist().modules[module].path.clone();
            let (counter, at_least) = (counter.to_owned(), seen + 1);
            piece = piece.or(Condition::Counter { path, counter, at_least });
        }
        Ok(simulation.run(&piece, progress))
    }

    /// Exchanges messages with the peers, which it meets first, for a run by another controller. Returns the time up to which the simulation may
    /// run: the present one after a wait for a peer, which takes a moment.
    ///
    /// # Errors
    /// If a peer has ended, left or broken the protocol.
    pub fn exchange(&mut self, simulation: &mut Simulation) -> Result<Time, String> {
        if let Some(origin) = self.origin {
            self.send(simulation, origin)?;
        }
        let end = self.advance(simulation).inspect_err(|_| self.ending = self.ending.or(Some("lost")))?;
        Ok(end.unwrap_or_else(|| simulation.now()))
    }

    // Meets the peers, or takes their messages. Returns the time up to which the simulation may run; none after a wait.
    fn advance(&mut self, simulation: &mut Simulation) -> Result<Option<Time>, String> {
        let end = match self.origin {
            None => self.meet(simulation)?,
            Some(origin) => {
                self.take(simulation, origin)?;
                self.horizon(simulation.now(), origin)
            }
        };
        match end {
            Some(_) => self.looks = 0,
            None => self.wait(),
        }
        Ok(end)
    }

    // Continues the handshakes. Until when the simulation must run for them; none if it is to wait, or after the last.
    fn meet(&mut self, simulation: &mut Simulation) -> Result<Option<Time>, String> {
        let mut is_complete = true;
        let mut end = None;
        for End { carrier, link } in &mut self.ends {
            carrier.collect(simulation, false)?;
            let Link::Pending(pending) = link else { continue };
            let Some(upper) = carrier.upper(simulation)? else {
                if simulation.now() >= EXPLORATION {
                    return Err(format!(
                        "the card does not answer accesses to find its windows within {EXPLORATION}"
                    ));
                }
                is_complete = false;
                end = Some(EXPLORATION);
                continue;
            };
            let Some(channel) = pending.advance(&upper)? else {
                is_complete = false;
                continue;
            };
            let (incoming, outgoing) = channel.capacities();
            carrier.fit(incoming, outgoing);
            *link = Link::Open(channel);
        }
        if is_complete {
            let now = simulation.now().femtoseconds();
            self.origin = Some(Time::from_femtoseconds(now.next_multiple_of(PICOSECOND)));
            self.looks = 0;
        }
        Ok(end)
    }

    // Sends the messages of the simulation, and its time.
    fn send(&mut self, simulation: &mut Simulation, origin: Time) -> Result<(), String> {
        let now = picoseconds(simulation.now(), origin);
        for end in &mut self.ends {
            let is_open = end.open().is_some();
            let messages = end.carrier.collect(simulation, is_open)?;
            let Some(channel) = end.open() else { continue };
            for (time, message) in messages {
                channel.send(picoseconds(time, origin), message);
            }
            channel.synchronise(now);
        }
        Ok(())
    }

    // Takes messages that have arrived by now.
    fn take(&mut self, simulation: &mut Simulation, origin: Time) -> Result<(), String> {
        // Only completed picoseconds: a message within one is taken at its end.
        let now = (simulation.now().saturating_sub(origin)).femtoseconds() / PICOSECOND;
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS_PER_LOOK) {
            self.look();
        }
        for end in &mut self.ends {
            let Link::Open(channel) = &mut end.link else { continue };
            while let Next::Here(kind) = channel.next(now)? {
                let taken = end.carrier.take(simulation, kind, channel.incoming());
                taken.map_err(|what| channel.broken(&what))?;
                channel.done();
                self.looks = 0;
            }
        }
        let has_ended = |end: &End| matches!(&end.link, Link::Open(channel) if channel.is_terminated);
        if self.ends.iter().any(|end| end.carrier.is_vital() && has_ended(end))
            || self.ends.iter().all(has_ended)
        {
            self.ending = Some("ended");
            return Err("the SimBricks peers have ended".to_owned());
        }
        Ok(())
    }

    // Returns the time up to which the simulation may run; none if it must wait.
    fn horizon(&mut self, now: Time, origin: Time) -> Option<Time> {
        let at = |time: u64| origin.saturating_add(Time::from_femtoseconds(time.saturating_mul(PICOSECOND)));
        let past = (now.saturating_sub(origin)).femtoseconds() / PICOSECOND;
        let mut horizon = Time::MAX;
        let mut is_synchronised = false;
        let mut is_awaited = false;
        for end in &mut self.ends {
            is_awaited |= end.carrier.is_awaited();
            let Some(channel) = end.open() else { continue };
            if !channel.flush() {
                return None;
            }
            if channel.is_synchronised {
                is_synchronised = true;
                let Ok(Next::Later(arrival)) = channel.next(past) else { return None };
                horizon = horizon.min(at(arrival)).min(at(channel.next_synchronisation()));
            }
        }
        if !is_synchronised {
            let pace = self.pace.get_or_insert_with(|| Pace::begin(now));
            pace.look(now);
            let most = if is_awaited { Time::MAX } else { pace.horizon() };
            horizon = most.min(now.saturating_add(PIECE));
        }
        (horizon > now).then_some(horizon)
    }

    fn look(&mut self) {
        self.ends.iter_mut().filter_map(End::open).for_each(Channel::look);
    }

    // Waits for messages: first for another process to run, then asleep.
    fn wait(&mut self) {
        self.looks += 1;
        if self.looks < LOOKS && self.origin.is_some() {
            std::thread::yield_now();
            return;
        }
        wait(self.ends.iter().filter_map(End::readiness), SLEEP);
        self.look();
    }

    /// Sends the remaining messages of the simulation, announces its end to the peers, and returns the traffic of the wires.
    ///
    /// # Errors
    /// If a module has no way out.
    pub fn finish(&mut self, simulation: &mut Simulation) -> Result<Summary, String> {
        if let Some(origin) = self.origin {
            self.send(simulation, origin)?;
            let now = picoseconds(simulation.now(), origin);
            self.ends.iter_mut().filter_map(End::open).for_each(|channel| channel.terminate(now));
            let deadline = Instant::now() + LAST_PATIENCE;
            while !self.ends.iter_mut().filter_map(End::open).all(Channel::flush) && Instant::now() < deadline
            {
                std::thread::sleep(SLEEP);
            }
        }
        let passages = self.ends.iter().filter_map(|end| end.carrier.passage());
        let passages = passages.map(|(entrance, passage)| (entrance.name.clone(), passage.clone())).collect();
        // Closed here: the owner of the run may outlive it.
        self.ends.clear();
        let behind_ns = nanoseconds(self.behind(simulation.now()));
        let most_behind = self.pace.as_ref().map_or(Duration::ZERO, Pace::most_behind);
        Ok(Summary { behind_ns, most_behind_ns: nanoseconds(most_behind), passages })
    }
}

// Picoseconds since the origin, rounded up: a message is never sent before its time.
fn picoseconds(time: Time, origin: Time) -> u64 {
    time.saturating_sub(origin).femtoseconds().div_ceil(PICOSECOND)
}
