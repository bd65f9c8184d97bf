//! UDP datagrams and TCP segments over IPv4: one flow or many.

use etherparse::{IpHeaders, IpNumber, Ipv4Extensions, Ipv4Header, PacketBuilder};
use spinach_net::ethernet::{self, FRAME_MINIMUM_BYTES};

use super::content::{Contents, PAYLOAD_PLACES, Sizes};
use super::description::Datagrams;

/// Bytes of the headers of a UDP datagram in an Ethernet frame.
pub(super) const UDP_HEADER_BYTES: usize = 42;
/// Bytes of the headers of a TCP segment without options in an Ethernet frame.
const TCP_HEADER_BYTES: usize = 54;
/// IPv4 counts the bytes of a packet in 16 bits.
const LARGEST_PACKET: usize = 65_535;
/// Search range in both directions, in steps of 65,536, for a frame whose header has 16 bits of its number.
const FAR: i64 = 16;

/// Protocol that carries the payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Protocol {
    Udp,
    Tcp,
}

impl Protocol {
    const fn header_bytes(self) -> usize {
        match self {
            Self::Udp => UDP_HEADER_BYTES,
            Self::Tcp => TCP_HEADER_BYTES,
        }
    }
}

/// Datagrams or segments, each of which follows from its number.
#[derive(Clone, Debug)]
pub(super) struct DatagramSource {
    protocol: Protocol,
    settings: Datagrams,
    sizes: Sizes,
    contents: Contents,
}

impl DatagramSource {
    /// # Errors
    /// One sentence that says what is wrong.
    pub(super) fn new(protocol: Protocol, settings: Datagrams, seed: u64) -> Result<Self, String> {
        let largest = (LARGEST_PACKET + ethernet::HEADER_BYTES - protocol.header_bytes()) as u64;
        if let Some(size) = settings.sizes.iter().find(|size| **size > largest) {
            let name = if protocol == Protocol::Udp { "UDP" } else { "TCP" };
            return Err(format!("a {name} payload has at most {largest} bytes, not {size}"));
        }
        if settings.flows == Some(0) {
            return Err("traffic of 0 flows sends nothing".to_owned());
        }
        let payloads = settings.payloads.map_or(PAYLOAD_PLACES, |number| number as usize);
        if !(1..=PAYLOAD_PLACES).contains(&payloads) {
            return Err(format!("payloads is {payloads}, not from 1 to {PAYLOAD_PLACES}"));
        }
        let sizes = Sizes::new(&settings.sizes, &settings.weights, seed)?;
        let contents = Contents::new(settings.payload, sizes.longest(), seed, payloads);
        Ok(Self { protocol, settings, sizes, contents })
    }

    pub(super) fn longest_frame(&self) -> usize {
        self.sizes.longest() + self.protocol.header_bytes()
    }

    pub(super) fn frame_bytes(&self, index: u64) -> usize {
        (self.sizes.of(index) + self.protocol.header_bytes()).max(FRAME_MINIMUM_BYTES)
    }

    /// Bytes of UDP payload.
    pub(super) fn payload_bytes(&self, index: u64) -> u64 {
        if self.protocol == Protocol::Udp { self.sizes.of(index) as u64 } else { 0 }
    }

    pub(super) fn build(&self, index: u64, frame: &mut Vec<u8>) {
        let settings = &self.settings;
        let flow = settings.flows.map_or(0, |flows| index % u64::from(flows)) as u32;
        let round = settings.flows.map_or(index, |flows| index / u64::from(flows));
        let address = |first: u32, step: u32| first.wrapping_add(flow.wrapping_mul(step)).to_be_bytes();
        let port = |first: u16, step: u16| first.wrapping_add((flow as u16).wrapping_mul(step));
        let protocol = if self.protocol == Protocol::Udp { IpNumber::UDP } else { IpNumber::TCP };
        let mut ip = Ipv4Header { time_to_live: 64, protocol, ..Ipv4Header::default() };
        ip.source = address(settings.source_address.into(), settings.source_address_step);
        ip.destination = address(settings.destination_address.into(), settings.destination_address_step);
        ip.identification = index as u16;
        ip.dont_fragment = true;
        let source_port = match settings.flows {
            None => settings.source_port.wrapping_add((index >> 16) as u16),
            Some(_) => port(settings.source_port, settings.source_port_step),
        };
        let destination_port = port(settings.destination_port, settings.destination_port_step);
        let builder = PacketBuilder::ethernet2(settings.source_mac.0, settings.destination_mac.0)
            .ip(IpHeaders::Ipv4(ip, Ipv4Extensions::default()));
        let payload = self.contents.of(index, self.sizes.of(index));
        frame.reserve(self.frame_bytes(index));
        // Writing into memory does not fail, and sizes were checked when the plan was made.
        let is_written = match self.protocol {
            Protocol::Udp => builder.udp(source_port, destination_port).write(frame, payload).is_ok(),
            Protocol::Tcp => {
                let sequence = (round as u32).wrapping_mul(self.sizes.longest() as u32);
                let segment = builder.tcp(source_port, destination_port, sequence, u16::MAX);
                let is_pushed = (round + 1).is_multiple_of(u64::from(settings.push));
                let segment = if is_pushed { segment.psh() } else { segment };
                segment.ack(0).write(frame, payload).is_ok()
            }
        };
        debug_assert!(is_written, "frame {index}");
        frame.resize(frame.len().max(FRAME_MINIMUM_BYTES), 0);
    }

    /// The numbers that `frame` may claim to have, near `expected`. The low 16 bits of a number are the IPv4 identification. Without
    /// flows, the next 16 are the source port less that of the first frame.
    pub(super) fn claims(&self, frame: &[u8], expected: u64) -> impl Iterator<Item = u64> + use<> {
        let has_header = frame.len() >= self.protocol.header_bytes();
        let half = |at: usize| u32::from(u16::from_be_bytes([frame[at], frame[at + 1]]));
        let distance = has_header.then(|| match self.settings.flows {
            None => {
                let high = half(34).wrapping_sub(u32::from(self.settings.source_port)) & 0xffff;
                i64::from((high << 16 | half(18)).wrapping_sub(expected as u32) as i32)
            }
            Some(_) => i64::from((half(18) as u16).wrapping_sub(expected as u16) as i16),
        });
        let far = if self.settings.flows.is_none() { 0 } else { FAR };
        let steps = (0..=far).flat_map(|step| [step, -step]).skip(1);
        steps.filter_map(move |step| expected.checked_add_signed(distance? + (step << 16)))
    }
}
