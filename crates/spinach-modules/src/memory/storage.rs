//! Flat bytes, reached by references and by runs.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::code_lines::CodeLines;
use crate::parts::sparse;
use crate::values::all_enabled;

/// Bytes with addresses from a base on.
///
/// Saved, they are pages that are not all zero; as structured data, where one number per byte would be useless, a line with their number.
#[derive(Default)]
pub(crate) struct Storage {
    bytes: Vec<u8>,
    // Lines that were decoded, once any were: not part of the state.
    code: Option<Box<CodeLines>>,
}

impl Clone for Storage {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), code: None }
    }
}

impl Storage {
    /// `size` bytes of zero.
    pub(crate) fn new(size: usize) -> Self {
        Self { bytes: vec![0; size], code: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The `length` bytes from `offset` on, if they are all inside.
    #[inline]
    pub(crate) fn run(&self, offset: u64, length: u64) -> Option<&[u8]> {
        self.bytes.get(range(offset, length)?)
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn run_mut(&mut self, offset: u64, length: u64) -> Option<&mut [u8]> {
        let range = range(offset, length)?;
        if self.code.is_some() {
            self.note_write(range.start, range.len());
        }
        self.bytes.get_mut(range)
    }

    /// Records that bytes are written which may have been decoded.
    #[inline(never)]
    fn note_write(&mut self, place: usize, length: usize) {
        if let Some(code) = &mut self.code {
            code.note_write(place, length);
        }
    }

    /// Records that bytes were decoded, which are all inside.
    pub(crate) fn note_decoded(&mut self, place: usize, length: usize) {
        let size = self.bytes.len();
        self.code.get_or_insert_with(|| Box::new(CodeLines::new(size))).note_decoded(place, length);
    }

    /// Decoded lines, once anything was decoded.
    #[inline]
    pub(crate) fn code(&self) -> Option<&CodeLines> {
        self.code.as_deref()
    }

    /// `SIZE` bytes (1, 2, 4 or 8), the first lowest, if they are all inside.
    #[inline(always)]
    pub(crate) fn load_fixed<const SIZE: usize>(&self, place: usize) -> Option<u64> {
        let rest = self.bytes.get(place..)?;
        Some(match SIZE {
            1 => (*rest.first()?).into(),
            2 => u16::from_le_bytes(*rest.first_chunk()?).into(),
            4 => u32::from_le_bytes(*rest.first_chunk()?).into(),
            8 => u64::from_le_bytes(*rest.first_chunk()?),
            _ => return None,
        })
    }

    /// Stores `SIZE` bytes (1, 2, 4 or 8), the lowest first, if they are all inside; whether they were decoded.
    #[inline(always)]
    pub(crate) fn store_fixed<const SIZE: usize>(&mut self, place: usize, number: u64) -> Option<bool> {
        let rest = self.bytes.get_mut(place..)?;
        match SIZE {
            1 => *rest.first_mut()? = number as u8,
            2 => *rest.first_chunk_mut()? = (number as u16).to_le_bytes(),
            4 => *rest.first_chunk_mut()? = (number as u32).to_le_bytes(),
            8 => *rest.first_chunk_mut()? = number.to_le_bytes(),
            _ => return None,
        }
        let is_code = self.code.as_ref().is_some_and(|code| code.holds(place));
        if is_code {
            self.note_write(place, SIZE);
        }
        Some(is_code)
    }

    /// Copies bytes out, from `offset` on; `false` (and nothing copied) if they are not all inside.
    pub(crate) fn copy_out(&self, offset: u64, bytes: &mut [u8]) -> bool {
        self.run(offset, bytes.len() as u64).map(|run| bytes.copy_from_slice(run)).is_some()
    }

    /// Copies bytes in, from `offset` on; `false` (and nothing changed) if they are not all inside.
    pub(crate) fn copy_in(&mut self, offset: u64, bytes: &[u8]) -> bool {
        self.run_mut(offset, bytes.len() as u64).map(|run| run.copy_from_slice(bytes)).is_some()
    }

    /// The four bytes from `offset` on, if they are all inside.
    #[inline(always)]
    pub(crate) fn word(&self, offset: u64) -> Option<u32> {
        let rest = self.bytes.get(usize::try_from(offset).ok()?..)?;
        rest.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The same, to be changed if it `writes`.
    #[inline(always)]
    pub(crate) fn word_mut(&mut self, offset: u64, writes: bool) -> Option<&mut [u8; 4]> {
        if self.code.is_some() && writes {
            self.note_write(usize::try_from(offset).ok()?, 4);
        }
        self.bytes.get_mut(usize::try_from(offset).ok()?..)?.first_chunk_mut()
    }

    /// The `size` bytes (1, 2, 4, 8 or 16) from `offset` on, if they are all inside.
    pub(crate) fn load(&self, offset: u64, size: u8) -> Option<u128> {
        let run = self.run(offset, u64::from(size))?;
        Some(match size {
            1 => u128::from(run[0]),
            2 => u128::from(u16::from_le_bytes(array(run))),
            4 => u128::from(u32::from_le_bytes(array(run))),
            8 => u128::from(u64::from_le_bytes(array(run))),
            _ => u128::from_le_bytes(array(run)),
        })
    }

    /// Replaces those of the `size` bytes from `offset` on that are enabled; `None`, and nothing changed, if they are not
    /// all inside.
    #[inline]
    pub(crate) fn store(&mut self, offset: u64, size: u8, enables: u16, data: u128) -> Option<()> {
        let run = self.run_mut(offset, u64::from(size))?;
        let all = all_enabled(size);
        if enables & all == all {
            replace(run, data);
        } else {
            for (index, (byte, new)) in run.iter_mut().zip(data.to_le_bytes()).enumerate() {
                if enables >> index & 1 != 0 {
                    *byte = new;
                }
            }
        }
        Some(())
    }
}

#[inline]
fn range(offset: u64, length: u64) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(length).ok()?)?)
}

// Of a length that the compiler knows it copies bytes without a call.
#[inline]
fn replace(run: &mut [u8], data: u128) {
    let bytes = data.to_le_bytes();
    match run.len() {
        1 => run.copy_from_slice(&bytes[..1]),
        2 => run.copy_from_slice(&bytes[..2]),
        4 => run.copy_from_slice(&bytes[..4]),
        8 => run.copy_from_slice(&bytes[..8]),
        _ => run.copy_from_slice(&bytes),
    }
}

#[inline]
fn array<const N: usize>(run: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(run);
    array
}

/// Ones in every byte of which the enable is set.
#[inline]
pub(crate) fn mask_of(enables: u16, size: u8) -> u128 {
    if enables & all_enabled(size) == all_enabled(size) { u128::MAX } else { mask_of_some(enables) }
}

#[cold]
fn mask_of_some(enables: u16) -> u128 {
    (0..16).filter(|byte| enables >> byte & 1 != 0).fold(0, |mask, byte| mask | 0xff << (8 * byte))
}

impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes", self.bytes.len())
    }
}

