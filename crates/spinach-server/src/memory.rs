//! The memory of a machine.

use spinach_isa::riscv::translation::TableMemory;

pub use spinach_isa::blocks::PAGE_BYTES;

/// Memory from an address on, with marks of its decoded pages.
#[derive(Debug)]
pub struct Memory {
    base: u64,
    bytes: Vec<u8>,
    holds_code: Vec<bool>,
    /// Counts pages that have become code: cached permissions to store there without a test are invalid.
    code_generation: u64,
    rewritten: Vec<usize>,
}

impl Memory {
    /// Zeros from `base` on; `length` is a multiple of [`PAGE_BYTES`].
    pub fn new(base: u64, length: usize) -> Self {
        let holds_code = vec![false; length / PAGE_BYTES];
        Self { base, bytes: vec![0; length], holds_code, code_generation: 0, rewritten: Vec::new() }
    }

    /// The address of the first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All bytes, of which nothing may be decoded yet.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Index of `size` bytes at an address.
    #[inline]
    pub fn place(&self, address: u64, size: usize) -> Option<usize> {
        let place = usize::try_from(address.checked_sub(self.base)?).ok()?;
        (place < self.bytes.len() && self.bytes.len() - place >= size).then_some(place)
    }

    /// The number of up to 8 bytes at a place.
    #[inline(always)]
    pub fn read<const SIZE: usize>(&self, place: usize) -> Option<u64> {
        number(self.bytes.get(place..)?.first_chunk::<SIZE>()?)
    }

    /// The number of up to 8 bytes at a place that is a multiple of their number.
    #[inline(always)]
    pub fn read_aligned<const SIZE: usize>(&self, place: usize) -> Option<u64> {
        self.bytes.as_chunks::<SIZE>().0.get(place / SIZE).and_then(number)
    }

    /// Writes a number to a place that is a multiple of its bytes, and whose page holds no code.
    #[inline(always)]
    pub fn write_aligned<const SIZE: usize>(&mut self, place: usize, number: u64) -> Option<()> {
        let bytes = self.bytes.as_chunks_mut::<SIZE>().0.get_mut(place / SIZE)?;
        *bytes = *number.to_le_bytes().first_chunk()?;
        Some(())
    }

    /// Copies bytes to an address and records if that was code; `None` if any of it is not memory.
    pub fn store(&mut self, address: u64, bytes: &[u8]) -> Option<()> {
        let place = self.place(address, bytes.len())?;
        self.bytes[place..place + bytes.len()].copy_from_slice(bytes);
        for page in place / PAGE_BYTES..=(place + bytes.len().max(1) - 1) / PAGE_BYTES {
            if self.holds_code[page] {
                self.holds_code[page] = false;
                self.rewritten.push(page);
            }
        }
        Some(())
    }

    /// True if a page of this number was decoded.
    pub fn holds_code(&self, page: usize) -> bool {
        self.holds_code[page]
    }

    /// Records that a page was decoded.
    pub fn set_holds_code(&mut self, page: usize) {
        if !self.holds_code[page] {
            self.holds_code[page] = true;
            self.code_generation += 1;
        }
    }

    /// Drops all marks of decoded pages.
    pub fn forget_code(&mut self) {
        self.holds_code.fill(false);
        self.rewritten.clear();
        self.code_generation += 1;
    }

    /// Changes whenever a page becomes code.
    pub fn code_generation(&self) -> u64 {
        self.code_generation
    }

    /// True if code was written since [`Self::take_rewritten`].
    #[inline(always)]
    pub fn is_code_rewritten(&self) -> bool {
        !self.rewritten.is_empty()
    }

    /// Pages with outdated code.
    pub fn take_rewritten(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.rewritten)
    }
}

/// Each size has an instruction, to which a copy of bytes is not reduced.
#[inline(always)]
fn number<const SIZE: usize>(bytes: &[u8; SIZE]) -> Option<u64> {
    Some(match *bytes.as_slice() {
        [a] => u8::from_le_bytes([a]).into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => return None,
    })
}

impl TableMemory for Memory {
    fn entry(&self, address: u64) -> Option<u64> {
        self.read::<8>(self.place(address, 8)?)
    }

    fn set_entry(&mut self, address: u64, entry: u64) {
        // The walk has read it there.
        let _ = self.store(address, &entry.to_le_bytes());
    }
}
