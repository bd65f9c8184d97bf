//! Lengths and contents of the payloads of a source.

use super::description::Content;
use crate::parts::random::scramble;

/// Number of positions in the random bytes at which a payload may begin: the most different payloads.
pub(super) const PAYLOAD_PLACES: usize = 1 << 16;

/// Size of each payload: the only one, or one of several at random.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    sizes: Vec<usize>,
    cumulative_weights: Vec<u64>,
    seed: u64,
}

impl Sizes {
    /// # Errors
    /// If there are none, or weights do not match them.
    pub(super) fn new(sizes: &[u64], weights: &[u64], seed: u64) -> Result<Self, String> {
        if sizes.is_empty() {
            return Err("there are no sizes".to_owned());
        }
        if !weights.is_empty() && weights.len() != sizes.len() {
            return Err(format!("there are {} sizes but {} weights", sizes.len(), weights.len()));
        }
        let weights = (0..sizes.len()).map(|index| weights.get(index).copied().unwrap_or(1));
        let cumulative_weights = cumulative(weights)?;
        Ok(Self { sizes: sizes.iter().map(|size| *size as usize).collect(), cumulative_weights, seed })
    }

    /// Bytes of the payload of frame `index`.
    pub(super) fn of(&self, index: u64) -> usize {
        if let [size] = self.sizes[..] {
            return size;
        }
        let random = scramble(self.seed.wrapping_add(scramble(index)));
        self.sizes[choose(&self.cumulative_weights, random)]
    }

    /// Bytes of the longest payload.
    pub(super) fn longest(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(0)
    }
}

/// The sums of the first weights, the first two, and so on.
///
/// # Errors
/// If all are 0.
pub(super) fn cumulative(weights: impl Iterator<Item = u64>) -> Result<Vec<u64>, String> {
    let sums: Vec<u64> = weights
        .scan(0u64, |total, weight| {
            *total = total.saturating_add(weight);
            Some(*total)
        })
        .collect();
    if sums.last() == Some(&0) { Err("all weights are 0".to_owned()) } else { Ok(sums) }
}

/// Choice by a random number, given the sums of the weights.
pub(super) fn choose(cumulative_weights: &[u64], random: u64) -> usize {
    let total = cumulative_weights.last().copied().unwrap_or(1);
    let chosen = random % total;
    cumulative_weights.partition_point(|weight| *weight <= chosen)
}

/// The bytes that payloads are taken from.
#[derive(Clone, Debug)]
pub(super) struct Contents {
    bytes: Vec<u8>,
    places: usize,
    seed: u64,
}

impl Contents {
    /// Bytes for payloads, of which at most `payloads` differ.
    pub(super) fn new(content: Content, longest: usize, seed: u64, payloads: usize) -> Self {
        let (places, bytes) = match content {
            Content::Random => {
                let words = (payloads + longest).div_ceil(8) as u64;
                let random = (0..words).flat_map(|word| scramble(seed ^ scramble(word)).to_le_bytes());
                (payloads, random.collect())
            }
            Content::Zeros => (1, vec![0; longest]),
            Content::Counting => (1, (0..longest).map(|index| index as u8).collect()),
        };
        Self { bytes, places, seed }
    }

    /// The first `size` bytes that frame `index` carries.
    pub(super) fn of(&self, index: u64, size: usize) -> &[u8] {
        let place = (scramble(index.wrapping_add(self.seed)) as usize) % self.places;
        &self.bytes[place..place + size]
    }
}
