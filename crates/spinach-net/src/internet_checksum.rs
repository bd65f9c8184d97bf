//! The Internet checksum (RFC 1071), its places in frames of IP, TCP and UDP, and its offload.

use crate::ethernet;

const IPV4_HEADER_BYTES: usize = 20;
const IPV6_HEADER_BYTES: usize = 40;
const TCP: u8 = 6;
const UDP: u8 = 17;
/// Offset of the checksum in a UDP datagram; zero there means that there is no checksum.
const UDP_FIELD: usize = 6;
const TCP_FIELD: usize = 16;

/// The one's complement sum of big-endian half words, the last filled up with zero.
pub fn sum(bytes: &[u8]) -> u16 {
    // 2^16 is 1 where half words are added so, and only zeros add up to zero: two at a time give the same.
    let (words, rest) = bytes.as_chunks::<4>();
    let words: u64 = words.iter().map(|word| u64::from(u32::from_be_bytes(*word))).sum();
    fold(words + halves(rest))
}

/// The one's complement sum of two half words.
pub fn add(one: u16, other: u16) -> u16 {
    fold(u64::from(one) + u64::from(other))
}

fn halves(bytes: &[u8]) -> u64 {
    bytes.chunks(2).map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0))).sum()
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// Puts the checksum of all bytes from `start` on into the two bytes at `field`, which hold the sum of a pseudo header before. False
/// if the field does not lie in the bytes behind `start`.
pub fn insert(frame: &mut [u8], start: usize, field: usize) -> bool {
    if field < start || field + 2 > frame.len() {
        return false;
    }
    let checksum = match !sum(&frame[start..]) {
        0 if field == start + UDP_FIELD => 0xffff,
        checksum => checksum,
    };
    frame[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
    true
}

/// A TCP segment or UDP datagram in one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Offset of the header in the frame.
    pub start: usize,
    /// The first byte behind it; a short frame is padded beyond.
    pub end: usize,
    /// Offset of the checksum in the frame.
    pub field: usize,
    /// The sum of the pseudo header.
    pub pseudo_header: u16,
}

impl Segment {
    /// Checksum of a frame with IPv4; `None` if it has none.
    pub fn of(frame: &[u8]) -> Option<Self> {
        Self::place(frame).filter(|it| it.is_used(frame))
    }

    /// Place of the checksum of a frame with IPv4, even if the datagram does without; `None` if it has none.
    fn place(frame: &[u8]) -> Option<Self> {
        let ip = frame.get(ethernet::HEADER_BYTES..).filter(|ip| ip.len() >= IPV4_HEADER_BYTES)?;
        let half = |at: usize| u16::from_be_bytes([ip[at], ip[at + 1]]);
        let header_bytes = usize::from(ip[0] & 15) * 4;
        let (total, is_fragment) = (usize::from(half(2)), half(6) & 0x3fff != 0);
        let is_ipv4 = frame[12..14] == [8, 0] && ip[0] >> 4 == 4 && header_bytes >= IPV4_HEADER_BYTES;
        if !is_ipv4 || is_fragment || total > ip.len() || header_bytes > total {
            return None;
        }
        Self::within(header_bytes, total, ip[9], &ip[12..20])
    }

    /// Checksum of a frame with IPv6, of which extension headers are not followed; `None` if it has none.
    pub fn of_ipv6(frame: &[u8]) -> Option<Self> {
        let ip = frame.get(ethernet::HEADER_BYTES..).filter(|ip| ip.len() >= IPV6_HEADER_BYTES)?;
        let total = IPV6_HEADER_BYTES + usize::from(u16::from_be_bytes([ip[4], ip[5]]));
        if frame[12..14] != [0x86, 0xdd] || ip[0] >> 4 != 6 || total > ip.len() {
            return None;
        }
        Self::within(IPV6_HEADER_BYTES, total, ip[6], &ip[8..40]).filter(|it| it.is_used(frame))
    }

    /// Place of the checksum in a packet of `total` bytes whose header has `header_bytes`.
    fn within(header_bytes: usize, total: usize, protocol: u8, addresses: &[u8]) -> Option<Self> {
        let field = match protocol {
            UDP => UDP_FIELD,
            TCP => TCP_FIELD,
            _ => return None,
        };
        if header_bytes + field + 2 > total {
            return None;
        }
        let start = ethernet::HEADER_BYTES + header_bytes;
        let (end, field) = (ethernet::HEADER_BYTES + total, start + field);
        let length = (total - header_bytes) as u64;
        let pseudo_header = fold(u64::from(sum(addresses)) + u64::from(protocol) + length);
        Some(Self { start, end, field, pseudo_header })
    }

    /// False for a datagram without a checksum.
    fn is_used(&self, frame: &[u8]) -> bool {
        self.field != self.start + UDP_FIELD || frame[self.field..self.field + 2] != [0, 0]
    }

    /// True if the checksum is correct.
    pub fn is_right(&self, frame: &[u8]) -> bool {
        fold(u64::from(sum(&frame[self.start..self.end])) + u64::from(self.pseudo_header)) == 0xffff
    }
}

