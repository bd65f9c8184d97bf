//! `slot_balancer`: spreads frames over the slots of several packet movers.

mod control;
mod messages;
mod policy;
mod state;

use std::collections::VecDeque;

use spinach_engine::declaration::Ports;
use spinach_engine::parameter::Parameters;
use spinach_engine::{
    AlreadySet, AnyNumber, Declaration, Edge, Idle, Input, Many, Module, OrUnconnected, Output, Process,
    Signals, Size, Value, ack, data, parameters, ports,
};

use self::state::{Policy, SlotBalancerState};
use crate::parts::queue::pop_front_if;
use crate::values::{Frame, Reference, Response, SlotPacket};

parameters! {
    /// The parameters of a balancer over slots.
    pub struct SlotBalancerParameters {
        /// Number of clusters that the cores form, each with as many.
        pub clusters: u32 = 4 => in 1..=64,
        /// Bytes that pass in a cycle from a port and into a cluster.
        pub bytes_per_cycle: u32 = 64 => in 1..=4096,
        /// Fewest cycles between two looks at a port, whether it gets a slot or not.
        pub port_cycles: u32 = 2 => in 1..=64,
        /// Ports that are looked at in a cycle at most (`round_robin`).
        pub choices: u32 = 1 => in 1..=64,
        /// Cycles from the choice of a slot until the first word of the frame is presented, besides one for each of its words.
        pub latency: u32 = 20 => in 0..=1024,
        /// Cycles from a message of a core until a slot that it frees can be chosen.
        pub message_latency: u32 = 12 => in 0..=1024,
        /// Cycles from the choice of a core's command until it is presented.
        pub command_latency: u32 = 2 => in 1..=1024,
        /// Choice of the core: that with most free slots, clusters in turn; or by a hash of the flow, waiting for a slot of that core, or
        /// dropping the frame if it has none and the port is almost full.
        pub policy: String = "round_robin".to_owned() => of ["round_robin", "hash", "hash_dropping"],
        /// Lowest bit of the hash that chooses the core; the core is the hash from this bit on modulo the number of cores.
        pub hash_bit: u32 = 14 => in 0..=31,
        /// Cycles from the first word of a frame until its hash can choose a core.
        pub hash_latency: u32 = 5 => in 1..=1024,
        /// Memory of each port for frames that wait to pass, in bytes (`hash` and `hash_dropping`).
        pub hashed_memory: Size = Size(4096) => in 64..=1 << 20,
        /// Cores that receive frames of ports, core 0 in bit 0.
        pub receivers: u64 = u64::MAX,
        /// Lines of the memory of a port from which on it is almost full, until the host sets another number (`hash_dropping`).
        pub drop_limit: u32 = 3584 => in 0..=1 << 24,
        /// Number of the port by which packets of other cores come.
        pub loopback_port: u32 = 3 => in 0..=255,
    }
}

ports! {
    /// Ports of a balancer over slots.
    pub struct SlotBalancerPorts {
        /// Frames, one lane for each port.
        pub frame: Many<Input<Frame>>,
        /// Packets, one lane for each core.
        pub packet: Many<Output<SlotPacket>>,
        /// Messages of the cores, as a packet mover sends them.
        pub message: Many<Input<u64>>,
        /// Commands to the cores, one lane for each: when to send a packet.
        pub command: AnyNumber<Output<u64>>,
        /// Packets from cores to cores, with the core and slot that they are for.
        pub loopback: OrUnconnected<Input<SlotPacket>>,
        /// Enables, slots and counters for the host, in lines of 16 bytes: see the documentation.
        pub control: { request: OrUnconnected<Input<Reference>>, response: OrUnconnected<Output<Response>> },
        /// One lane for each port, or none: lines that the memory of the port holds, and from bit 32 on the number of frames that it has
        /// dropped; never taken.
        pub fill: AnyNumber<Input<u64>>,
    }
}

/// Spreads frames over the slots of several packet movers. See its declaration.
pub struct SlotBalancer {
    parameters: SlotBalancerParameters,
    policy: Policy,
    ports: SlotBalancerPorts,
    state: SlotBalancerState,
    // Outputs of `PRESENT`, which follow from the state.
    presented: AlreadySet,
    // First cycle in which a packet or a command is presented; `None` if it may have changed.
    first_due: Option<u64>,
    // True if a packet or a command may be presented.
    offers: bool,
    // Number of packets of cores that wait for slots of other cores.
    asked: usize,
}

