//! `packet_mover`: slots for packets between a switch and a core.

mod core_side;
mod receiving;
pub mod register_map;
mod sending;
mod state;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    Contents, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals, Size, ack,
    data, parameters, ports,
};

use self::register_map::flag;
use self::state::{PacketMoverState, Receiver, Registers, Sender, Slot};
use crate::memory::storage::Storage;
use crate::parts::queue::pop_front_if;
use crate::values::{Reference, Response, SlotPacket};

/// Bytes of a word of the data path, and of a line of the memories.
const WORD: u32 = 16;

parameters! {
    /// The parameters of a packet mover.
    pub struct PacketMoverParameters {
        /// Number of slots.
        pub slots: u32 = 16 => in 1..=32,
        /// Size of the packet memory, in bytes, a power of two.
        pub packet_memory: Size = Size(1 << 20) => in 4096..=1 << 24,
        /// Size of the data memory, in bytes, a power of two.
        pub data_memory: Size = Size(32 << 10) => in 4096..=1 << 23,
        /// Size of the instruction memory in bytes, for the firmware to read.
        pub instruction_memory: Size = Size(64 << 10) => in 0..=1 << 24,
        /// Size of the broadcast region in bytes, for the firmware to read.
        pub broadcast_region: Size = Size(8 << 10) => in 0..=1 << 23,
        /// Number of bytes of a packet that are also written to the data memory, a power of two.
        pub header_bytes: u32 = 128 => in 16..=4096,
        /// Number of the core, for the firmware to read.
        pub identity: u32 = 0 => in 0..=255,
        /// If true, a packet may be begun once the words of the one before it have been read, not once they have left.
        pub overlaps_sending: bool = false,
    }
}

ports! {
    /// Ports of a packet mover.
    pub struct PacketMoverPorts {
        /// Data, for the core.
        pub core: { request: Input<Reference>, response: Output<Response> },
        /// Packets for slots; the port is the one that they came in by.
        pub input: Input<SlotPacket>,
        /// Packets that the core sends; the port is the one that they go to.
        pub output: Output<SlotPacket>,
        /// Messages to the load balancer: the low half of a descriptor, and above it its type: 0 for a slot that is free again.
        pub message: Output<u64>,
        /// Commands of the host, with 32 bits of data: 8 and 9 in the bits from 32 on for the halves of a word, 12 to poke, 13 to evict.
        pub command: OrUnconnected<Input<u64>>,
    }
}

/// Slots for packets between a switch and a core. See its declaration.
pub struct PacketMover {
    parameters: PacketMoverParameters,
    ports: PacketMoverPorts,
    state: PacketMoverState,
}

const RECEIVED: usize = 0;
const RECEIVED_BYTES: usize = 1;
const SENT: usize = 2;
const SENT_BYTES: usize = 3;
const DISCARDED: usize = 4;
const DROPPED_SLOT_IN_USE: usize = 5;
const READ_CONFLICTS: usize = 6;
const WRITE_CONFLICTS: usize = 7;
const DISCARDED_PORT_0: usize = 8;
const DISCARDED_PORT_1: usize = 9;

const DOCUMENTATION: &str = "Slots for packets between a switch and a core, with the memories that packets and core share.

An arriving packet names a slot, whose address the core has set; its words are written to the packet memory, and the first \
`header_bytes` of them to the data memory too. Then its descriptor waits in a register of the core, which sends the packet to a port, changed or not, \
or gives its slot back. One packet is received and one is sent at a time, a word of 16 bytes in a cycle. The packet memory has two banks of words, whose \
port the core, arriving words and departing words share, in this order.

Address 0 of its contents is that of the data memory; the packet memory follows it. Packets whose slot is in use are dropped. A descriptor for host memory stops \
the simulation: there is no host port.";

