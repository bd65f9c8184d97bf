//! `packet_mover`: slots for packets between a switch and a core.

mod accelerator;
mod broadcast;
mod core_side;
mod due;
mod host_side;
mod interrupts;
mod receiving;
pub mod register_map;
mod sending;
mod state;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, Contents, Declaration, Edge, Idle, Input, Module, OrUnconnected, Output, Process, Signals,
    Size, ack, data, parameters, ports,
};

use self::register_map::flag;
use self::state::{Broadcasts, HostSide, Lines, PacketMoverState, Receiver, Registers, Sender, Slot};
use crate::memory::storage::Storage;
use crate::parts::queue::pop_front_if;
use crate::values::{Block, BlockResponse, Reference, Response, SlotPacket};

/// Bytes of a word of the data path, and of a line of the memories.
const WORD: u32 = 16;

parameters! {
    /// The parameters of a packet mover.
    pub struct PacketMoverParameters {
        /// Number of slots.
        pub slots: u32 = 16 => in 1..=32,
        /// Size of the packet memory, in bytes, a power of two.
        pub packet_memory: Size = Size(1 << 20) => power_of_two 4096..=1 << 24,
        /// Size of the data memory, in bytes, a power of two.
        pub data_memory: Size = Size(32 << 10) => power_of_two 4096..=1 << 23,
        /// Size of the instruction memory in bytes, for the firmware to read.
        pub instruction_memory: Size = Size(64 << 10) => in 0..=1 << 24,
        /// Size of the broadcast region in bytes, for the firmware to read. A store to its first byte, halfword or word is not broadcast,
        /// as in the hardware.
        pub broadcast_region: Size = Size(8 << 10) => in 0..=1 << 23,
        /// Number of bytes of a packet that are also written to the data memory, a power of two.
        pub header_bytes: u32 = 128 => power_of_two 16..=4096,
        /// Number of the core, for the firmware to read.
        pub identity: u32 = 0 => in 0..=255,
        /// Address at which the core begins when the host ends its reset.
        pub entry: u64 = 0 => in 0..=0xffff_ffff,
        /// Cycles that the sender takes for a packet besides one for each word. With fewer than all of them it begins a packet before the
        /// one before has left.
        pub sender_cycles: u32 = 11 => in 0..=11,
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
        /// Commands with 32 bits of data, below their type. Of the load balancer: 0 to send the packet of a slot, 1 to send it to a core,
        /// whose number and slot are its lowest 16 bits.
        pub command: OrUnconnected<Input<u64>>,
        /// Stores to the broadcast region: 32 bits, from bit 32 on their 4 enables, from 36 on the number of the word in the region, and from
        /// 56 on that of the core.
        pub broadcast: OrUnconnected<Output<u64>>,
        /// Stores of all cores to their broadcast regions; those of this core have no effect.
        pub heard: OrUnconnected<Input<u64>>,
        /// A word in the cycle after a fetch beyond the instruction memory.
        pub fetch_beyond: OrUnconnected<Input<u64>>,
        /// Registers of an accelerator. Its answers may come at any time, one for each reference.
        pub accelerator: { request: OrUnconnected<Output<Reference>>, response: OrUnconnected<Input<Response>> },
        /// Counters, commands and memories, for the host, in lines of 16 bytes.
        pub control: { request: OrUnconnected<Input<Reference>>, response: OrUnconnected<Output<Response>> },
        /// Host memory, for descriptors of the core.
        pub host: { request: OrUnconnected<Output<Block>>, response: OrUnconnected<Input<BlockResponse>> },
        /// Control of the core, by which the host holds it in reset.
        pub reset: OrUnconnected<Output<u64>>,
        /// Interrupt line: a word in each cycle in which an enabled flag other than that of the timer is set.
        pub interrupt: OrUnconnected<Output<u64>>,
        /// Interrupt line of the timer.
        pub timer_interrupt: OrUnconnected<Output<u64>>,
    }
}

/// Slots for packets between a switch and a core. See its declaration.
pub struct PacketMover {
    parameters: PacketMoverParameters,
    ports: PacketMoverPorts,
    state: PacketMoverState,
    /// Outputs that follow from the state, and among them the answer for the core, which changes most often.
    presented: AlreadySet,
    answered: AlreadySet,
    /// First cycle whose commit does more than move words of packets and serve simple references, if there is no event before; 0 if not known.
    attends_at: u64,
    /// False if nothing waits to be presented but answers for the core.
    offers: bool,
}

