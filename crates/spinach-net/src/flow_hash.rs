//! Hashes of flows, as receiving cards spread frames by them (receive-side scaling).

use crate::ethernet;

/// Number of bytes of a key.
pub const KEY_BYTES: usize = 40;

/// The key that drivers and cards use by default.
pub const DEFAULT_KEY: [u8; KEY_BYTES] = [
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0,
    0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42,
    0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
];

const ETHER_TYPE: usize = 12;
const IPV4: [u8; 2] = [0x08, 0x00];
/// Version 4, and a header of five words.
const WITHOUT_OPTIONS: u8 = 0x45;
const PROTOCOL: usize = ethernet::HEADER_BYTES + 9;
const ADDRESSES: usize = ethernet::HEADER_BYTES + 12;
const PORTS: usize = ADDRESSES + 8;
const PORTS_END: usize = PORTS + 4;
const IPV6: [u8; 2] = [0x86, 0xdd];
const IPV6_HEADER_BYTES: usize = 40;
/// More fragments, and the offset of a fragment.
const FRAGMENT: u16 = 0x3fff;

/// Toeplitz hash of at most 36 bytes: for each set bit of `data`, the 32 bits of the key that begin at its place are added without carry.
///
/// # Panics
/// If `data` is longer than the key less 32 bits.
pub fn toeplitz(key: &[u8; KEY_BYTES], data: &[u8]) -> u32 {
    assert!(data.len() + 4 <= KEY_BYTES, "the key has no bits for byte {}", data.len());
    let mut hash = 0;
    for (index, byte) in data.iter().enumerate() {
        let [a, b, c, d, e] = std::array::from_fn(|ahead| u64::from(*key.get(index + ahead).unwrap_or(&0)));
        let window = a << 32 | b << 24 | c << 16 | d << 8 | e;
        for bit in 0..8 {
            if byte >> (7 - bit) & 1 != 0 {
                hash ^= (window >> (8 - bit)) as u32;
            }
        }
    }
    hash
}

/// Hash of a frame with the default key, by hardware that parses headers of fixed length only: over addresses and ports of TCP and
/// UDP over IPv4 without options, over the addresses of other IPv4 packets, and 0 for all other frames. See [`of_flow`].
pub fn of_frame(frame: &[u8]) -> u32 {
    if frame.len() < PORTS || frame[ETHER_TYPE..ethernet::HEADER_BYTES] != IPV4 {
        return 0;
    }
    let has_ports = frame[ethernet::HEADER_BYTES] == WITHOUT_OPTIONS
        && matches!(frame[PROTOCOL], 6 | 17)
        && frame.len() >= PORTS_END;
    let end = if has_ports { PORTS_END } else { PORTS };
    toeplitz(&DEFAULT_KEY, &frame[ADDRESSES..end])
}

/// Types of hashes, as bits: over addresses of IPv4, over addresses and ports of TCP and of UDP over IPv4, then the same of IPv6.
pub const ALL_TYPES: u32 = 0x3f;
const IPV6_TYPES: u32 = 3;