/// Length of all headers of a frame that holds a TCP segment in one piece.
pub fn tcp_headers_bytes(frame: &[u8]) -> Option<usize> {
    const OFFSET_FIELD: usize = 12;
    let Segment { start, end, .. } = Segment::of(frame).filter(|it| it.field == it.start + TCP_FIELD)?;
    let bytes = start + usize::from(frame.get(start + OFFSET_FIELD)? >> 4) * 4;
    (bytes <= end).then_some(bytes)
}

/// Length of all headers of a frame that holds a TCP segment or a UDP datagram in one piece.
pub fn headers_bytes(frame: &[u8]) -> Option<usize> {
    const UDP_HEADER_BYTES: usize = 8;
    let udp = || Segment::of(frame).filter(|it| it.field == it.start + UDP_FIELD);
    tcp_headers_bytes(frame).or_else(|| udp().map(|it| it.start + UDP_HEADER_BYTES))
}

/// Offset of the checksum in the IPv4 header.
const IPV4_FIELD: usize = 10;

/// The length of the header of a frame that holds IPv4.
fn ipv4_header_bytes(frame: &[u8]) -> Option<usize> {
    let ip = frame.get(ethernet::HEADER_BYTES..).filter(|ip| ip.len() >= IPV4_HEADER_BYTES)?;
    let bytes = usize::from(ip[0] & 15) * 4;
    let is_ipv4 = frame[12..14] == [8, 0] && ip[0] >> 4 == 4;
    (is_ipv4 && (IPV4_HEADER_BYTES..=ip.len()).contains(&bytes)).then_some(bytes)
}

/// Computes the checksums of a frame, whatever is in their places: of its IPv4 header, of its TCP segment or UDP datagram. A frame
/// without these is left as it is.
pub fn complete(frame: &mut [u8], header: bool, segment: bool) {
    let Some(bytes) = ipv4_header_bytes(frame) else { return };
    // The segment's place is found before anything changes: only a whole one has a checksum.
    let segment = Segment::place(frame).filter(|_| segment);
    if header {
        let field = ethernet::HEADER_BYTES + IPV4_FIELD;
        frame[field..field + 2].fill(0);
        let checksum = !sum(&frame[ethernet::HEADER_BYTES..ethernet::HEADER_BYTES + bytes]);
        frame[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
    }
    if let Some(Segment { start, end, field, pseudo_header }) = segment {
        frame[field..field + 2].copy_from_slice(&pseudo_header.to_be_bytes());
        insert(&mut frame[..end], start, field);
    }
}

/// Checksum verdict of a card on a received frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// It holds IPv4.
    pub is_ip: bool,
    /// The checksum of its header is wrong.
    pub is_ip_wrong: bool,
    /// It holds a TCP segment in one piece.
    pub is_tcp: bool,
    /// It holds a UDP datagram in one piece, with a checksum.
    pub is_udp: bool,
    /// The checksum of the segment or datagram is wrong.
    pub is_segment_wrong: bool,
}

