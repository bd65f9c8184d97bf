//! Pause frames (IEEE 802.3, annex 31B).

use crate::mac::link::SHORTEST_FRAME;

const GROUP: [u8; 6] = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01];
const TYPE_AND_OPERATION: [u8; 4] = [0x88, 0x08, 0x00, 0x01];

/// Number of quanta of a pause frame; `None` for other frames.
pub(crate) fn pause_quanta(bytes: &[u8]) -> Option<u64> {
    let is_pause = bytes.starts_with(&GROUP) && bytes.get(12..16)? == TYPE_AND_OPERATION;
    let quanta = u16::from_be_bytes([*bytes.get(16)?, *bytes.get(17)?]);
    is_pause.then_some(u64::from(quanta))
}

/// Pause frame with this source MAC address.
pub(super) fn pause_frame(address: u64, quanta: u16) -> Vec<u8> {
    let mut frame =
        [&GROUP[..], &address.to_be_bytes()[2..], &TYPE_AND_OPERATION, &quanta.to_be_bytes()].concat();
    frame.resize(SHORTEST_FRAME, 0);
    frame
}

#[cfg(test)]
mod tests {
    use super::{pause_frame, pause_quanta};

    #[test]
    fn pause_frames_are_those_of_the_standard() {
        let frame = pause_frame(0x0253_5049_4e41, 0x1234);
        assert_eq!(
            frame[..18],
            [1, 0x80, 0xc2, 0, 0, 1, 2, 0x53, 0x50, 0x49, 0x4e, 0x41, 0x88, 8, 0, 1, 0x12, 0x34]
        );
        assert_eq!((frame.len(), pause_quanta(&frame)), (60, Some(0x1234)));
        for place in (0..6).chain(12..16) {
            let mut other = frame.clone();
            other[place] ^= 1;
            assert_eq!(pause_quanta(&other), None, "byte {place}");
        }
        assert_eq!(pause_quanta(&frame[..17]), None);
    }
}
