//! Plan of frames: every frame follows from its number alone. Sources build frames from it, and receivers build them again to
//! compare.

use spinach_net::ethernet::FRAME_MINIMUM_BYTES;

use super::content::{choose, cumulative};
use super::datagrams::{DatagramSource, Protocol};
use super::description::{AnyTraffic, CapturedFrames, Description, LiveTraffic};
use super::live_frames::LiveSource;
use super::raw_frames::{GivenFrame, GivenSource, RawSource, given_frames, udp_payload_bytes};
use crate::parts::random::scramble;

// Makes the choice among the parts of a mix independent of everything else that follows from the seed.
const PURPOSE: u64 = 0x006d_6978_7475_7265;

/// The frames of one direction.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// One after the other; none if there is no traffic.
    stretches: Vec<Stretch>,
    count: u64,
}

/// Frames that follow each other and come from the same sources.
#[derive(Clone, Debug)]
struct Stretch {
    /// The number of the first frame that is no longer part of it.
    end: u64,
    /// One, or the parts of a mix.
    sources: Vec<Source>,
    cumulative_weights: Vec<u64>,
    seed: u64,
    /// Only the frames of one part keep their order.
    is_apart: bool,
}

#[derive(Clone, Debug)]
enum Source {
    Datagrams(DatagramSource),
    Raw(RawSource),
    Given(GivenSource),
    Live(LiveSource),
    /// Frames of at most the given number of bytes, otherwise unknown.
    Any(usize),
}

impl Source {
    fn new(description: Description, given: &[GivenFrame], seed: u64) -> Result<Self, String> {
        Ok(match description {
            Description::Udp(settings) => {
                Self::Datagrams(DatagramSource::new(Protocol::Udp, settings, seed)?)
            }
            Description::Tcp(settings) => {
                Self::Datagrams(DatagramSource::new(Protocol::Tcp, settings, seed)?)
            }
            Description::Raw(settings) => Self::Raw(RawSource::new(settings, seed)?),
            Description::Capture(which) => Self::Given(GivenSource::new(given, which)?),
            Description::Live(LiveTraffic { longest }) => Self::Live(LiveSource::new(longest)),
            Description::Any(AnyTraffic { longest }) => Self::Any(longest as usize),
            Description::Mix { .. } => return Err("a part of a mix is a mix itself".to_owned()),
            Description::Sequence { .. } => return Err("a part of something is a sequence".to_owned()),
        })
    }

    fn longest_frame(&self) -> usize {
        match self {
            Self::Datagrams(source) => source.longest_frame(),
            Self::Raw(source) => source.longest_frame(),
            Self::Given(source) => source.longest_frame(),
            Self::Live(source) => source.longest_frame(),
            Self::Any(longest) => *longest,
        }
    }
}

impl Stretch {
    fn new(description: Description, given: &[GivenFrame], seed: u64, end: u64) -> Result<Self, String> {
        let is_apart = matches!(description, Description::Mix { apart: true, .. });
        let (weights, descriptions): (Vec<u64>, Vec<Description>) = match description {
            Description::Mix { parts, .. } => {
                parts.into_iter().map(|part| (part.weight, part.source)).unzip()
            }
            one => (vec![1], vec![one]),
        };
        let cumulative_weights = cumulative(weights.into_iter())?;
        let sources: Vec<Source> = descriptions
            .into_iter()
            .map(|description| Source::new(description, given, seed))
            .collect::<Result<_, _>>()?;
        if sources.is_empty() {
            return Err("a mix without parts sends nothing".to_owned());
        }
        Ok(Self { end, sources, cumulative_weights, seed, is_apart })
    }

    fn source(&self, index: u64) -> Option<&Source> {
        self.sources.get(self.part(index))
    }

    // Source of a frame, by number.
    fn part(&self, index: u64) -> usize {
        if self.sources.len() < 2 {
            return 0;
        }
        choose(&self.cumulative_weights, scramble(self.seed ^ PURPOSE ^ scramble(index)))
    }
}

impl TrafficPlan {
    /// Plan of `count` frames of the source that `description` names in JSON, of which `frames` are those of a capture: each
    /// preceded by its length as a big-endian 32-bit word, without frame check sequence. An empty description means the given
    /// frames, or no traffic if there are none. `seed` decides choices and contents.
    ///
    /// # Errors
    /// One sentence that says what is wrong.
    pub fn new(description: &str, frames: &[u8], seed: u64, count: u64) -> Result<Self, String> {
        let given = given_frames(frames)?;
        let description = match description {
            "" if given.is_empty() => return Ok(Self { stretches: Vec::new(), count: 0 }),
            "" => Description::Capture(CapturedFrames::default()),
            text => serde_json::from_str(text).map_err(|error| format!("traffic {text}: {error}"))?,
        };
        let mut stretches = Vec::new();
        match description {
            Description::Sequence { parts } => {
                let mut end = 0u64;
                for part in parts {
                    end = part.count.map_or(u64::MAX, |count| end.saturating_add(count));
                    stretches.push(Stretch::new(part.source, &given, part.seed.unwrap_or(seed), end)?);
                }
            }
            one => stretches.push(Stretch::new(one, &given, seed, u64::MAX)?),
        }
        if stretches.last().is_none_or(|last| last.end < u64::MAX) {
            return Err("the last part of a sequence must not state a number of frames".to_owned());
        }
        let sources = || stretches.iter().flat_map(|stretch| &stretch.sources);
        let is_live = |source: &Source| matches!(source, Source::Live(_));
        if sources().count() > 1
            && sources().any(|source| is_live(source) || matches!(source, Source::Any(_)))
        {
            return Err(
                "frames from outside, and those that may be any, cannot be part of a mix or a sequence"
                    .to_owned(),
            );
        }
        let count = if sources().any(is_live) { 0 } else { count };
        Ok(Self { stretches, count })
    }

