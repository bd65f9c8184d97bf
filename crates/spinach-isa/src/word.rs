//! Machine words of 32 and 64 bits, as cores compute with them.

use std::fmt::{Debug, LowerHex};
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Byte order of words in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// The most significant byte first.
    Big,
    /// The least significant byte first.
    Little,
}

/// A general register or an address.
pub trait Word:
    Copy
    + Eq
    + Ord
    + Default
    + Debug
    + LowerHex
    + Hash
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// Number of bits.
    const BITS: u32;
    /// The number 1.
    const ONE: Self;

    /// The low bits of a number.
    fn from_u64(number: u64) -> Self;
    /// Unsigned value.
    fn to_u64(self) -> u64;
    /// Signed value.
    fn to_signed(self) -> i64;
    /// 32 bits, extended by their sign.
    fn from_signed(number: u32) -> Self;
    /// The sum modulo 2^BITS.
    #[must_use]
    fn wrapping_add(self, other: Self) -> Self;
    /// The difference modulo 2^BITS.
    #[must_use]
    fn wrapping_sub(self, other: Self) -> Self;
    /// The bytes in the opposite order.
    #[must_use]
    fn swap_bytes(self) -> Self;
    /// Shifted left; `count` is below BITS.
    #[must_use]
    fn shift_left(self, count: u32) -> Self;
    /// Shifted right, zeros from above.
    #[must_use]
    fn shift_right(self, count: u32) -> Self;
    /// Shifted right, sign bits from above.
    #[must_use]
    fn shift_right_signed(self, count: u32) -> Self;
    /// The low bits, enough for numbers below 256.
    fn low_bits(self) -> u32;

    /// The sum with a small number modulo 2^BITS.
    #[inline]
    #[must_use]
    fn plus(self, bytes: u32) -> Self {
        self.wrapping_add(Self::from_u64(u64::from(bytes)))
    }

    /// True if a power of two divides it.
    #[inline]
    fn is_aligned(self, bytes: u32) -> bool {
        self.low_bits() & (bytes - 1) == 0
    }
}

macro_rules! word {
    ($word:ident, $signed:ident) => {
        impl Word for $word {
            const BITS: u32 = $word::BITS;
            const ONE: Self = 1;

            #[inline]
            fn from_u64(number: u64) -> Self {
                number as Self
            }
            #[inline]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
            #[inline]
            fn to_signed(self) -> i64 {
                i64::from(self as $signed)
            }
            #[inline]
            fn from_signed(number: u32) -> Self {
                number as i32 as Self
            }
            #[inline]
            fn wrapping_add(self, other: Self) -> Self {
                $word::wrapping_add(self, other)
            }
            #[inline]
            fn wrapping_sub(self, other: Self) -> Self {
                $word::wrapping_sub(self, other)
            }
            #[inline]
            fn swap_bytes(self) -> Self {
                $word::swap_bytes(self)
            }
            #[inline]
            fn shift_left(self, count: u32) -> Self {
                self << count
            }
            #[inline]
            fn shift_right(self, count: u32) -> Self {
                self >> count
            }
            #[inline]
            fn shift_right_signed(self, count: u32) -> Self {
                (self as $signed >> count) as Self
            }
            #[inline]
            fn low_bits(self) -> u32 {
                self as u32
            }
        }
    };
}

word!(u32, i32);
word!(u64, i64);
