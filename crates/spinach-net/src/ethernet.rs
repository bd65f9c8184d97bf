//! Ethernet: the duration of frames on a wire, their check sequence and their destination (IEEE 802.3, clauses 3 and 4).

/// The shortest frame without its check sequence; shorter ones are padded.
pub const FRAME_MINIMUM_BYTES: usize = 60;
/// Preamble and start delimiter.
pub const PREAMBLE_BYTES: u64 = 8;
/// The frame check sequence.
pub const CHECK_SEQUENCE_BYTES: u64 = 4;
/// The shortest gap between frames.
pub const GAP_BYTES: u64 = 12;
const PICOSECONDS: u128 = 1_000_000_000_000;

/// Duration of bytes on a wire, in picoseconds, rounded up.
pub fn duration(bytes: u64, bits_per_s: u64) -> u64 {
    (u128::from(bytes) * 8 * PICOSECONDS).div_ceil(u128::from(bits_per_s)) as u64
}

/// Duration on the wire of a frame of `length` bytes, without preamble and check sequence, in picoseconds.
pub fn frame_duration(length: usize, bits_per_s: u64) -> u64 {
    duration(PREAMBLE_BYTES + length as u64 + CHECK_SEQUENCE_BYTES, bits_per_s)
}

/// Minimum time from the start of sending to the last bit of the frame.
pub fn shortest_duration(bits_per_s: u64) -> u64 {
    frame_duration(FRAME_MINIMUM_BYTES, bits_per_s)
}

/// The check sequence of a frame.
pub fn check_sequence(frame: &[u8]) -> [u8; CHECK_SEQUENCE_BYTES as usize] {
    crc32fast::hash(frame).to_le_bytes()
}

/// Kind of the destination of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// One station.
    One,
    /// A group.
    Group,
    /// All.
    All,
}

/// The kind of destination that the first six bytes of a frame name.
pub fn destination(frame: &[u8]) -> Destination {
    match frame.get(..6) {
        Some([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) => Destination::All,
        Some([first, ..]) if first & 1 != 0 => Destination::Group,
        _ => Destination::One,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_frame_takes_72_bytes() {
        assert_eq!(shortest_duration(10_000_000_000), 72 * 800);
        assert_eq!(frame_duration(FRAME_MINIMUM_BYTES, 10_000_000_000), 72 * 800);
    }

    #[test]
    fn a_destination_follows_from_the_first_bytes() {
        assert_eq!(destination(&[0xff; 14]), Destination::All);
        assert_eq!(destination(&[1; 14]), Destination::Group);
        assert_eq!(destination(&[2; 14]), Destination::One);
    }
}
