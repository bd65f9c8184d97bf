//! Parameters of a timed core and its memories.

use serde::{Deserialize, Serialize};

/// Bytes of a line of every cache.
pub const LINE_BYTES: usize = 64;

/// Pages in a set of a buffer of translations. Assumed.
pub(super) const PAGE_WAYS: usize = 4;
/// The fastest clock of a bus, in Hz.
const TERA: u64 = 1_000_000_000_000;
/// The longest latency, in cycles or nanoseconds.
const LONGEST: u64 = 1_000_000;

/// The shape of a cache whose lines have [`LINE_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Its size in bytes: [`LINE_BYTES`] times `ways` times a power of two.
    pub bytes: usize,
    /// Lines of a set.
    pub ways: usize,
}

/// Attachment point of cards (SINIC paper, section 6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachment {
    /// On a bus like PCI Express, behind an I/O bridge chip that a bus like HyperTransport connects with the processor.
    #[default]
    Io,
    /// On the processor's die, at the bus between the last level of caches and memory.
    Memory,
    /// On the processor's die, at the bus before the last level of caches, which transfers go to and come from.
    Cache,
}

/// Bus that moves a fixed number of bytes in each cycle of its clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusShape {
    /// Bytes in a cycle.
    pub bytes: u32,
    /// Its clock, in Hz.
    pub clock_hz: u64,
    /// Overhead of each packet besides its data, in bytes.
    pub header_bytes: u32,
}

/// The ways between cores, cards and memory. The paper (section 5.1) sets latencies as measured on an Opteron server, and does not
/// print them; what it prints says so here. One is fitted, [`Self::bridge_ns`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WayParameters {
    /// Latency between a core, or the memory controller, and the bus to the bridge, in nanoseconds. Assumed.
    pub host_ns: u64,
    /// Bus between processor and bridge, for both directions together. Table 1: HyperTransport, 8 bytes, 800 MHz. The header is
    /// assumed: one cycle.
    pub host_bus: BusShape,
    /// Latency through the bridge and to the end of either bus, in nanoseconds. Fitted to one figure: a conventional card on the die, at memory,
    /// receives 60 % more of a single stream at 4 GHz than one behind the bridge (section 6: better than 60 % in all cases), in runs
    /// of 6 ms, between 350 ns with 57 % and 400 ns with 77 %. A load of a card's register takes some 800 ns then, 3200 cycles; the paper says that it
    /// may take thousands (section 2.2).
    pub bridge_ns: u64,
    /// Bus between bridge and card, for each direction. Assumed: eight lanes of the first PCI Express, with a header of three words,
    /// sequence number, check and framing.
    pub card_bus: BusShape,
    /// Maximum data of a packet on it. Assumed: as bridges of the time took.
    pub packet_bytes: u32,
    /// Latency of a register load at a card, in cycles of the bus to which it is attached. M5's default, as the paper's
    /// simulator.
    pub register_cycles: u64,
    /// Latency to and from a card at the bus before the last-level cache, together, in cycles of the core. Assumed: as far as that cache.
    pub near_cycles: u64,
    /// Additional distance to the bus behind it. Assumed: the same again.
    pub far_cycles: u64,
}

impl Default for WayParameters {
    fn default() -> Self {
        Self {
            host_ns: 20,
            host_bus: BusShape { bytes: 8, clock_hz: 800_000_000, header_bytes: 8 },
            bridge_ns: 360,
            card_bus: BusShape { bytes: 8, clock_hz: 250_000_000, header_bytes: 20 },
            packet_bytes: 128,
            register_cycles: 1,
            near_cycles: 25,
            far_cycles: 25,
        }
    }
}

/// A four-wide out-of-order core with two levels of caches. The defaults are table 1 of the SINIC paper. What the paper does not
/// say is marked as assumed; one latency of the ways is fitted, [`WayParameters::bridge_ns`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimedParameters {
    /// Instructions fetched, issued and committed in a cycle, each.
    pub width: u32,
    /// Loads, stores and atomic operations issued in a cycle. Assumed: 2, as in the Alpha 21264.
    pub memory_ports: u32,
    /// Multiplications and divisions of integers issued in a cycle. There is one divider, however many. Assumed: 1, as in the Alpha 21264.
    pub multipliers: u32,
    /// Floating-point operations issued in a cycle. One unit divides and takes square roots, however many there are. Assumed: 2, as many as the Alpha 21264 has units.
    pub float_units: u32,
    /// Instructions between dispatch and commit.
    pub reorder_buffer: usize,
    /// Instructions that wait for operands.
    pub queue: usize,
    /// Stores that are committed and not yet in the cache. Assumed: 32, as in the Alpha 21264.
    pub store_buffer: usize,
    /// Cycles from a mispredicted branch to the dispatch of the next instruction. Assumed: 7, as in the Alpha 21264.
    pub redirect_cycles: u64,
    /// Each of the two caches of the first level.
    pub first_level: Shape,
    /// Misses of one of them that are under way at a time.
    pub first_level_misses: usize,
    /// Cycles of a load that hits.
    pub data_hit_cycles: u64,
    /// The cache of the second level, which all harts share.
    pub second_level: Shape,
    /// Misses of it that are under way at a time.
    pub second_level_misses: usize,
    /// Cycles from a miss of the first level to the end of the first cycle in which the line of the second moves.
    pub second_level_cycles: u64,
    /// Bytes that move between the levels in a cycle.
    pub near_bytes_per_cycle: u64,
    /// Bytes that move between the second level and memory in a cycle.
    pub memory_bytes_per_cycle: u64,
    /// Latency from a request to memory to its first byte, in nanoseconds.
    pub memory_ns: u64,
    /// Pages that a core remembers, of code and of data each: 4 times a power of two. Assumed: 128, as in the Alpha 21264.
    pub remembered_pages: usize,
    /// Cycles of a walk through page tables. Assumed: two references that hit in the second level.
    pub walk_cycles: u64,
    /// Cycles of a load from the interrupt controller. Assumed: as far as the second level.
    pub device_cycles: u64,
    /// Attachment point of cards.
    pub attachment: Attachment,
    /// The ways to them.
    pub ways: WayParameters,
}

