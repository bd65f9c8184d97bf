//! The memory that the reference interpreter runs on.

use serde::{Deserialize, Serialize};

use super::access::ByteEnables;
use crate::atomic::AtomicOperation;
use crate::interpreter::Bytes;

/// Nothing answers at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BusError;

/// Big-endian memory of 32-bit words, as seen by one core. All addresses are multiples of 4.
pub trait Memory {
    /// Reads an instruction.
    ///
    /// # Errors
    /// [`BusError`] if nothing answers.
    fn fetch(&mut self, word_address: u32) -> Result<u32, BusError>;

    /// Reads the word, of which only the enabled bytes matter.
    ///
    /// # Errors
    /// [`BusError`] if nothing answers.
    fn read(&mut self, word_address: u32, enables: ByteEnables) -> Result<u32, BusError>;

    /// Replaces the enabled bytes of the word.
    ///
    /// # Errors
    /// [`BusError`] if nothing answers.
    fn write(&mut self, word_address: u32, data: u32, enables: ByteEnables) -> Result<(), BusError>;

    /// Stores for an `sc` with a valid link; returns true if it took effect. A memory with other users overrides this, or breaks
    /// the core's link when another writes the word.
    ///
    /// # Errors
    /// [`BusError`] if nothing answers.
    fn store_conditional(&mut self, word_address: u32, data: u32) -> Result<bool, BusError> {
        self.write(word_address, data, ByteEnables::ALL).map(|()| true)
    }

    /// Performs a read-modify-write and returns its result. A memory with other users lets none of them in
    /// between.
    ///
    /// # Errors
    /// [`BusError`] if nothing answers.
    fn atomic(
        &mut self,
        word_address: u32,
        operation: AtomicOperation,
        operand: u32,
    ) -> Result<u32, BusError> {
        let word = self.read(word_address, ByteEnables::ALL)?;
        let outcome = operation.apply(word, operand);
        self.write(word_address, outcome.word, ByteEnables::ALL)?;
        Ok(outcome.result)
    }
}

/// A plain memory from `base` on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlatMemory {
    base: u32,
    words: Vec<u32>,
}

impl FlatMemory {
    /// A memory of zeros from `base`, rounded down to a word, to at least `size_bytes` further.
    pub fn new(base: u32, size_bytes: u32) -> Self {
        Self { base: base & !3, words: vec![0; size_bytes.div_ceil(4) as usize] }
    }

    /// The words from the base on.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words from the base on, to fill.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    fn word(&mut self, word_address: u32) -> Result<&mut u32, BusError> {
        let index = word_address.wrapping_sub(self.base) / 4;
        self.words.get_mut(index as usize).ok_or(BusError)
    }
}

impl Memory for FlatMemory {
    #[inline]
    fn fetch(&mut self, word_address: u32) -> Result<u32, BusError> {
        self.word(word_address).map(|word| *word)
    }

    #[inline]
    fn read(&mut self, word_address: u32, _: ByteEnables) -> Result<u32, BusError> {
        self.word(word_address).map(|word| *word)
    }

    #[inline]
    fn write(&mut self, word_address: u32, data: u32, enables: ByteEnables) -> Result<(), BusError> {
        let word = self.word(word_address)?;
        *word = enables.merge(*word, data);
        Ok(())
    }
}

impl Memory for Bytes {
    fn fetch(&mut self, word_address: u32) -> Result<u32, BusError> {
        let bytes = Bytes::read(self, word_address.into(), 4).ok_or(BusError)?;
        Ok((bytes as u32).swap_bytes())
    }

    fn read(&mut self, word_address: u32, _: ByteEnables) -> Result<u32, BusError> {
        self.fetch(word_address)
    }

    fn write(&mut self, word_address: u32, data: u32, enables: ByteEnables) -> Result<(), BusError> {
        let bytes = u64::from(data.swap_bytes());
        Bytes::write(self, word_address.into(), 4, enables.0, bytes).ok_or(BusError)
    }
}
