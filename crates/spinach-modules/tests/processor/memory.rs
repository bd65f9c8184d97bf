//! A memory for testing cores: any latency from none on, references refused and answers delayed at random or on schedule.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Contents, Declaration, Edge, Input, Many, Module, Output, Process, Signals, Size, ack, data, parameters,
    ports,
};
use spinach_isa::atomic::AtomicOperation;
use spinach_modules::values::{Access, Reference, Response};

use crate::support::Random;

parameters! {
    pub struct TestMemoryParameters {
        /// Size in bytes, from address 0 on.
        pub size: Size,
        /// Cycles from an accepted reference to its answer, for each lane. At 0 reads and writes are answered in
        /// the same cycle, atomic operations in the next.
        pub latencies: Vec<u64>,
        /// Percentage of cycles in which a lane refuses.
        pub refuse_percent: u64 = 0,
        /// Percentage of answers that come later, by 1 to 4 cycles.
        pub delay_percent: u64 = 0,
        /// Decides in which cycles.
        pub seed: u64 = 0,
        /// Lanes from this one on refuse in these cycles.
        pub refusing_lanes_from: u64 = 1,
        /// See above.
        pub refused_cycles: Vec<u64> = Vec::new(),
        /// If true, the most significant byte of a word comes first, for atomic operations.
        pub big_endian: bool = true,
    }
}

