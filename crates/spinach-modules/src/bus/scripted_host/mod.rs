//! `scripted_host`: a host that executes a script, operation by operation.

mod perform;
mod script;
mod writable;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Contents, Declaration, Edge, Exported, Idle, Input, Module, OrUnconnected, Output, Outside, Payload,
    Process, Signals, Size, Time, ack, data, parameters, ports,
};

pub(crate) use self::script::{DROP_REASONS, OPERATION_CODES, WAKE_REASONS};
use self::script::{SCRIPT_BYTES, Script};
use self::writable::{WRITABLE, Writable};
use crate::bus::host_memory::HostMemory;
use crate::bus::host_traffic::HostTraffic;
use crate::parts::alarm::Alarm;
use crate::traffic::checker::{Checker, Departure};
use crate::traffic::live_frames::{END, EXPECT, Outbox, SEND};
use crate::traffic::pace::{Pace, Paced};
use crate::traffic::plan::TrafficPlan;
use crate::values::{Block, BlockResponse, Frame, Reference, Response};

parameters! {
    /// The parameters of a scripted host.
    pub struct ScriptedHostParameters {
        /// First address of the memory that the NIC can reach.
        pub memory_base: u64 = 0x1_2000_0000 => in 0..=0xffff_ffff_0000_0000,
        /// Bytes of that memory.
        pub memory_size: Size = Size(8 << 20) => in 4096..=0x4000_0000,
        /// Minimum time of a read of the NIC.
        pub read_time: Time = Time::ZERO; variable,
        /// Minimum time of a write to the NIC.
        pub write_time: Time = Time::ZERO; variable,
        /// Form of an interrupt: the state of a `line`, or a `message` that a wait which reports it takes.
        pub interrupts: String = "line".to_owned() => of ["line", "message"],
        /// Bytes at the beginning of memory where a write of the NIC is also an interrupt, as a message-signaled one is: the wait that
        /// reports it takes it.
        pub message_area: Size = Size(0),
        /// Frames that it sends and expects.
        pub traffic: HostTraffic,
    }
}

ports! {
    /// Ports of a scripted host.
    pub struct ScriptedHostPorts {
        /// Host memory, for the NIC.
        pub memory: { request: Input<Block>, response: Output<BlockResponse> },
        /// Configuration space of the NIC.
        pub configuration: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Memory space of the NIC, which holds its registers.
        pub access: { request: Output<Reference>, response: Input<Response> },
        /// The interrupt line: a word for each change, 1 for asserted and 0 for released; or messages. Always taken.
        pub interrupt: OrUnconnected<Input<u64>>,
        /// Departure times of sent frames, for the measurement of latency.
        pub departures: OrUnconnected<Output<Departure>>,
        /// Departure times of the network's frames.
        pub arriving: OrUnconnected<Input<Departure>>,
        /// Copies of the frames received, for recorders.
        pub received: OrUnconnected<Output<Frame>>,
    }
}

/// An access to the NIC that is under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Access {
    is_configuration: bool,
    request: Option<Reference>,
    began: Time,
    // The answer, once it came: it counts only when the access has taken as long as it must.
    answer: Option<u64>,
}

/// State of a scripted host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScriptedHostState {
    memory: HostMemory,
    responses: VecDeque<BlockResponse>,
    script: Script,
    // True if the script was written since the last cycle.
    is_fresh: bool,
    access: Option<Access>,
    alarm: Option<Alarm>,
    is_interrupting: bool,
    has_message: bool,
    frames_sent: u64,
    paced: Paced,
    departures: VecDeque<(u64, Time)>,
    copies: VecDeque<Payload>,
    checker: Checker,
}

/// A host that executes a script. See its declaration.
pub struct ScriptedHost {
    base: u64,
    read_time: Time,
    write_time: Time,
    takes_messages: bool,
    message_area: u64,
    send_plan: TrafficPlan,
    pace: Pace,
    receive_plan: TrafficPlan,
    outbox: Outbox,
    // Not state: a driver that repeats its actions says it again.
    writable: Writable,
    scratch: Vec<u8>,
    ports: ScriptedHostPorts,
    state: ScriptedHostState,
}

const OFFERED: usize = 0;
const DELIVERED: usize = 1;
const BYTES: usize = 2;
const PAYLOAD_BYTES: usize = 3;
const CORRUPTED: usize = 4;
const REORDERED: usize = 5;
const DUPLICATED: usize = 6;
const SCRIPTS: usize = 7;
const REGISTER_READS: usize = 8;
const REGISTER_WRITES: usize = 9;
const REGISTER_FAULTS: usize = 10;
const INTERRUPTS: usize = 11;
const READ_BYTES: usize = 12;
const WRITTEN_BYTES: usize = 13;
const MEMORY_FAULTS: usize = 14;
const SKIPPED: usize = 15;
const DROPPED_DAMAGED: usize = 16;
const DROPPED_RUNT: usize = 17;
const DROPPED_OVERSIZE: usize = 18;
const LAST_DELIVERY_FS: usize = 19;
const PAUSES: usize = 20;

