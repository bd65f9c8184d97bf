//! Frames on their way through the system.
//!
//! A frame is identified by its bytes wherever they move: as a frame, or as a run of bytes to or from a memory that holds all of it,
//! all that lies behind its headers, or its beginning if no other frame begins so. So its stages are the channels that it moved
//! through, in any system, and where it waited lies between two. A run out of the middle of a frame identifies none: generated
//! payloads repeat inside each other.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use spinach_engine::{ChannelId, Id, ModuleId, Time};

/// Offset of the payload behind the headers of a UDP datagram, and bytes of the beginning of a frame.
const HEADER_BYTES: usize = 42;
const BEGINNING: usize = HEADER_BYTES + 8;

/// Offsets in a frame of IPv4, without a VLAN tag.
const ETHERTYPE: usize = 12;
const VERSION: usize = 14;
const LENGTH: usize = 16;
const PROTOCOL: usize = 23;
const HEADER_CHECKSUM: usize = 24;
const UDP_CHECKSUM: usize = 40;
const TCP_CHECKSUM: usize = 50;
const VLAN_TAG_BYTES: usize = 4;
/// Shorter frames are padded with zeros.
const MINIMUM_BYTES: usize = 60;

/// A frame moved.
#[derive(Clone, Copy, Debug)]
struct Step {
    time: Time,
    channel: ChannelId,
    /// Identifiers of the bytes as a whole frame, as the beginning of one, and as all that lies behind the headers of one.
    whole: u64,
    beginning: u64,
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
    /// Frames: the identifiers of their beginnings, and of the parts behind their headers.
    frames: HashMap<u64, (u64, u64)>,
}

