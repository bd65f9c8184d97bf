//! Recordings of values in channels, without calls of Python.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use spinach_engine::{ChannelId, Observed, Observer};
use spinach_python_macros::guarded;

/// One value that moved: which of the recorded channels, when, in which cycle of its domain, and the words.
struct Transfer {
    channel: usize,
    time: u64,
    cycle: u64,
    words: Vec<u64>,
}

/// A recording that an observer writes and Python reads.
pub(crate) struct Transfers {
    channels: Vec<ChannelId>,
    transfers: Mutex<Vec<Transfer>>,
    stopped: AtomicBool,
}

impl Transfers {
    pub(crate) fn new(channels: Vec<ChannelId>) -> Self {
        Self { channels, transfers: Mutex::default(), stopped: AtomicBool::new(false) }
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// The end of a recording that the engine holds.
pub(crate) struct Writer(pub(crate) Arc<Transfers>);

impl Observer for Writer {
    fn channels(&self) -> Option<&[ChannelId]> {
        Some(&self.0.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        for (index, channel) in self.0.channels.iter().enumerate() {
            if !observed.moves(*channel) {
                continue;
            }
            let (Some(words), _) = observed.channel(*channel) else { continue };
            let domain = observed.netlist.channels[*channel].domain;
            let cycle =
                observed.edges.iter().find(|(ticking, _)| *ticking == domain).map(|(_, cycle)| *cycle);
            let transfer = Transfer {
                channel: index,
                time: observed.time.femtoseconds(),
                cycle: cycle.unwrap_or_default(),
                words,
            };
            self.0.transfers.lock().unwrap_or_else(PoisonError::into_inner).push(transfer);
        }
    }
}

/// Transfers on some channels since recording began.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Recorder(pub(crate) Arc<Transfers>);

#[guarded]
#[pymethods]
impl Recorder {
    /// Transfers in order of time: number of the recorded channel, femtoseconds, cycle of the channel's domain, words.
    fn transfers(&self) -> Vec<(usize, u64, u64, Vec<u64>)> {
        let transfers = self.0.transfers.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = transfers.iter();
        plain.map(|moved| (moved.channel, moved.time, moved.cycle, moved.words.clone())).collect()
    }

    /// Forgets all recorded transfers.
    fn clear(&self) {
        self.0.transfers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Records no more; the next run of the simulation pays nothing for it.
    fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }
}