/// Maximum number of waiting answers of host memory.
const RESPONSES: usize = 2;
/// The number of notes on departures that wait at most; beyond it latencies go unmeasured.
const DEPARTURES: usize = 65_536;

const DOCUMENTATION: &str = "A host that executes a script, operation by operation.

A program outside the simulation acts as the driver of the NIC, in the NIC's protocol: it writes the script into the contents of \
the module, and reads the results there. The module does all that must be fast or takes simulated time: it contains the shared \
memory, reads and writes registers of the NIC one at a time, waits, builds frames to send in that memory, and checks received \
frames byte for byte. The counter `scripts` counts completed scripts.

Contents: first the memory, then the script. The script is made of 64-bit little-endian words: the number of operations (at most \
4096), then four words for each. The last word of an operation becomes its result. A script begins when it is written.

| word 0: operation | word 1 | word 2 | word 3 | result |
|---|---|---|---|---|
| 0 read configuration space | address | bytes: 1, 2 or 4 | | the number read, little-endian; all ones if nothing answers |
| 1 write configuration space | address | number | bytes | 0 |
| 2 read memory space | address | bytes | | as 0 |
| 3 write memory space | address | number | bytes | 0 |
| 4 wait | until when at most, in femtoseconds | 1: for the interrupt; 2: until a frame is due to be sent; or both | | the reasons in word 2 that hold; 0 if time is up |
| 5 send a frame | address of its beginning | address of the rest | bytes of the beginning | bytes of the frame; 0 if none is due |
| 6 take a frame that was received | address | bytes | | 0 right, 1 corrupted, 2 reordered, 3 duplicated, 4 a pause frame of the other end |
| 7 drop a frame that was received | why: 0 damaged, 1 too short, 2 too long | | | 0 |

Sending a frame writes the next frame of the plan into memory and counts it as offered; the script must announce it to the NIC. \
Operations that touch only host memory take no time.

Once the program names memory that the NIC may write, on lane 3 as pairs of little-endian words of 64 bits (address and bytes), the \
simulation stops, with the reason, if the NIC writes elsewhere or across the end of one of these ranges.";

