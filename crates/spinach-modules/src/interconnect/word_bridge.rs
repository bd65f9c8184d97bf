//! `word_bridge`: between an initiator and a memory that order the bytes of a word differently.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Outlook, Output, Passage, Process, Signals, ack, data, ports,
};

use crate::values::{Access, Reference, Response};

ports! {
    /// Ports of a word bridge.
    pub struct WordBridgePorts {
        /// References of the initiator.
        pub initiator: { request: Input<Reference>, response: Output<Response> },
        /// Target.
        pub target: { request: Output<Reference>, response: Input<Response> },
    }
}

/// References that were taken and not answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordBridgeState {
    /// Number of bytes of each answer that are in memory order, the oldest first; 0 for an answer that is a number.
    outstanding: VecDeque<u8>,
}

/// Bridge between an initiator and a memory of different byte orders. See its declaration.
pub struct WordBridge {
    ports: WordBridgePorts,
    state: WordBridgeState,
}

const REQUEST: u16 = 0;
const ACCEPT: u16 = 1;
const RESPOND: u16 = 2;

/// The low `size` bytes the other way round, within words of 4.
pub(crate) fn swapped(data: u128, size: u8) -> u128 {
    match size {
        2 => u128::from((data as u16).swap_bytes()),
        4 => u128::from((data as u32).swap_bytes()),
        8 => u128::from((data as u32).swap_bytes()) | u128::from(((data >> 32) as u32).swap_bytes()) << 32,
        _ => data,
    }
}

/// True if the data of a reference are bytes, rather than a number.
const fn writes_bytes(access: Access) -> bool {
    matches!(access, Access::Write | Access::StoreConditional)
}

/// Number of bytes of the answer that are in memory order.
pub(crate) const fn answered_bytes(reference: &Reference) -> u8 {
    match reference.access {
        Access::Read | Access::LoadLinked => reference.size,
        _ => 0,
    }
}

/// The same reference as the memory sees it: a word keeps its value, and smaller data lies at the other end of the word.
pub(crate) fn crossed(reference: &Reference) -> Reference {
    let size = reference.size;
    let within = if size < 4 { u64::from(4 - size) } else { 0 };
    let enables = (0..16).filter(|byte| reference.enables >> byte & 1 != 0).fold(0, |all, byte| {
        let last = u16::from(size.min(4)) - 1;
        all | 1 << (byte & !3 | (last.wrapping_sub(byte & 3) & 3))
    });
    let is_plain = writes_bytes(reference.access) && size <= 8;
    let data = if is_plain { swapped(reference.data, size) } else { reference.data };
    Reference { address: reference.address ^ within, enables, data, ..*reference }
}

impl WordBridge {
    // Of the answer that comes next; if nothing is outstanding, it is that of the reference that is presented.
    fn next_answer(&self, signals: &Signals) -> u8 {
        let presented = || signals.read(self.ports.initiator_request);
        let oldest = self.state.outstanding.front().copied();
        oldest.unwrap_or_else(|| presented().as_ref().map_or(0, answered_bytes))
    }
}

impl Module for WordBridge {
    type Parameters = ();
    type Ports = WordBridgePorts;
    type State = WordBridgeState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;
    const REPEATS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "word_bridge",
            family: "interconnect",
            documentation: "Connects an initiator to a memory of the other byte order.\n\nAligned words of 32 bits have the same \
                            value on both sides, so data that is exchanged in words needs no conversion. Bytes and half words \
                            are at the other end of their word: the lowest two bits of their address are inverted. This is a word-invariant bridge, as between ARM cores of \
                            either byte order. References of up to 8 bytes pass.",
            timing: "Combinational both ways: it adds no cycle.",
            source: "Not in the Spinach thesis; ARM Architecture Reference Manual (DDI 0100I), section A2.7 (BE-32)",
            parameters: Vec::new(),
            ports: WordBridgePorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: WordBridgePorts) -> Result<Self, String> {
        Ok(Self { ports, state: WordBridgeState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type Own = WordBridgePorts;
        vec![
            Process::new(REQUEST).drives([data(Own::TARGET_REQUEST)]).reads([data(Own::INITIATOR_REQUEST)]),
            Process::new(ACCEPT).drives([ack(Own::INITIATOR_REQUEST)]).reads([ack(Own::TARGET_REQUEST)]),
            Process::new(RESPOND)
                .drives([data(Own::INITIATOR_RESPONSE)])
                .reads([data(Own::TARGET_RESPONSE), data(Own::INITIATOR_REQUEST)]),
            Process::new(3).drives([ack(Own::TARGET_RESPONSE)]).reads([ack(Own::INITIATOR_RESPONSE)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            REQUEST => {
                let reference = signals.read(ports.initiator_request);
                signals.write(ports.target_request, reference.as_ref().map(crossed));
            }
            ACCEPT => {
                let accepted = signals.is_acknowledged(ports.target_request);
                signals.acknowledge(ports.initiator_request, accepted);
            }
            RESPOND => {
                let response = signals.read(ports.target_response);
                let bytes = self.next_answer(signals);
                let answer =
                    response.map(|response| Response { data: swapped(response.data, bytes), ..response });
                signals.write(ports.initiator_response, answer);
            }
            _ => {
                let accepted = signals.is_acknowledged(ports.initiator_response);
                signals.acknowledge(ports.target_response, accepted);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_received(self.ports.initiator_request) {
            let reference = edge.signals.read(self.ports.initiator_request).unwrap_or_default();
            self.state.outstanding.push_back(answered_bytes(&reference));
        }
        if edge.signals.is_sent(self.ports.initiator_response) {
            self.state.outstanding.pop_front();
        }
    }

    // Everything that can happen begins with a reference or a response that is presented.
    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn outlook(&self, _: &[u64], outlook: &mut Outlook) -> Option<u64> {
        outlook.add(&self.state);
        Some(u64::MAX)
    }

    fn passages(&self, port: usize, _: usize) -> Vec<Passage> {
        if port != WordBridgePorts::INITIATOR_REQUEST {
            return Vec::new();
        }
        vec![Passage { reverses_words: true, ..Passage::through(WordBridgePorts::TARGET_REQUEST) }]
    }

    fn state(&self) -> &WordBridgeState {
        &self.state
    }

    fn restore(&mut self, state: WordBridgeState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::all_enabled;

    #[test]
    fn words_keep_their_value_and_bytes_their_place_in_it() {
        let write = |address, size, data| crossed(&Reference::write(address, size, data));
        // The word 0x11223344 stored by a little-endian core.
        assert_eq!((write(8, 4, 0x1122_3344).data, write(8, 4, 0).enables), (0x4433_2211, 0xf));
        assert_eq!(write(8, 1, 0x44).address, 11);
        assert_eq!((write(10, 2, 0x3344).address, write(10, 2, 0x3344).data), (8, 0x4433));
        assert_eq!(write(10, 2, 0).enables, all_enabled(2));
        assert_eq!(write(9, 1, 0).enables, 1);
        let set = Reference { access: Access::Set, ..Reference::write(4, 4, 7) };
        assert_eq!(crossed(&set).data, 7);
    }
}
