//! `flow_steering`: spreads received frames over queues by the hash of their flow.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, OrUnconnected, Output, Process, Signals, ack, data,
    parameters, ports,
};
use spinach_net::flow_hash::{ALL_TYPES, DEFAULT_KEY, KEY_BYTES, of_flow};

use crate::parts::registers::RegisterPort;
use crate::values::{Frame, Reference, Response};

parameters! {
    /// The parameters of flow steering.
    pub struct FlowSteeringParameters {
        /// Entries of the indirection table, a power of two.
        pub entries: u32 = 128 => power_of_two 1..=4096,
        /// Lanes in use at first.
        pub lanes: u32 = 1 => in 1..=64,
        /// Addresses that the filter of destinations holds.
        pub addresses: u32 = 16 => in 1..=4096,
    }
}

ports! {
    /// Ports of flow steering.
    pub struct FlowSteeringPorts {
        /// Registers; unconnected if nothing changes the initial values.
        pub registers: { request: OrUnconnected<Input<Reference>>, response: OrUnconnected<Output<Response>> },
        /// Frames from the link.
        pub input: Input<Frame>,
        /// Frames of each queue, one lane each.
        pub output: Many<Output<Frame>>,
    }
}

/// An address of the filter: its first four bytes, then the others, with the flag of a valid address.
type Address = (u32, u32);

/// State of flow steering.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowSteeringState {
    port: RegisterPort,
    key: Vec<u8>,
    // The lane of each entry.
    table: Vec<u32>,
    lanes: u32,
    selected: u32,
    types: u32,
    unclassified: u32,
    filter: u32,
    addresses: Vec<Address>,
    selected_address: u32,
    // A bit for each VLAN.
    vlans: Vec<u32>,
    selected_vlans: u32,
    frames: VecDeque<(u32, Frame)>,
}

/// Spreads frames over queues. See its declaration.
pub struct FlowSteering {
    ports: FlowSteeringPorts,
    state: FlowSteeringState,
}

mod offset {
    pub(super) const KEY: u32 = 0x00;
    pub(super) const LANES: u32 = 0x40;
    pub(super) const ENTRY: u32 = 0x44;
    pub(super) const LANE: u32 = 0x48;
    pub(super) const TYPES: u32 = 0x4c;
    pub(super) const UNCLASSIFIED: u32 = 0x50;
    pub(super) const FILTER: u32 = 0x54;
    pub(super) const ADDRESS: u32 = 0x58;
    pub(super) const ADDRESS_HIGH: u32 = 0x5c;
    pub(super) const ADDRESS_LOW: u32 = 0x60;
    pub(super) const VLAN_WORD: u32 = 0x64;
    pub(super) const VLANS: u32 = 0x68;
}

mod filter {
    pub(super) const ENABLED: u32 = 1;
    pub(super) const ALL_UNICAST: u32 = 2;
    pub(super) const ALL_MULTICAST: u32 = 4;
    pub(super) const BY_VLAN: u32 = 8;
    pub(super) const VALID: u32 = 1 << 31;
}

/// Two frames keep the input at one a cycle with both sides registered.
const FRAMES_HELD: usize = 2;

const FRAMES: usize = 0;
const UNHASHED: usize = 1;
const FILTERED: usize = 2;

const DOCUMENTATION: &str = "Spreads received frames over queues by the hash of their flow, as receive side scaling does.

The Toeplitz hash of IP addresses and, with TCP or UDP in one piece, of ports selects an entry of the indirection table, by its low bits; \
the entry names the lane. So frames of a flow keep their order. Frames without IP, and of types that are not hashed, go to the lane \
`UNCLASSIFIED`, at first 0. The initial key is that of the documented examples; at first entry `n` names lane `n` modulo `lanes`.

A filter drops frames whose destination is neither broadcast nor an address of its table, another one frames with the tag of a VLAN that is not \
in a table of all VLANs. Both are off at first.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 to 0x24 | `KEY` | read, write | key of the hash, first byte in the upper bits |
| 0x40 | `LANES` | read, write | number of lanes in use; writing it fills the table: entry `n` names lane `n` modulo that number |
| 0x44 | `ENTRY` | read, write | selected entry of the table |
| 0x48 | `LANE` | read, write | lane that the selected entry names |
| 0x4c | `TYPES` | read, write | hash types. Bit 0: addresses of IPv4; bits 1 and 2: these and ports, of TCP and of UDP; bits 3 to 5: the \
same of IPv6. All at first |
| 0x50 | `UNCLASSIFIED` | read, write | lane of frames without a hash |
| 0x54 | `FILTER` | read, write | bit 0: the filter of addresses is on; bits 1 and 2: all unicast and all multicast frames pass it; bit 3: the \
filter of VLANs is on |
| 0x58 | `ADDRESS` | read, write | selected address of the filter |
| 0x5c | `ADDRESS_HIGH` | read, write | its first four bytes |
| 0x60 | `ADDRESS_LOW` | read, write | bit 31: valid; bits 15 to 0: its last two bytes |
| 0x64 | `VLAN_WORD` | read, write | selected word of the table of VLANs |
| 0x68 | `VLANS` | read, write | its bits: bit `b` of word `w` is that of VLAN `32 w + b` |";