ports! {
    pub struct TestMemoryPorts {
        /// Initiators.
        pub port: { request: Many<Input<Reference>>, response: Many<Output<Response>> },
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lane {
    accepts: bool,
    extra_delay: u64,
    queue: VecDeque<(u64, Response)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TestMemoryState {
    bytes: Vec<u8>,
    cycle: u64,
    random: Random,
    lanes: Vec<Lane>,
    reservations: Vec<(u16, u64)>,
    /// Every reference in the order in which it was performed: source, access, address.
    pub performed: Vec<(u16, Access, u64)>,
}

pub(crate) struct TestMemory {
    parameters: TestMemoryParameters,
    ports: TestMemoryPorts,
    state: TestMemoryState,
}

impl TestMemory {
    fn read(&self, reference: &Reference) -> Response {
        let start = reference.address as usize;
        match self.state.bytes.get(start..start + usize::from(reference.size)) {
            None => Response { data: 0, is_fault: true },
            Some(bytes) => {
                let mut data = 0u128;
                for (index, byte) in bytes.iter().enumerate() {
                    data |= u128::from(*byte) << (8 * index);
                }
                Response { data, is_fault: false }
            }
        }
    }

    fn store(&mut self, reference: &Reference, data: u128) {
        for index in 0..usize::from(reference.size) {
            if reference.enables >> index & 1 != 0 {
                self.state.bytes[reference.address as usize + index] = (data >> (8 * index)) as u8;
            }
        }
        let word = reference.address & !3;
        self.state.reservations.retain(|(_, reserved)| *reserved != word);
    }

    fn perform(&mut self, reference: &Reference) -> Response {
        self.state.performed.push((reference.source, reference.access, reference.address));
        let old = self.read(reference);
        if old.is_fault {
            return old;
        }
        let number = |data: u32| Response { data: u128::from(data), is_fault: false };
        let is_big_endian = self.parameters.big_endian;
        let swap = |word: u32| if is_big_endian { word.swap_bytes() } else { word };
        let atomic =
            |operation: AtomicOperation| operation.apply(swap(old.data as u32), reference.data as u32);
        match reference.access {
            Access::Read => old,
            Access::Write => {
                self.store(reference, reference.data);
                number(0)
            }
            Access::LoadLinked => {
                self.state.reservations.retain(|(source, _)| *source != reference.source);
                self.state.reservations.push((reference.source, reference.address));
                old
            }
            Access::StoreConditional => {
                let holds = self.state.reservations.contains(&(reference.source, reference.address));
                if holds {
                    self.store(reference, reference.data);
                }
                number(u32::from(holds))
            }
            _ => {
                let outcome = atomic(reference.access.atomic().expect("all others are operations on a word"));
                self.store(reference, u128::from(swap(outcome.word)));
                number(outcome.result)
            }
        }
    }

    fn answers_at_once(&self, lane: usize, reference: &Reference) -> bool {
        let state = &self.state.lanes[lane];
        self.parameters.latencies[lane] == 0
            && state.extra_delay == 0
            && state.accepts
            && state.queue.is_empty()
            && matches!(reference.access, Access::Read | Access::Write)
    }
}

impl Module for TestMemory {
    type Parameters = TestMemoryParameters;
    type Ports = TestMemoryPorts;
    type State = TestMemoryState;

    fn declaration() -> Declaration {
        Declaration {
            kind: "test_memory",
            family: "test",
            documentation: "A memory for testing cores.",
            timing: "Acknowledgements are registered; answers are combinational on lanes without latency.",
            source: "None.",
            parameters: TestMemoryParameters::declare(),
            ports: TestMemoryPorts::declare(),
            counters: &[("taken", "references taken")],
            clocks: &["clock"],
        }
    }

    fn new(parameters: TestMemoryParameters, ports: TestMemoryPorts) -> Result<Self, String> {
        let state = TestMemoryState {
            bytes: vec![0; parameters.size.0 as usize],
            cycle: 0,
            random: Random::new(parameters.seed),
            lanes: vec![
                Lane { accepts: true, extra_delay: 0, queue: VecDeque::new() };
                ports.port_request.len()
            ],
            reservations: Vec::new(),
            performed: Vec::new(),
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = TestMemoryPorts;
        let mut processes = vec![Process::new(0).drives([ack(P::PORT_REQUEST)])];
        for (lane, latency) in self.parameters.latencies.iter().enumerate() {
            let process = Process::new(1).lane(lane).drives([data(P::PORT_RESPONSE).lane(lane)]);
            let reads = (*latency == 0).then(|| data(P::PORT_REQUEST).lane(lane));
            processes.push(process.reads(reads));
        }
        processes
    }

    fn evaluate(&self, code: u16, lane: u32, signals: &mut Signals) {
        let lane = lane as usize;
        if code == 0 {
            for (state, port) in self.state.lanes.iter().zip(&*self.ports.port_request) {
                signals.acknowledge(*port, state.accepts);
            }
            return;
        }
        let due = self.state.lanes[lane].queue.front().filter(|(cycle, _)| *cycle <= self.state.cycle);
        let mut response = due.map(|(_, response)| *response);
        if self.parameters.latencies[lane] == 0
            && let Some(reference) = signals.read(self.ports.port_request[lane])
            && self.answers_at_once(lane, &reference)
        {
            let read = self.read(&reference);
            let is_write = reference.access == Access::Write && !read.is_fault;
            response = Some(if is_write { Response::default() } else { read });
        }
        signals.write(self.ports.port_response[lane], response);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        for writes in [false, true] {
            for lane in 0..self.state.lanes.len() {
                let Some(reference) = edge.signals.received(self.ports.port_request[lane]) else { continue };
                if reference.access.writes() != writes {
                    continue;
                }
                edge.count(0, 1);
                let at_once = self.answers_at_once(lane, &reference);
                let response = self.perform(&reference);
                if !at_once {
                    let delay = self.parameters.latencies[lane].max(1) + self.state.lanes[lane].extra_delay;
                    // Marked as one that was not there in this cycle.
                    self.state.lanes[lane].queue.push_back((edge.cycle() + delay, response));
                }
            }
        }
        for lane in 0..self.state.lanes.len() {
            let (sent, cycle) = (edge.signals.is_sent(self.ports.port_response[lane]), self.state.cycle);
            let state = &mut self.state;
            let own = &mut state.lanes[lane];
            if sent && own.queue.front().is_some_and(|(due, _)| *due <= cycle) {
                own.queue.pop_front();
            }
            let scheduled = lane as u64 >= self.parameters.refusing_lanes_from
                && self.parameters.refused_cycles.contains(&(edge.cycle() + 1));
            own.accepts = state.random.below(100) >= self.parameters.refuse_percent && !scheduled;
            let is_delayed = state.random.below(100) < self.parameters.delay_percent;
            own.extra_delay = if is_delayed { 1 + state.random.below(4) } else { 0 };
        }
        self.state.cycle = edge.cycle() + 1;
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &TestMemoryState {
        &self.state
    }

    fn restore(&mut self, state: TestMemoryState) -> Result<(), String> {
        self.state = state;
        Ok(())
    }
}

impl Contents for TestMemory {
    fn size(&self) -> u64 {
        self.state.bytes.len() as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let start = address as usize;
        let Some(found) = self.state.bytes.get(start..start + bytes.len()) else { return false };
        bytes.copy_from_slice(found);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let start = address as usize;
        let Some(place) = self.state.bytes.get_mut(start..start + bytes.len()) else { return false };
        place.copy_from_slice(bytes);
        true
    }
}
