//! Segmentation of large sends of TCP: the headers of each frame, from those of the whole.

use crate::internet_checksum::{add, insert, sum};

const IPV4_TOTAL_LENGTH: usize = 2;
const IPV4_IDENTIFICATION: usize = 4;
const IPV4_CHECKSUM: usize = 10;
const IPV6_PAYLOAD_LENGTH: usize = 4;
const IPV6_HEADER_BYTES: usize = 40;
const TCP_SEQUENCE: usize = 4;
const TCP_FLAGS: usize = 13;
const TCP_CHECKSUM: usize = 16;
const SHORTEST_TCP_HEADER: usize = 20;
const SHORTEST_IP_HEADER: usize = 20;
const FINISH_AND_PUSH: u8 = 0x01 | 0x08;
const WINDOW_REDUCED: u8 = 0x80;

/// Places of the headers of a large send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Offset of the IP header.
    pub network: usize,
    /// Offset of the TCP header.
    pub transport: usize,
    /// Bytes of all headers.
    pub headers: usize,
}

impl Layout {
    /// True if IP and TCP have room.
    pub fn is_possible(&self) -> bool {
        self.network + SHORTEST_IP_HEADER <= self.transport
            && self.transport + SHORTEST_TCP_HEADER <= self.headers
    }

    /// Completes the headers of one frame, which are copies of those of the whole. Frame `number` of the send begins `offset` bytes
    /// into its payload. The place of the TCP checksum holds the sum of the pseudo header without the length.
    pub fn complete(&self, frame: &mut [u8], number: u32, offset: u32, is_last: bool) {
        let (bytes, network, transport) = (frame.len(), self.network, self.transport);
        let half = |frame: &[u8], at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
        let put =
            |frame: &mut [u8], at: usize, value: u16| frame[at..at + 2].copy_from_slice(&value.to_be_bytes());
        if frame[network] >> 4 == 4 {
            put(frame, network + IPV4_TOTAL_LENGTH, (bytes - network) as u16);
            let identification = half(frame, network + IPV4_IDENTIFICATION).wrapping_add(number as u16);
            put(frame, network + IPV4_IDENTIFICATION, identification);
            put(frame, network + IPV4_CHECKSUM, 0);
            let checksum = !sum(&frame[network..transport]);
            put(frame, network + IPV4_CHECKSUM, checksum);
        } else {
            let payload = bytes.saturating_sub(network + IPV6_HEADER_BYTES);
            put(frame, network + IPV6_PAYLOAD_LENGTH, payload as u16);
        }
        let sequence = &mut frame[transport + TCP_SEQUENCE..transport + TCP_SEQUENCE + 4];
        let first = u32::from_be_bytes([sequence[0], sequence[1], sequence[2], sequence[3]]);
        sequence.copy_from_slice(&first.wrapping_add(offset).to_be_bytes());
        if !is_last {
            frame[transport + TCP_FLAGS] &= !FINISH_AND_PUSH;
        }
        if number > 0 {
            frame[transport + TCP_FLAGS] &= !WINDOW_REDUCED;
        }
        let field = transport + TCP_CHECKSUM;
        let pseudo_header = add(half(frame, field), (bytes - transport) as u16);
        put(frame, field, pseudo_header);
        insert(frame, transport, field);
    }
}

#[cfg(test)]
mod tests {
    use etherparse::{PacketBuilder, TcpHeader};

    use super::*;

    /// A segment of TCP, made whole by another library. Its flags depend on its place.
    fn segment(
        is_ipv4: bool,
        identification: u16,
        sequence: u32,
        flags: [bool; 3],
        payload: &[u8],
    ) -> Vec<u8> {
        let ethernet = PacketBuilder::ethernet2([2; 6], [4; 6]);
        let mut header = TcpHeader::new(7, 9, sequence, 100);
        header.set_options_raw(&[1; 12]).unwrap();
        (header.ack, header.acknowledgment_number) = (true, 5);
        [header.fin, header.psh, header.cwr] = flags;
        let mut frame = Vec::new();
        let builder = if is_ipv4 {
            let mut ip = etherparse::Ipv4Header { time_to_live: 64, ..Default::default() };
            (ip.identification, ip.dont_fragment) = (identification, true);
            (ip.source, ip.destination) = ([10, 0, 0, 1], [10, 0, 0, 2]);
            ethernet.ip(etherparse::IpHeaders::Ipv4(ip, Default::default()))
        } else {
            ethernet.ipv6([1; 16], [0xfe; 16], 64)
        };
        builder.tcp_header(header).write(&mut frame, payload).unwrap();
        frame
    }

    #[test]
    fn frames_of_a_large_send_are_those_that_another_library_makes() {
        let payload: Vec<u8> = (0..1001_u32).map(|byte| (byte * 37) as u8).collect();
        for (is_ipv4, transport) in [(true, 34), (false, 54)] {
            let layout = Layout { network: 14, transport, headers: transport + 32 };
            assert!(layout.is_possible());
            let first = 0xffff_ff00;
            let whole = segment(is_ipv4, 0xffff, first, [true; 3], &payload);
            let mut given = whole[..layout.headers].to_vec();
            let addresses = if is_ipv4 { 26..34 } else { 22..54 };
            let pseudo_header = add(sum(&whole[addresses]), 6);
            given[transport + 16..transport + 18].copy_from_slice(&pseudo_header.to_be_bytes());
            for (number, part) in payload.chunks(300).enumerate() {
                let (offset, is_last) = (300 * number as u32, number == 3);
                let mut made = [&given, part].concat();
                layout.complete(&mut made, number as u32, offset, is_last);
                let identification = 0xffff_u16.wrapping_add(number as u16);
                let flags = [is_last, is_last, number == 0];
                let expected = segment(is_ipv4, identification, first.wrapping_add(offset), flags, part);
                assert_eq!(made, expected, "{is_ipv4} {number}");
            }
        }
    }

    #[test]
    fn headers_without_room_are_not_possible() {
        let layout = |network, transport, headers| Layout { network, transport, headers };
        assert!(layout(14, 34, 54).is_possible());
        assert!(!layout(14, 33, 54).is_possible());
        assert!(!layout(14, 34, 53).is_possible());
    }
}
