//! `flow_steering`: spreads received frames over queues by the hash of their flow.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Many, Module, Output, Process, Signals, ack, data, parameters, ports,
};
use spinach_net::flow_hash::{DEFAULT_KEY, KEY_BYTES, of_flow};

use crate::parts::registers::RegisterPort;
use crate::values::{Frame, Reference, Response};

parameters! {
    /// The parameters of flow steering.
    pub struct FlowSteeringParameters {
        /// Entries of the indirection table, a power of two.
        pub entries: u32 = 128 => in 1..=4096,
    }
}

ports! {
    /// Ports of flow steering.
    pub struct FlowSteeringPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
        /// Frames from the link.
        pub input: Input<Frame>,
        /// Frames of each queue, one lane each.
        pub output: Many<Output<Frame>>,
    }
}

/// State of flow steering.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowSteeringState {
    port: RegisterPort,
    key: Vec<u8>,
    // The lane of each entry.
    table: Vec<u32>,
    lanes: u32,
    selected: u32,
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
}

/// Two frames keep the input at one a cycle with both sides registered.
const FRAMES_HELD: usize = 2;

const FRAMES: usize = 0;
const UNHASHED: usize = 1;

const DOCUMENTATION: &str = "Spreads received frames over queues by the hash of their flow, as receive side scaling does.

The Toeplitz hash of IP addresses and, with TCP or UDP in one piece, of ports selects an entry of the indirection table, by its low bits; \
the entry names the lane. So frames of a flow keep their order. Frames without IP go to lane 0. The initial key is that of the documented \
examples; all entries name lane 0.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 to 0x24 | `KEY` | read, write | key of the hash, first byte in the upper bits |
| 0x40 | `LANES` | read, write | number of lanes in use; writing it fills the table: entry `n` names lane `n` modulo that number |
| 0x44 | `ENTRY` | read, write | selected entry of the table |
| 0x48 | `LANE` | read, write | lane that the selected entry names |";

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
            counters: &[("frames", "frames that have left"), ("unhashed", "frames among them without IP")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: FlowSteeringParameters, ports: FlowSteeringPorts) -> Result<Self, String> {
        if !parameters.entries.is_power_of_two() {
            return Err(format!("entries = {} is not a power of two", parameters.entries));
        }
        let state = FlowSteeringState {
            key: DEFAULT_KEY.to_vec(),
            table: vec![0; parameters.entries as usize],
            lanes: 1,
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
        state.port.evaluate(ports.registers_request, ports.registers_response, signals);
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
            let hash = state.key.first_chunk::<KEY_BYTES>().and_then(|key| of_flow(key, bytes));
            let entry = hash.map(|hash| hash as usize & (state.table.len() - 1));
            edge.count(UNHASHED, u64::from(entry.is_none()));
            state.frames.push_back((entry.map_or(0, |entry| state.table[entry]), frame));
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
        if state.table.len() != self.state.table.len() {
            return Err("the saved flow steering has another number of entries".to_owned());
        }
        let lanes = state.table.iter().chain(state.frames.iter().map(|(lane, _)| lane));
        if lanes.into_iter().any(|lane| *lane as usize >= self.ports.output.len()) {
            return Err("the saved flow steering has more lanes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl FlowSteering {
    fn see_registers(&mut self, edge: &Edge<'_>) {
        let (ports, state) = (&self.ports, &mut self.state);
        let available = ports.output.len() as u32;
        let (key, table, lanes, selected) =
            (&mut state.key, &mut state.table, &mut state.lanes, &mut state.selected);
        state.port.commit(ports.registers_request, ports.registers_response, edge, |at, written| {
            let word = at as usize;
            match (at, written) {
                (_, None) if at < offset::KEY + KEY_BYTES as u32 => {
                    key.get(word..).and_then(|rest| rest.first_chunk()).map(|word| u32::from_be_bytes(*word))
                }
                (_, Some(value)) if at < offset::KEY + KEY_BYTES as u32 => {
                    key.get_mut(word..word + 4)?.copy_from_slice(&value.to_be_bytes());
                    Some(0)
                }
                (offset::LANES, None) => Some(*lanes),
                (offset::ENTRY, None) => Some(*selected),
                (offset::LANE, None) => table.get(*selected as usize).copied(),
                (offset::LANES, Some(count)) if (1..=available).contains(&count) => {
                    *lanes = count;
                    (0u32..).zip(table.iter_mut()).for_each(|(entry, lane)| *lane = entry % count);
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
                _ => None,
            }
        });
    }
}
