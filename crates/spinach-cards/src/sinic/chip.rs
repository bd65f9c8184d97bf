//! Parts of the card.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_server::pci::configuration::{ConfigurationSpace, Identity, Space, Window};
use spinach_server::pci::function::Sent;

use super::registers::{VNICS_MAXIMUM, WINDOW_BYTES, interrupt};
use crate::halves::Turns;
use crate::interrupts::Interrupts;
use crate::transmitter::Transmitter;

/// Parameters of a card. Defaults are those of the public model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Parameters {
    /// Its address on the Ethernet.
    pub address: [u8; 6],
    /// Bit rate of the wire.
    pub bits_per_s: u64,
    /// Delay of the interrupt of a deferrable event, in picoseconds.
    pub interrupt_delay: u64,
    /// VNICs, 1 to 256: 1 is SINIC, more are V-SINIC.
    pub virtual_count: usize,
    /// The longest packet that is received.
    pub rx_max_copy: u32,
    /// The longest packet that is sent, with all its pieces.
    pub tx_max_copy: u32,
    /// Bytes of a packet that are copied when the rest is deferred; 0 for all its headers.
    pub zero_copy_size: u32,
    /// Only copies that are longer are deferred.
    pub zero_copy_mark: u32,
    /// Pause frames are sent when the queue of received packets is nearly full, half way between high and full.
    pub flow_control: bool,
    /// Advice to the driver: packets for each interrupt.
    pub rx_max_intr: u32,
    /// The queue of received packets: its size, below what it is low, and from what on it is high.
    pub rx_fifo: [u32; 3],
    /// The same of packets to be sent.
    pub tx_fifo: [u32; 3],
}

const FIFO: [u32; 3] = [512 << 10, 128 << 10, 384 << 10];
pub(crate) const SIZE: usize = 0;
pub(crate) const LOW: usize = 1;
pub(crate) const HIGH: usize = 2;

impl Default for Parameters {
    fn default() -> Self {
        Self {
            address: [2, 0, 0, 0, 0, 1],
            bits_per_s: 10_000_000_000,
            interrupt_delay: 10_000_000,
            virtual_count: 1,
            rx_max_copy: 1514,
            tx_max_copy: 16 << 10,
            zero_copy_size: 64,
            zero_copy_mark: 256,
            flow_control: false,
            rx_max_intr: 10,
            rx_fifo: FIFO,
            tx_fifo: FIFO,
        }
    }
}

const IDENTITY: Identity = Identity {
    vendor: 0x1291,
    device: 0x1293,
    class: 0x02_0000,
    revision: 0,
    subsystem_vendor: 0,
    subsystem: 0,
    status: 0x0290,
    minimum_grant: 0xb0,
    maximum_latency: 0x34,
};
const WINDOWS: [Window; 1] =
    [Window { space: Space::Memory, bytes: WINDOW_BYTES as u32 * VNICS_MAXIMUM as u32 }];

/// One direction of a VNIC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Half {
    /// Requested copy.
    pub(crate) word: u64,
    pub(crate) is_busy: bool,
    /// Final part of the answer: the bits up to COMPLETE.
    pub(crate) done: u64,
}

/// A packet in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Packet {
    pub(crate) bytes: Vec<u8>,
    /// Number of copied bytes.
    pub(crate) copied: usize,
    /// Checksum verdict, as bits of RxDone.
    pub(crate) verdict: u64,
    pub(crate) owner: Option<usize>,
    /// Bytes of packets behind it that are gone, whose room is free when this one goes.
    pub(crate) slack: usize,
}

/// The receiving half.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Receiving {
    /// In the order in which they came. Those that a VNIC owns come before all others.
    pub(crate) queue: VecDeque<Packet>,
    /// Room that is taken, slack included.
    pub(crate) bytes: usize,
    /// VNICs that wait for a packet, in the order in which they were posted.
    pub(crate) waiting: VecDeque<usize>,
    /// VNICs that continue their packet, which are served first.
    pub(crate) continuing: VecDeque<usize>,
    /// The copy that is under way: whose, and how long.
    pub(crate) copy: Option<(usize, usize)>,
    /// The queue was low, and was not high since: copies may be deferred.
    pub(crate) is_low: bool,
    /// End of the pause requested from the other end; 0 without one.
    pub(crate) paused_until: u64,
    /// The queue was empty since it was high.
    pub(crate) was_empty: bool,
}