impl Module for ScriptedHost {
    type Parameters = ScriptedHostParameters;
    type Ports = ScriptedHostPorts;
    type State = ScriptedHostState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "scripted_host",
            family: "bus",
            documentation: DOCUMENTATION,
            timing: "All outputs are registered. Host memory takes one block a cycle and answers in the next. A script begins in the first \
                     cycle after it was written; an access is presented in the cycle after the operation before it ended.",
            source: "Spinach thesis, sections 2.1.1 and 3.2.3, table 3.3 (NIC Feeder)",
            parameters: ScriptedHostParameters::declare(),
            ports: ScriptedHostPorts::declare(),
            counters: &[
                ("offered", "frames handed over, to be sent"),
                ("delivered", "frames received that were right, for the first time"),
                ("bytes", "bytes of the frames delivered, without frame check sequence"),
                ("payload_bytes", "bytes of UDP payload of the frames delivered"),
                ("corrupted", "frames received that are not in the plan"),
                ("reordered", "frames delivered after one that was sent later"),
                ("duplicated", "right frames received again"),
                ("scripts", "scripts that are done"),
                ("register_reads", "reads of the NIC"),
                ("register_writes", "writes to the NIC"),
                ("register_faults", "accesses to the NIC that nothing answered"),
                ("interrupts", "times that the interrupt line was asserted, and messages"),
                ("read_bytes", "bytes of host memory that the NIC read"),
                ("written_bytes", "bytes of host memory that the NIC wrote"),
                ("memory_faults", "requests of the NIC for memory that it cannot reach"),
                ("skipped", "frames that had not been received when one that was sent later was"),
                ("dropped_damaged", "frames received that software dropped because the NIC had marked them"),
                ("dropped_runt", "frames received that software dropped because they were too short"),
                ("dropped_oversize", "frames received that software dropped because they were too long"),
                ("last_delivery_fs", "time of the last delivery, in femtoseconds"),
                ("pauses", "pause frames received that no source of traffic sent, and ignored"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: ScriptedHostParameters, ports: ScriptedHostPorts) -> Result<Self, String> {
        let p = &parameters;
        let send_plan = p.traffic.send_plan()?;
        let receive_plan = p.traffic.receive_plan()?;
        let end = p.memory_base.checked_add(p.memory_size.0);
        let end = end.ok_or("the memory goes beyond the last address")?;
        let pace = p.traffic.pace();
        let state = ScriptedHostState {
            memory: HostMemory::new(p.memory_base, end),
            responses: VecDeque::new(),
            script: Script::default(),
            is_fresh: false,
            access: None,
            alarm: None,
            is_interrupting: false,
            has_message: false,
            frames_sent: 0,
            paced: pace.start(send_plan.count()),
            departures: VecDeque::new(),
            copies: VecDeque::new(),
            checker: Checker::new(p.traffic.overtaking()),
        };
        Ok(Self {
            base: p.memory_base,
            read_time: p.read_time,
            write_time: p.write_time,
            takes_messages: p.interrupts == "message",
            message_area: p.message_area.0,
            send_plan,
            pace,
            receive_plan,
            outbox: p.traffic.outbox(),
            writable: Writable::default(),
            scratch: Vec::new(),
            ports,
            state,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = ScriptedHostPorts;
        let mut drives = vec![data(P::MEMORY_RESPONSE), ack(P::MEMORY_REQUEST), data(P::ACCESS_REQUEST)];
        let ports = &self.ports;
        drives.extend(ports.configuration_request.is_connected.then_some(data(P::CONFIGURATION_REQUEST)));
        drives.extend(ports.departures.is_connected.then_some(data(P::DEPARTURES)));
        drives.extend(ports.received.is_connected.then_some(data(P::RECEIVED)));
        vec![Process::new(0).drives(drives).accepts([
            P::ACCESS_RESPONSE,
            P::CONFIGURATION_RESPONSE,
            P::INTERRUPT,
            P::ARRIVING,
        ])]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        signals.write(ports.memory_response, state.responses.front().copied());
        signals.acknowledge(ports.memory_request, state.responses.len() < RESPONSES);
        let asked = |is_configuration: bool| {
            state.access.filter(|access| access.is_configuration == is_configuration)?.request
        };
        signals.write(ports.access_request, asked(false));
        signals.write(ports.configuration_request.port, asked(true));
        let departure = state.departures.front();
        let departure = departure.map(|(index, time)| Departure { index: *index, time: *time });
        signals.write(ports.departures.port, departure);
        let copy = state.copies.front().map(|bytes| Frame::intact(*bytes));
        signals.write(ports.received.port, copy);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        if edge.signals.is_sent(self.ports.departures.port) {
            self.state.departures.pop_front();
        }
        if edge.signals.is_sent(self.ports.received.port) {
            self.state.copies.pop_front();
        }
        if let Some(departure) = edge.signals.received(self.ports.arriving.port) {
            self.state.checker.depart(departure);
        }
        if let Some(level) = edge.signals.received(self.ports.interrupt.port) {
            edge.count(INTERRUPTS, u64::from(level != 0));
            self.state.is_interrupting = level != 0;
        }
        self.serve_memory(edge);
        self.see_access(edge);
        self.state.is_fresh = false;
        self.perform(edge);
    }

    fn idle(&self) -> Idle {
        match self.state.alarm {
            _ if self.state.is_fresh => Idle::No,
            Some(alarm) => Idle::UntilTransferOrCycle(alarm.look_at()),
            None => Idle::UntilTransfer,
        }
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn outside(&mut self) -> Option<&mut dyn Outside> {
        Some(self)
    }

    fn state(&self) -> &ScriptedHostState {
        &self.state
    }

    fn restore(&mut self, state: ScriptedHostState) -> Result<(), String> {
        if state.memory.size() != self.state.memory.size() {
            return Err("the saved host has another amount of memory".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

impl Contents for ScriptedHost {
    fn size(&self) -> u64 {
        self.state.memory.size() + SCRIPT_BYTES as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(end) = address.checked_add(bytes.len() as u64).filter(|end| *end <= self.size()) else {
            return false;
        };
        let memory = self.state.memory.size();
        if end <= memory {
            let found = self.state.memory.get(self.base + address, bytes.len());
            return found.map(|found| bytes.copy_from_slice(found)).is_some();
        }
        if address < memory {
            return false;
        }
        self.state.script.read((address - memory) as usize, bytes);
        true
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(end) = address.checked_add(bytes.len() as u64).filter(|end| *end <= self.size()) else {
            return false;
        };
        let memory = self.state.memory.size();
        if end <= memory {
            return self.state.memory.set(self.base + address, bytes);
        }
        if address < memory {
            return false;
        }
        self.state.script.write((address - memory) as usize, bytes);
        self.state.is_fresh = true;
        true
    }
}

impl Outside for ScriptedHost {
    fn inject(&mut self, lane: u32, message: &[u8]) -> Result<(), String> {
        match lane {
            SEND => self.send_plan.add(message),
            EXPECT => self.receive_plan.add(message),
            END => self.state.paced.end_after(message).map(|_| ()),
            WRITABLE => self.writable.add(message),
            _ => Err(format!("scripted_host: there is no lane {lane}")),
        }
    }

    fn waiting(&self, lane: u32) -> usize {
        if lane == SEND { (self.send_plan.count() - self.state.frames_sent) as usize } else { 0 }
    }

    fn export(&mut self, _: u32) -> Option<Exported> {
        self.outbox.take()
    }
}
