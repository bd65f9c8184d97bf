//! A machine as part of a module's state.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::{ByteBuf, Bytes};
use spinach_server::machine::Machine;

/// A machine, or the file that it is restored from. As structured data only its counts appear.
pub(super) enum Kept {
    /// Saving a machine drops the translations of its harts, hence the lock; it is otherwise uncontended.
    Running(Box<Mutex<Machine>>),
    File(Vec<u8>),
    /// It is with an observer, while the simulation does not run.
    Taken,
}

/// Counts of a machine, which may be ahead of the simulation by the latency of its device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) cycles: u64,
    instructions: u64,
    // Of timed cores, by name.
    timing: Option<BTreeMap<String, u64>>,
}

impl Counts {
    pub(super) fn of(machine: &Machine) -> Self {
        let timing = machine.counts_of_time();
        let timing = timing.map(|counts| counts.map(|(name, count)| (name.to_owned(), count)).into());
        // A timed hart may be at the end of a block, beyond the time of its machine; several harts meet at the end of a turn.
        let cycles = match machine.harts() {
            _ if machine.ended().is_some() => machine.cycles(),
            [hart] => hart.time().max(machine.time()),
            _ => machine.time(),
        };
        Self { cycles, instructions: machine.instructions(), timing }
    }
}

impl Kept {
    pub(super) fn running(machine: Machine) -> Self {
        Self::Running(Box::new(Mutex::new(machine)))
    }

    /// The machine.
    ///
    /// # Panics
    /// If it is a file, or taken: [`super::Server::restore`] leaves no file, and observers return it before the simulation runs.
    pub(super) fn machine(&mut self) -> &mut Machine {
        match self {
            Self::Running(machine) => machine.get_mut().unwrap_or_else(PoisonError::into_inner),
            Self::File(_) | Self::Taken => unreachable!("a server runs from a machine"),
        }
    }
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Running(machine) => {
                let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
                if serializer.is_human_readable() {
                    return Counts::of(&machine).serialize(serializer);
                }
                Bytes::new(&machine.save()).serialize(serializer)
            }
            Self::File(file) => Bytes::new(file).serialize(serializer),
            Self::Taken => Err(S::Error::custom("the server is with an observer")),
        }
    }
}

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(D::Error::custom("a server is not kept as text"));
        }
        Ok(Self::File(ByteBuf::deserialize(deserializer)?.into_vec()))
    }
}
