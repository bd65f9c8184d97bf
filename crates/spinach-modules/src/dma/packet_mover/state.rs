//! State of a packet mover.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_engine::Payload;

use super::register_map::flag;
use crate::memory::storage::Storage;
use crate::parts::line_port::LinePort;
use crate::values::{Response, SlotPacket};

/// State of a packet mover. Cycles are numbers of its clock.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PacketMoverState {
    pub(super) data: Storage,
    pub(super) packets: Storage,
    /// Packet and header address of each slot; entry 0 is not a slot.
    pub(super) slots: Vec<Slot>,
    pub(super) registers: Registers,
    pub(super) lines: Lines,
    pub(super) receiver: Receiver,
    pub(super) sender: Sender,
    /// Answers to the core, each with the cycle in which it is presented.
    pub(super) answers: VecDeque<(u64, Response)>,
    /// Bank of the packet memory that the core has used in this cycle.
    pub(super) core_bank: Option<u64>,
    /// Flags that rise in a later cycle.
    pub(super) rising: VecDeque<(u64, u32)>,
    /// Messages to the load balancer, each with the first cycle in which it may be presented.
    pub(super) slot_messages: VecDeque<(u64, u64)>,
    pub(super) core_messages: VecDeque<(u64, u64)>,
    pub(super) message: Option<u64>,
    pub(super) broadcasts: Broadcasts,
    /// True from a reference of the accelerator until it is answered.
    pub(super) awaits_accelerator: bool,
    pub(super) host: HostSide,
    /// Numbers of host reads whose flags rise in a later cycle.
    pub(super) host_data: VecDeque<(u64, u32)>,
    /// Number of the next cycle.
    pub(super) next_cycle: u64,
}

/// Stores to the broadcast region: those of the core, and those of other cores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Broadcasts {
    /// Words for the other cores, each with the first cycle in which it may be presented.
    pub sent: VecDeque<(u64, u64)>,
    /// Words of other cores, each with the cycle in which it is written.
    pub heard: VecDeque<(u64, u64)>,
    /// Addresses of those that passed the filter.
    pub queued: VecDeque<u32>,
}

/// One slot.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Slot {
    pub packet: u32,
    pub header: u32,
    /// True from the arrival of its packet until that is sent, and true from then until the message to the load balancer.
    pub is_held: bool,
    pub is_leaving: bool,
    /// True from the release of its descriptor until its packet is sent.
    pub is_active: bool,
    /// Address and length of the packet that the core has asked the load balancer for.
    pub asked: (u32, u32),
}

/// Interrupt lines, as presented in the next cycle.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Lines {
    pub external: bool,
    pub timer: bool,
    /// True if the core has written the register of acknowledgements in this cycle.
    pub is_acknowledged: bool,
}

/// Registers that hold the written value.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Registers {
    pub send: [u32; 2],
    pub host: [u32; 2],
    pub slot: u32,
    pub interval: u32,
    pub timer_began: u64,
    pub host_flags: u32,
    pub is_ready_to_evict: bool,
    pub mask: u32,
    pub debug_out: [u32; 2],
    pub debug_in: [u32; 2],
    pub broadcast_filter: [u32; 2],
    pub queues_broadcasts: bool,
    pub tag_bytes: u32,
    /// Type of the descriptor that has not left the core yet.
    pub pending: Option<u32>,
    /// Flags that stay until they are acknowledged.
    pub flags: u32,
    /// Word that the last read returned.
    pub last_read: u32,
}

impl Registers {
    pub(super) fn new() -> Self {
        Self {
            send: [0; 2],
            host: [0; 2],
            slot: 0,
            interval: 1,
            timer_began: 0,
            host_flags: 0,
            is_ready_to_evict: false,
            mask: 0xfff0,
            debug_out: [0; 2],
            debug_in: [0; 2],
            broadcast_filter: [0; 2],
            queues_broadcasts: false,
            tag_bytes: 0,
            pending: None,
            flags: 0,
            last_read: 0,
        }
    }

    /// Flags of the timer that its interval makes true.
    pub(super) fn note_time(&mut self, cycle: u64) {
        if cycle - self.timer_began > u64::from(self.interval) {
            self.flags |= flag::TIMER;
            let period = u64::from(self.interval) + 1;
            self.timer_began += (cycle - self.timer_began) / period * period;
        }
    }
}

/// Side that packets come in by.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Receiver {
    /// First cycle in which another packet may begin.
    pub free_at: u64,
    /// Packets whose words are being written, oldest first.
    pub writes: VecDeque<Write>,
    /// Received packets that the core has not released.
    pub received: VecDeque<Received>,
}

/// Packet on its way into a slot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Write {
    pub bytes: Payload,
    pub length: u32,
    pub slot: u8,
    pub port: u8,
    pub address: u32,
    /// Cycle in which its first word can be written, if nothing is in the way; each cycle another.
    pub begins: u64,
    pub words: u32,
    pub written: u32,
    /// True once all of it has come.
    pub has_come: bool,
}

/// Packet that the core can see, from a cycle on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Received {
    pub low: u32,
    pub high: u32,
    pub visible_at: u64,
}

/// Side that packets leave by.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sender {
    /// Descriptors, each with the first cycle in which it can be begun.
    pub queue: VecDeque<Departure>,
    /// Commands of the load balancer, which have priority.
    pub commanded: VecDeque<Departure>,
    pub current: Option<Sending>,
    /// Packets that have been read, if sending overlaps, oldest first.
    pub leaving: VecDeque<Sending>,
    /// First cycle in which another can be begun.
    pub free_at: u64,
    /// First cycle in which a word of another can be read, if sending overlaps.
    pub next_read: u64,
    /// Packet at the output, and the first cycle in which it is presented.
    pub output: Option<(u64, SlotPacket)>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Departure {
    pub low: u32,
    pub high: u32,
    pub begins: u64,
    /// Core and slot that it goes to, if it goes to a core.
    pub to_core: Option<(u8, u8)>,
}

/// Packet that is being read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Sending {
    pub departure: Departure,
    /// First cycle in which a word can be read.
    pub reads_from: u64,
    pub words: u32,
    pub read: u32,
    /// Cycles from the last read until the last word leaves.
    pub latency: u64,
    pub bytes: Option<Payload>,
    /// Cycle in which its last word leaves, once known.
    pub ends: Option<u64>,
}

/// The host's side of a packet mover.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct HostSide {
    pub port: LinePort,
    /// Descriptors for host memory, oldest first.
    pub orders: VecDeque<Order>,
    /// Commands to the core that have not left.
    pub resets: VecDeque<u64>,
    pub is_in_reset: bool,
    pub counts: Counts,
    pub mistakes: Mistakes,
}

/// Mistakes since the reset: slots in masks, slot 1 in bit 0.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Mistakes {
    /// Slots for which a packet came while they were in use.
    pub overridden: u32,
    /// Slots that were sent while their packets left.
    pub resent: u32,
    /// Slots that were sent without a packet.
    pub invalid: u32,
    /// True if a descriptor had an unknown type.
    pub has_unknown_type: bool,
}

/// Counters of the host, of packets in and out; they wrap around.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    pub received_bytes: u32,
    pub received: u32,
    pub received_stalls: u32,
    pub sent_bytes: u32,
    pub sent: u32,
    pub sent_stalls: u32,
}

/// Descriptor for host memory.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub low: u32,
    pub high: u32,
    pub host: u64,
    pub is_read: bool,
    /// First cycle in which its request may be presented: its words have been read then.
    pub due: u64,
    /// Bytes of a write, once they are read.
    pub bytes: Option<Payload>,
    pub is_asked: bool,
}
