//! Registers of a packet mover as its core sees them: the one description of both faces.

/// Registers by name, each with its offset, or its bits, and its meaning.
pub type Described = &'static [(&'static str, u32, &'static str)];

macro_rules! described {
    ($(#[$about:meta])* $list:ident in $module:ident { $($name:ident = $value:expr, $meaning:literal;)* }) => {
        #[allow(dead_code, reason = "firmware has names for all of them, and not all are modelled")]
        pub(super) mod $module {
            $(#[doc = $meaning] pub(crate) const $name: u32 = $value;)*
        }
        $(#[$about])*
        pub const $list: Described = &[$((stringify!($name), $value, $meaning)),*];
    };
}

described! {
    /// Registers that are written.
    WRITTEN in write {
        SEND_LOW = 0x08, "length (bits 0 to 15), slot (16 to 23) and port (24 to 31) of the descriptor to send; waits while an earlier one is pending";
        SEND_HIGH = 0x0c, "address of the packet to send, 25 bits; waits as `SEND_LOW` does";
        HOST_LOW = 0x10, "lower half of an address in host memory";
        HOST_HIGH = 0x14, "upper half of an address in host memory";
        SLOT = 0x18, "slot to be set by `SLOT_UPDATE`: address (bits 0 to 23), number from 1 on (24 to 30), header slot rather than packet slot (31)";
        TIMER_INTERVAL = 0x1c, "cycles between two interrupts of the timer; restarts it";
        HOST_FLAGS = 0x20, "flags of completed host reads";
        READY_TO_EVICT = 0x24, "bit 0: the firmware holds no packet";
        SEND = 0x28, "type of the descriptor (4 bits), which is sent";
        RELEASE = 0x2c, "bit 0: takes the received descriptor, so that the next can be read";
        HOST_FLAG_CLEAR = 0x30, "number of the flag of host reads to clear";
        SLOT_UPDATE = 0x34, "bit 0: sets the slot that `SLOT` describes";
        INTERRUPT_MASK = 0x38, "enabled interrupts, 16 bits; 0xfff0 after a reset";
        ACKNOWLEDGE = 0x3c, "clears the bits of `FLAGS` that are set";
        DEBUG_OUT_LOW = 0x40, "lower half of a word for the host";
        DEBUG_OUT_HIGH = 0x44, "upper half of a word for the host";
        BROADCAST_MASK = 0x48, "address bits that the filter of broadcast stores compares";
        BROADCAST_VALUE = 0x4c, "their value";
        BROADCAST_ENABLE = 0x50, "bit 0: stores that pass the filter are queued";
        BROADCAST_RELEASE = 0x54, "bit 0: takes the address of the oldest queued store";
        RESEND_LOW = 0x58, "`SEND_LOW`, without waiting";
        RESEND_HIGH = 0x5c, "`SEND_HIGH`, without waiting";
        TAG_BYTES = 0x60, "bytes that the load balancer has put in front of a packet, to be cut off";
    }
}

described! {
    /// Registers that are read.
    READABLE in read {
        RECEIVED_LOW = 0x80, "length (bits 0 to 15), slot (16 to 23) and port (24 to 31) of the oldest received packet";
        RECEIVED_HIGH = 0x84, "its address";
        HOST_FLAGS = 0x88, "flags of completed host reads";
        STATUS = 0x8c, "bytes that are 1 if: a packet was received (bits 0 to 7); there is room to send (8 to 15), to update a slot (16 to 23), to broadcast (24 to 31)";
        CORE = 0x90, "number of the core";
        TIMER_LOW = 0x94, "lower half of the cycles since the reset";
        TIMER_HIGH = 0x98, "upper half of the cycles since the reset";
        FLAGS = 0x9c, "interrupts, errors of the system and errors of access";
        INTERRUPT_MASK = 0xa0, "enabled interrupts";
        INSTRUCTION_BYTES = 0xa4, "size of the instruction memory";
        DATA_BYTES = 0xa8, "size of the data memory";
        PACKET_BYTES = 0xac, "size of the packet memory";
        SEGMENT_BYTES = 0xb0, "size of a segment of the packet memory";
        SEGMENTS = 0xb4, "number of segments";
        BROADCAST_BYTES = 0xb8, "size of the broadcast region, at the end of the data memory";
        SLOTS = 0xbc, "number of slots";
        DEBUG_IN_LOW = 0xc0, "lower half of a word of the host";
        DEBUG_IN_HIGH = 0xc4, "upper half of a word of the host";
        BROADCAST_MASK = 0xc8, "address bits that the filter of broadcast stores compares";
        BROADCAST_VALUE = 0xcc, "their value";
        BROADCAST_ADDRESS = 0xd0, "address of the oldest queued broadcast store";
        OCCUPANCY = 0xd4, "entries of the queues: packets to send (bits 0 to 7), host writes (8 to 15), host reads (16 to 23), broadcasts (24 to 31)";
        ACTIVE_SLOTS = 0xd8, "slots whose packets the core holds, slot 1 in bit 0";
    }
}

described! {
    /// Bits of `FLAGS`.
    FLAG_BITS in flag {
        TIMER = 1 << 0, "the interval of the timer has passed";
        PACKET = 1 << 1, "a packet was received; cleared by `RELEASE`";
        HOST_DATA = 1 << 2, "a host read has completed; cleared by `HOST_FLAG_CLEAR`";
        BROADCAST = 1 << 3, "a broadcast store is queued; cleared by `BROADCAST_RELEASE`";
        POKE = 1 << 4, "the host asks for attention";
        EVICT = 1 << 5, "the host asks the firmware to give up its packets";
        BROADCAST_FULL = 1 << 8, "a broadcast store did not fit into the queue";
        ACCELERATOR = 1 << 9, "error of the accelerator";
        DUPLICATE_SLOT = 1 << 10, "a packet came for a slot in use, and was dropped";
        INVALID_SLOT = 1 << 11, "a packet was sent from a slot that the core does not hold";
        INVALID_DESCRIPTOR = 1 << 12, "a descriptor of an unknown type was sent, and ignored";
        INSTRUCTION_ACCESS = 1 << 16, "instruction fetch outside of the memory";
        DATA_ACCESS = 1 << 17, "access outside of the data memory";
        PACKET_ACCESS = 1 << 18, "access outside of the packet memory";
        REGISTER_ACCESS = 1 << 19, "access outside of the registers";
    }
}

described! {
    /// Regions of the address space of a core, by their first addresses; 25 bits of an address count.
    REGIONS in region {
        REGISTERS = 0, "registers";
        ACCELERATOR = 0x0040_0000, "registers of an accelerator";
        DATA = 0x0080_0000, "data memory";
        PACKETS = 0x0100_0000, "packet memory";
    }
}

described! {
    /// Types of descriptors, as written to `SEND`.
    DESCRIPTOR_TYPES in kind {
        PACKET = 0, "packet to a port; with length 0 only its slot is given back";
        DONE = 1, "packet whose departure the load balancer decides";
        CORE = 2, "packet to the core whose number is the port";
        SLOTS = 3, "number of slots that are ready, as slot, and their size, as length";
        HOST_WRITE = 4, "bytes to host memory";
        HOST_READ = 5, "bytes from host memory";
    }
}

described! {
    /// Registers of a core that the host reads, by number.
    STATUS_REGISTERS in status {
        RECEIVED_BYTES = 0x0, "bytes of packets that have come";
        RECEIVED = 0x1, "packets that have come";
        RECEIVED_STALLS = 0x2, "cycles in which a packet waited for the core";
        SENT_BYTES = 0x3, "bytes of packets that have left";
        SENT = 0x4, "packets that have left";
        SENT_STALLS = 0x5, "cycles in which a packet waited for the switch";
        DEBUG_LOW = 0x6, "lower half of the word that the core has for the host";
        DEBUG_HIGH = 0x7, "upper half of it";
        CORE = 0x8, "errors of access, as bits 16 to 19 of `FLAGS` (bits 0 to 3), and of the accelerator (4); full queue before the packet memory, of words that arrive (9) and that depart (10); the firmware holds no packet, `READY_TO_EVICT` (16); the core is in reset (17)";
        QUEUES = 0x9, "full queue: of broadcast stores (bit 0), of host reads and writes (2, 3), of packets to send (5); since the reset, a descriptor had an unknown type (16), or a slot without a packet to send (17)";
        HELD_SLOTS = 0xa, "slots whose packets the core holds, slot 1 in bit 0";
        LEAVING_SLOTS = 0xb, "slots whose packets leave";
        OVERRIDDEN_SLOTS = 0xc, "slots for which a packet came while they were in use";
        RESENT_SLOTS = 0xd, "slots that were sent while their packets left";
        INVALID_SLOTS = 0xe, "slots that were sent without a packet";
    }
}

described! {
    /// Registers of a core that the host writes, by number.
    COMMAND_REGISTERS in command {
        DEBUG_LOW = 0x8, "lower half of a word for the core";
        DEBUG_HIGH = 0x9, "upper half of it";
        POKE = 0xc, "bit 0: raises the flag `POKE`";
        EVICT = 0xd, "bit 0: raises the flag `EVICT`";
        RESET = 0xf, "bit 0: 1 holds the core in reset, 0 starts it";
    }
}

/// The whole description, by group.
pub const GROUPS: [(&str, Described); 7] = [
    ("region", REGIONS),
    ("write", WRITTEN),
    ("read", READABLE),
    ("flag", FLAG_BITS),
    ("type", DESCRIPTOR_TYPES),
    ("status", STATUS_REGISTERS),
    ("command", COMMAND_REGISTERS),
];
