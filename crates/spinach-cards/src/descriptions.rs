//! Parameters of cards as text, for descriptions.

const PICOSECONDS_OF_MICROSECOND: f64 = 1e6;

/// An address on the Ethernet.
pub(crate) fn mac_text(address: [u8; 6]) -> String {
    address.map(|byte| format!("{byte:02x}")).join(":")
}

/// A bit rate.
pub(crate) fn rate_text(bits_per_s: u64) -> String {
    format!("{} Gbps", bits_per_s as f64 / 1e9)
}

/// A delay in picoseconds.
pub(crate) fn delay_text(delay: u64) -> String {
    format!("{} us", delay as f64 / PICOSECONDS_OF_MICROSECOND)
}