/// Hash of a frame over addresses and, with TCP or UDP in one piece, ports, of IPv4 and IPv6, as far as `types` has the type; `None` for
/// all other frames. IPv4 may have options; extension headers of IPv6 are not followed.
pub fn of_flow(key: &[u8; KEY_BYTES], types: u32, frame: &[u8]) -> Option<u32> {
    let packet = frame.get(ethernet::HEADER_BYTES..)?;
    let kind = frame.get(ETHER_TYPE..ethernet::HEADER_BYTES)?;
    let (types, addresses, protocol, ports) = if kind == IPV4 {
        let header = usize::from(packet.first()? & 15) * 4;
        let fragment = u16::from_be_bytes(*packet.get(6..)?.first_chunk()?) & FRAGMENT;
        (
            types,
            packet.get(12..20)?,
            *packet.get(9)?,
            (fragment == 0).then(|| packet.get(header..header + 4)).flatten(),
        )
    } else if kind == IPV6 {
        let ports = packet.get(IPV6_HEADER_BYTES..IPV6_HEADER_BYTES + 4);
        (types >> IPV6_TYPES, packet.get(8..40)?, *packet.get(6)?, ports)
    } else {
        return None;
    };
    let with_ports = match protocol {
        6 => types >> 1 & 1 != 0,
        17 => types >> 2 & 1 != 0,
        _ => false,
    };
    match ports.filter(|_| with_ports) {
        Some(ports) => Some(toeplitz(key, &[addresses, ports].concat())),
        None => (types & 1 != 0).then(|| toeplitz(key, addresses)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type End = ([u8; 4], u16);

    /// Source and destination, with the hashes of the specification: of the addresses, and with ports.
    const PUBLISHED: [(End, End, [u32; 2]); 2] = [
        (([66, 9, 149, 187], 2794), ([161, 142, 100, 80], 1766), [0x323e_8fc2, 0x51cc_c178]),
        (([199, 92, 111, 2], 14230), ([65, 69, 140, 83], 4739), [0xd718_262a, 0xc626_b0ea]),
    ];

    fn frame(source: End, destination: End, protocol: u8) -> Vec<u8> {
        let mut frame = vec![0; 60];
        frame[ETHER_TYPE..ethernet::HEADER_BYTES].copy_from_slice(&IPV4);
        (frame[ethernet::HEADER_BYTES], frame[PROTOCOL]) = (WITHOUT_OPTIONS, protocol);
        frame[ADDRESSES..ADDRESSES + 4].copy_from_slice(&source.0);
        frame[ADDRESSES + 4..PORTS].copy_from_slice(&destination.0);
        frame[PORTS..PORTS + 2].copy_from_slice(&source.1.to_be_bytes());
        frame[PORTS + 2..PORTS_END].copy_from_slice(&destination.1.to_be_bytes());
        frame
    }

    #[test]
    fn hashes_are_those_of_the_specification() {
        for (source, destination, [addresses, ports]) in PUBLISHED {
            let of = |protocol| of_frame(&frame(source, destination, protocol));
            assert_eq!([of(1), of(6), of(17)], [addresses, ports, ports]);
        }
    }

    #[test]
    fn options_hide_ports_and_other_frames_have_no_hash() {
        let (source, destination, [addresses, _]) = PUBLISHED[0];
        let mut with_options = frame(source, destination, 6);
        with_options[ethernet::HEADER_BYTES] = 0x46;
        assert_eq!(of_frame(&with_options), addresses);
        with_options[ETHER_TYPE] = 0x86;
        assert_eq!(of_frame(&with_options), 0);
        assert_eq!(of_frame(&[]), 0);
    }

    #[test]
    fn fragments_are_hashed_by_addresses_and_short_frames_have_no_hash() {
        for (source, destination, [addresses, ports]) in PUBLISHED {
            let mut whole = frame(source, destination, 6);
            assert_eq!(of_flow(&DEFAULT_KEY, ALL_TYPES, &whole), Some(ports));
            // Without TCP, and without all of IPv4.
            assert_eq!(of_flow(&DEFAULT_KEY, ALL_TYPES & !2, &whole), Some(addresses));
            assert_eq!(of_flow(&DEFAULT_KEY, 2, &whole), Some(ports));
            assert_eq!(of_flow(&DEFAULT_KEY, ALL_TYPES & !3, &whole), None);
            for length in 0..PORTS {
                assert_eq!(of_flow(&DEFAULT_KEY, ALL_TYPES, &whole[..length]), None, "{length}");
            }
            whole[ethernet::HEADER_BYTES + 6] = 0x20;
            assert_eq!(of_flow(&DEFAULT_KEY, ALL_TYPES, &whole), Some(addresses));
            assert_eq!(of_flow(&DEFAULT_KEY, 2, &whole), None);
        }
    }
}
