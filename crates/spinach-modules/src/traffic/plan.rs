//! Which frames are sent: a plan from which every frame follows by its number alone. Sources build frames from it, and receivers
//! build them again to compare.

use etherparse::{IpHeaders, IpNumber, Ipv4Header, PacketBuilder, SlicedPacket, TransportSlice};
use serde::{Deserialize, Serialize};
use spinach_engine::{FEMTOSECONDS_PER_SECOND, Time};

use crate::mac::link::{SHORTEST_FRAME, wire_bytes};

/// Bytes of the headers of a UDP datagram in an Ethernet frame.
pub const UDP_HEADER_BYTES: usize = 42;
/// The largest UDP payload in a datagram over IPv4.
const LARGEST_PAYLOAD: u64 = 65_507;
/// From how many places in the random bytes a payload may be taken.
const PAYLOAD_PLACES: usize = 1 << 16;
/// UDP source ports of the frames begin here; see [`TrafficPlan::identify`].
const FIRST_PORT: u16 = 49_152;
const DESTINATION_PORT: u16 = 9;

/// The frames of one direction.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    source: Source,
    count: u64,
}

#[derive(Clone, Debug)]
enum Source {
    /// UDP datagrams with random payload.
    Udp { sizes: Vec<usize>, cumulative_weights: Vec<u64>, seed: u64, random: Vec<u8> },
    /// Given frames, one after the other and from the start again.
    Given { frames: Vec<GivenFrame> },
}

#[derive(Clone, Debug)]
struct GivenFrame {
    bytes: Vec<u8>,
    payload_bytes: u64,
}

/// A finalizer of good quality (`SplitMix64`): every bit of the result depends on every bit of `value`.
pub(crate) fn scramble(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

impl TrafficPlan {
    /// What the parameters of a module say: `frames` if any are given, else UDP datagrams of the given `sizes`, else nothing.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn new(sizes: &[u64], weights: &[u64], seed: u64, frames: &[u8], count: u64) -> Result<Self, String> {
        if frames.is_empty() { Self::udp(sizes, weights, seed, count) } else { Self::given(frames, count) }
    }

    /// `count` UDP datagrams over IPv4 of so many bytes of payload each; with several sizes, each is chosen by chance with its
    /// weight (all the same if there are none). `seed` decides choices and contents.
    ///
    /// # Errors
    /// If a size is impossible or weights do not match sizes.
    pub fn udp(sizes: &[u64], weights: &[u64], seed: u64, count: u64) -> Result<Self, String> {
        if let Some(size) = sizes.iter().find(|size| **size > LARGEST_PAYLOAD) {
            return Err(format!("a UDP payload has at most {LARGEST_PAYLOAD} bytes, not {size}"));
        }
        if !weights.is_empty() && weights.len() != sizes.len() {
            return Err(format!("there are {} sizes but {} weights", sizes.len(), weights.len()));
        }
        let mut total = 0u64;
        let mut cumulative_weights = Vec::with_capacity(sizes.len());
        for index in 0..sizes.len() {
            total = total.saturating_add(weights.get(index).copied().unwrap_or(1));
            cumulative_weights.push(total);
        }
        if total == 0 && !sizes.is_empty() {
            return Err("all weights are 0".to_owned());
        }
        let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
        let longest = sizes.iter().copied().max().unwrap_or(0);
        let words = (PAYLOAD_PLACES + longest).div_ceil(8) as u64;
        let random = (0..words).flat_map(|word| scramble(seed ^ scramble(word)).to_le_bytes()).collect();
        let count = if sizes.is_empty() { 0 } else { count };
        Ok(Self { source: Source::Udp { sizes, cumulative_weights, seed, random }, count })
    }

    /// `count` frames out of `frames`, from the start again after the last. Each is preceded by its length as a big-endian 32-bit
    /// word, and given without frame check sequence; those shorter than 60 bytes are padded with zeros.
    ///
    /// # Errors
    /// If there is none or the last is not whole.
    pub fn given(mut frames: &[u8], count: u64) -> Result<Self, String> {
        let mut given = Vec::new();
        while let Some((length, rest)) = frames.split_first_chunk::<4>() {
            let length = u32::from_be_bytes(*length) as usize;
            let Some((frame, rest)) = rest.split_at_checked(length) else {
                return Err(format!(
                    "frame {} is cut off: {length} bytes are announced, {} follow",
                    given.len(),
                    rest.len()
                ));
            };
            let mut bytes = frame.to_vec();
            bytes.resize(length.max(SHORTEST_FRAME), 0);
            given.push(GivenFrame { payload_bytes: udp_payload_bytes(frame), bytes });
            frames = rest;
        }
        if given.is_empty() || !frames.is_empty() {
            return Err(format!("{} bytes follow the last of {} frames", frames.len(), given.len()));
        }
        Ok(Self { source: Source::Given { frames: given }, count })
    }

    /// How many frames there are.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of the longest frame.
    pub fn longest_frame(&self) -> usize {
        let longest = match &self.source {
            Source::Udp { sizes, .. } => sizes.iter().max().map_or(0, |size| size + UDP_HEADER_BYTES),
            Source::Given { frames } => frames.iter().map(|frame| frame.bytes.len()).max().unwrap_or(0),
        };
        longest.max(SHORTEST_FRAME)
    }

    fn size(&self, index: u64) -> usize {
        match &self.source {
            Source::Udp { sizes, cumulative_weights, seed, .. } => {
                if let [size] = sizes[..] {
                    return size;
                }
                let total = cumulative_weights.last().copied().unwrap_or(1);
                let chosen = scramble(seed.wrapping_add(scramble(index))) % total;
                sizes[cumulative_weights.partition_point(|weight| *weight <= chosen)]
            }
            Source::Given { frames } => frames[(index % frames.len() as u64) as usize].bytes.len(),
        }
    }

    /// Bytes of frame `index`, without frame check sequence.
    pub fn frame_bytes(&self, index: u64) -> usize {
        match &self.source {
            Source::Udp { .. } => (self.size(index) + UDP_HEADER_BYTES).max(SHORTEST_FRAME),
            Source::Given { .. } => self.size(index),
        }
    }

    /// Bytes of UDP payload in frame `index`; 0 if it is no UDP datagram.
    pub fn payload_bytes(&self, index: u64) -> u64 {
        match &self.source {
            Source::Udp { .. } => self.size(index) as u64,
            Source::Given { frames } => frames[(index % frames.len() as u64) as usize].payload_bytes,
        }
    }

    /// Puts the bytes of frame `index` into `frame`, in place of what is there.
    pub fn build(&self, index: u64, frame: &mut Vec<u8>) {
        frame.clear();
        match &self.source {
            Source::Udp { seed, random, .. } => {
                let place = (scramble(index.wrapping_add(*seed)) as usize) % PAYLOAD_PLACES;
                build_udp(index, &random[place..place + self.size(index)], frame);
            }
            Source::Given { frames } => {
                frame.extend_from_slice(&frames[(index % frames.len() as u64) as usize].bytes);
            }
        }
    }

    /// Whether frames say which they are; see [`TrafficPlan::identify`].
    pub const fn is_self_identifying(&self) -> bool {
        matches!(self.source, Source::Udp { .. })
    }

    /// The number of the frame that `frame` claims to be, near `expected`; `None` if it claims nothing. The low 16 bits of a
    /// frame's number are its IPv4 identification, the next 16 its UDP source port.
    pub fn identify(&self, frame: &[u8], expected: u64) -> Option<u64> {
        if !self.is_self_identifying() || frame.len() < UDP_HEADER_BYTES {
            return None;
        }
        let low = u32::from(u16::from_be_bytes([frame[18], frame[19]]));
        let high = u32::from(u16::from_be_bytes([frame[34], frame[35]]).wrapping_sub(FIRST_PORT));
        let distance = (high << 16 | low).wrapping_sub(expected as u32) as i32;
        expected.checked_add_signed(i64::from(distance))
    }
}

