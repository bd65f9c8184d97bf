//! Bit sets over items such as lanes, packed into words.

/// The numbers of the bits that are set, the lowest first.
#[inline(always)]
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

/// The lowest `count` bits; at most 64 of them.
#[inline]
pub fn lowest(count: usize) -> u64 {
    if count < 64 { (1 << count) - 1 } else { u64::MAX }
}

/// Sets bit number `bit`, or clears it.
#[inline]
pub fn set_bit(bits: &mut u64, bit: usize, value: bool) {
    *bits = *bits & !(1 << bit) | u64::from(value) << bit;
}