const FRAMES: usize = 0;
const WAITING: usize = 1;
const LOOPED: usize = 2;
const REFUSED: usize = 3;
/// Ports with counters for refused frames.
const COUNTED_PORTS: usize = 4;

const PRESENT: u16 = 0;
const ACCEPT: u16 = 1;

const DOCUMENTATION: &str = "Spreads frames over the slots of several packet movers.

The ports take turns: one is looked at in a cycle (`choices`), and none again before `port_cycles` have passed, even if it was in vain. Of a core, the lowest free slot is \
chosen. The slots of a core are free once it has told how many are ready. Messages of cores arrive one in a cycle.

The memory of a cluster takes one frame at a time, a word in each cycle after one for its destination, and passes it on once it is whole. A port whose frame waits for a \
cluster keeps those behind it waiting.

- `round_robin`: clusters take turns, of those with a free slot; within a cluster the core with most free slots is chosen. A port without a slot waits.
- `hash`: a hash of addresses and ports chooses the core, so that packets of a flow stay in order; the hash is put in front of the frame, as 4 bytes, the lowest \
first. A port whose first frame is for a core without a slot waits; of several, the first to find none gets the next slot.
- `hash_dropping`: the same, but the frame is dropped if the port is almost full.

A balancer by hash moves a word of each port in a cycle into its memory for the port (`hashed_memory`). It looks at one port in a cycle, by turns, and never at \
the same one in two consecutive cycles; a look in vain takes the turn, too. It decides on frames while those before them still pass. The number of lines of a port \
reaches it five cycles late, so an almost full port may lose all frames of this memory.

A core asks for the departure of a packet to another core (type 2), and is commanded to send it once there is a slot, which goes before a frame of a port; a \
packet of type 1 is commanded to leave in any case.

With `control` connected, no core receives frames until the host enables it. Of the address, bits 16 and 17 are a zone, bits 8 to 15 a unit, and bits 2 to 5 a \
register:

| zone | register | content |
|---|---|---|
| 1 | 0 | ports whose frames are taken, port 0 in bit 0 |
| 1 | 4 | lines of 64 bytes that the memory of each port holds |
| 1 | 8 to 11 | of each port: bytes and frames that were taken, frames that its memory dropped, cycles in which a frame waited |
| 2 | 0 | cores that are enabled, core 0 in bit 0; the others receive nothing |
| 2 | 1 | cores that receive frames of ports, of those that are enabled |
| 2 | 2 | written: cores whose free slots are forgotten |
| 2 | 3 | free slots of each core |
| 3 | 2 | frames of each port that were dropped because their core had no slot |
| 3 | 3 | written: lines of the memory of a port from which on it is almost full |";

impl Module for SlotBalancer {
    type Parameters = SlotBalancerParameters;
    type Ports = SlotBalancerPorts;
    type State = SlotBalancerState;