impl TimedParameters {
    /// Checks the parameters.
    ///
    /// # Errors
    /// That reason, one line.
    pub fn check(&self) -> Result<(), String> {
        let Self { first_level, second_level, ways, .. } = self;
        for (name, shape) in [("first_level", first_level), ("second_level", second_level)] {
            let sets = shape.bytes / LINE_BYTES / shape.ways.max(1);
            if shape.ways == 0 || !sets.is_power_of_two() || sets * shape.ways * LINE_BYTES != shape.bytes {
                return Err(format!(
                    "{name} of {} bytes in {} ways: its lines of {LINE_BYTES} bytes make no sets whose number is a power of two",
                    shape.bytes, shape.ways
                ));
            }
        }
        let counts = [
            ("width", u64::from(self.width), 64),
            ("memory_ports", u64::from(self.memory_ports), 64),
            ("multipliers", u64::from(self.multipliers), 64),
            ("float_units", u64::from(self.float_units), 64),
            ("reorder_buffer", self.reorder_buffer as u64, 1 << 16),
            ("queue", self.queue as u64, 1 << 16),
            ("store_buffer", self.store_buffer as u64, 1 << 16),
            ("first_level_misses", self.first_level_misses as u64, 1 << 16),
            ("second_level_misses", self.second_level_misses as u64, 1 << 16),
            ("remembered_pages", self.remembered_pages as u64, 1 << 20),
            ("near_bytes_per_cycle", self.near_bytes_per_cycle, 1 << 20),
            ("memory_bytes_per_cycle", self.memory_bytes_per_cycle, 1 << 20),
            ("ways.host_bus.bytes", ways.host_bus.bytes.into(), 1 << 20),
            ("ways.host_bus.clock_hz", ways.host_bus.clock_hz, TERA),
            ("ways.card_bus.bytes", ways.card_bus.bytes.into(), 1 << 20),
            ("ways.card_bus.clock_hz", ways.card_bus.clock_hz, TERA),
            ("ways.packet_bytes", ways.packet_bytes.into(), 1 << 20),
        ];
        if let Some((name, value, most)) =
            counts.into_iter().find(|(_, value, most)| !(1..=*most).contains(value))
        {
            return Err(format!("{name} is {value}, and may be 1 to {most}"));
        }
        let sets = self.remembered_pages / PAGE_WAYS;
        if self.remembered_pages != sets.next_power_of_two() * PAGE_WAYS {
            let more = (sets + 1).next_power_of_two() * PAGE_WAYS;
            let less = if sets > 0 { format!("{} or ", more / 2) } else { String::new() };
            return Err(format!(
                "remembered_pages is {}, which makes no sets of {PAGE_WAYS} whose number is a power of two, as {less}{more} do",
                self.remembered_pages
            ));
        }
        let times = [
            ("redirect_cycles", self.redirect_cycles),
            ("data_hit_cycles", self.data_hit_cycles),
            ("second_level_cycles", self.second_level_cycles),
            ("memory_ns", self.memory_ns),
            ("walk_cycles", self.walk_cycles),
            ("device_cycles", self.device_cycles),
            ("ways.host_ns", ways.host_ns),
            ("ways.bridge_ns", ways.bridge_ns),
            ("ways.register_cycles", ways.register_cycles),
            ("ways.near_cycles", ways.near_cycles),
            ("ways.far_cycles", ways.far_cycles),
        ];
        match times.into_iter().find(|(_, value)| *value > LONGEST) {
            Some((name, value)) => Err(format!("{name} is {value}, and may be 0 to {LONGEST}")),
            None => Ok(()),
        }
    }
}

impl Default for TimedParameters {
    fn default() -> Self {
        Self {
            width: 4,
            memory_ports: 2,
            multipliers: 1,
            float_units: 2,
            reorder_buffer: 128,
            queue: 64,
            store_buffer: 32,
            redirect_cycles: 7,
            first_level: Shape { bytes: 128 << 10, ways: 2 },
            first_level_misses: 16,
            data_hit_cycles: 3,
            second_level: Shape { bytes: 8 << 20, ways: 8 },
            second_level_misses: 40,
            second_level_cycles: 25,
            near_bytes_per_cycle: 64,
            memory_bytes_per_cycle: 4,
            memory_ns: 50,
            remembered_pages: 128,
            walk_cycles: 50,
            device_cycles: 25,
            attachment: Attachment::default(),
            ways: WayParameters::default(),
        }
    }
}