    // The source of frames from outside, if any.
    fn live(&mut self) -> Option<&mut LiveSource> {
        match &mut self.stretches[..] {
            [Stretch { sources, .. }] => match &mut sources[..] {
                [Source::Live(source)] => Some(source),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds a frame from outside.
    ///
    /// # Errors
    /// If no frames come from outside, or if this one is too long.
    pub fn add(&mut self, frame: &[u8]) -> Result<(), String> {
        if self.is_any() {
            return Ok(());
        }
        let source = self.live().ok_or("no frames from outside are expected here")?;
        source.add(frame)?;
        self.count = source.count();
        Ok(())
    }

    /// True if every frame is correct: nothing is compared.
    pub fn is_any(&self) -> bool {
        matches!(&self.stretches[..], [Stretch { sources, .. }] if matches!(sources[..], [Source::Any(_)]))
    }

    /// Frames before `index` are no longer needed: those from outside take no more memory.
    pub fn forget_before(&mut self, index: u64) {
        if let Some(source) = self.live() {
            source.forget_before(index);
        }
    }

    /// Number of frames; for those from outside, the number that has come.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of the longest frame.
    pub fn longest_frame(&self) -> usize {
        self.sources().map(Source::longest_frame).max().unwrap_or(0).max(FRAME_MINIMUM_BYTES)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        self.stretches.iter().flat_map(|stretch| &stretch.sources)
    }

    fn source(&self, index: u64) -> Option<&Source> {
        self.stretches.iter().find(|stretch| index < stretch.end)?.source(index)
    }

    /// Within which part a frame keeps its order; all frames are one part unless the plan says otherwise.
    pub fn order(&self, index: u64) -> usize {
        let stretch = self.stretches.iter().find(|stretch| index < stretch.end);
        stretch.filter(|stretch| stretch.is_apart).map_or(0, |stretch| stretch.part(index))
    }

    /// True if the frames of different parts may overtake each other.
    pub fn is_apart(&self) -> bool {
        self.stretches.iter().any(|stretch| stretch.is_apart)
    }

    /// Bytes of frame `index`, without frame check sequence; 0 if there is no traffic.
    pub fn frame_bytes(&self, index: u64) -> usize {
        match self.source(index) {
            Some(Source::Datagrams(source)) => source.frame_bytes(index),
            Some(Source::Raw(source)) => source.frame_bytes(index),
            Some(Source::Given(source)) => source.frame_bytes(index),
            Some(Source::Live(source)) => source.get(index).len(),
            Some(Source::Any(_)) | None => 0,
        }
    }

    /// Bytes of UDP payload in frame `index`; 0 if it is not a UDP datagram.
    pub fn payload_bytes(&self, index: u64) -> u64 {
        match self.source(index) {
            Some(Source::Datagrams(source)) => source.payload_bytes(index),
            Some(Source::Given(source)) => source.payload_bytes(index),
            Some(Source::Live(source)) => udp_payload_bytes(source.get(index)),
            Some(Source::Raw(_) | Source::Any(_)) | None => 0,
        }
    }

    /// Replaces the content of `frame` by the bytes of frame `index`. Leaves it empty if there is no traffic.
    pub fn build(&self, index: u64, frame: &mut Vec<u8>) {
        frame.clear();
        match self.source(index) {
            Some(Source::Datagrams(source)) => source.build(index, frame),
            Some(Source::Raw(source)) => source.build(index, frame),
            Some(Source::Given(source)) => source.build(index, frame),
            Some(Source::Live(source)) => frame.extend_from_slice(source.get(index)),
            Some(Source::Any(_)) | None => {}
        }
    }

    /// True if frames contain their number, unlike those of captures.
    pub fn has_claims(&self) -> bool {
        self.sources().all(|source| matches!(source, Source::Datagrams(_) | Source::Raw(_)))
    }

    /// The numbers that `frame` may claim to have, near `expected`, the likeliest first.
    pub fn claims(&self, frame: &[u8], expected: u64) -> impl Iterator<Item = u64> {
        self.sources().flat_map(move |source| {
            let (datagram, raw) = match source {
                Source::Datagrams(source) => (Some(source.claims(frame, expected)), None),
                Source::Raw(_) => (None, RawSource::claim(frame)),
                Source::Given(_) | Source::Live(_) | Source::Any(_) => (None, None),
            };
            datagram.into_iter().flatten().chain(raw)
        })
    }
}
