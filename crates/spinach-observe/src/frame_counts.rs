//! Counts of the frames that move through channels.

use std::sync::{Arc, Mutex, PoisonError};

use spinach_engine::{ChannelId, Observed, Observer, Value};
use spinach_modules::values::Frame;

/// Frames, and their bytes without frame check sequence, that have moved through channels. Clones are handles to the same counts.
#[derive(Clone)]
pub struct FrameCounts(Arc<Counting>);

struct Counting {
    channels: Vec<ChannelId>,
    counts: Mutex<Vec<(u64, u64)>>,
}

impl FrameCounts {
    /// Counts of these channels, from zero on.
    pub fn new(channels: Vec<ChannelId>) -> Self {
        let counts = Mutex::new(vec![(0, 0); channels.len()]);
        Self(Arc::new(Counting { channels, counts }))
    }

    /// Frames and bytes of each channel.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer for FrameCounts {
    fn channels(&self) -> Option<&[ChannelId]> {
        Some(&self.0.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (channel, (frames, bytes)) in self.0.channels.iter().zip(counts.iter_mut()) {
            if observed.moves(*channel)
                && let (Some(words), _) = observed.channel(*channel)
            {
                let frame = Frame::load(|word| words[word as usize]);
                *frames += 1;
                *bytes += observed.payloads(*channel).get(frame.bytes).len() as u64;
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
        let channel = simulation.netlist().find_channel("link", "output", 0).expect("it is connected");
        let counts = FrameCounts::new(vec![channel]);
        simulation.add_observer(Box::new(counts.clone()));
        carry(&mut simulation);
        assert_eq!(counts.counts(), [(FRAMES, 60 * FRAMES)]);
    }
}