/// A frame of at least [`BEGINNING`] bytes as it is on its whole way: without padding, and with its checksums zeroed, which hardware
/// inserts.
fn essence(frame: &[u8]) -> Vec<u8> {
    const TCP: u8 = 6;
    const UDP: u8 = 17;
    let mut bytes = frame.to_vec();
    let tag = if bytes[ETHERTYPE..ETHERTYPE + 2] == [0x81, 0x00] { VLAN_TAG_BYTES } else { 0 };
    // Version 4, with a header of 20 bytes.
    if bytes[ETHERTYPE + tag..=VERSION + tag] == [0x08, 0x00, 0x45] {
        let length = u16::from_be_bytes([bytes[LENGTH + tag], bytes[LENGTH + tag + 1]]);
        bytes.truncate((VERSION + tag + usize::from(length)).max(BEGINNING));
        let inner = match bytes[PROTOCOL + tag] {
            UDP => Some(UDP_CHECKSUM),
            TCP => Some(TCP_CHECKSUM),
            _ => None,
        };
        for checksum in [Some(HEADER_CHECKSUM), inner].into_iter().flatten() {
            bytes.iter_mut().skip(checksum + tag).take(2).for_each(|byte| *byte = 0);
        }
        return bytes;
    }
    while (BEGINNING + 1..=MINIMUM_BYTES).contains(&bytes.len()) && bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

fn known_by(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Frames by identifiers that may be alike in several: such an identifier names none.
fn unique(identified: impl Iterator<Item = (u64, u64)>) -> HashMap<u64, Option<u64>> {
    let mut found: HashMap<u64, Option<u64>> = HashMap::new();
    for (by, frame) in identified {
        found.entry(by).and_modify(|known| *known = None).or_insert(Some(frame));
    }
    found
}

/// Orders the channels that a frame moved through at one instant, as it does through modules that pass it on at once.
fn order_downstream(instant: &mut [(Time, ChannelId)], ends: &[(ModuleId, ModuleId)]) {
    for place in 0..instant.len() {
        let rest = &mut instant[place..];
        let source = |(_, channel): &(Time, ChannelId)| ends[channel.index()].0;
        let is_reached = |stage| rest.iter().any(|(_, other)| ends[other.index()].1 == source(stage));
        // In a circle, which request and response make, the order stays.
        let first = rest.iter().position(|stage| !is_reached(stage)).unwrap_or(0);
        rest[..=first].rotate_right(1);
    }
}

impl Frames {
    /// Bytes moved through a channel, as a frame if it `is_frame`.
    pub(super) fn moved(&mut self, time: Time, channel: ChannelId, bytes: &[u8], is_frame: bool) {
        let mut step = Step { time, channel, whole: 0, beginning: 0, part: known_by(bytes) };
        if bytes.len() >= BEGINNING {
            let essence = essence(bytes);
            (step.whole, step.beginning) = (known_by(&essence), known_by(&essence[..BEGINNING]));
            if is_frame {
                let part = known_by(&bytes[HEADER_BYTES..essence.len()]);
                self.frames.entry(step.whole).or_insert((step.beginning, part));
            }
        }
        self.steps.push(step);
    }

    /// The journeys of all frames, in the order of their beginnings. `ends` are the modules that each channel leads from and to.
    pub(super) fn journeys(&self, ends: &[(ModuleId, ModuleId)]) -> Vec<Journey> {
        let beginnings = unique(self.frames.iter().map(|(frame, (beginning, _))| (*beginning, *frame)));
        let parts = unique(self.frames.iter().map(|(frame, (_, part))| (*part, *frame)));
        let mut journeys: HashMap<u64, Journey> = HashMap::new();
        for step in &self.steps {
            let begun = || beginnings.get(&step.beginning).copied().flatten();
            let part = || parts.get(&step.part).copied().flatten();
            let whole = self.frames.contains_key(&step.whole).then_some(step.whole);
            if let Some(frame) = whole.or_else(begun).or_else(part) {
                let journey = journeys.entry(frame).or_insert_with(|| Journey { stages: Vec::new() });
                journey.stages.push((step.time, step.channel));
            }
        }
        let mut journeys: Vec<Journey> = journeys.into_values().collect();
        for journey in &mut journeys {
            for instant in journey.stages.chunk_by_mut(|(time, _), (next, _)| time == next) {
                order_downstream(instant, ends);
            }
        }
        journeys.sort_by_key(|journey| journey.stages.first().map(|(time, channel)| (*time, *channel)));
        journeys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(protocol: u8, tag: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<u8> = (100..100 + ETHERTYPE as u8).collect();
        bytes.extend(tag);
        bytes.extend([0x08, 0x00, 0x45]);
        bytes.extend(1..=45);
        bytes[PROTOCOL + tag.len()] = protocol;
        bytes
    }

    /// The channels of each journey, if these bytes move through the channels one by one, as frames if marked so. Channel `n` leads
    /// from module `n` to the next.
    fn stages(moves: &[(u64, usize, &[u8], bool)]) -> Vec<Vec<usize>> {
        let mut frames = Frames::default();
        for (time, channel, bytes, is_frame) in moves {
            let channel = ChannelId::from_index(*channel);
            frames.moved(Time::from_femtoseconds(*time), channel, bytes, *is_frame);
        }
        let ends: Vec<_> = (0..9).map(|n| (ModuleId::from_index(n), ModuleId::from_index(n + 1))).collect();
        let channels = |journey: Journey| journey.stages.iter().map(|(_, it)| it.index()).collect();
        frames.journeys(&ends).into_iter().map(channels).collect()
    }

    fn journeys(protocol: u8, tag: &[u8], changed: usize) -> usize {
        let (before, mut after) = (frame(protocol, tag), frame(protocol, tag));
        after[changed + tag.len()] ^= 0xff;
        stages(&[(1, 1, &before, true), (2, 2, &after, true)]).len()
    }

    #[test]
    fn a_frame_is_the_same_before_and_after_its_checksums_are_inserted() {
        for tag in [&[][..], &[0x81, 0x00, 0x00, 0x05][..]] {
            for checksum in [24, 25, 40, 41] {
                assert_eq!(journeys(17, tag, checksum), 1, "byte {checksum} of UDP");
            }
            for other in [0, 11, 22, 26, 39, 42, 59] {
                assert_eq!(journeys(17, tag, other), 2, "byte {other} of UDP");
            }
            // The low half of the sequence number of TCP is not a checksum.
            assert_eq!(journeys(6, tag, 40), 2);
            for checksum in [25, 50, 51] {
                assert_eq!(journeys(6, tag, checksum), 1, "byte {checksum} of TCP");
            }
        }
    }

    #[test]
    fn a_frame_is_the_same_before_and_after_it_is_padded() {
        let mut short = frame(17, &[]);
        short.truncate(BEGINNING + 4);
        short[LENGTH..LENGTH + 2].copy_from_slice(&[0, 40]);
        let mut arp = short.clone();
        arp[ETHERTYPE + 1] = 0x06;
        for short in [short, arp] {
            let mut padded = short.clone();
            padded.resize(MINIMUM_BYTES, 0);
            let part = &short[HEADER_BYTES..];
            let moves = [(1, 1, part, false), (2, 2, &short[..], true), (3, 3, &padded[..], true)];
            assert_eq!(stages(&moves), [[1, 2, 3]]);
        }
    }

    #[test]
    fn a_payload_that_moves_alone_belongs_to_its_frame() {
        let whole = frame(17, &[]);
        let moves =
            [(1, 1, &whole[..], true), (2, 2, &whole[HEADER_BYTES..], false), (3, 3, &whole[1..], false)];
        assert_eq!(stages(&moves), [[1, 2]]);
    }

    #[test]
    fn a_burst_that_holds_the_beginning_of_another_payload_belongs_to_no_frame() {
        let (mut first, mut second) = (frame(17, &[]), frame(17, &[]));
        first.extend(0..200);
        second[11] ^= 0xff;
        second.truncate(HEADER_BYTES);
        second.extend_from_slice(&first[100..]);
        let burst = &first[100..228];
        let moves = [(1, 1, &first[..], true), (2, 2, &second[..], true), (3, 3, burst, false)];
        assert_eq!(stages(&moves), [[1], [2]]);
    }

    #[test]
    fn frames_that_begin_alike_are_told_apart_by_what_follows() {
        let first = frame(17, &[]);
        let mut second = first.clone();
        second[BEGINNING] ^= 0xff;
        let beginning = &first[..BEGINNING];
        let both = [(1, 1, &first[..], true), (2, 2, &second[..], true), (3, 3, beginning, false)];
        assert_eq!(stages(&both), [vec![1], vec![2]]);
        assert_eq!(stages(&[both[0], both[2]]), [[1, 3]]);
    }

    #[test]
    fn channels_of_one_instant_are_in_the_order_of_the_way() {
        let frame = &frame(17, &[])[..];
        let moves = [(1, 5, frame, true), (2, 8, frame, true), (2, 6, frame, true), (2, 7, frame, true)];
        assert_eq!(stages(&moves), [[5, 6, 7, 8]]);
    }
}