impl Module for PacketMover {
    type Parameters = PacketMoverParameters;
    type Ports = PacketMoverPorts;
    type State = PacketMoverState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "packet_mover",
            family: "dma",
            documentation: DOCUMENTATION,
            timing: "The acknowledgement of the core depends on its request: a descriptor is refused while the queue of packets to send is full. All \
                     other outputs are registered. Loads are answered in the next cycle, those from the packet memory two cycles later. A packet of n \
                     words is visible to the core n + 5 cycles after its first word. A packet sent in cycle t leaves with its last word in cycle t + n + 14, \
                     and the next is begun n + 11 cycles after it; both are one cycle later for each word that waits for its bank. All bytes of a packet \
                     are written with its last word and read with its first.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596",
            parameters: PacketMoverParameters::declare(),
            ports: PacketMoverPorts::declare(),
            counters: &[
                ("received", "packets that the core was told of"),
                ("received_bytes", "bytes of these packets"),
                ("sent", "packets that have left"),
                ("sent_bytes", "bytes of these packets"),
                ("discarded", "packets whose slots the core gave back"),
                ("dropped_slot_in_use", "packets dropped because their slot was in use"),
                ("read_conflicts", "cycles in which a departing word waited for its bank"),
                ("write_conflicts", "cycles in which an arriving word waited for its bank"),
                ("discarded_port_0", "packets whose slots the core gave back, with port 0"),
                ("discarded_port_1", "packets whose slots the core gave back, with port 1"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: PacketMoverParameters, ports: PacketMoverPorts) -> Result<Self, String> {
        let header = u64::from(parameters.header_bytes);
        for (name, size) in [
            ("packet_memory", parameters.packet_memory.0),
            ("data_memory", parameters.data_memory.0),
            ("header_bytes", header),
        ] {
            if !size.is_power_of_two() {
                return Err(format!("{name}: {size} is not a power of two"));
            }
        }
        let state = PacketMoverState {
            data: Storage::new(parameters.data_memory.0 as usize),
            packets: Storage::new(parameters.packet_memory.0 as usize),
            slots: vec![Slot::default(); parameters.slots as usize + 1],
            registers: Registers::new(),
            receiver: Receiver::default(),
            sender: Sender::default(),
            answers: std::collections::VecDeque::new(),
            core_bank: None,
            rising: std::collections::VecDeque::new(),
            slot_messages: std::collections::VecDeque::new(),
            core_messages: std::collections::VecDeque::new(),
            message: None,
            next_cycle: 0,
        };
        Ok(Self { parameters, ports, state })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PacketMoverPorts;
        let registered = [data(P::CORE_RESPONSE), data(P::OUTPUT), data(P::MESSAGE), ack(P::INPUT)];
        let command = self.ports.command.is_connected.then_some(P::COMMAND);
        vec![
            Process::new(PRESENT).drives(registered).accepts(command),
            Process::new(ACCEPT).drives([ack(P::CORE_REQUEST)]).reads([data(P::CORE_REQUEST)]),
        ]
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        if code == ACCEPT {
            let accepts = !signals.is_present(ports.core_request)
                || !self.refuses(signals.word(ports.core_request, 0), signals.word(ports.core_request, 1));
            return signals.acknowledge(ports.core_request, accepts);
        }
        let now = state.next_cycle;
        let answer = state.answers.front().filter(|(cycle, _)| *cycle <= now);
        signals.write(ports.core_response, answer.map(|(_, response)| *response));
        let output = state.sender.output.filter(|(cycle, _)| *cycle <= now);
        signals.write(ports.output, output.map(|(_, packet)| packet));
        signals.write(ports.message, state.message);
        signals.acknowledge(ports.input, state.receiver.free_at <= now);
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        self.state.core_bank = None;
        self.note_sent(edge);
        let has_queued = self.queue_descriptor(edge);
        self.serve_core(has_queued, edge);
        if let Some(command) = edge.signals.received(self.ports.command.port) {
            self.obey(command, cycle);
        }
        let write_bank = self.receive(edge);
        self.send(write_bank, edge);
        self.choose_message(cycle);
        let state = &mut self.state;
        while let Some((_, bits)) = pop_front_if(&mut state.rising, |(due, _)| *due <= cycle + 1) {
            state.registers.flags |= bits;
        }
        state.next_cycle = cycle + 1;
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let (receiver, sender) = (&state.receiver, &state.sender);
        let is_quiet = receiver.writes.is_empty()
            && receiver.free_at <= state.next_cycle
            && sender.queue.is_empty()
            && sender.current.is_none()
            && sender.leaving.is_empty()
            && sender.output.is_none_or(|(cycle, _)| cycle <= state.next_cycle)
            && state.slot_messages.is_empty()
            && state.core_messages.is_empty()
            && state.rising.is_empty()
            && state.registers.pending.is_none()
            && state.answers.iter().all(|(cycle, _)| *cycle <= state.next_cycle);
        if is_quiet { Idle::UntilTransfer } else { Idle::No }
    }

    fn contents(&mut self) -> Option<&mut dyn Contents> {
        Some(self)
    }

    fn state(&self) -> &PacketMoverState {
        &self.state
    }

    fn restore(&mut self, state: PacketMoverState) -> Result<(), String> {
        let (own, saved) = (&self.state, &state);
        let fits = own.data.len() == saved.data.len()
            && own.packets.len() == saved.packets.len()
            && own.slots.len() == saved.slots.len();
        if !fits {
            return Err("the saved packet mover has other sizes".to_owned());
        }
        self.state = state;
        Ok(())
    }
}

const PRESENT: u16 = 0;
const ACCEPT: u16 = 1;

impl PacketMover {
    /// Takes note of what has left in this cycle.
    fn note_sent(&mut self, edge: &Edge<'_>) {
        let (ports, state, signals) = (&self.ports, &mut self.state, edge.signals);
        if signals.is_sent(ports.core_response) {
            state.answers.pop_front();
        }
        if signals.is_sent(ports.output) {
            state.sender.output = None;
        }
        if signals.is_sent(ports.message) {
            state.message = None;
        }
    }

