//! Several machines, and the link between two of them.
//!
//! Machines run for a step of simulated time that is shorter than any frame can take from one to the other, in turn or on a thread
//! each (`lockstep`). So a frame that is sent in a step arrives in a later one, each machine meets it at its exact time, and results
//! depend neither on the length of the step nor on the order of the machines. Machines may have different clocks; steps are time. A
//! machine of several harts runs in whole turns, so that it may be ahead of a step by one of these.

use serde::{Deserialize, Serialize};
use spinach_trials::Trials;
use thiserror::Error;

use crate::checkpoint::CheckpointError;
use crate::clock::Clock;
use crate::differences::difference;
use crate::link::{Direction, LINKED};
use crate::lockstep::{self, Position, Schedule, Side};
use crate::machine::{Configuration, Machine, Outcome};
use crate::pci::function::{Function, Sent};

pub use crate::link::{Carried, Link, Passed};

const PICOSECONDS_OF_SECOND: u64 = 1_000_000_000_000;
const NAME: &[u8] = b"spinach network checkpoint\n";

/// Reason why machines cannot be joined.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum NetworkError {
    #[error("a link joins 2 servers, here are {machines}")]
    Count { machines: usize },
    #[error("server {machine} has no network interface card")]
    NoCard { machine: usize },
    #[error("a frame takes {least} ps from server to server, less than the turn of a hart, {turn} ps")]
    TooFast { least: u64, turn: u64 },
}

/// One machine, or two that a link joins.
#[derive(Debug)]
pub struct Network {
    machines: Vec<Machine>,
    link: Option<Link>,
    /// Directions of the link, by sender.
    directions: Vec<Direction>,
    /// Run length of machines between exchanges of frames, in picoseconds.
    step: u64,
    position: Position,
    trials: Trials,
}

impl Network {
    /// Network of one machine without a link.
    pub fn alone(machine: Machine) -> Self {
        let time = machine.clock().picoseconds(machine.time());
        Self {
            machines: vec![machine],
            link: None,
            directions: Vec::new(),
            step: u64::MAX,
            position: Position::new(time),
            trials: Trials::new(1),
        }
    }

