//! Frames on their way through the system.
//!
//! A frame is identified by its bytes wherever they move as a whole or with their beginning: as a frame, or as a run of bytes to
//! or from a memory. So its stages are the channels that it moved through, in any system, and where it waited lies between two.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use spinach_engine::{ChannelId, Time};

/// Compared bytes of a frame: offset of the payload behind the headers of a UDP datagram, and length of the comparison.
const HEADER_BYTES: usize = 42;
const COMPARED: usize = 8;

/// Offsets in a frame of IPv4, without a VLAN tag.
const ETHERTYPE: usize = 12;
const PROTOCOL: usize = 23;
const HEADER_CHECKSUM: usize = 24;
const UDP_CHECKSUM: usize = 40;
const VLAN_TAG_BYTES: usize = 4;

/// A frame moved.
#[derive(Clone, Copy, Debug)]
struct Step {
    time: Time,
    channel: ChannelId,
    /// Identifying bytes: of a whole frame, and of the part behind the headers.
    whole: u64,
    part: u64,
}

/// A frame and the channels that it moved through.
#[derive(Clone, Debug)]
pub(super) struct Journey {
    pub stages: Vec<(Time, ChannelId)>,
}

/// All moves that may be those of a frame.
#[derive(Default)]
pub(super) struct Frames {
    steps: Vec<Step>,
    /// Frames by their identifier: the time of the first move as a frame, and the identifier of the part behind the headers.
    frames: HashMap<u64, (Time, u64)>,
}

/// Beginning of a frame with its checksums zeroed: hardware inserts them on the way. That of TCP lies behind the compared bytes.
fn without_checksums(beginning: &[u8]) -> [u8; HEADER_BYTES + COMPARED] {
    const UDP: u8 = 17;
    let mut bytes = [0; HEADER_BYTES + COMPARED];
    bytes.copy_from_slice(beginning);
    let tag = if bytes[ETHERTYPE..ETHERTYPE + 2] == [0x81, 0x00] { VLAN_TAG_BYTES } else { 0 };
    // Version 4, with a header of 20 bytes.
    if bytes[ETHERTYPE + tag..ETHERTYPE + tag + 3] == [0x08, 0x00, 0x45] {
        bytes[HEADER_CHECKSUM + tag..][..2].fill(0);
        if bytes[PROTOCOL + tag] == UDP {
            bytes[UDP_CHECKSUM + tag..][..2].fill(0);
        }
    }
    bytes
}

fn known_by(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Frames {
    /// Bytes moved through a channel, as a frame if it `is_frame`.
    pub(super) fn moved(&mut self, time: Time, channel: ChannelId, bytes: &[u8], is_frame: bool) {
        let whole = bytes.get(..HEADER_BYTES + COMPARED);
        let whole = whole.map_or(0, |beginning| known_by(&without_checksums(beginning)));
        let part = bytes.get(..COMPARED).map_or(0, known_by);
        if is_frame && let Some(behind) = bytes.get(HEADER_BYTES..HEADER_BYTES + COMPARED) {
            self.frames.entry(whole).or_insert((time, known_by(behind)));
        }
        self.steps.push(Step { time, channel, whole, part });
    }

    /// The journeys of all frames, in the order of their beginnings.
    pub(super) fn journeys(&self) -> Vec<Journey> {
        // Parts that are alike in several frames identify none.
        let mut parts: HashMap<u64, Option<u64>> = HashMap::new();
        for (frame, (_, part)) in &self.frames {
            parts.entry(*part).and_modify(|known| *known = None).or_insert(Some(*frame));
        }
        let mut journeys: HashMap<u64, Journey> = HashMap::new();
        for step in &self.steps {
            let is_whole = self.frames.contains_key(&step.whole);
            let frame = if is_whole { Some(step.whole) } else { parts.get(&step.part).copied().flatten() };
            if let Some(frame) = frame {
                let journey = journeys.entry(frame).or_insert_with(|| Journey { stages: Vec::new() });
                journey.stages.push((step.time, step.channel));
            }
        }
        let mut journeys: Vec<Journey> = journeys.into_values().collect();
        journeys.sort_by_key(|journey| journey.stages.first().map(|(time, channel)| (*time, *channel)));
        journeys
    }
}

#[cfg(test)]
mod tests {
    use spinach_engine::Id;

    use super::*;

    fn frame(protocol: u8, tag: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<u8> = (100..100 + ETHERTYPE as u8).collect();
        bytes.extend(tag);
        bytes.extend([0x08, 0x00, 0x45]);
        bytes.extend(1..=45);
        bytes[PROTOCOL + tag.len()] = protocol;
        bytes
    }

    fn journeys(protocol: u8, tag: &[u8], changed: usize) -> usize {
        let (before, mut after) = (frame(protocol, tag), frame(protocol, tag));
        after[changed + tag.len()] ^= 0xff;
        let mut frames = Frames::default();
        for (time, bytes) in [(1, &before), (2, &after)] {
            frames.moved(Time::from_femtoseconds(time), ChannelId::from_index(time as usize), bytes, true);
        }
        frames.journeys().len()
    }

    #[test]
    fn a_frame_is_the_same_before_and_after_its_checksums_are_inserted() {
        for tag in [&[][..], &[0x81, 0x00, 0x00, 0x05][..]] {
            for checksum in [24, 25, 40, 41] {
                assert_eq!(journeys(17, tag, checksum), 1, "byte {checksum} of UDP");
            }
            for other in [0, 11, 22, 26, 39, 42] {
                assert_eq!(journeys(17, tag, other), 2, "byte {other} of UDP");
            }
            // The low half of the sequence number of TCP is not a checksum.
            assert_eq!(journeys(6, tag, 40), 2);
            assert_eq!(journeys(6, tag, 25), 1);
        }
    }
    #[test]
    fn a_payload_that_moves_alone_belongs_to_its_frame() {
        let whole = frame(17, &[]);
        let mut frames = Frames::default();
        let steps = [(1, &whole[..], true), (2, &whole[HEADER_BYTES..], false), (3, &whole[1..], false)];
        for (time, bytes, is_frame) in steps {
            let channel = ChannelId::from_index(time as usize);
            frames.moved(Time::from_femtoseconds(time), channel, bytes, is_frame);
        }
        let journeys = frames.journeys();
        assert_eq!(journeys.len(), 1);
        let stages: Vec<usize> = journeys[0].stages.iter().map(|(_, channel)| channel.index()).collect();
        assert_eq!(stages, [1, 2]);
    }
}
