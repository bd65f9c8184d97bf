//! Counts of the frames that move through channels.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use spinach_engine::{ChannelId, Observed, Observer, Time, Value};
use spinach_modules::values::Frame;

/// Frames, and their bytes without frame check sequence, that have moved through channels. Clones are handles to the same counts.
#[derive(Clone)]
pub struct FrameCounts(Arc<Counting>);

struct Counting {
    channels: Vec<ChannelId>,
    kept: Time,
    counts: Mutex<Vec<Counted>>,
}

#[derive(Clone, Default)]
struct Counted {
    frames: u64,
    bytes: u64,
    /// Times and bytes of the last frames.
    recent: VecDeque<(Time, u64)>,
}

impl FrameCounts {
    /// Counts of these channels, from zero on. They are known of instants up to `kept` before the last frame.
    pub fn new(channels: Vec<ChannelId>, kept: Time) -> Self {
        let counts = Mutex::new(vec![Counted::default(); channels.len()]);
        Self(Arc::new(Counting { channels, kept, counts }))
    }

    /// Frames and bytes of each channel until an instant.
    pub fn counts(&self, until: Time) -> Vec<(u64, u64)> {
        let counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |counted: &Counted| {
            let later = counted.recent.iter().rev().take_while(|(time, _)| *time > until);
            later.fold((counted.frames, counted.bytes), |(frames, bytes), (_, of_frame)| {
                (frames - 1, bytes - of_frame)
            })
        };
        counts.iter().map(of).collect()
    }
}

impl Observer for FrameCounts {
    fn channels(&self) -> Option<&[ChannelId]> {
        Some(&self.0.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (channel, counted) in self.0.channels.iter().zip(counts.iter_mut()) {
            if observed.moves(*channel)
                && let (Some(words), _) = observed.channel(*channel)
            {
                let frame = Frame::load(|word| words[word as usize]);
                let bytes = observed.payload(*channel, frame.bytes).len() as u64;
                counted.frames += 1;
                counted.bytes += bytes;
                let is_old = |time: Time| time.saturating_add(self.0.kept) < observed.time;
                while counted.recent.front().is_some_and(|(time, _)| is_old(*time)) {
                    counted.recent.pop_front();
                }
                counted.recent.push_back((observed.time, bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{FRAMES, carry, wire};

    #[test]
    fn frames_and_their_bytes_are_counted() {
        let mut simulation = wire();
        let channel = simulation.netlist().find_channel("far", "output", 0).expect("it is connected");
        let counts = FrameCounts::new(vec![channel], Time::MAX);
        let brief = FrameCounts::new(vec![channel], Time::ZERO);
        simulation.add_observer(Box::new(counts.clone()));
        simulation.add_observer(Box::new(brief.clone()));
        carry(&mut simulation);
        assert_eq!(counts.counts(Time::MAX), [(FRAMES, 60 * FRAMES)]);
        assert_eq!(counts.counts(Time::ZERO), [(0, 0)]);
        assert_eq!(brief.counts(Time::ZERO), [(FRAMES - 1, 60 * (FRAMES - 1))]);
    }
}