    const SLEEPS: bool = true;
    const ACCOUNTS_FOR_SLEEP: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "slot_balancer",
            family: "interconnect",
            documentation: DOCUMENTATION,
            timing: "With `round_robin` the acknowledgement of a frame depends on the frames presented, and without `message_latency` on the messages; all other outputs are registered.",
            source: "Rosebud (ASPLOS 2023, arXiv 2201.08978) and its published RTL, commit c593d596",
            parameters: SlotBalancerParameters::declare(),
            ports: SlotBalancerPorts::declare(),
            counters: &[
                ("frames", "frames that were given a slot"),
                ("waiting", "cycles in which frames were there and none could be given a slot"),
                ("looped", "packets from cores to cores"),
                ("refused_port_0", "frames of port 0 dropped because their core had no slot"),
                ("refused_port_1", "frames of port 1 dropped because their core had no slot"),
                ("refused_port_2", "frames of port 2 dropped because their core had no slot"),
                ("refused_port_3", "frames of port 3 dropped because their core had no slot"),
            ],
            clocks: &["clock"],
        }
    }

    fn new(parameters: SlotBalancerParameters, ports: SlotBalancerPorts) -> Result<Self, String> {
        let (cores, clusters) = (ports.packet.len(), parameters.clusters as usize);
        if !cores.is_multiple_of(clusters) {
            return Err(format!("clusters: {cores} cores do not form {clusters} equal clusters"));
        }
        if ports.message.len() != cores {
            return Err(format!("{cores} cores need {cores} lanes of message"));
        }
        if !ports.command.is_empty() && ports.command.len() != cores {
            return Err(format!("{cores} cores need {cores} lanes of command, or none"));
        }
        let policy = Policy::named(&parameters.policy);
        let lanes = ports.frame.len();
        if lanes > u64::BITS as usize {
            return Err(format!("frame: {lanes} ports are more than {}", u64::BITS));
        }
        if !ports.fill.is_empty() && ports.fill.len() != lanes {
            return Err(format!("{lanes} ports need {lanes} lanes of fill, or none"));
        }
        if policy == Policy::HashDropping && (ports.fill.is_empty() || lanes > COUNTED_PORTS) {
            return Err(format!(
                "policy: hash_dropping needs a lane of fill for each of at most {COUNTED_PORTS} ports"
            ));
        }
        let all = if cores >= 64 { u64::MAX } else { (1 << cores) - 1 };
        if parameters.receivers & all == 0 {
            return Err(format!("receivers: none of the {cores} cores receives frames"));
        }
        let mut state = SlotBalancerState::new(lanes, cores, clusters);
        state.drop_limit = parameters.drop_limit;
        if !ports.control_request.is_connected {
            (state.enabled, state.receivers) = (u64::MAX, parameters.receivers);
        }
        Ok(Self {
            parameters,
            policy,
            ports,
            state,
            presented: AlreadySet::default(),
            first_due: None,
            offers: true,
            asked: 0,
        })
    }

    fn processes(&self) -> Vec<Process> {
        type P = SlotBalancerPorts;
        let ports = &self.ports;
        let command = (!ports.command.is_empty()).then_some(data(P::COMMAND));
        let loopback = ports.loopback.is_connected.then_some(ack(P::LOOPBACK));
        let fill = (!ports.fill.is_empty()).then_some(ack(P::FILL));
        let control = ports.control_request.is_connected && ports.control_response.is_connected;
        let control =
            control.then_some([ack(P::CONTROL_REQUEST), data(P::CONTROL_RESPONSE)]).into_iter().flatten();
        let present = Process::new(PRESENT)
            .drives([data(P::PACKET)])
            .drives(control)
            .drives(command)
            .drives(loopback)
            .drives(fill)
            .accepts([P::MESSAGE]);
        if self.policy == Policy::RoundRobin {
            let messages = (self.parameters.message_latency == 0).then_some(data(P::MESSAGE));
            let asked = [data(P::FRAME)].into_iter().chain(messages);
            let accept = Process::new(ACCEPT).drives([ack(P::FRAME)]).reads(asked);
            vec![present, accept]
        } else {
            vec![present.drives([ack(P::FRAME)])]
        }
    }

    fn evaluate(&self, code: u16, _: u32, signals: &mut Signals) {
        let (ports, state) = (&self.ports, &self.state);
        if code == ACCEPT {
            let (_, chosen) = self.choose_ports(state.next_cycle, signals);
            for (lane, frame) in ports.frame.iter().enumerate() {
                signals.acknowledge(*frame, chosen >> lane & 1 != 0);
            }
            return;
        }
        if signals.are_set_already(&self.presented) {
            return;
        }
        for (packet, queue) in ports.packet.iter().zip(&state.queues) {
            signals.write(*packet, due(queue, state.next_cycle));
        }
        for (command, queue) in ports.command.iter().zip(&state.commands) {
            signals.write(*command, due(queue, state.next_cycle));
        }
        if ports.loopback.is_connected {
            signals.acknowledge(ports.loopback.port, state.loopback_free_at <= state.next_cycle);
        }
        for lane in ports.fill.iter() {
            signals.acknowledge(*lane, false);
        }
        state.port.evaluate(&ports.control_request, &ports.control_response, signals);
        if self.policy != Policy::RoundRobin {
            for (lane, frame) in ports.frame.iter().enumerate() {
                let has_room = self.has_room(lane, state.next_cycle);
                signals.acknowledge(*frame, has_room && state.counts[lane].takes);
            }
        }
    }

    fn commit(&mut self, edge: &mut Edge<'_>) {
        let cycle = edge.cycle();
        self.command(cycle);
        let is_sent = self.note_sent(edge.signals);
        if edge.signals.is_any_present(&self.ports.message) {
            for lane in 0..self.ports.message.len() {
                if let Some(message) = edge.signals.received(self.ports.message[lane]) {
                    self.take_message(lane, message, edge);
                }
            }
        }
        self.pass_loopback(edge);
        let is_waiting =
            if self.policy == Policy::RoundRobin { self.take(edge) } else { self.take_hashed(edge) };
        edge.count(WAITING, u64::from(is_waiting));
        while let Some((_, core, message)) = pop_front_if(&mut self.state.messages, |(due, ..)| *due <= cycle)
        {
            self.note(core, message, edge);
        }
        self.serve_host(edge);
        self.state.next_cycle = cycle + 1;
        let first_due = self.first_due.unwrap_or_else(|| self.find_first_due());
        self.first_due = Some(first_due);
        self.offers = first_due <= self.state.next_cycle;
        if is_sent || self.offers || self.may_present_more() {
            self.presented.forget();
        }
    }

    fn idle(&self) -> Idle {
        let state = &self.state;
        let is_settled = state.ports.iter().all(|free_at| *free_at <= state.next_cycle)
            && state.loopback_free_at <= state.next_cycle;
        let is_empty = state.queues.iter().all(VecDeque::is_empty)
            && state.commands.iter().all(VecDeque::is_empty)
            && state.messages.is_empty()
            && state.done.is_empty()
            && state.asked.iter().all(VecDeque::is_empty)
            && state.hashed.iter().all(|hashed| hashed.words == 0 && hashed.enters <= state.next_cycle)
            && state.port.is_empty();
        if is_settled && is_empty && self.knows_empty_ports() { Idle::UntilInput } else { Idle::No }
    }

    fn state(&self) -> &SlotBalancerState {
        &self.state
    }

    fn restore(&mut self, state: SlotBalancerState) -> Result<(), String> {
        if !self.state.fits(&state) {
            return Err("the saved balancer has other ports".to_owned());
        }
        self.state = state;
        (self.first_due, self.offers) = (None, true);
        self.asked = self.state.asked.iter().map(VecDeque::len).sum();
        self.presented.forget();
        Ok(())
    }
}