/// Checksum verdict on a frame.
pub fn verdict(frame: &[u8]) -> Verdict {
    let Some(bytes) = ipv4_header_bytes(frame) else { return Verdict::default() };
    let header = &frame[ethernet::HEADER_BYTES..ethernet::HEADER_BYTES + bytes];
    let segment = Segment::of(frame);
    let protocol = segment.map(|_| header[9]);
    Verdict {
        is_ip: true,
        is_ip_wrong: sum(header) != 0xffff,
        is_tcp: protocol == Some(TCP),
        is_udp: protocol == Some(UDP),
        is_segment_wrong: segment.is_some_and(|segment| !segment.is_right(frame)),
    }
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;

    use super::*;

    fn frame(is_udp: bool, payload: &[u8]) -> Vec<u8> {
        let ip = PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        let mut frame = Vec::new();
        let written = if is_udp {
            ip.udp(7, 9).write(&mut frame, payload)
        } else {
            ip.tcp(7, 9, 1, 100).write(&mut frame, payload)
        };
        written.unwrap();
        frame.resize(frame.len().max(60), 0);
        frame
    }

    #[test]
    fn headers_end_where_the_payload_begins() {
        let ip = || PacketBuilder::ethernet2([2; 6], [4; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        let mut options = Vec::new();
        // As timestamps with their padding.
        ip().tcp(7, 9, 1, 100).options_raw(&[1; 12]).unwrap().write(&mut options, &[9; 100]).unwrap();
        assert_eq!(tcp_headers_bytes(&frame(false, &[9; 100])), Some(54));
        assert_eq!(tcp_headers_bytes(&options), Some(66));
        assert_eq!(tcp_headers_bytes(&frame(true, &[9; 100])), None);
    }

    #[test]
    fn half_words_two_at_a_time_add_up_to_the_same() {
        for length in 0..70 {
            for step in [0_u8, 1, 37, 255] {
                let bytes: Vec<u8> = (0..length).map(|byte: u8| byte.wrapping_mul(step)).collect();
                assert_eq!(sum(&bytes), fold(halves(&bytes)), "{bytes:?}");
                assert_eq!(
                    sum(&[bytes.as_slice(), &[255; 9]].concat()),
                    fold(halves(&[&bytes, &[255; 9][..]].concat()))
                );
            }
        }
    }

    #[test]
    fn what_another_library_computes_is_right_and_comes_out_again() {
        for is_udp in [true, false] {
            for length in 0..70u8 {
                let payload: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37)).collect();
                let right = frame(is_udp, &payload);
                let segment = Segment::of(&right).unwrap();
                assert!(segment.is_right(&right));
                let mut sent = right.clone();
                sent[segment.field..segment.field + 2].copy_from_slice(&segment.pseudo_header.to_be_bytes());
                assert!(insert(&mut sent, segment.start, segment.field));
                assert_eq!(sent, right);
                sent[segment.end - 1] ^= 1;
                assert!(!segment.is_right(&sent));
            }
        }
    }

    #[test]
    fn what_another_library_computes_over_ipv6_is_right() {
        for length in [0, 1, 18, 200] {
            let ip = || PacketBuilder::ethernet2([2; 6], [4; 6]).ipv6([1; 16], [0xfe; 16], 64);
            let (mut tcp, mut udp) = (Vec::new(), Vec::new());
            ip().tcp(7, 9, 1, 100).write(&mut tcp, &vec![0xa5; length]).unwrap();
            ip().udp(7, 9).write(&mut udp, &vec![0xa5; length]).unwrap();
            for mut frame in [tcp, udp] {
                // Padding does not count.
                let bytes = frame.len();
                frame.extend([0xee; 5]);
                let segment = Segment::of_ipv6(&frame).unwrap();
                assert_eq!((segment.start, segment.end), (54, bytes));
                assert!(segment.is_right(&frame));
                assert_eq!(Segment::of(&frame), None, "not IPv4");
                frame[30] ^= 1;
                assert!(!segment.is_right(&frame) || !Segment::of_ipv6(&frame).unwrap().is_right(&frame));
                for (at, byte) in [(20, 0), (14, 0x45), (13, 0), (18, 0xff)] {
                    let mut other = frame.clone();
                    other[at] = byte;
                    assert_eq!(Segment::of_ipv6(&other), None, "byte {at}");
                }
                assert_eq!(Segment::of_ipv6(&frame[..53]), None);
            }
        }
    }

    #[test]
    fn a_card_completes_what_another_library_computes_and_finds_what_is_wrong() {
        for is_udp in [true, false] {
            for length in [0, 1, 17, 18, 200] {
                let right = frame(is_udp, &vec![0xa5; length]);
                let good = Verdict { is_ip: true, is_tcp: !is_udp, is_udp, ..Verdict::default() };
                assert_eq!(verdict(&right), good);
                let field = Segment::of(&right).unwrap().field;
                let mut sent = right.clone();
                sent[24..26].fill(0x11);
                sent[field..field + 2].fill(0);
                complete(&mut sent, true, true);
                assert_eq!(sent, right);
                sent[field] ^= 1;
                assert_eq!(verdict(&sent), Verdict { is_segment_wrong: true, ..good });
                sent[22] ^= 1;
                assert!(verdict(&sent).is_ip_wrong);
            }
        }
        assert_eq!(verdict(&[0; 60]), Verdict::default());
    }

    #[test]
    fn what_looks_like_a_checksum_in_frames_without_a_segment_stays() {
        let mut datagram = frame(true, &[0xa5; 40]);
        datagram[40..42].fill(0);
        let (mut fragment, mut cut) = (datagram.clone(), datagram);
        fragment[21] = 9;
        cut[16] = 0xff;
        for frame in [fragment, cut] {
            let mut sent = frame.clone();
            complete(&mut sent, true, true);
            assert_eq!(sent[34..], frame[34..]);
            assert!(!verdict(&sent).is_ip_wrong);
        }
    }

    #[test]
    fn frames_without_a_checksum_have_no_segment() {
        let with = |at: usize, byte: u8| {
            let mut frame = frame(true, b"payload");
            frame[at] = byte;
            Segment::of(&frame)
        };
        assert!(with(18, 0).is_some());
        assert_eq!(with(13, 6), None, "not IP");
        assert_eq!(with(14, 0x44), None, "a header too short");
        assert_eq!(with(16, 0xff), None, "longer than the frame");
        assert_eq!(with(20, 0x20), None, "a fragment");
        assert_eq!(with(23, 1), None, "neither TCP nor UDP");
        let mut without = frame(true, b"payload");
        without[40..42].fill(0);
        assert_eq!(Segment::of(&without), None);
        assert_eq!(Segment::of(&without[..20]), None);
    }

    #[test]
    fn a_field_outside_of_the_bytes_is_refused() {
        assert!(!insert(&mut [0; 60], 34, 59));
        assert!(!insert(&mut [0; 60], 34, 32));
        assert!(insert(&mut [0; 60], 34, 58));
    }
}
