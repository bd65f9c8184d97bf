//! Types that channels of the library carry, and the protocols made of them.
//!
//! # The memory protocol (bundles with the roles `request` and `response`)
//! An initiator presents a [`Reference`]; the target acknowledges it when it takes it. For every reference taken the target
//! presents exactly one [`Response`], in the order in which references were taken: the data of a read or of an atomic
//! operation, the completion of a write. A write counts as performed for everybody once its response is presented.
//!
//! # The block protocol (the same roles)
//! The same with [`Block`] and [`BlockResponse`]: whole runs of bytes that travel as a payload handle. The target keeps its bus
//! busy for as long as the bytes would take. The receiver of a payload owns it and takes it out of the store.

use serde::{Deserialize, Serialize};
use spinach_engine::{Input, Payload, Signals, Value, ValueType};
use spinach_isa::atomic::AtomicOperation;
pub use spinach_isa::work::Maintenance;

/// Maximum number of bytes of a reference.
pub const REFERENCE_BYTES: usize = 16;

/// Access to a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
pub enum Access {
    /// Return the bytes.
    #[default]
    Read = 0,
    /// Store the enabled bytes.
    Write = 1,
    /// Return the aligned word and remember a reservation for the source (a load-linked).
    LoadLinked = 2,
    /// Store the word if the source's reservation is still valid; return 1 if stored, else 0 (a store-conditional).
    StoreConditional = 3,
    /// Set one bit of the bit array whose word is at the address; the data is the index of the bit in the whole array, as a
    /// number (HPCA 2005, section 4). Returns the old word.
    Set = 4,
    /// Clear the run of set bits that begins at the bit with the index in the data, in the word at the address; return the
    /// index of the last bit cleared, or the index less one (HPCA 2005, section 4; `spinach_isa::atomic`).
    Update = 5,
    /// Replace the word by the data, a number; return the old word. The others that follow do the same, with their function of the
    /// word and the data.
    Swap = 6,
    /// The sum modulo 2^32.
    Add = 7,
    /// Bitwise exclusive or.
    ExclusiveOr = 8,
    /// Bitwise and.
    And = 9,
    /// Bitwise or.
    Or = 10,
    /// The lesser as signed numbers.
    Minimum = 11,
    /// The greater as signed numbers.
    Maximum = 12,
    /// The lesser as unsigned numbers.
    MinimumUnsigned = 13,
    /// The greater as unsigned numbers.
    MaximumUnsigned = 14,
    /// Ask the caches for something, which [`Reference::maintenance`] names; memories do not know it.
    Maintain = 15,
}

impl Access {
    // One for each number of four bits, in order: the compiler takes the number itself.
    #[inline]
    fn from_bits(bits: u64) -> Self {
        match bits & 15 {
            0 => Self::Read,
            1 => Self::Write,
            2 => Self::LoadLinked,
            3 => Self::StoreConditional,
            4 => Self::Set,
            5 => Self::Update,
            6 => Self::Swap,
            7 => Self::Add,
            8 => Self::ExclusiveOr,
            9 => Self::And,
            10 => Self::Or,
            11 => Self::Minimum,
            12 => Self::Maximum,
            13 => Self::MinimumUnsigned,
            14 => Self::MaximumUnsigned,
            _ => Self::Maintain,
        }
    }

    /// Its operation on a word, if it is one.
    pub const fn atomic(self) -> Option<AtomicOperation> {
        Some(match self {
            Self::Read | Self::Write | Self::LoadLinked | Self::StoreConditional | Self::Maintain => {
                return None;
            }
            Self::Set => AtomicOperation::Set,
            Self::Update => AtomicOperation::Update,
            Self::Swap => AtomicOperation::Swap,
            Self::Add => AtomicOperation::Add,
            Self::ExclusiveOr => AtomicOperation::ExclusiveOr,
            Self::And => AtomicOperation::And,
            Self::Or => AtomicOperation::Or,
            Self::Minimum => AtomicOperation::Minimum,
            Self::Maximum => AtomicOperation::Maximum,
            Self::MinimumUnsigned => AtomicOperation::MinimumUnsigned,
            Self::MaximumUnsigned => AtomicOperation::MaximumUnsigned,
        })
    }

    /// True if memory may change.
    #[inline]
    pub const fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::LoadLinked | Self::Maintain)
    }
}