    /// Two machines, joined by their first cards. They have run for equally long.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn joined(mut machines: Vec<Machine>, link: Link) -> Result<Self, NetworkError> {
        let [first, second] = machines.as_slice() else {
            return Err(NetworkError::Count { machines: machines.len() });
        };
        let cycle =
            [first, second].map(|machine| machine.clock().picoseconds(1)).into_iter().max().unwrap_or(0);
        let mut least = u64::MAX;
        for (number, machine) in machines.iter().enumerate() {
            let card = machine.board.bus.function(LINKED);
            let card = card.ok_or(NetworkError::NoCard { machine: number + 1 })?;
            least = least.min(card.shortest_frame_time().saturating_add(link.latency));
        }
        // A machine may be ahead of the step by less than a cycle.
        let most = least.saturating_sub(cycle + 1).max(1);
        let mut turns: Vec<u64> = machines.iter().filter_map(turn_of).collect();
        turns.dedup();
        let step = match turns.as_slice() {
            [] => most,
            turns if turns.iter().any(|turn| *turn > most) => {
                let turn = turns.iter().copied().max().unwrap_or(0);
                return Err(NetworkError::TooFast { least, turn });
            }
            // They end with the step.
            [turn] if machines.iter().all(|machine| is_exact(machine.clock())) => most - most % turn,
            // They do not.
            turns => (most - turns.iter().copied().max().unwrap_or(0)).max(1),
        };
        let time =
            machines.iter().map(|machine| machine.clock().picoseconds(machine.time())).max().unwrap_or(0);
        machines.iter_mut().for_each(|machine| machine.board.bus.set_link(LINKED, true));
        let directions = (0..machines.len()).map(|from| Direction::new(from, link)).collect();
        let (position, trials) = (Position::new(time), Trials::new(1));
        Ok(Self { machines, link: Some(link), directions, step, position, trials })
    }

    /// The machines.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// One of them.
    pub fn machine_mut(&mut self, number: usize) -> Option<&mut Machine> {
        self.machines.get_mut(number)
    }

    /// Cycles of the first machine since the start.
    pub fn time(&self) -> u64 {
        self.clock().cycle_from(self.position.time)
    }

    /// The clock of the first machine.
    fn clock(&self) -> Clock {
        self.machines.first().map_or(Configuration::default().clock(), Machine::clock)
    }

    /// Lets machines exchange frames every `cycles` cycles of the first, more often than necessary, which does not affect
    /// results; for tests.
    pub fn shorten_step(&mut self, cycles: u64) {
        self.step = self.step.min(self.clock().picoseconds(cycles.max(1)));
    }

    /// Lets joined machines run at the same time, on at most `maximum` threads. This does not affect results. Machines that share a
    /// folder run in turn, because the order of their accesses to it would vary.
    pub fn set_threads(&mut self, maximum: usize) {
        self.trials = Trials::new(maximum);
    }

    /// Steps that machines have run at the same time since the number of threads was set.
    pub fn concurrent_steps(&self) -> u64 {
        self.trials.steps()
    }

    /// Records the traffic of the link from now on, until it is taken.
    pub fn watch(&mut self) {
        for direction in &mut self.directions {
            direction.passed.get_or_insert_default();
        }
    }

    /// Takes the frames whose last bit has left, in the order of time. Those that are still being sent come later: a frame of the
    /// other machine may end before them.
    pub fn take_passed(&mut self) -> Vec<Passed> {
        let mut taken = Vec::new();
        for kept in self.directions.iter_mut().filter_map(|direction| direction.passed.as_mut()) {
            let later = kept.split_off(kept.partition_point(|passed| passed.at <= self.position.time));
            taken.append(&mut std::mem::replace(kept, later));
        }
        taken.sort_by_key(|passed| passed.at);
        taken
    }

    /// Traffic that a machine has put on the link since it was joined here, until the present time of machine `at`. If both stop
    /// within a step, traffic between their times is unknown.
    pub fn carried(&self, from: usize, at: usize) -> Carried {
        let (Some(direction), Some(sender), Some(at)) =
            (self.directions.get(from), self.machines.get(from), self.machines.get(at))
        else {
            return Carried::default();
        };
        let until = at.clock().picoseconds(at.time());
        let mut carried = direction.carried;
        let is_past = |sent: &&Sent| sent.begins <= until;
        sender.board.bus.sent(LINKED).iter().filter(is_past).for_each(|sent| carried.count(&sent.frame));
        carried
    }

    /// Runs for `cycles` cycles of the first machine, or until a machine has failed or all have ended. If a machine stops, the
    /// other completes the step or stops in it too, and the network continues from there when it is run again.
    pub fn run(&mut self, cycles: u64) -> Outcome {
        let until = self.clock().picoseconds(self.time().saturating_add(cycles));
        if std::mem::take(&mut self.position.has_further_calls) {
            return Outcome::Called;
        }
        let ([first, second], [to_second, to_first]) =
            (self.machines.as_mut_slice(), self.directions.as_mut_slice())
        else {
            return self.run_alone(until);
        };
        let is_shared = [&first, &second].iter().any(|machine| machine.board.share.device.is_open());
        let schedule = Schedule { step: self.step, until, is_concurrent: !is_shared };
        let position = &mut self.position;
        position.begin();
        while position.time < until && position.stop.is_none() {
            let sides = [
                Side { machine: &mut *first, incoming: &mut *to_first },
                Side { machine: &mut *second, incoming: &mut *to_second },
            ];
            lockstep::run(&mut self.trials, sides, schedule, position);
        }
        position.stop.unwrap_or(if position.is_idle { Outcome::Idle } else { Outcome::Time })
    }

    fn run_alone(&mut self, until: u64) -> Outcome {
        let Some(machine) = self.machines.first_mut().filter(|_| self.position.time < until) else {
            return Outcome::Idle;
        };
        let outcome = machine.run_until(machine.clock().cycle_from(until));
        if !matches!(outcome, Outcome::Stopped | Outcome::Called) {
            self.position.time = until;
        }
        outcome
    }

    /// All machines as one file.
    pub fn save(&mut self) -> Vec<u8> {
        let files: Vec<Vec<u8>> = self.machines.iter_mut().map(Machine::save).collect();
        if let ([_], None) = (files.as_slice(), self.link) {
            return files.concat();
        }
        let head =
            Head { link: self.link, time: self.position.time, lengths: files.iter().map(Vec::len).collect() };
        // Numbers and lists only: nothing that JSON cannot say.
        let head = serde_json::to_vec(&head).unwrap_or_default();
        [NAME, &head, b"\n", &files.concat()].concat()
    }

    /// The machines of a file, which must be of these configurations, with these functions, and joined by this link.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn restore(
        file: &[u8],
        expected: Vec<(Configuration, Vec<Box<dyn Function>>)>,
        link: Option<Link>,
    ) -> Result<Self, CheckpointError> {
        let damaged = |what: &str| CheckpointError::Damaged { what: what.to_owned() };
        let count = |machines: usize| match machines {
            1 => "1 server".to_owned(),
            _ => format!("{machines} servers"),
        };
        let machines =
            |theirs: usize| CheckpointError::Machines { theirs: count(theirs), ours: count(expected.len()) };
        let Some(rest) = file.strip_prefix(NAME) else {
            if expected.len() > 1 && Machine::is_checkpoint(file) {
                return Err(machines(1));
            }
            let mut machines = Vec::new();
            for (configuration, functions) in expected {
                machines.push(Machine::restore(file, Some(&configuration), functions)?);
            }
            let machine = machines.pop().ok_or(damaged("it has no server"))?;
            return Ok(Self::alone(machine));
        };
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or(damaged("its head is truncated"))?;
        let (head, mut files) = (&rest[..end], &rest[end + 1..]);
        let head: Head = serde_json::from_slice(head).map_err(|error| damaged(&error.to_string()))?;
        if head.lengths.len() != expected.len() {
            return Err(machines(head.lengths.len()));
        }
        let latency = |link: Option<Link>| link.map(|link| format!("{} us", link.latency as f64 / 1e6));
        let latencies = [head.link, link].map(latency);
        let mut differences: Vec<String> =
            difference("link.latency", latencies.each_ref().map(|latency| latency.as_deref()))
                .into_iter()
                .collect();
        let mut restored = Vec::new();
        for (number, ((configuration, functions), length)) in
            expected.into_iter().zip(head.lengths).enumerate()
        {
            let (file, others) = files.split_at_checked(length).ok_or(damaged("it is truncated"))?;
            files = others;
            match Machine::restore(file, Some(&configuration), functions) {
                Ok(machine) => restored.push(machine),
                Err(CheckpointError::Configuration { differences: own }) => {
                    differences.extend(own.iter().map(|difference| format!("node[{number}].{difference}")));
                }
                Err(error) => return Err(error),
            }
        }
        if !differences.is_empty() {
            return Err(CheckpointError::Configuration { differences });
        }
        let link = link.ok_or(damaged("it has no link"))?;
        let mut network = Self::joined(restored, link).map_err(|error| damaged(&error.to_string()))?;
        network.position = Position::new(head.time);
        Ok(network)
    }
}

/// True if its cycles are integer numbers of picoseconds.
fn is_exact(clock: Clock) -> bool {
    clock.picoseconds(1) * clock.hertz() == PICOSECONDS_OF_SECOND
}

/// Length of the turn of a hart, where there are several, in picoseconds.
fn turn_of(machine: &Machine) -> Option<u64> {
    let Configuration { harts, turn_cycles, .. } = *machine.configuration();
    (harts > 1).then(|| machine.clock().picoseconds(turn_cycles.max(1)))
}

#[derive(Serialize, Deserialize)]
struct Head {
    link: Option<Link>,
    time: u64,
    lengths: Vec<usize>,
}