    /// Presents the next message, those of free slots first.
    fn choose_message(&mut self, cycle: u64) {
        let state = &mut self.state;
        if state.message.is_some() {
            return;
        }
        if let Some((_, message)) = pop_front_if(&mut state.slot_messages, |(due, _)| *due <= cycle + 1) {
            let slot = (message >> 16 & 0xff) as usize;
            if let Some(slot) = state.slots.get_mut(slot) {
                slot.is_leaving = false;
            }
            state.message = Some(message);
        } else if let Some((_, message)) =
            pop_front_if(&mut state.core_messages, |(due, _)| *due <= cycle + 1)
        {
            state.message = Some(message);
        }
    }

    fn obey(&mut self, command: u64, cycle: u64) {
        let word = command as u32;
        let state = &mut self.state;
        match command >> 32 & 0xf {
            8 => state.registers.debug_in[0] = word,
            9 => state.registers.debug_in[1] = word,
            12 if word & 1 != 0 => state.rising.push_back((cycle + FLAG_LATENCY, flag::POKE)),
            13 if word & 1 != 0 => state.rising.push_back((cycle + FLAG_LATENCY, flag::EVICT)),
            _ => {}
        }
    }
}

/// Cycles from an event beside the core until the core can read its flag.
const FLAG_LATENCY: u64 = 4;

impl Contents for PacketMover {
    fn size(&self) -> u64 {
        (self.state.data.len() + self.state.packets.len()) as u64
    }

    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let split = self.state.data.len() as u64;
        if address < split {
            self.state.data.copy_out(address, bytes)
        } else {
            self.state.packets.copy_out(address - split, bytes)
        }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        let split = self.state.data.len() as u64;
        if address < split {
            self.state.data.copy_in(address, bytes)
        } else {
            self.state.packets.copy_in(address - split, bytes)
        }
    }
}
