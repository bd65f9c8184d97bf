//! Sets of general registers, as bits.

/// The bit of a general register; none for register 0, whose value never changes.
#[inline]
pub(super) const fn bit(register: u8) -> u64 {
    1 << (register & 63) & !1
}
