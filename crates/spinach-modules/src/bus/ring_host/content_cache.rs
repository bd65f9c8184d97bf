//! Directory of the payloads that the driver keeps in the NIC's memory (ExpCS 2007, section 3.2.1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::parts::random::scramble;

/// Blocks begin at multiples of this many bytes.
const ALIGNMENT: u64 = 64;

/// Source of a payload to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Host memory only.
    Host,
    /// Host memory; the NIC keeps the payload at this offset.
    Keep(u32),
    /// The NIC, which has the payload at this offset.
    Kept(u32),
}

/// Blocks of equal size, each of which holds one payload. The least recently used block is replaced.
///
/// Payloads are known by a hash: two with the same one would show as corrupted frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ContentCache {
    block_bytes: u64,
    capacity: u32,
    /// The blocks in use: the hash of the payload, and the last frame that used the block.
    blocks: Vec<(u64, u64)>,
    /// Follow from the blocks.
    #[serde(skip)]
    by_content: BTreeMap<u64, u32>,
    #[serde(skip)]
    by_use: BTreeMap<u64, u32>,
}

impl ContentCache {
    /// A directory of `bytes` of the NIC's memory for payloads of at most `longest` bytes.
    pub(super) fn new(bytes: u64, longest: u64) -> Self {
        let block_bytes = longest.max(1).next_multiple_of(ALIGNMENT);
        let capacity = (bytes / block_bytes) as u32;
        Self {
            block_bytes,
            capacity,
            blocks: Vec::new(),
            by_content: BTreeMap::new(),
            by_use: BTreeMap::new(),
        }
    }

    /// The directory with its derived tables, after it was read from a checkpoint.
    pub(super) fn indexed(mut self) -> Self {
        let blocks = || self.blocks.iter().zip(0..);
        self.by_content = blocks().map(|((content, _), block)| (*content, block)).collect();
        self.by_use = blocks().map(|((_, used), block)| (*used, block)).collect();
        self
    }

    /// Source of the payload of frame `index`, when all frames before `completed` have left. The NIC may still read the blocks of
    /// the others, so these are not replaced.
    pub(super) fn place(&mut self, payload: &[u8], index: u64, completed: u64) -> Source {
        let hash = payload.chunks(8).fold(payload.len() as u64, |hash, bytes| {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            scramble(hash ^ word)
        });
        let known = self.by_content.get(&hash).copied();
        let Some(block) = known.or_else(|| self.free_block(completed)) else { return Source::Host };
        if let Some((content, used)) = self.blocks.get(block as usize) {
            self.by_content.remove(content);
            self.by_use.remove(used);
            self.blocks[block as usize] = (hash, index);
        } else {
            self.blocks.push((hash, index));
        }
        self.by_content.insert(hash, block);
        self.by_use.insert(index, block);
        let offset = (u64::from(block) * self.block_bytes) as u32;
        if known.is_some() { Source::Kept(offset) } else { Source::Keep(offset) }
    }

    // A block that was never used, or else the least recently used one.
    fn free_block(&self, completed: u64) -> Option<u32> {
        let unused = self.blocks.len() as u32;
        if unused < self.capacity {
            return Some(unused);
        }
        self.by_use.first_key_value().filter(|(index, _)| **index < completed).map(|(_, block)| *block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_block_is_replaced_once_its_frame_has_left() {
        let mut cache = ContentCache::new(300, 100);
        assert_eq!(cache.place(b"one", 0, 0), Source::Keep(0));
        assert_eq!(cache.place(b"two", 1, 0), Source::Keep(128));
        assert_eq!(cache.place(b"one", 2, 0), Source::Kept(0));
        assert_eq!(cache.place(b"three", 3, 1), Source::Host, "frame 1 may be under way");
        assert_eq!(cache.place(b"three", 4, 2), Source::Keep(128));
        assert_eq!(cache.place(b"two", 5, 2), Source::Host, "frame 2 may be under way");
        assert_eq!(cache.place(b"two", 6, 3), Source::Keep(0));
        assert_eq!(cache.place(b"three", 7, 3), Source::Kept(128));
    }

    #[test]
    fn a_directory_without_room_keeps_nothing() {
        assert_eq!(ContentCache::new(100, 101).place(b"one", 0, 0), Source::Host);
    }
}
