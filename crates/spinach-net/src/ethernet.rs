//! Ethernet: the duration of frames on a wire, their check sequence and their destination (IEEE 802.3, clauses 3 and 4), and flow
//! control (annex 31B).

/// Destination, source and type, without tags.
pub const HEADER_BYTES: usize = 14;
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

/// Destination of a pause frame for the other end, of any address, and type and operation of pause frames.
pub const PAUSE_DESTINATION: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 1];
const PAUSE_KIND: [u8; 4] = [0x88, 0x08, 0, 1];
/// The time of a quantum of a pause, in bytes on the wire.
pub const PAUSE_QUANTUM_BYTES: u64 = 64;

/// Frame that asks the other end to send nothing for a number of 512-bit times; zero ends a pause.
pub fn pause_frame(source: [u8; 6], quanta: u16) -> Vec<u8> {
    let mut frame = [&PAUSE_DESTINATION[..], &source, &PAUSE_KIND, &quanta.to_be_bytes()].concat();
    frame.resize(FRAME_MINIMUM_BYTES, 0);
    frame
}

/// Number of quanta of a pause frame to the station of this address, or to the other end of any address; `None` for other frames.
pub fn pause_quanta(frame: &[u8], station: [u8; 6]) -> Option<u64> {
    let destination = frame.get(..6)?;
    let is_pause = (destination == PAUSE_DESTINATION || destination == station)
        && frame.get(12..16) == Some(&PAUSE_KIND);
    let quanta = frame.get(16..18).filter(|_| is_pause)?;
    Some(u16::from_be_bytes([quanta[0], quanta[1]]).into())
}

/// Duration of the pause of such a frame, in picoseconds; `None` for other frames.
pub fn pause_duration(frame: &[u8], station: [u8; 6], bits_per_s: u64) -> Option<u64> {
    Some(duration(pause_quanta(frame, station)? * PAUSE_QUANTUM_BYTES, bits_per_s))
}

/// Type of a frame with the tag of a VLAN (IEEE 802.1Q).
const TAGGED: [u8; 2] = [0x81, 0];

/// True if the tag of a VLAN follows the addresses.
pub fn is_tagged(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&TAGGED)
}

/// True if a frame has more than `largest` bytes; with the tag of a VLAN it may have `tag_bytes` more.
pub fn is_oversize(frame: &[u8], largest: usize, tag_bytes: usize) -> bool {
    frame.len() > largest + if is_tagged(frame) { tag_bytes } else { 0 }
}

/// Kind of the destination of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// One receiver.
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
    fn pause_frames_are_those_of_the_standard() {
        let frame = pause_frame([2, 0x53, 0x50, 0x49, 0x4e, 0x41], 0x1234);
        assert_eq!(
            frame[..18],
            [1, 0x80, 0xc2, 0, 0, 1, 2, 0x53, 0x50, 0x49, 0x4e, 0x41, 0x88, 8, 0, 1, 0x12, 0x34]
        );
        let station = [2, 0, 0, 0, 0, 7];
        let mut to_station = frame.clone();
        to_station[..6].copy_from_slice(&station);
        for frame in [frame, to_station] {
            assert_eq!((frame.len(), pause_quanta(&frame, station)), (60, Some(0x1234)));
            for place in (0..6).chain(12..16) {
                let mut other = frame.clone();
                other[place] ^= 1;
                assert_eq!(pause_quanta(&other, station), None, "byte {place}");
            }
            assert_eq!(pause_quanta(&frame[..17], station), None);
        }
    }

    #[test]
    fn a_pause_takes_its_quanta() {
        let rate = 10_000_000_000;
        let pause = |frame: &[u8]| pause_duration(frame, [4; 6], rate);
        assert_eq!(pause(&pause_frame([2; 6], 3)), Some(3 * 51_200));
        assert_eq!(pause(&pause_frame([2; 6], 0)), Some(0));
        assert_eq!(pause(&[0; 60]), None);
    }

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
