//! Address filter of a MAC, and check sequences.

use serde::{Deserialize, Serialize};

/// Whom a frame is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Destination {
    Broadcast,
    Group { is_wanted: bool },
    Unicast { is_own: bool },
}

/// MAC address, and the hash of the groups that it listens to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Filter {
    mac_address: [u8; 6],
    // 128 bits.
    hash: [u32; 4],
}

impl Filter {
    pub(super) fn set_mac_address_high(&mut self, word: u32) {
        self.mac_address[..2].copy_from_slice(&word.to_be_bytes()[2..]);
    }

    pub(super) fn set_mac_address_low(&mut self, word: u32) {
        self.mac_address[2..].copy_from_slice(&word.to_be_bytes());
    }

    pub(super) fn mac_address(&self) -> [u8; 6] {
        self.mac_address
    }

    /// Sets one word of the hash.
    pub(super) fn set_hash(&mut self, number: u32, word: u32) {
        if let Some(bits) = self.hash.get_mut(number as usize) {
            *bits = word;
        }
    }

    /// Whom the frame with these bytes is for.
    pub(super) fn destination(&self, bytes: &[u8]) -> Destination {
        let address = bytes.get(..6).unwrap_or_default();
        if address == [0xff; 6] {
            Destination::Broadcast
        } else if address.first().is_some_and(|byte| byte & 1 != 0) {
            let (word, bit) = hash_of(address);
            Destination::Group { is_wanted: self.hash[word] & bit != 0 }
        } else {
            Destination::Unicast { is_own: address == self.mac_address }
        }
    }
}

/// Word of the hash and bit in that word for a group address: the low 7 bits of its CRC-32 count from the most significant bit of
/// the first word.
pub(super) fn hash_of(address: &[u8]) -> (usize, u32) {
    let place = crc32fast::hash(address) & 0x7f;
    ((place / 32) as usize, 1 << (31 - place % 32))
}

/// The frame with its check sequence, or with a wrong one.
pub(super) fn with_check_sequence(mut bytes: Vec<u8>, is_intact: bool) -> Vec<u8> {
    let sum = crc32fast::hash(&bytes);
    let sent = if is_intact { sum } else { !sum };
    bytes.extend_from_slice(&sent.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_to_others_are_not_wanted() {
        let mut filter = Filter::default();
        filter.set_mac_address_high(0xffff_0260);
        filter.set_mac_address_low(0xcf00_1234);
        let own = [0x02, 0x60, 0xcf, 0x00, 0x12, 0x34];
        assert_eq!(filter.destination(&own), Destination::Unicast { is_own: true });
        assert_eq!(filter.destination(&[0; 60]), Destination::Unicast { is_own: false });
        assert_eq!(filter.destination(&[0xff; 60]), Destination::Broadcast);
        let group = [0x01, 0x00, 0x5e, 0x00, 0x00, 0x01];
        assert_eq!(filter.destination(&group), Destination::Group { is_wanted: false });
        let (word, bit) = hash_of(&group);
        filter.set_hash(word as u32, bit);
        assert_eq!(filter.destination(&group), Destination::Group { is_wanted: true });
        assert_eq!(filter.destination(&[]), Destination::Unicast { is_own: false });
    }

    #[test]
    fn groups_hash_as_released_firmware_expects() {
        for (address, place) in [
            ([0x01, 0x00, 0x5e, 0x01, 0x02, 0x03], (0, 0x80)),
            ([0x01, 0x00, 0x5e, 0x7f, 0xff, 0xfa], (0, 0x20_0000)),
            ([0x33, 0x33, 0x00, 0x00, 0x00, 0x01], (3, 0x8000_0000)),
        ] {
            assert_eq!(hash_of(&address), place);
        }
    }

    #[test]
    fn a_frame_with_its_check_sequence_has_the_residue_of_the_standard() {
        let whole = with_check_sequence(vec![7; 60], true);
        assert_eq!(crc32fast::hash(&whole), 0x2144_df1c);
        assert_ne!(crc32fast::hash(&with_check_sequence(vec![7; 60], false)), 0x2144_df1c);
    }
}