/// A request to a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reference {
    /// The address of the first byte; a multiple of `size`.
    pub address: u64,
    /// Kind of access.
    pub access: Access,
    /// Number of bytes that the reference spans: 1, 2, 4, 8 or 16.
    pub size: u8,
    /// Enabled bytes: bit `i` represents the byte at `address + i`. For [`Access::Maintain`], the number of a [`Maintenance`].
    pub enables: u16,
    /// Source, for reservations and statistics.
    pub source: u16,
    /// The bytes, in memory order: bits `8 i` to `8 i + 7` are the byte at `address + i`.
    #[serde(with = "two_words")]
    pub data: u128,
}

/// A read or a write of four whole, aligned bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordAccess {
    pub(crate) address: u64,
    pub(crate) writes: bool,
    /// Written word; arbitrary for a read.
    pub(crate) word: u32,
}

impl Reference {
    /// A read of `size` bytes.
    #[inline]
    pub const fn read(address: u64, size: u8) -> Self {
        Self { address, access: Access::Read, size, enables: all_enabled(size), source: 0, data: 0 }
    }

    /// A write of `size` bytes.
    pub const fn write(address: u64, size: u8, data: u128) -> Self {
        Self { address, access: Access::Write, size, enables: all_enabled(size), source: 0, data }
    }

    /// A request to the caches from `source`: what to do with the line of `address`, or with `data`.
    pub fn maintain(maintenance: Maintenance, address: u64, data: u32, source: u16) -> Self {
        let (access, enables) = (Access::Maintain, maintenance as u16);
        Self { address, access, size: 4, enables, source, data: data.into() }
    }

    /// Cache maintenance request, if it is one.
    #[inline]
    pub fn maintenance(&self) -> Option<Maintenance> {
        if self.access == Access::Maintain { Maintenance::of(self.enables.into()) } else { None }
    }

    // Access, size and enables as they are on the channel.
    #[inline]
    pub(crate) const fn control(access: Access, size: u8, enables: u16) -> u32 {
        access as u32 | (size as u32) << 8 | (enables as u32) << 16
    }

    /// All but the address and the bytes, as it is on the channel: its second word.
    #[inline]
    pub(crate) const fn control_word(&self) -> u64 {
        Self::control(self.access, self.size, self.enables) as u64 | (self.source as u64) << 32
    }

    /// Number of bytes, by the second word that a reference takes on a channel.
    #[inline(always)]
    pub(crate) const fn size_of(control: u64) -> u64 {
        control >> 8 & 0xff
    }

    /// The address, if `input` presents a read of a whole aligned word of four bytes. Most references are, and this costs less than
    /// to read them all.
    #[inline]
    pub(crate) fn read_of_word(signals: &Signals, input: Input<Self>) -> Option<u64> {
        Self::read_of_four_bytes(signals, input).filter(|address| address & 3 == 0)
    }

    /// The same for four whole bytes that may not be aligned.
    #[inline(always)]
    pub(crate) fn read_of_four_bytes(signals: &Signals, input: Input<Self>) -> Option<u64> {
        const READ_OF_FOUR_BYTES: u32 = Reference::control(Access::Read, 4, all_enabled(4));
        let word = signals.words(input);
        let (address, control) = (word(0), word(1));
        let is_such_a_read = control as u32 == READ_OF_FOUR_BYTES && signals.is_present(input);
        is_such_a_read.then_some(address)
    }

    /// Word access presented at `input`, if it is a read or a write of four whole, aligned bytes; for the same reason.
    #[inline(always)]
    pub(crate) fn of_word(signals: &Signals, input: Input<Self>) -> Option<WordAccess> {
        let word = signals.words(input);
        if signals.is_present(input) { Self::word_access_of(word(0), word(1), word(2)) } else { None }
    }

    /// Word access of the first three words of a reference, if it is a read or a write of four whole, aligned bytes.
    #[inline(always)]
    pub(crate) const fn word_access_of(address: u64, control: u64, data: u64) -> Option<WordAccess> {
        const OF_WORD: u32 = Reference::control(Access::Read, 4, all_enabled(4));
        const { assert!(Access::Read as u64 == 0 && Access::Write as u64 == 1) };
        if control as u32 & !1 == OF_WORD && address & 3 == 0 {
            Some(WordAccess { address, writes: control & 1 != 0, word: data as u32 })
        } else {
            None
        }
    }

