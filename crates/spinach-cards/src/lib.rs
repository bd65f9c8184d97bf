//! Network interface cards behind a server's bus: chips that have no firmware, as functions of [`spinach_server::pci`].
//!
//! - [`dp83820`] is the conventional card of the SINIC paper;
//! - [`sinic`] is the integrated one of that paper, which exposes its queues.

#![forbid(unsafe_code)]

use spinach_server::pci::function::Function;

mod descriptions;
pub mod dp83820;
mod halves;
mod interrupts;
pub mod sinic;
mod transmitter;

/// Names and descriptions of the cards.
pub const CARDS: [(&str, &str); 3] = [
    ("dp83820", "a conventional card, under the kernel's driver ns83820"),
    ("sinic", "the simple integrated card, which exposes its queues"),
    ("v-sinic", "the same with 64 virtual cards"),
];
/// VNICs of the card `v-sinic`.
const VNICS: usize = 64;

/// Adjustable parameters of a card with their ranges: the bytes of its queues; of SINIC its VNICs, the bytes of a packet that are copied
/// when the rest is deferred, 0 for all its headers, and whether it sends pause frames.
const CHANGES: [(&str, u64, u64); 5] = [
    ("receive_fifo", 4 << 10, 1 << 30),
    ("transmit_fifo", 32 << 10, 1 << 30),
    ("vnics", 1, 256),
    ("header_bytes", 0, 1024),
    ("flow_control", 0, 1),
];
const QUEUES: usize = 2;

/// The card called `name` with an address, a rate and changed parameters.
///
/// # Errors
/// Unknown name, or an unknown or invalid parameter, in a line.
pub fn card(
    name: &str,
    address: [u8; 6],
    bits_per_s: u64,
    changes: &[(String, u64)],
) -> Result<Box<dyn Function>, String> {
    let possible = || CHANGES.iter().take(if name == "dp83820" { QUEUES } else { CHANGES.len() });
    for (what, value) in changes {
        let Some((_, least, most)) = possible().find(|(known, ..)| known == what) else {
            let known: Vec<_> = possible().map(|(known, ..)| *known).collect();
            return Err(format!("{name} has no parameter {what}, but {}", known.join(", ")));
        };
        if !(least..=most).contains(&value) {
            return Err(format!("invalid {what} {value} of {name} ({least} to {most})"));
        }
    }
    let changed = |what: &str| {
        changes.iter().rev().find(|(changed, _)| changed == what).map(|(_, value)| *value as usize)
    };
    let sinic = |vnics: usize| {
        let usual = sinic::Parameters::default();
        let marks = |what: &str, low: usize| {
            changed(what).map(|bytes| [bytes, bytes / 4 * low, bytes / 4 * 3].map(|it| it as u32))
        };
        let virtual_count = changed("vnics").unwrap_or(vnics);
        // Copies are deferred whenever the queue is not high.
        let [size, _, high] = usual.rx_fifo;
        let rx_fifo = marks("receive_fifo", 3).unwrap_or([size, high, high]);
        let tx_fifo = marks("transmit_fifo", 1).unwrap_or(usual.tx_fifo);
        let zero_copy_size = changed("header_bytes").unwrap_or(0) as u32;
        let flow_control = changed("flow_control").unwrap_or(1) != 0;
        sinic::Sinic::new(&sinic::Parameters {
            address,
            bits_per_s,
            virtual_count,
            rx_fifo,
            tx_fifo,
            zero_copy_size,
            flow_control,
            ..usual
        })
    };
    Ok(match name {
        "dp83820" => {
            let usual = dp83820::Parameters::default();
            let receive_fifo_bytes = changed("receive_fifo").unwrap_or(usual.receive_fifo_bytes);
            let transmit_fifo_bytes = changed("transmit_fifo").unwrap_or(usual.transmit_fifo_bytes);
            Box::new(dp83820::Dp83820::new(&dp83820::Parameters {
                address,
                bits_per_s,
                receive_fifo_bytes,
                transmit_fifo_bytes,
                ..usual
            }))
        }
        "sinic" => Box::new(sinic(1)),
        "v-sinic" => Box::new(sinic(VNICS)),
        _ => return Err(format!("unknown card {name} of a server")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_card_of_the_list_is_made() {
        for (name, _) in CARDS {
            assert!(card(name, [2; 6], 1_000_000_000, &[]).is_ok(), "{name}");
        }
        assert!(card("none", [2; 6], 1, &[]).is_err());
    }

    #[test]
    fn a_card_is_changed_within_bounds() {
        let described = |name: &str, changes: &[(&str, u64)]| {
            let changes: Vec<_> = changes.iter().map(|(what, value)| ((*what).to_owned(), *value)).collect();
            card(name, [2; 6], 1_000_000_000, &changes).map(|card| card.describe())
        };
        let changed = described("v-sinic", &[("vnics", 16), ("receive_fifo", 65536)]).unwrap();
        assert_eq!(changed.parameters["vnics"], "16");
        assert_eq!(changed.parameters["receive_fifo"], "64 KiB (low below 48 KiB, high from 48 KiB)");
        assert_ne!(described("dp83820", &[("receive_fifo", 65536)]), described("dp83820", &[]));
        assert!(described("sinic", &[("vnics", 257)]).unwrap_err().contains("1 to 256"));
        assert!(described("dp83820", &[("vnics", 2)]).unwrap_err().contains("receive_fifo, transmit_fifo"));
    }
}