impl Serialize for Storage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&format_args!("{} bytes", self.bytes.len()))
        } else {
            sparse::serialize(&self.bytes, serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Storage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(de::Error::custom("the contents of a memory are not part of its structured state"));
        }
        Ok(Self { bytes: sparse::deserialize(deserializer)?, code: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enabled_bytes_change() {
        let mut storage = Storage::new(8);
        assert_eq!(storage.store(0, 8, 0xff, 0x8877_6655_4433_2211), Some(()));
        assert_eq!(storage.store(4, 4, 0b1010, 0xaabb_ccdd), Some(()));
        assert_eq!(storage.load(0, 8), Some(0xaa77_cc55_4433_2211));
        assert_eq!(mask_of(0b1010, 4), 0xff00_ff00);
        assert_eq!(storage.load(1, 1), Some(0x22));
        assert_eq!(storage.load(2, 2), Some(0x4433));
    }

    #[test]
    fn what_is_not_all_inside_is_refused() {
        let mut storage = Storage::new(24);
        assert_eq!(storage.load(16, 16), None);
        assert_eq!(storage.load(u64::MAX, 1), None);
        assert_eq!(storage.store(24, 1, 1, 0), None);
        assert!(storage.run(8, 16).is_some());
        assert!(storage.run(8, u64::MAX).is_none());
    }
}
