//! Ethernet frames of a private type, and given frames.

use etherparse::{SlicedPacket, TransportSlice};
use spinach_net::ethernet::{FRAME_MINIMUM_BYTES, HEADER_BYTES};

use super::content::{Contents, PAYLOAD_PLACES, Sizes};
use super::description::{CapturedFrames, RawFrames};

/// Bytes of the number that each frame carries behind its header.
const NUMBER_BYTES: usize = 8;
/// A length of a frame has 16 bits in the library.
const LARGEST: u64 = 65_535 - HEADER_BYTES as u64;

/// Frames that carry their number behind the Ethernet header.
#[derive(Clone, Debug)]
pub(super) struct RawSource {
    settings: RawFrames,
    sizes: Sizes,
    contents: Contents,
}

impl RawSource {
    /// # Errors
    /// One sentence that says what is wrong.
    pub(super) fn new(settings: RawFrames, seed: u64) -> Result<Self, String> {
        let range = NUMBER_BYTES as u64..=LARGEST;
        if let Some(size) = settings.sizes.iter().find(|size| !range.contains(size)) {
            return Err(format!(
                "a raw frame has {NUMBER_BYTES} to {LARGEST} bytes behind its header, not {size}"
            ));
        }
        let sizes = Sizes::new(&settings.sizes, &settings.weights, seed)?;
        let contents = Contents::new(settings.payload, sizes.longest(), seed, PAYLOAD_PLACES);
        Ok(Self { settings, sizes, contents })
    }

    pub(super) fn longest_frame(&self) -> usize {
        self.sizes.longest() + HEADER_BYTES
    }

    pub(super) fn frame_bytes(&self, index: u64) -> usize {
        (self.sizes.of(index) + HEADER_BYTES).max(FRAME_MINIMUM_BYTES)
    }

    pub(super) fn build(&self, index: u64, frame: &mut Vec<u8>) {
        frame.reserve(self.frame_bytes(index));
        frame.extend(self.settings.destination_mac.0);
        frame.extend(self.settings.source_mac.0);
        frame.extend(self.settings.ether_type.to_be_bytes());
        frame.extend(index.to_be_bytes());
        frame.extend_from_slice(&self.contents.of(index, self.sizes.of(index))[NUMBER_BYTES..]);
        frame.resize(frame.len().max(FRAME_MINIMUM_BYTES), 0);
    }

    /// The number that `frame` claims to have.
    pub(super) fn claim(frame: &[u8]) -> Option<u64> {
        let number = frame.get(HEADER_BYTES..).and_then(<[u8]>::first_chunk::<NUMBER_BYTES>);
        number.map(|bytes| u64::from_be_bytes(*bytes))
    }
}

/// A frame that was given.
#[derive(Clone, Debug)]
pub(super) struct GivenFrame {
    bytes: Vec<u8>,
    payload_bytes: u64,
}

/// Given frames, one after the other and from the start again.
#[derive(Clone, Debug)]
pub(super) struct GivenSource {
    frames: Vec<GivenFrame>,
}

impl GivenSource {
    /// Frames of `given` that `which` names.
    ///
    /// # Errors
    /// If there are none.
    pub(super) fn new(given: &[GivenFrame], which: CapturedFrames) -> Result<Self, String> {
        let rest = given.get(which.first..).unwrap_or_default();
        let frames = rest.get(..which.count.unwrap_or(rest.len())).unwrap_or_default();
        if frames.is_empty() {
            return Err(format!(
                "there are {} frames, not {} from number {} on",
                given.len(),
                which.count.unwrap_or(1),
                which.first
            ));
        }
        Ok(Self { frames: frames.to_vec() })
    }

    fn frame(&self, index: u64) -> &GivenFrame {
        &self.frames[(index % self.frames.len() as u64) as usize]
    }

    pub(super) fn longest_frame(&self) -> usize {
        self.frames.iter().map(|frame| frame.bytes.len()).max().unwrap_or(0)
    }

    pub(super) fn frame_bytes(&self, index: u64) -> usize {
        self.frame(index).bytes.len()
    }

    pub(super) fn payload_bytes(&self, index: u64) -> u64 {
        self.frame(index).payload_bytes
    }

    pub(super) fn build(&self, index: u64, frame: &mut Vec<u8>) {
        frame.extend_from_slice(&self.frame(index).bytes);
    }
}

/// Frames out of bytes: each is preceded by its length as a big-endian 32-bit word. Those shorter than 60 bytes are padded.
///
/// # Errors
/// If the last is not whole.
pub(super) fn given_frames(mut frames: &[u8]) -> Result<Vec<GivenFrame>, String> {
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
        bytes.resize(length.max(FRAME_MINIMUM_BYTES), 0);
        given.push(GivenFrame { payload_bytes: udp_payload_bytes(frame), bytes });
        frames = rest;
    }
    if frames.is_empty() {
        Ok(given)
    } else {
        Err(format!("{} bytes follow the last of {} frames", frames.len(), given.len()))
    }
}

pub(super) fn udp_payload_bytes(frame: &[u8]) -> u64 {
    match SlicedPacket::from_ethernet(frame).map(|packet| packet.transport) {
        Ok(Some(TransportSlice::Udp(udp))) => udp.payload().len() as u64,
        _ => 0,
    }
}