/// Words of the table of VLANs.
const VLAN_WORDS: usize = 4096 / 32;
const TAG: [u8; 2] = [0x81, 0x00];

impl Module for FlowSteering {
    type Parameters = FlowSteeringParameters;
    type Ports = FlowSteeringPorts;
    type State = FlowSteeringState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "flow_steering",
            family: "mac",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered: a frame is presented in the cycle after it came at the earliest. A frame that its lane \
                     refuses holds up those behind it.",
            source: "Microsoft, Receive Side Scaling: RSS hashing functions; virtio 1.2, section 5.1.6.5.7; registers of Spinach",
            parameters: FlowSteeringParameters::declare(),
            ports: FlowSteeringPorts::declare(),
            counters: &[
                ("frames", "frames that have left"),
                ("unhashed", "frames among them without a hash"),
                ("filtered", "frames that the filter dropped"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FlowSteeringParameters, ports: FlowSteeringPorts) -> Result<Self, String> {
        let (lanes, available) = (parameters.lanes, ports.output.len());
        if lanes as usize > available {
            return Err(format!("lanes = {lanes}, but the output has {available}"));
        }
        let state = FlowSteeringState {
            key: DEFAULT_KEY.to_vec(),
            table: filled(parameters.entries, lanes),
            lanes,
            types: ALL_TYPES,
            addresses: vec![(0, 0); parameters.addresses as usize],
            vlans: vec![0; VLAN_WORDS],
            ..FlowSteeringState::default()
        };
        Ok(Self { ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = FlowSteeringPorts;
        let drives = [data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST), ack(P::INPUT), data(P::OUTPUT)];
        vec![Process::new(0).drives(drives)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        state.port.evaluate(ports.registers_request.port, ports.registers_response.port, signals);
        signals.acknowledge(ports.input, state.frames.len() < FRAMES_HELD);
        let oldest = state.frames.front();
        for (lane, output) in (0u32..).zip(ports.output.iter()) {
            signals.write(*output, oldest.filter(|(to, _)| *to == lane).map(|(_, frame)| *frame));
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        if let Some((lane, _)) = state.frames.front()
            && edge.signals.is_sent(ports.output[*lane as usize])
        {
            state.frames.pop_front();
            edge.count(FRAMES, 1);
        }
        if let Some(frame) = edge.signals.received(ports.input) {
            let bytes = edge.payloads().get(frame.bytes);
            if state.passes(bytes) {
                let hash =
                    state.key.first_chunk::<KEY_BYTES>().and_then(|key| of_flow(key, state.types, bytes));
                let entry = hash.map(|hash| hash as usize & (state.table.len() - 1));
                edge.count(UNHASHED, u64::from(entry.is_none()));
                state.frames.push_back((entry.map_or(state.unclassified, |entry| state.table[entry]), frame));
            } else {
                drop(edge.payloads().remove(frame.bytes));
                edge.count(FILTERED, 1);
            }
        }
        self.see_registers(edge);
    }

    fn idle(&self) -> Idle {
        Idle::UntilTransfer
    }

    fn state(&self) -> &FlowSteeringState {
        &self.state
    }

    fn restore(&mut self, state: FlowSteeringState) -> Result<(), String> {
        if state.table.len() != self.state.table.len() || state.addresses.len() != self.state.addresses.len()
        {
            return Err("the saved flow steering has another number of entries or addresses".to_owned());
        }
        if state.vlans.len() != VLAN_WORDS {
            return Err("the saved flow steering has another number of VLANs".to_owned());
        }
        let lanes =
            state.table.iter().chain([&state.unclassified]).chain(state.frames.iter().map(|(lane, _)| lane));
        if lanes.into_iter().any(|lane| *lane as usize >= self.ports.output.len()) {
            return Err("the saved flow steering has more lanes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

/// The indirection table that spreads frames over all lanes alike.
fn filled(entries: u32, lanes: u32) -> Vec<u32> {
    (0..entries).map(|entry| entry % lanes).collect()
}

impl FlowSteeringState {
    /// True unless a filter drops a frame.
    fn passes(&self, frame: &[u8]) -> bool {
        self.passes_by_vlan(frame) && self.passes_by_address(frame)
    }

    fn passes_by_vlan(&self, frame: &[u8]) -> bool {
        let tag = frame.get(12..).and_then(|rest| rest.first_chunk::<4>());
        match tag {
            Some([a, b, high, low]) if self.filter & filter::BY_VLAN != 0 && [*a, *b] == TAG => {
                let vlan = u16::from_be_bytes([*high, *low]) & 0xfff;
                let word = self.vlans.get(usize::from(vlan / 32)).copied().unwrap_or(0);
                word >> (vlan % 32) & 1 != 0
            }
            _ => true,
        }
    }

    fn passes_by_address(&self, frame: &[u8]) -> bool {
        let Some([a, b, c, d, e, f]) = frame.first_chunk::<6>() else { return true };
        let high = u32::from_be_bytes([*a, *b, *c, *d]);
        let low = filter::VALID | u32::from(*e) << 8 | u32::from(*f);
        let is_broadcast = high == u32::MAX && low == filter::VALID | 0xffff;
        let all = if a & 1 != 0 { filter::ALL_MULTICAST } else { filter::ALL_UNICAST };
        self.filter & filter::ENABLED == 0
            || self.filter & all != 0
            || is_broadcast
            || self.addresses.contains(&(high, low))
    }
}

impl FlowSteering {
    fn see_registers(&mut self, edge: &Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let available = ports.output.len() as u32;
        let (key, table, lanes, selected) =
            (&mut state.key, &mut state.table, &mut state.lanes, &mut state.selected);
        let (types, unclassified, filter) = (&mut state.types, &mut state.unclassified, &mut state.filter);
        let (addresses, selected_address) = (&mut state.addresses, &mut state.selected_address);
        let (vlans, selected_vlans) = (&mut state.vlans, &mut state.selected_vlans);
        state.port.commit(
            ports.registers_request.port,
            ports.registers_response.port,
            edge,
            |at, written| {
                let word = at as usize;
                match (at, written) {
                    (_, None) if at < offset::KEY + KEY_BYTES as u32 => key
                        .get(word..)
                        .and_then(|rest| rest.first_chunk())
                        .map(|word| u32::from_be_bytes(*word)),
                    (_, Some(value)) if at < offset::KEY + KEY_BYTES as u32 => {
                        key.get_mut(word..word + 4)?.copy_from_slice(&value.to_be_bytes());
                        Some(0)
                    }
                    (offset::LANES, None) => Some(*lanes),
                    (offset::ENTRY, None) => Some(*selected),
                    (offset::LANE, None) => table.get(*selected as usize).copied(),
                    (offset::LANES, Some(count)) if (1..=available).contains(&count) => {
                        *lanes = count;
                        *table = filled(table.len() as u32, count);
                        Some(0)
                    }
                    (offset::ENTRY, Some(entry)) => {
                        *selected = entry;
                        Some(0)
                    }
                    (offset::LANE, Some(lane)) if lane < available => {
                        *table.get_mut(*selected as usize)? = lane;
                        Some(0)
                    }
                    (offset::TYPES, None) => Some(*types),
                    (offset::UNCLASSIFIED, None) => Some(*unclassified),
                    (offset::FILTER, None) => Some(*filter),
                    (offset::ADDRESS, None) => Some(*selected_address),
                    (offset::ADDRESS_HIGH, None) => addresses.get(*selected_address as usize).map(|it| it.0),
                    (offset::ADDRESS_LOW, None) => addresses.get(*selected_address as usize).map(|it| it.1),
                    (offset::VLAN_WORD, None) => Some(*selected_vlans),
                    (offset::VLANS, None) => vlans.get(*selected_vlans as usize).copied(),
                    (offset::UNCLASSIFIED, Some(lane)) if lane >= available => None,
                    (_, Some(value)) => {
                        *match at {
                            offset::TYPES => &mut *types,
                            offset::UNCLASSIFIED => &mut *unclassified,
                            offset::FILTER => &mut *filter,
                            offset::ADDRESS => &mut *selected_address,
                            offset::ADDRESS_HIGH => &mut addresses.get_mut(*selected_address as usize)?.0,
                            offset::ADDRESS_LOW => &mut addresses.get_mut(*selected_address as usize)?.1,
                            offset::VLAN_WORD => &mut *selected_vlans,
                            offset::VLANS => vlans.get_mut(*selected_vlans as usize)?,
                            _ => return None,
                        } = value;
                        Some(0)
                    }
                    _ => None,
                }
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tagged_frames_pass_by_their_vlan_only_while_that_filter_is_on() {
        let frame = |vlan: u16| [&[2; 12][..], &TAG, &vlan.to_be_bytes(), &[8, 0]].concat();
        let mut state = FlowSteeringState { vlans: vec![0; 128], ..FlowSteeringState::default() };
        state.vlans[1] = 1 << 5;
        for filter in [0, filter::ENABLED | filter::ALL_UNICAST] {
            state.filter = filter;
            assert!(state.passes_by_vlan(&frame(37)) && state.passes_by_vlan(&frame(36)));
        }
        state.filter = filter::BY_VLAN;
        assert!(state.passes_by_vlan(&frame(37)) && !state.passes_by_vlan(&frame(36)));
        // Of the other word, and with a priority.
        assert!(!state.passes_by_vlan(&frame(5)) && state.passes_by_vlan(&frame(37 | 3 << 13)));
        assert!(state.passes_by_vlan(&[2; 60]), "a frame without a tag");
    }
}
