//! Bytes of which most are zero, as they are saved: how many there are, and the pages that are not all zero.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_bytes::Bytes;

const PAGE: usize = 4096;
/// More bytes than any memory has; a larger claim is damaged.
const MOST: u64 = 1 << 32;

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    length: u64,
    /// Runs of pages, each with the number of its first; the last page may be short.
    #[serde(borrow)]
    runs: Vec<(u64, &'a Bytes)>,
}

/// Writes `bytes`.
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let zeros = [0; PAGE];
    let is_zero = |page: usize| {
        let page = &bytes[page * PAGE..bytes.len().min((page + 1) * PAGE)];
        *page == zeros[..page.len()]
    };
    let pages = bytes.len().div_ceil(PAGE);
    let mut runs = Vec::new();
    let mut page = 0;
    while page < pages {
        let end = (page..pages).find(|page| is_zero(*page)).unwrap_or(pages);
        if end > page {
            let run = &bytes[page * PAGE..bytes.len().min(end * PAGE)];
            runs.push((page as u64, Bytes::new(run)));
        }
        page = (end..pages).find(|page| !is_zero(*page)).unwrap_or(pages);
    }
    Saved { length: bytes.len() as u64, runs }.serialize(serializer)
}

/// Reads the output of `serialize`. Pages of zeros take no memory of the machine until something is written there.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let saved = Saved::deserialize(deserializer)?;
    let length = usize::try_from(saved.length).ok().filter(|_| saved.length <= MOST);
    let length = length.ok_or_else(|| D::Error::custom("a memory that is too large"))?;
    // So that too much is an error and no abort.
    Vec::<u8>::new().try_reserve_exact(length).map_err(D::Error::custom)?;
    let mut bytes = vec![0; length];
    for (page, run) in saved.runs {
        let start = usize::try_from(page).ok().and_then(|page| page.checked_mul(PAGE));
        let place = start.and_then(|start| bytes.get_mut(start..start.checked_add(run.len())?));
        place.ok_or_else(|| D::Error::custom("bytes beyond the end of a memory"))?.copy_from_slice(run);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Memory(#[serde(with = "crate::parts::sparse")] Vec<u8>);

    fn saved(memory: &Memory) -> Vec<u8> {
        postcard::to_allocvec(memory).expect("a memory can be saved")
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut whole = vec![0; 5 * PAGE + 17];
        for (at, length) in
            [(0, 0), (0, 1), (PAGE, PAGE), (2 * PAGE - 1, 2), (5 * PAGE + 16, 1), (3, 4 * PAGE)]
        {
            whole[at..at + length].fill(7);
            for length in [0, 1, PAGE, PAGE + 1, whole.len()] {
                let memory = Memory(whole[..length].to_vec());
                assert_eq!(postcard::from_bytes::<Memory>(&saved(&memory)), Ok(memory));
            }
        }
    }

    #[test]
    fn zeros_take_no_room() {
        let mut memory = Memory(vec![0; 64 << 20]);
        assert!(saved(&memory).len() < 16);
        memory.0[40 << 20] = 1;
        assert!(saved(&memory).len() < PAGE + 32);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let bytes = Bytes::new(&[1, 2]);
        for (length, page) in [(u64::MAX, 0), (1 << 40, 0), (1, 0), (PAGE as u64, 1), (2, u64::MAX)] {
            let damaged = postcard::to_allocvec(&Saved { length, runs: vec![(page, bytes)] }).expect("bytes");
            assert!(postcard::from_bytes::<Memory>(&damaged).is_err(), "{length} {page}");
        }
    }
}