    /// Access of the reference presented at `input`.
    #[inline]
    pub(crate) fn access_at(signals: &Signals, input: Input<Self>) -> Access {
        Access::from_bits(signals.word(input, 1))
    }
}

/// The enables of a reference of which all bytes take part.
#[inline]
pub const fn all_enabled(size: u8) -> u16 {
    ((1u32 << size) - 1) as u16
}

impl Value for Reference {
    const TYPE: ValueType = ValueType { name: "reference", words: 4 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let control = word(1);
        Self {
            address: word(0),
            access: Access::from_bits(control),
            size: (control >> 8) as u8,
            enables: (control >> 16) as u16,
            source: (control >> 32) as u16,
            data: u128::from(word(2)) | u128::from(word(3)) << 64,
        }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.address);
        word(1, self.control_word());
        word(2, self.data as u64);
        word(3, (self.data >> 64) as u64);
    }
}

/// The answer of a memory to a [`Reference`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Response {
    /// The bytes of a read, in memory order as in [`Reference::data`]; the result of an atomic operation, as a number; 0 after a
    /// write.
    #[serde(with = "two_words")]
    pub data: u128,
    /// True if nothing answers at this address; nothing was changed then.
    pub is_fault: bool,
}

impl Response {
    /// Answer to a reference outside of every range.
    pub const FAULT: Self = Self { data: 0, is_fault: true };

    /// True if the response presented at `input` is a fault.
    #[inline]
    pub(crate) fn is_fault_at(signals: &Signals, input: Input<Self>) -> bool {
        signals.word(input, 2) != 0
    }
}

impl Value for Response {
    const TYPE: ValueType = ValueType { name: "response", words: 3 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        Self { data: u128::from(word(0)) | u128::from(word(1)) << 64, is_fault: word(2) != 0 }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.data as u64);
        word(1, (self.data >> 64) as u64);
        word(2, u64::from(self.is_fault));
    }
}

/// A request to move a run of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// The address of the first byte; need not be aligned.
    pub address: u64,
    /// Number of bytes.
    pub length: u32,
    /// Source, for statistics.
    pub source: u16,
    /// The bytes to write; `None` to read.
    pub write: Option<Payload>,
}

impl Value for Block {
    const TYPE: ValueType = ValueType { name: "block", words: 3 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let control = word(1);
        Self {
            address: word(0),
            length: control as u32,
            source: (control >> 32) as u16,
            write: (control >> 48 != 0).then(|| Payload::from_bits(word(2) as u32)),
        }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.address);
        word(
            1,
            u64::from(self.length) | u64::from(self.source) << 32 | u64::from(self.write.is_some()) << 48,
        );
        word(2, self.write.map_or(0, |payload| u64::from(payload.to_bits())));
    }
}

/// The answer to a [`Block`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BlockResponse {
    /// The bytes that were read; `None` after a write or a fault.
    pub read: Option<Payload>,
    /// True if some of the bytes have no answer; nothing was changed then.
    pub is_fault: bool,
}

impl BlockResponse {
    /// Answer to a request with bytes outside of every range.
    pub const FAULT: Self = Self { read: None, is_fault: true };
}

impl Value for BlockResponse {
    const TYPE: ValueType = ValueType { name: "block_response", words: 1 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let bits = word(0);
        Self {
            read: (bits >> 32 & 1 != 0).then(|| Payload::from_bits(bits as u32)),
            is_fault: bits >> 33 & 1 != 0,
        }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        let read = self.read.map_or(0, |payload| u64::from(payload.to_bits()) | 1 << 32);
        word(0, read | u64::from(self.is_fault) << 33);
    }
}

/// An order to copy bytes between two memories, called the first and the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Transfer {
    /// The address of the first byte in the first memory; need not be aligned.
    pub first: u64,
    /// The address of the first byte in the second memory; need not be aligned.
    pub second: u64,
    /// Number of bytes.
    pub length: u32,
    /// True if they move from the first memory to the second, rather than back.
    pub to_second: bool,
}

impl Value for Transfer {
    const TYPE: ValueType = ValueType { name: "transfer", words: 3 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let control = word(2);
        Self { first: word(0), second: word(1), length: control as u32, to_second: control >> 32 & 1 != 0 }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        word(0, self.first);
        word(1, self.second);
        word(2, u64::from(self.length) | u64::from(self.to_second) << 32);
    }
}