fn build_udp(index: u64, payload: &[u8], frame: &mut Vec<u8>) {
    let mut ip = Ipv4Header { time_to_live: 64, protocol: IpNumber::UDP, ..Ipv4Header::default() };
    ip.source = [10, 0, 0, 1];
    ip.destination = [10, 0, 0, 2];
    ip.identification = index as u16;
    ip.dont_fragment = true;
    let port = FIRST_PORT.wrapping_add((index >> 16) as u16);
    let builder = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ip(IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()))
        .udp(port, DESTINATION_PORT);
    frame.reserve((UDP_HEADER_BYTES + payload.len()).max(SHORTEST_FRAME));
    // Writing into memory does not fail, and sizes were checked when the plan was made.
    let written = builder.write(frame, payload);
    debug_assert!(written.is_ok(), "{written:?}");
    frame.resize(frame.len().max(SHORTEST_FRAME), 0);
}

fn udp_payload_bytes(frame: &[u8]) -> u64 {
    match SlicedPacket::from_ethernet(frame).map(|packet| packet.transport) {
        Ok(Some(TransportSlice::Udp(udp))) => udp.payload().len() as u64,
        _ => 0,
    }
}

/// When the frames of a source are due.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    bits_per_second: u64,
    frames_per_second: u64,
}

/// How much a paced source has sent.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Paced {
    frames: u64,
    wire_bits: u64,
}

impl Pace {
    /// At most so many bits a second on the wire, with everything around a frame, and at most so many frames a second; 0 is no
    /// limit.
    pub const fn new(bits_per_second: u64, frames_per_second: u64) -> Self {
        Self { bits_per_second, frames_per_second }
    }

    /// When the next frame is due, from the moment on at which the first was due.
    pub fn due(&self, paced: &Paced) -> Time {
        let after = |amount: u64, rate: u64| {
            if rate == 0 {
                0
            } else {
                u128::from(amount) * u128::from(FEMTOSECONDS_PER_SECOND) / u128::from(rate)
            }
        };
        let due =
            after(paced.wire_bits, self.bits_per_second).max(after(paced.frames, self.frames_per_second));
        Time::from_femtoseconds(u64::try_from(due).unwrap_or(u64::MAX))
    }
}

impl Paced {
    /// Counts a frame.
    pub fn add(&mut self, frame_bytes: usize) {
        self.frames += 1;
        self.wire_bits += 8 * wire_bytes(frame_bytes as u64);
    }
}
