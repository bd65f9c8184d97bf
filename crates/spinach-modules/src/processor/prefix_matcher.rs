//! `prefix_matcher`: an accelerator that finds out whether an IPv4 address has one of many prefixes.

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Declaration, Edge, Idle, Input, Module, Output, Process, Signals, ack, data, parameters, ports,
};

use crate::values::{Access, Reference, Response};

parameters! {
    /// The parameters of a matcher of prefixes.
    pub struct PrefixMatcherParameters {
        /// The prefixes: rows of 2 numbers, an IPv4 address and the number of its bits that count.
        pub prefixes: Vec<u64> = Vec::new(),
        /// Cycles from the store of an address until its answer can be given.
        pub latency: u32 = 4 => in 1..=1024,
    }
}

ports! {
    /// Ports of a matcher of prefixes.
    pub struct PrefixMatcherPorts {
        /// Registers.
        pub registers: { request: Input<Reference>, response: Output<Response> },
    }
}

/// State of a matcher of prefixes. Cycles are numbers of its clock.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PrefixMatcherState {
    address: u32,
    /// First cycle in which the answer for the address can be presented.
    ready_at: u64,
    /// Answer to the last reference, and the cycle in which it is presented.
    answer: Option<(u64, Response)>,
    next_cycle: u64,
}

/// Finds out whether an address has one of many prefixes. See its declaration.
pub struct PrefixMatcher {
    /// First and last address of each prefix, in order and apart from each other.
    ranges: Vec<(u32, u32)>,
    latency: u64,
    ports: PrefixMatcherPorts,
    state: PrefixMatcherState,
}

const LOOKUPS: usize = 0;
const MATCHES: usize = 1;
const WAITING: usize = 2;

/// Offsets of registers, by bits 2 and 3 of an address.
mod offset {
    pub(super) const ADDRESS: u64 = 0x0;
    pub(super) const MATCH: u64 = 0x4;
}

const DOCUMENTATION: &str = "An accelerator that finds out whether an IPv4 address has one of many prefixes.

Registers (low 4 bits of the address):

| offset | name | access | content |
|---|---|---|---|
| 0x0 | `ADDRESS` | read, write | the address as it lies in a packet, the first byte lowest; a write begins to look for it |
| 0x4 | `MATCH` | read | 1 if it has one of the prefixes, otherwise 0; waits for the result |

Other offsets, and stores to `MATCH`, are answered with a fault.";

