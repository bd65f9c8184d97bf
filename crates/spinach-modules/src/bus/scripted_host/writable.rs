//! `Writable`: the memory that a driver lets its NIC write.

/// The lane on which a host takes in ranges that the NIC may write: address and bytes of each, as little-endian words of 64 bits.
pub(super) const WRITABLE: u32 = 3;

/// Ranges that the NIC may write, sorted: address and bytes of each. If there are none, it may write everywhere.
#[derive(Default)]
pub(super) struct Writable(Vec<[u64; 2]>);

impl Writable {
    /// Adds ranges.
    pub(super) fn add(&mut self, message: &[u8]) -> Result<(), String> {
        let (words, []) = message.as_chunks::<8>() else { return Err(incomplete(message)) };
        let (ranges, []) = words.as_chunks::<2>() else { return Err(incomplete(message)) };
        self.0.extend(ranges.iter().map(|range| range.map(u64::from_le_bytes)));
        self.0.sort_unstable();
        self.0.dedup();
        Ok(())
    }

    /// The place of a write that is not inside one of the ranges, for people.
    pub(super) fn misplaced(&self, address: u64, length: u64) -> Option<String> {
        let (before, after) = self.0.split_at(self.0.partition_point(|range| range[0] <= address));
        let end = |[begin, bytes]: [u64; 2]| begin.saturating_add(bytes);
        if before.last().is_some_and(|range| address.saturating_add(length) <= end(*range)) {
            return None;
        }
        let gap = |range: &&[u64; 2]| range[0].saturating_sub(address) + address.saturating_sub(end(**range));
        let [begin, bytes] = before.last().into_iter().chain(after.first()).min_by_key(gap)?;
        Some(format!("not inside memory that it may write, of which {bytes} bytes at {begin:#x} are nearest"))
    }
}

fn incomplete(message: &[u8]) -> String {
    format!("scripted_host: {} bytes are not pairs of words of 64 bits", message.len())
}