/// An Ethernet frame on its way: from the destination address to the last byte before the frame check sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// The bytes, without preamble and frame check sequence.
    pub bytes: Payload,
    /// True if the frame check sequence that travels with it is correct.
    pub is_intact: bool,
    /// True if flow control made it, so that no source of traffic sent it. Only accounts of frames depend on it.
    pub is_control: bool,
}

impl Frame {
    /// A frame of a source, with a correct check sequence.
    #[inline]
    pub const fn intact(bytes: Payload) -> Self {
        Self { bytes, is_intact: true, is_control: false }
    }

    /// Number of frames of the traffic that are lost with this one: none if flow control made it.
    #[inline]
    pub(crate) fn loss(self) -> u64 {
        u64::from(!self.is_control)
    }
}

impl Value for Frame {
    const TYPE: ValueType = ValueType { name: "frame", words: 1 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let word = word(0);
        Self {
            bytes: Payload::from_bits(word as u32),
            is_intact: word >> 32 & 1 == 0,
            is_control: word >> 33 != 0,
        }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        let flags = u64::from(!self.is_intact) | u64::from(self.is_control) << 1;
        word(0, u64::from(self.bytes.to_bits()) | flags << 32);
    }
}

/// A packet on its way to or from a slot of a packet mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SlotPacket {
    /// The bytes.
    pub bytes: Payload,
    /// Slot that it is in, from 1 on; 0 for none.
    pub slot: u8,
    /// Port that it came in by, or goes to.
    pub port: u8,
    /// Core that it goes to, if it goes to one.
    pub core: Option<u8>,
}

impl Value for SlotPacket {
    const TYPE: ValueType = ValueType { name: "slot_packet", words: 1 };

    #[inline]
    fn load(word: impl Fn(u32) -> u64) -> Self {
        let bits = word(0);
        let bytes = Payload::from_bits(bits as u32);
        let core = (bits >> 56 != 0).then_some((bits >> 48) as u8);
        Self { bytes, slot: (bits >> 32) as u8, port: (bits >> 40) as u8, core }
    }

    #[inline]
    fn store(self, mut word: impl FnMut(u32, u64)) {
        let core = self.core.map_or(0, |core| u64::from(core) << 48 | 1 << 56);
        let place = u64::from(self.slot) << 32 | u64::from(self.port) << 40;
        word(0, u64::from(self.bytes.to_bits()) | place | core);
    }
}

// Structured data has no numbers beyond 64 bits.
mod two_words {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(data: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        [*data as u64, (*data >> 64) as u64].serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let [low, high] = <[u64; 2]>::deserialize(deserializer)?;
        Ok(u128::from(low) | u128::from(high) << 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: Value>(value: T) -> T {
        let mut words = [0; 8];
        value.store(|word, bits| words[word as usize] = bits);
        assert!(T::TYPE.words <= 8);
        T::load(|word| words[word as usize])
    }

    #[test]
    fn values_come_back_as_they_went() {
        for access in (0..16).map(Access::from_bits) {
            let reference = Reference {
                address: u64::MAX,
                access,
                size: 16,
                enables: 0xbeef,
                source: 77,
                data: u128::MAX / 3,
            };
            assert_eq!(round_trip(reference), reference);
        }
        let response = Response { data: u128::MAX / 5, is_fault: true };
        assert_eq!(round_trip(response), response);
        for write in [None, Some(Payload::from_bits(0)), Some(Payload::from_bits(u32::MAX))] {
            let block = Block { address: 1 << 63, length: u32::MAX, source: u16::MAX, write };
            assert_eq!(round_trip(block), block);
            let response = BlockResponse { read: write, is_fault: true };
            assert_eq!(round_trip(response), response);
        }
        for to_second in [false, true] {
            let transfer = Transfer { first: u64::MAX, second: 7, length: u32::MAX, to_second };
            assert_eq!(round_trip(transfer), transfer);
        }
        let frame = Frame { is_intact: false, is_control: true, ..Frame::intact(Payload::from_bits(9)) };
        assert_eq!(round_trip(frame), frame);
        for core in [None, Some(0), Some(u8::MAX)] {
            let packet = SlotPacket { bytes: Payload::from_bits(u32::MAX), slot: 31, port: u8::MAX, core };
            assert_eq!(round_trip(packet), packet);
        }
    }
}