impl Module for PrefixMatcher {
    type Parameters = PrefixMatcherParameters;
    type Ports = PrefixMatcherPorts;
    type State = PrefixMatcherState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "prefix_matcher",
            family: "processor",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. A reference is answered in the next cycle; the match of an address stored in cycle t in cycle \
                     t + `latency` at the earliest. One reference is under way at a time, unless its answer leaves.",
            source: "Rosebud (ASPLOS 2023) and its published RTL, commit c593d596: accelerator of the firewall; the latency is read from the RTL, not measured",
            parameters: PrefixMatcherParameters::declare(),
            ports: PrefixMatcherPorts::declare(),
            counters: &[
                ("lookups", "addresses that were looked for"),
                ("matches", "addresses with one of the prefixes"),
                ("waiting", "cycles in which a load waited for a result"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PrefixMatcherParameters, ports: PrefixMatcherPorts) -> Result<Self, String> {
        let ranges = ranges_of(&parameters.prefixes)?;
        Ok(Self { ranges, latency: parameters.latency.into(), ports, state: PrefixMatcherState::default() })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PrefixMatcherPorts;
        vec![Process::new(0).drives([data(P::REGISTERS_RESPONSE), ack(P::REGISTERS_REQUEST)])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let due = self.state.answer.filter(|(cycle, _)| *cycle <= self.state.next_cycle);
        signals.write(self.ports.registers_response, due.map(|(_, response)| response));
        signals.acknowledge(self.ports.registers_request, self.state.answer.is_none() || due.is_some());
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        if edge.signals.is_sent(self.ports.registers_response) {
            self.state.answer = None;
        }
        if let Some(reference) = edge.signals.received(self.ports.registers_request) {
            let answer = self.perform(&reference, edge);
            self.state.answer = Some(answer);
        } else if let Some((due, _)) = self.state.answer {
            edge.count(WAITING, u64::from(due > cycle + 1));
        }
        self.state.next_cycle = cycle + 1;
    }

    fn idle(&self) -> Idle {
        match self.state.answer {
            Some(_) => Idle::No,
            None => Idle::UntilInput,
        }
    }

    fn state(&self) -> &PrefixMatcherState {
        &self.state
    }

    fn restore(&mut self, state: PrefixMatcherState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl PrefixMatcher {
    fn perform(&mut self, reference: &Reference, edge: &mut Edge<'_>) -> (u64, Response) {
        let next = edge.cycle() + 1;
        let (at, shift) = (reference.address & 0xc, 8 * (reference.address & 3));
        let state = &mut self.state;
        let read = |word: u32| Response { data: u128::from(word >> shift), is_fault: false };
        match (at, reference.access) {
            (offset::ADDRESS, Access::Write) if reference.size == 4 && shift == 0 => {
                state.address = reference.data as u32;
                state.ready_at = edge.cycle() + self.latency;
                edge.count(LOOKUPS, 1);
                let is_match = self.matches();
                edge.count(MATCHES, u64::from(is_match));
                (next, Response::default())
            }
            (offset::ADDRESS, Access::Read) => (next, read(state.address)),
            (offset::MATCH, Access::Read) => {
                let ready_at = state.ready_at;
                (next.max(ready_at), read(self.matches().into()))
            }
            _ => (next, Response::FAULT),
        }
    }

    /// True if the address has one of the prefixes.
    fn matches(&self) -> bool {
        let address = self.state.address.swap_bytes();
        let after = self.ranges.partition_point(|(first, _)| *first <= address);
        after > 0 && address <= self.ranges[after - 1].1
    }
}

/// The ranges of prefixes, in order, without those inside of others.
fn ranges_of(prefixes: &[u64]) -> Result<Vec<(u32, u32)>, String> {
    if !prefixes.len().is_multiple_of(2) {
        return Err("prefixes: a prefix has 2 numbers".to_owned());
    }
    let mut ranges = Vec::new();
    for prefix in prefixes.chunks_exact(2) {
        let (Ok(address), length @ 0..=32) = (u32::try_from(prefix[0]), prefix[1]) else {
            return Err(format!("prefixes: {:#x}/{} is not an IPv4 prefix", prefix[0], prefix[1]));
        };
        let rest = u32::MAX.checked_shr(length as u32).unwrap_or(0);
        ranges.push((address & !rest, address | rest));
    }
    // Of two prefixes either one holds the other or they have no address in common.
    ranges.sort_by_key(|(first, last)| (*first, u32::MAX - last));
    let mut apart: Vec<(u32, u32)> = Vec::new();
    for range in ranges {
        if apart.last().is_none_or(|(_, last)| range.0 > *last) {
            apart.push(range);
        }
    }
    Ok(apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_inside_of_others_are_left_out() {
        let prefixes = [0x0a00_0000, 8, 0x0a01_0000, 16, 0xc000_0201, 32, 0x0b00_0000, 8];
        let expected = [(0x0a00_0000, 0x0aff_ffff), (0x0b00_0000, 0x0bff_ffff), (0xc000_0201, 0xc000_0201)];
        assert_eq!(ranges_of(&prefixes), Ok(expected.to_vec()));
        assert_eq!(ranges_of(&[0, 0]), Ok(vec![(0, u32::MAX)]));
        assert!(ranges_of(&[1]).is_err());
        assert!(ranges_of(&[0, 33]).is_err());
    }
}
