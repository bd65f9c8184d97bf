//! Description of the frames of one direction, as users and programs write it: JSON that names a kind of source and its settings.
//!
//! `{"kind": "udp", "sizes": [1472]}` is the shortest.

use std::net::Ipv4Addr;

use serde::Deserialize;

/// A source of frames.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Description {
    /// UDP datagrams over IPv4.
    Udp(Datagrams),
    /// TCP segments with data over IPv4.
    Tcp(Datagrams),
    /// Ethernet frames of a private type.
    Raw(RawFrames),
    /// Frames given with the description, in their order.
    Capture(CapturedFrames),
    /// Frames that come from outside the simulation while it runs.
    Live(LiveTraffic),
    /// Any frame: the frames depend on firmware. They are counted and not compared.
    Any(AnyTraffic),
    /// Mix of several sources: each frame comes from one of them, at random.
    Mix {
        /// The sources, none of which is a mix.
        parts: Vec<Part>,
        /// True if only the frames of one source keep their order, as those of several hosts behind one card do.
        #[serde(default)]
        apart: bool,
    },
    /// The first frames from one source, the next from another, and so on; frames keep their numbers.
    Sequence {
        /// The sources, none of which is a sequence.
        parts: Vec<Stretch>,
    },
}

/// One source of a sequence.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stretch {
    /// Number of frames; by default all that follow.
    pub(super) count: Option<u64>,
    /// Decides choices and contents; without it, the seed of the whole.
    pub(super) seed: Option<u64>,
    pub(super) source: Description,
}

/// One source of a mix.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Probability of the source, in proportion to the others.
    pub(super) weight: u64,
    pub(super) source: Description,
}

/// Frames that come from outside.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LiveTraffic {
    /// Bytes of the longest, without frame check sequence.
    pub(super) longest: u32,
}

/// Frames of which nothing is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnyTraffic {
    /// Bytes of the longest, without frame check sequence.
    pub(super) longest: u32,
}

/// Content of the bytes after the headers.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Content {
    /// Random bytes, different in each frame.
    #[default]
    Random,
    /// Zeros.
    Zeros,
    /// Byte `i` is `i` modulo 256.
    Counting,
}

/// UDP datagrams or TCP segments.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Datagrams {
    /// Bytes of payload; one of several sizes is chosen at random for each frame.
    pub(super) sizes: Vec<u64>,
    /// The weight of each size; none for equal weights.
    pub(super) weights: Vec<u64>,
    pub(super) payload: Content,
    /// Number of different random payloads, of which each frame carries one at random.
    pub(super) payloads: Option<u32>,
    /// Number of segments of a flow of which the last has the flag PSH; without effect on UDP.
    pub(super) push: u32,
    /// Over how many flows frames go in turn. Without it there is one whose source port goes up by 1 every 65,536 frames.
    pub(super) flows: Option<u32>,
    /// Addresses and ports are those of the first flow. Each step is added from one flow to the next.
    pub(super) source_address: Ipv4Addr,
    pub(super) source_address_step: u32,
    pub(super) destination_address: Ipv4Addr,
    pub(super) destination_address_step: u32,
    pub(super) source_port: u16,
    pub(super) source_port_step: u16,
    pub(super) destination_port: u16,
    pub(super) destination_port_step: u16,
    pub(super) source_mac: MacAddress,
    pub(super) destination_mac: MacAddress,
}

impl Default for Datagrams {
    fn default() -> Self {
        Self {
            sizes: Vec::new(),
            weights: Vec::new(),
            payload: Content::Random,
            payloads: None,
            push: 1,
            flows: None,
            source_address: Ipv4Addr::new(10, 0, 0, 1),
            source_address_step: 0,
            destination_address: Ipv4Addr::new(10, 0, 0, 2),
            destination_address_step: 0,
            source_port: 49_152,
            source_port_step: 1,
            destination_port: 9,
            destination_port_step: 0,
            source_mac: SOURCE_MAC,
            destination_mac: DESTINATION_MAC,
        }
    }
}

/// Ethernet frames of a private type.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RawFrames {
    /// Bytes behind the Ethernet header, of which the first 8 are the number of the frame.
    pub(super) sizes: Vec<u64>,
    /// The weight of each size; none for equal weights.
    pub(super) weights: Vec<u64>,
    pub(super) payload: Content,
    /// The type field. 0x88b5 is set aside for experiments (IEEE 802).
    pub(super) ether_type: u16,
    pub(super) source_mac: MacAddress,
    pub(super) destination_mac: MacAddress,
}

impl Default for RawFrames {
    fn default() -> Self {
        Self {
            sizes: Vec::new(),
            weights: Vec::new(),
            payload: Content::Random,
            ether_type: 0x88b5,
            source_mac: SOURCE_MAC,
            destination_mac: DESTINATION_MAC,
        }
    }
}

/// Part of the frames given with the description.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CapturedFrames {
    /// The number of the first.
    pub(super) first: usize,
    /// Number of frames; all that follow by default.
    pub(super) count: Option<usize>,
}

/// An Ethernet address, written as `02:00:00:00:00:01`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct MacAddress(pub(super) [u8; 6]);

const SOURCE_MAC: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);
const DESTINATION_MAC: MacAddress = MacAddress([2, 0, 0, 0, 0, 2]);

impl TryFrom<String> for MacAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().filter(|part| part.len() == 2);
            *byte = part
                .and_then(|part| u8::from_str_radix(part, 16).ok())
                .ok_or_else(|| format!("{text:?} is not an Ethernet address such as 02:00:00:00:00:01"))?;
        }
        match parts.next() {
            None => Ok(Self(bytes)),
            Some(_) => Err(format!("{text:?} is longer than an Ethernet address")),
        }
    }
}