/// The sending half.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sending {
    /// VNICs with something to copy. The first stays so until its packet is whole.
    pub(crate) waiting: VecDeque<usize>,
    /// Its packet, as far as it was copied.
    pub(crate) packet: Vec<u8>,
    /// A piece of it could not be copied, or it is too long: nothing of it is sent.
    pub(crate) is_lost: bool,
    pub(crate) copy: bool,
    /// The queue was full and was not low since.
    pub(crate) was_full: bool,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counters {
    pub(crate) received: u64,
    pub(crate) overruns: u64,
    pub(crate) too_long: u64,
    pub(crate) too_long_to_send: u64,
    pub(crate) disabled: u64,
    pub(crate) obeyed: u64,
    pub(crate) refused: u64,
    pub(crate) aborts: u64,
    pub(crate) deferred: u64,
    pub(crate) pauses: u64,
}

/// All that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) space: ConfigurationSpace,
    pub(crate) config: u32,
    pub(crate) interrupts: Interrupts,
    pub(crate) rx: Vec<Half>,
    pub(crate) tx: Vec<Half>,
    pub(crate) receiving: Receiving,
    pub(crate) sending: Sending,
    pub(crate) transmitter: Transmitter,
    pub(crate) turns: Turns,
    pub(crate) is_linked: bool,
    pub(crate) counters: Counters,
}

/// The card.
#[derive(Debug)]
pub struct Sinic {
    pub(crate) parameters: Parameters,
    pub(crate) state: State,
    pub(crate) sent: VecDeque<Sent>,
}

impl Sinic {
    /// One that was just switched on. Of VNICs there are at least 1 and at most 256.
    pub fn new(parameters: &Parameters) -> Self {
        let mut parameters = parameters.clone();
        parameters.virtual_count = parameters.virtual_count.clamp(1, VNICS_MAXIMUM);
        let state = State {
            space: ConfigurationSpace::new(&IDENTITY, &WINDOWS),
            config: 0,
            interrupts: Interrupts::new(interrupt::DELAYED, parameters.interrupt_delay),
            rx: Vec::new(),
            tx: Vec::new(),
            receiving: Receiving::default(),
            sending: Sending::default(),
            transmitter: Transmitter::new(parameters.bits_per_s, parameters.tx_fifo[SIZE] as usize),
            turns: Turns::default(),
            is_linked: false,
            counters: Counters::default(),
        };
        let mut card = Self { parameters, state, sent: VecDeque::new() };
        card.reset();
        card
    }

    /// Resets the card, as the reset bit of Command does.
    pub(crate) fn reset(&mut self) {
        let state = &mut self.state;
        state.config = 0;
        state.interrupts.reset();
        state.interrupts.mask = interrupt::MASK_AT_RESET;
        state.rx = vec![Half::default(); self.parameters.virtual_count];
        state.tx = state.rx.clone();
        state.receiving = Receiving { is_low: true, was_empty: true, ..Receiving::default() };
        state.sending = Sending::default();
        state.transmitter.clear();
        state.turns.forget();
    }

    pub(crate) fn post(&mut self, causes: u32, time: u64) {
        self.state.interrupts.post(causes, time);
    }

    /// True if a state is complete and belongs to such a card.
    pub(crate) fn fits(&self, state: &State) -> bool {
        let count = self.parameters.virtual_count;
        let is_vnic = |number: &usize| *number < count;
        let (receiving, sending) = (&state.receiving, &state.sending);
        let bytes: usize = receiving.queue.iter().map(|packet| packet.bytes.len() + packet.slack).sum();
        state.space.is_like(&self.state.space)
            && [state.rx.len(), state.tx.len()] == [count; 2]
            && receiving.waiting.iter().all(is_vnic)
            && receiving.continuing.iter().all(is_vnic)
            && sending.waiting.iter().all(is_vnic)
            && receiving.queue.iter().all(|packet| packet.copied <= packet.bytes.len())
            && receiving.queue.iter().filter_map(|packet| packet.owner.as_ref()).all(is_vnic)
            && receiving.copy.iter().all(|(vnic, length)| {
                let mut owned = receiving.queue.iter().filter(|packet| packet.owner == Some(*vnic));
                owned.next().is_some_and(|packet| *length <= packet.bytes.len() - packet.copied)
            })
            && bytes == receiving.bytes
            && (!sending.copy || !sending.waiting.is_empty())
            && state.transmitter.is_consistent()
    }
}
