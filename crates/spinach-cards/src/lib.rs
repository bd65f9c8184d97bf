//! Network interface cards behind a server's bus: chips that have no firmware, as functions of [`spinach_host::pci`].
//!
//! - [`dp83820`] is the conventional card of the SINIC paper;
//! - [`sinic`] is the integrated one of that paper, which exposes its queues;
//! - [`ethernet`] is what all of them do on the wire, [`internet_checksum`] what they compute.

#![forbid(unsafe_code)]

use spinach_host::pci::function::Function;

pub mod dp83820;
pub mod ethernet;
pub mod internet_checksum;
mod interrupts;
pub mod sinic;

/// The names of the cards, and what they are.
pub const CARDS: [(&str, &str); 3] = [
    ("dp83820", "a conventional card, under the kernel's driver ns83820"),
    ("sinic", "the simple integrated card, which exposes its queues"),
    ("v-sinic", "the same with 64 virtual cards"),
];
/// VNICs of the card `v-sinic`.
const VNICS: usize = 64;

/// The card of a name with an address and a rate, otherwise as it usually is.
pub fn card(name: &str, address: [u8; 6], bits_per_s: u64) -> Option<Box<dyn Function>> {
    let sinic = |virtual_count| {
        let usual = sinic::Parameters::default();
        sinic::Sinic::new(&sinic::Parameters { address, bits_per_s, virtual_count, ..usual })
    };
    Some(match name {
        "dp83820" => {
            let usual = dp83820::Parameters::default();
            Box::new(dp83820::Dp83820::new(&dp83820::Parameters { address, bits_per_s, ..usual }))
        }
        "sinic" => Box::new(sinic(1)),
        "v-sinic" => Box::new(sinic(VNICS)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_card_of_the_list_is_made() {
        for (name, _) in CARDS {
            assert!(card(name, [2; 6], 1_000_000_000).is_some(), "{name}");
        }
        assert!(card("none", [2; 6], 1).is_none());
    }
}
