//! `tally`: firmware-written event counters, exposed as module statistics.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::{Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, ports};

use crate::parts::registers::RegisterPort;
use crate::values::{Reference, Response};

/// Number of kinds.
const KINDS: usize = 32;

ports! {
    /// Ports of a tally.
    pub struct TallyPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
    }
}

/// State of a tally.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TallyState {
    port: RegisterPort,
    counts: [u32; KINDS],
}

/// Event counters that firmware writes. See its declaration.
pub struct Tally {
    ports: TallyPorts,
    state: TallyState,
}

const DOCUMENTATION: &str = "Event counters that firmware writes.

Firmware adds to a count by a write. The counts are statistics of the module, so frames that firmware drops are accounted for, \
by reason. The firmware and the description of its NIC define the meaning of each count.

Registers (aligned 32-bit words; the low 8 bits of the address count):

| offset | name | access | content |
|---|---|---|---|
| 0x00 to 0x7c | `COUNTS` | read, write | word `n`: reading gives count `n`, modulo 2^32; writing adds to it |";

impl Module for Tally {
    type Parameters = ();
    type Ports = TallyPorts;
    type State = TallyState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "tally",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A reference is answered in the cycle after it was taken.",
            source: "no source: an instrument",
            parameters: Vec::new(),
            ports: TallyPorts::declare(),
            counters: &[
                ("count_0", "sum of the writes to word 0"),
                ("count_1", "sum of the writes to word 1"),
                ("count_2", "sum of the writes to word 2"),
                ("count_3", "sum of the writes to word 3"),
                ("count_4", "sum of the writes to word 4"),
                ("count_5", "sum of the writes to word 5"),
                ("count_6", "sum of the writes to word 6"),
                ("count_7", "sum of the writes to word 7"),
                ("count_8", "sum of the writes to word 8"),
                ("count_9", "sum of the writes to word 9"),
                ("count_10", "sum of the writes to word 10"),
                ("count_11", "sum of the writes to word 11"),
                ("count_12", "sum of the writes to word 12"),
                ("count_13", "sum of the writes to word 13"),
                ("count_14", "sum of the writes to word 14"),
                ("count_15", "sum of the writes to word 15"),
                ("count_16", "sum of the writes to word 16"),
                ("count_17", "sum of the writes to word 17"),
                ("count_18", "sum of the writes to word 18"),
                ("count_19", "sum of the writes to word 19"),
                ("count_20", "sum of the writes to word 20"),
                ("count_21", "sum of the writes to word 21"),
                ("count_22", "sum of the writes to word 22"),
                ("count_23", "sum of the writes to word 23"),
                ("count_24", "sum of the writes to word 24"),
                ("count_25", "sum of the writes to word 25"),
                ("count_26", "sum of the writes to word 26"),
                ("count_27", "sum of the writes to word 27"),
                ("count_28", "sum of the writes to word 28"),
                ("count_29", "sum of the writes to word 29"),
                ("count_30", "sum of the writes to word 30"),
                ("count_31", "sum of the writes to word 31"),
            ],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: TallyPorts) -> Result<Self, String> {
        Ok(Self { ports, state: TallyState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = TallyPorts;
        vec![Process::new(0).drives([data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        self.state.port.evaluate(self.ports.registers_request, self.ports.registers_response, signals);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (request, response) = (self.ports.registers_request, self.ports.registers_response);
        let TallyState { port, counts } = &mut self.state;
        let mut added = None;
        port.commit(request, response, edge, |offset, written| {
            let kind = offset as usize / 4;
            let count = counts.get_mut(kind)?;
            if let Some(word) = written {
                *count = count.wrapping_add(word);
                added = Some((kind, word));
            }
            Some(*count)
        });
        if let Some((kind, word)) = added {
            edge.count(kind, u64::from(word));
        }
    }

    fn idle(&self) -> Idle {
        Idle::UntilInput
    }

    fn state(&self) -> &TallyState {
        &self.state
    }

    fn restore(&mut self, state: TallyState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}