impl SlotBalancer {
    /// Records packets and commands that have left; returns true if any has.
    fn note_sent(&mut self, signals: &Signals) -> bool {
        if !self.offers {
            return false;
        }
        let SlotBalancerPorts { packet, command, .. } = &self.ports;
        let is_any = pop_sent(packet, &mut self.state.queues, signals);
        let is_any = pop_sent(command, &mut self.state.commands, signals) | is_any;
        if is_any {
            self.first_due = None;
        }
        is_any
    }

    /// True if outputs of `PRESENT` besides packets and commands may change in the coming cycle.
    fn may_present_more(&self) -> bool {
        self.policy != Policy::RoundRobin
            || self.ports.control_request.is_connected
            || self.state.loopback_free_at >= self.state.next_cycle
    }

    /// First cycle in which a packet or a command is presented; the last of all if there is none.
    fn find_first_due(&self) -> u64 {
        let packets = self.state.queues.iter().filter_map(|queue| Some(queue.front()?.0));
        let commands = self.state.commands.iter().filter_map(|queue| Some(queue.front()?.0));
        packets.chain(commands).fold(u64::MAX, u64::min)
    }
}

/// Forgets the values that have left; returns true if any has.
fn pop_sent<V: Value, T>(
    outputs: &[Output<V>],
    queues: &mut [VecDeque<(u64, T)>],
    signals: &Signals,
) -> bool {
    let mut is_any = false;
    for (output, queue) in outputs.iter().zip(queues) {
        if signals.is_sent(*output) {
            is_any = true;
            queue.pop_front();
        }
    }
    is_any
}

fn due<T: Copy>(queue: &VecDeque<(u64, T)>, cycle: u64) -> Option<T> {
    queue.front().filter(|(due, _)| *due <= cycle).map(|(_, value)| *value)
}