/// Exchange of a cycle with the core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoreExchange {
    /// The reference that is taken.
    pub reference: Option<Reference>,
    /// True if the core receives an answer.
    pub is_answered: bool,
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

Enabled flags interrupt the core, except those of wrong accesses. Wrong references for data are answered with a fault; wrong fetches are the instruction memory's, which \
reports them. \
The interrupt line is down in the cycle after a store to `ACKNOWLEDGE`.

Address 0 of its contents is that of the data memory; the packet memory follows it. Packets whose slot is in use are dropped.

A descriptor for host memory moves bytes over the port `host`, one after the other, and stops the simulation if that is not connected. After a read, the flag \
of its number, which is the slot of the descriptor, is set in `HOST_FLAGS`. The port `control` is the host's view of the core: registers in the first 64 bytes, \
and its memories at the addresses of the core. A core that the host controls is in reset until the host ends that.";

impl Module for PacketMover {
    type Parameters = PacketMoverParameters;
    type Ports = PacketMoverPorts;
    type State = PacketMoverState;

    const SLEEPS: bool = true;

    fn declaration() -> Declaration {
        Declaration {
            kind: "packet_mover",
            family: "dma",
            documentation: DOCUMENTATION,
            timing: "The acknowledgement of the core depends on its request: a descriptor is refused while the queue of packets to send is full. \
                     References of the accelerator and its answers pass at once. All other outputs are registered. Loads are answered in the next cycle, those from the packet memory two cycles later. A packet of n \
                     words is visible to the core n + 5 cycles after its first word. A packet sent in cycle t leaves with its last word in cycle t + n + 14, \
                     and the next is begun n + 11 cycles after it; both are one cycle later for each word that waits for its bank. All bytes of a packet \
                     are written with its last word and read with its first.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596",
            parameters: PacketMoverParameters::declare(),
            ports: PacketMoverPorts::declare(),
            counters: &[
                ("received", "packets announced to the core"),
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
        let state = PacketMoverState {
            data: Storage::new(parameters.data_memory.0 as usize),
            packets: Storage::new(parameters.packet_memory.0 as usize),
            slots: vec![Slot::default(); parameters.slots as usize + 1],
            registers: Registers::new(),
            lines: Lines::default(),
            receiver: Receiver::default(),
            sender: Sender::default(),
            answers: std::collections::VecDeque::new(),
            core_bank: None,
            rising: std::collections::VecDeque::new(),
            slot_messages: std::collections::VecDeque::new(),
            core_messages: std::collections::VecDeque::new(),
            message: None,
            broadcasts: Broadcasts::default(),
            awaits_accelerator: false,
            host: HostSide { is_in_reset: ports.control_request.is_connected, ..HostSide::default() },
            host_data: std::collections::VecDeque::new(),
            next_cycle: 0,
        };
        let (presented, answered) = (AlreadySet::default(), AlreadySet::default());
        Ok(Self { parameters, ports, state, presented, answered, attends_at: 0, offers: true })
    }

    fn processes(&self) -> Vec<Process> {
        type P = PacketMoverPorts;
        let registered = [data(P::OUTPUT), data(P::MESSAGE), ack(P::INPUT)];
        let has_accelerator = self.has_accelerator();
        let answers = (!has_accelerator).then_some(data(P::CORE_RESPONSE));
        let inputs = [
            (self.ports.command.is_connected, P::COMMAND),
            (self.ports.heard.is_connected, P::HEARD),
            (self.ports.fetch_beyond.is_connected, P::FETCH_BEYOND),
            (self.ports.host_response.is_connected, P::HOST_RESPONSE),
            (self.ports.accelerator_response.is_connected, P::ACCELERATOR_RESPONSE),
        ];
        let inputs = inputs.into_iter().filter(|(is_connected, _)| *is_connected).map(|(_, port)| port);
        let outputs = [
            (self.ports.interrupt.is_connected, P::INTERRUPT),
            (self.ports.timer_interrupt.is_connected, P::TIMER_INTERRUPT),
            (self.ports.broadcast.is_connected, P::BROADCAST),
            (self.ports.host_request.is_connected, P::HOST_REQUEST),
            (self.ports.reset.is_connected, P::RESET),
        ];
        let control = self.ports.control_request.is_connected && self.ports.control_response.is_connected;
        let control =
            control.then_some([ack(P::CONTROL_REQUEST), data(P::CONTROL_RESPONSE)]).into_iter().flatten();
        let outputs =
            outputs.into_iter().filter(|(is_connected, _)| *is_connected).map(|(_, port)| data(port));
        let asked = [data(P::CORE_REQUEST)].into_iter().chain(
            has_accelerator
                .then_some([data(P::ACCELERATOR_RESPONSE), ack(P::ACCELERATOR_REQUEST)])
                .into_iter()
                .flatten(),
        );
        let mut processes = vec![
            Process::new(PRESENT)
                .drives(registered)
                .drives(answers)
                .drives(outputs)
                .drives(control)
                .accepts(inputs),
            Process::new(ACCEPT).drives([ack(P::CORE_REQUEST)]).reads(asked),
        ];
        if has_accelerator {
            let reads = [data(P::ACCELERATOR_RESPONSE)];
            processes.push(Process::new(ANSWER).drives([data(P::CORE_RESPONSE)]).reads(reads));
            let reads = [data(P::CORE_REQUEST), data(P::ACCELERATOR_RESPONSE)];
            processes.push(Process::new(PASS).drives([data(P::ACCELERATOR_REQUEST)]).reads(reads));
        }
        processes
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let ports = &self.ports;
        match code {
            ACCEPT => {
                let accepts = !signals.is_present(ports.core_request)
                    || if self.is_for_accelerator(signals) {
                        self.may_pass(signals) && signals.is_acknowledged(ports.accelerator_request.port)
                    } else {
                        !self.refuses(signals)
                    };
                return signals.acknowledge(ports.core_request, accepts);
            }
            ANSWER => return self.present_answer(signals),
            PASS => return self.pass_reference(signals),
            _ => {}
        }
        if !signals.are_set_already(&self.answered) && !self.has_accelerator() {
            signals.write(ports.core_response, self.answer());
        }
        self.present(signals);
    }

    #[inline]
    fn commit(&mut self, edge: &mut Edge<'_>) {
        let (signals, ports) = (edge.signals, &self.ports);
        let exchange = CoreExchange {
            reference: signals.received(ports.core_request),
            is_answered: signals.is_sent(ports.core_response),
        };
        self.commit_exchanged(&exchange, edge);
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let (receiver, sender) = (&state.receiver, &state.sender);
        let is_quiet = receiver.writes.is_empty()
            && receiver.free_at <= state.next_cycle
            && sender.queue.is_empty()
            && sender.commanded.is_empty()
            && state.broadcasts.sent.is_empty()
            && state.broadcasts.heard.is_empty()
            && !state.awaits_accelerator
            && sender.current.is_none()
            && sender.leaving.is_empty()
            && sender.output.is_none_or(|(cycle, _)| cycle <= state.next_cycle)
            && state.slot_messages.is_empty()
            && state.core_messages.is_empty()
            && state.rising.is_empty()
            && state.registers.pending.is_none()
            && state.answers.iter().all(|(cycle, _)| *cycle <= state.next_cycle)
            && self.is_host_quiet()
            && self.are_lines_settled();
        match self.next_timer_interrupt() {
            _ if !is_quiet => Idle::No,
            None => Idle::UntilTransfer,
            Some(cycle) => Idle::UntilTransferOrCycle(cycle),
        }
    }

    fn slept(&mut self, first: u64, count: u64, _: &mut [u64]) {
        self.state.next_cycle = first + count;
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
        // In the past: the next commit examines everything.
        self.attends_at = 1;
        self.offers = true;
        self.presented.forget();
        self.answered.forget();
        Ok(())
    }
}

const PRESENT: u16 = 0;
const ACCEPT: u16 = 1;
const ANSWER: u16 = 2;
const PASS: u16 = 3;

impl PacketMover {
    /// Codes of the processes of a packet mover without accelerator.
    pub(crate) const WITHOUT_ACCELERATOR: [u16; 2] = [PRESENT, ACCEPT];

    /// Presents outputs that depend on no other module, besides the answer for the core.
    #[inline]
    pub(crate) fn present(&self, signals: &mut Signals) {
        if signals.are_set_already(&self.presented) {
            return;
        }
        let (ports, state) = (&self.ports, &self.state);
        let now = state.next_cycle;
        if ports.broadcast.is_connected {
            let first = state.broadcasts.sent.front().filter(|(cycle, _)| *cycle <= now);
            signals.write(ports.broadcast.port, first.map(|(_, word)| *word));
        }
        let output = state.sender.output.filter(|(cycle, _)| *cycle <= now);
        signals.write(ports.output, output.map(|(_, packet)| packet));
        signals.write(ports.message, state.message);
        self.present_lines(signals);
        self.present_host(signals);
        signals.acknowledge(ports.input, state.receiver.free_at <= now);
    }

    /// Commits a cycle, given the exchange with the core.
    #[inline]
    pub(crate) fn commit_exchanged(&mut self, exchange: &CoreExchange, edge: &mut Edge<'_>) {
        self.state.core_bank = None;
        if !self.has_events(exchange, edge.signals) && edge.cycle() == self.state.next_cycle {
            // Found only here, because as a rule one event follows another.
            if self.attends_at == 0 {
                self.attends_at = self.next_due();
            }
            if edge.cycle() < self.attends_at {
                self.exchange_with_core(exchange, edge.cycle());
                return self.move_words(edge);
            }
        }
        self.commit_all(exchange, edge);
    }

    /// Commits a cycle in which anything may happen.
    #[inline(never)]
    fn commit_all(&mut self, exchange: &CoreExchange, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        let raises = self.raises_interrupt(cycle);
        // An acknowledgement in the same cycle wins.
        if edge.signals.is_received(self.ports.fetch_beyond.port) {
            self.state.registers.flags |= flag::INSTRUCTION_ACCESS;
        }
        self.note_sent(exchange, edge);
        let has_queued = self.queue_descriptor(edge);
        self.serve_core(exchange.reference, has_queued, cycle);
        if let Some(command) = edge.signals.received(self.ports.command.port) {
            self.obey(command, cycle);
        }
        self.hear(edge);
        self.serve_host(edge);
        let write_bank = self.receive(edge);
        self.send(write_bank, edge);
        self.choose_message(cycle);
        let state = &mut self.state;
        while let Some((_, bits)) = pop_front_if(&mut state.rising, |(due, _)| *due <= cycle + 1) {
            state.registers.flags |= bits;
        }
        state.next_cycle = cycle + 1;
        self.note_host_data(cycle);
        self.set_lines(raises);
        self.attends_at = 0;
        let state = &self.state;
        self.offers =
            state.message.is_some() || state.sender.output.is_some() || !state.broadcasts.sent.is_empty();
        self.presented.forget();
        self.answered.forget();
    }

    /// Answer for the core in this cycle, unless an accelerator gives it.
    #[inline]
    pub(crate) fn answer(&self) -> Option<Response> {
        let first = self.state.answers.front().filter(|(cycle, _)| *cycle <= self.state.next_cycle);
        first.map(|(_, response)| *response)
    }

    /// Answers on their way to the core, oldest first.
    pub(crate) fn answers(&self) -> impl Iterator<Item = Response> {
        self.state.answers.iter().map(|(_, response)| *response)
    }

    /// Answer to the reference that was taken last.
    #[inline]
    pub(crate) fn last_answer(&self) -> Option<Response> {
        self.state.answers.back().map(|(_, response)| *response)
    }

    /// Records the values that have left in this cycle.
    fn note_sent(&mut self, exchange: &CoreExchange, edge: &Edge<'_>) {
        self.note_answer(exchange);
        let (ports, state, signals) = (&self.ports, &mut self.state, edge.signals);
        if signals.is_sent(ports.output) {
            state.sender.output = None;
        }
        if signals.is_sent(ports.message) {
            state.message = None;
        }
        if ports.broadcast.is_connected && signals.is_sent(ports.broadcast.port) {
            state.broadcasts.sent.pop_front();
        }
        if self.has_accelerator() {
            self.note_accelerator(signals);
        }
    }

    /// Records an answer that has gone to the core, unless an accelerator gave it.
    #[inline]
    fn note_answer(&mut self, exchange: &CoreExchange) {
        let state = &mut self.state;
        if exchange.is_answered {
            pop_front_if(&mut state.answers, |(cycle, _)| *cycle <= state.next_cycle);
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
        match command >> 32 & 0xf {
            0 => self.command_departure(word, None, cycle),
            1 => self.command_departure(word & !0xffff, Some(((word >> 8) as u8, word as u8)), cycle),
            _ => {}
        }
    }
}

/// Bank of the packet memory that a word of a packet from `address` on is in.
fn bank_of(address: u32, word: u32) -> u64 {
    u64::from(address / WORD + word) & 1
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
