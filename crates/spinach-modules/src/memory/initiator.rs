//! `initiator`: speaks the memory protocol for modules that work on words.

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, ack, data, parameters,
    ports,
};

use crate::values::{Reference, Response};

parameters! {
    /// The parameters of an initiator.
    pub struct InitiatorParameters {
        /// Number of bytes that each reference spans: 1, 2, 4 or 8. Of a written word, the low bytes.
        pub size: u32 = 4 => power_of_two 1..=8,
        /// Byte order: the most or the least significant byte of a word comes first in memory.
        pub byte_order: String = "big".to_owned() => of ["big", "little"],
        /// Source number at memories and in statistics.
        pub source: u32 = 0 => in 0..=65535,
    }
}

ports! {
    /// Ports of an initiator.
    pub struct InitiatorPorts {
        /// The addresses, each a multiple of `size`.
        pub address: Input<u64>,
        /// Data to write, word by word with the addresses; if unconnected, the initiator reads.
        pub data: OrUnconnected<Input<u64>>,
        /// Memory.
        pub memory: { request: Output<Reference>, response: Input<Response> },
        /// The words that were read, or a 0 for each completed write; unconnected, they are dropped.
        pub output: OrUnconnected<Output<u64>>,
    }
}

/// Makes memory references from words. See its declaration.
pub struct Initiator {
    size: u8,
    is_big_endian: bool,
    source: u16,
    ports: InitiatorPorts,
}

const REQUEST: u16 = 0;
const ACCEPT: u16 = 1;
const RESPONSE: u16 = 2;
const RELEASE: u16 = 3;

const READS: usize = 0;
const WRITES: usize = 1;
const FAULTS: usize = 2;

impl Initiator {
    // The bytes of a word in memory order, as a reference carries them; its own inverse.
    fn in_memory_order(&self, word: u64) -> u64 {
        let bits = 8 * u32::from(self.size);
        let word = if bits < 64 { word & ((1 << bits) - 1) } else { word };
        if self.is_big_endian { word.swap_bytes() >> (64 - bits) } else { word }
    }

    // The reference to be presented: as soon as everything it takes is there.
    fn reference(&self, signals: &Signals) -> Option<Reference> {
        let address = signals.read(self.ports.address)?;
        let reference = if self.ports.data.is_connected {
            let word = signals.read(self.ports.data.port)?;
            Reference::write(address, self.size, u128::from(self.in_memory_order(word)))
        } else {
            Reference::read(address, self.size)
        };
        Some(Reference { source: self.source, ..reference })
    }
}

impl Module for Initiator {
    type Parameters = InitiatorParameters;
    type Ports = InitiatorPorts;
    type State = ();

    fn declaration() -> Declaration {
        Declaration {
            kind: "initiator",
            family: "memory",
            documentation: "Makes memory references from words.\n\nFor each address it requests a read from a memory, or a write \
                            of the word that comes with the address, and passes on the responses in the same order. It has no \
                            state; the memory limits the number of references in flight.",
            timing: "Combinational in both directions. A request is presented when its address and, for a write, its data \
                     are; both are acknowledged together, with the request. The acknowledgement of a response is that of \
                     the output.",
            source: "Not in the Spinach thesis, whose processors are its only initiators",
            parameters: InitiatorParameters::declare(),
            ports: InitiatorPorts::declare(),
            counters: &[
                ("reads", "references that read and were taken"),
                ("writes", "references that wrote and were taken"),
                ("faults", "answers that no memory has the address, or that it cannot take such a reference"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: InitiatorParameters, ports: InitiatorPorts) -> Result<Self, String> {
        let InitiatorParameters { size, byte_order, source } = parameters;
        let (size, source) = (size as u8, source as u16);
        Ok(Self { size, is_big_endian: byte_order == "big", source, ports })
    }

    fn processes(&self) -> Vec<Process> {
        let arriving = [data(InitiatorPorts::ADDRESS), data(InitiatorPorts::DATA)];
        vec![
            Process::new(REQUEST).drives([data(InitiatorPorts::MEMORY_REQUEST)]).reads(arriving),
            Process::new(ACCEPT)
                .drives([ack(InitiatorPorts::ADDRESS), ack(InitiatorPorts::DATA)])
                .reads(arriving)
                .reads([ack(InitiatorPorts::MEMORY_REQUEST)]),
            Process::new(RESPONSE)
                .drives([data(InitiatorPorts::OUTPUT)])
                .reads([data(InitiatorPorts::MEMORY_RESPONSE)]),
            Process::new(RELEASE)
                .drives([ack(InitiatorPorts::MEMORY_RESPONSE)])
                .reads([ack(InitiatorPorts::OUTPUT)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            REQUEST => signals.write(ports.memory_request, self.reference(signals)),
            ACCEPT => {
                let is_taken =
                    signals.is_acknowledged(ports.memory_request) && self.reference(signals).is_some();
                signals.acknowledge(ports.address, is_taken);
                signals.acknowledge(ports.data.port, is_taken);
            }
            RESPONSE => {
                let response = signals.read(ports.memory_response);
                let word = response.map(|response| self.in_memory_order(response.data as u64));
                signals.write(ports.output.port, word);
            }
            _ => signals.acknowledge(ports.memory_response, signals.is_acknowledged(ports.output.port)),
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.memory_request) {
            edge.count(if self.ports.data.is_connected { WRITES } else { READS }, 1);
        }
        if edge.signals.received(self.ports.memory_response).is_some_and(|response| response.is_fault) {
            edge.count(FAULTS, 1);
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}
