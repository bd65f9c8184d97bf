//! The ways between cores, cards and memory: buses, bridges and what waits for what.
//!
//! Times are picoseconds; a message is there when its last byte is. Messages in one direction arrive in the order in which they were
//! sent, so that a load's answer comes after what its card had written before, and a store before a later load. Of a transfer all
//! is visible at once, when its last byte has arrived.

use super::calendar::Calendar;
use super::memories::{Memories, lines};
use super::parameters::{Attachment, BusShape, LINE_BYTES, TimedParameters, WayParameters};
use crate::clock::Clock;

const PICOSECONDS: u128 = 1_000_000_000_000;
const PICOSECONDS_OF_NANOSECOND: u64 = 1000;

/// A bus, when it is taken.
#[derive(Debug)]
struct Bus {
    shape: BusShape,
    taken: Calendar,
}

impl Bus {
    fn new(shape: BusShape) -> Self {
        Self { shape, taken: Calendar::default() }
    }

    /// Moves a packet with `bytes` bytes of data; returns the time when it has passed.
    fn pass(&mut self, at: u64, bytes: usize) -> u64 {
        let cycles =
            (bytes as u64 + u64::from(self.shape.header_bytes)).div_ceil(self.shape.bytes.max(1).into());
        self.taken.take(at, self.picoseconds(cycles))
    }

    fn picoseconds(&self, cycles: u64) -> u64 {
        (u128::from(cycles) * PICOSECONDS).div_ceil(self.shape.clock_hz.max(1).into()) as u64
    }
}

/// Completion of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Course {
    /// Time at which memory is read or has been written.
    pub(crate) memory: u64,
    /// Time at which the card continues.
    pub(crate) done: u64,
}

/// The ways of a machine.
#[derive(Debug)]
pub(crate) struct Ways {
    attachment: Attachment,
    parameters: WayParameters,
    clock: Clock,
    host_bus: Bus,
    /// Path from the bridge to the card, and back.
    down_bus: Bus,
    up_bus: Bus,
    /// Arrival time of each hart's last message.
    last_down: Vec<u64>,
    /// Arrival of the last message from a card.
    last_up: u64,
    /// The same of what they have written to memory; they need not know yet.
    last_written: u64,
}

impl Ways {
    pub(super) fn new(parameters: &TimedParameters, harts: usize, clock: Clock) -> Self {
        let ways = &parameters.ways;
        Self {
            attachment: parameters.attachment,
            parameters: ways.clone(),
            clock,
            host_bus: Bus::new(ways.host_bus),
            down_bus: Bus::new(ways.card_bus),
            up_bus: Bus::new(ways.card_bus),
            last_down: vec![0; harts],
            last_up: 0,
            last_written: 0,
        }
    }

    /// True if transfers use the last level of caches.
    pub(super) fn is_at_cache(&self) -> bool {
        self.attachment == Attachment::Cache
    }

    /// Keeps later arrivals behind these times.
    pub(super) fn follow(&mut self, down: u64, up: u64) {
        self.last_down.iter_mut().for_each(|last| *last = down.max(*last));
        self.last_up = self.last_up.max(up);
        self.last_written = self.last_written.max(up);
    }

    /// Sends `bytes` bytes, or a request, from a hart to a card: returns the arrival at the card, and the time when the hart may
    /// continue.
    pub(super) fn down(&mut self, memories: &mut Memories, hart: usize, at: u64, bytes: usize) -> (u64, u64) {
        let (arrives, accepted) = match self.attachment {
            Attachment::Io => {
                let accepted = self.host_bus.pass(at + self.host(), bytes);
                (self.down_bus.pass(accepted + self.bridge(), bytes), accepted)
            }
            Attachment::Memory | Attachment::Cache => {
                let passed = self.pass_on_die(memories, at, bytes);
                (passed + self.on_die().0, passed)
            }
        };
        let last = &mut self.last_down[hart];
        *last = arrives.max(*last);
        (*last, accepted)
    }

    /// Answers with `bytes` bytes, or a message, from a card: returns the time when the core knows.
    pub(super) fn up(&mut self, memories: &mut Memories, at: u64, bytes: usize) -> u64 {
        self.last_up = self.pass_up(memories, at, bytes).memory.max(self.last_up);
        self.last_up
    }

    /// A card writes a message to the interrupt controller, which arrives after its earlier writes. It waits as for a write to memory.
    pub(super) fn message(&mut self, memories: &mut Memories, at: u64, bytes: usize) -> Course {
        let Course { memory, done } = self.pass_up(memories, at, bytes);
        self.last_written = memory.max(self.last_up).max(self.last_written);
        let done = if self.attachment == Attachment::Io { done } else { self.last_written };
        Course { memory: self.last_written, done }
    }

    /// Moves `bytes` bytes from a card: returns when they arrive, and when they have left its bus.
    fn pass_up(&mut self, memories: &mut Memories, at: u64, bytes: usize) -> Course {
        match self.attachment {
            Attachment::Io => {
                let done = self.up_bus.pass(at, bytes);
                let memory = self.host_bus.pass(done + self.bridge(), bytes) + self.host();
                Course { memory, done }
            }
            Attachment::Memory | Attachment::Cache => {
                let memory = self.pass_on_die(memories, at, bytes) + self.on_die().1;
                Course { memory, done: memory }
            }
        }
    }

    /// Latency of a card for a load.
    pub(super) fn register(&self) -> u64 {
        let cycles = self.parameters.register_cycles;
        match self.attachment {
            Attachment::Io => self.down_bus.picoseconds(cycles),
            Attachment::Memory | Attachment::Cache => self.clock.picoseconds(cycles),
        }
    }

    /// Keeps later messages of the card behind its write.
    pub(super) fn note_written(&mut self, at: u64) {
        self.last_up = self.last_up.max(at);
    }

    /// A card reads bytes from a place in memory.
    pub(super) fn read(&mut self, memories: &mut Memories, at: u64, place: usize, bytes: usize) -> Course {
        if self.attachment != Attachment::Io {
            let asked = self.clock.cycle_from(at);
            let ready =
                lines(place, bytes).map(|line| memories.device_reads(line, asked, self.is_at_cache()));
            let ready = self.clock.picoseconds(ready.max().unwrap_or(asked));
            return Course { memory: ready, done: ready };
        }
        let asked = self.up_bus.pass(at, 0);
        let asked = self.host_bus.pass(asked + self.bridge(), 0) + self.host();
        let asked = self.clock.cycle_from(asked.max(self.last_up));
        let (mut memory, mut done) = (0, at);
        for (place, bytes) in self.packets(place, bytes) {
            let ready = lines(place, bytes).map(|line| memories.device_reads(line, asked, false));
            memory = self.clock.picoseconds(ready.max().unwrap_or(asked)).max(memory);
            let passed = self.host_bus.pass(memory + self.host(), bytes);
            done = self.down_bus.pass(passed + self.bridge(), bytes).max(done);
        }
        Course { memory, done }
    }

    /// A card writes bytes to a place in memory. It does not wait until they are there if it is behind the bridge.
    pub(super) fn write(&mut self, memories: &mut Memories, at: u64, place: usize, bytes: usize) -> Course {
        let (mut memory, mut done) = (self.last_written, at);
        if self.attachment == Attachment::Io {
            for (place, bytes) in self.packets(place, bytes) {
                done = self.up_bus.pass(done, bytes);
                let passed = self.host_bus.pass(done + self.bridge(), bytes);
                let arrives = self.clock.cycle_from(passed + self.host());
                for line in lines(place, bytes) {
                    memory = self.clock.picoseconds(memories.device_writes(line, arrives, false)).max(memory);
                }
            }
        } else {
            let begins = self.clock.cycle_from(at);
            for line in lines(place, bytes) {
                let arrived = memories.device_writes(line, begins, self.is_at_cache());
                memory = self.clock.picoseconds(arrived).max(memory);
            }
            done = memory;
        }
        self.last_written = memory;
        Course { memory, done }
    }

    /// Refuses a card's request for a place without memory: returns the time of the refusal.
    pub(super) fn refuse(&mut self, memories: &mut Memories, at: u64) -> Course {
        let asked = self.up(memories, at, 0);
        let done = match self.attachment {
            Attachment::Io => {
                let passed = self.host_bus.pass(asked + self.host(), 0);
                self.down_bus.pass(passed + self.bridge(), 0)
            }
            Attachment::Memory | Attachment::Cache => asked + self.on_die().0,
        };
        Course { memory: asked, done }
    }

    /// The packets of a transfer behind the bridge. None crosses a multiple of its length, so that lines stay whole.
    fn packets(&self, place: usize, bytes: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let most = (self.parameters.packet_bytes as usize).max(LINE_BYTES);
        let end = place + bytes.max(1);
        let first = place / most;
        (first..end.div_ceil(most)).map(move |number| {
            let from = (number * most).max(place);
            (from, ((number + 1) * most).min(end) - from)
        })
    }

    fn pass_on_die(&self, memories: &mut Memories, at: u64, bytes: usize) -> u64 {
        let at = self.clock.cycle_from(at);
        let passed =
            if self.is_at_cache() { memories.pass_near_bus(at) } else { memories.pass_bus(at, bytes.max(1)) };
        self.clock.picoseconds(passed)
    }

    /// Distance to a card on the die and back, without the buses.
    fn on_die(&self) -> (u64, u64) {
        let farther = if self.is_at_cache() { 0 } else { self.parameters.far_cycles };
        let cycles = self.parameters.near_cycles + farther;
        let down = cycles / 2;
        (self.clock.picoseconds(down), self.clock.picoseconds(cycles - down))
    }

    fn host(&self) -> u64 {
        self.parameters.host_ns * PICOSECONDS_OF_NANOSECOND
    }

    fn bridge(&self) -> u64 {
        self.parameters.bridge_ns * PICOSECONDS_OF_NANOSECOND
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Clock = Clock::new(4_000_000_000);
    const NANOSECOND: u64 = PICOSECONDS_OF_NANOSECOND;
    /// Time of a line on the bus to memory: 64 bytes, 4 in each cycle.
    const LINE: u64 = 4 * NANOSECOND;

    struct Bench {
        memories: Memories,
        ways: Ways,
    }

    /// With a bridge of 200 ns: these tests do not depend on the fitted value.
    fn bench(attachment: Attachment) -> Bench {
        let ways = WayParameters { bridge_ns: 200, ..WayParameters::default() };
        let parameters = TimedParameters { attachment, ways, ..TimedParameters::default() };
        Bench {
            memories: Memories::new(&parameters, 2, CLOCK.hertz()),
            ways: Ways::new(&parameters, 2, CLOCK),
        }
    }

    impl Bench {
        fn ask(&mut self, hart: usize, at: u64) -> u64 {
            self.ways.down(&mut self.memories, hart, at, 0).0
        }

        fn answer(&mut self, at: u64) -> u64 {
            self.ways.up(&mut self.memories, at, 4)
        }

        fn read(&mut self, at: u64, place: usize, bytes: usize) -> Course {
            self.ways.read(&mut self.memories, at, place, bytes)
        }

        fn write(&mut self, at: u64, place: usize, bytes: usize) -> Course {
            self.ways.write(&mut self.memories, at, place, bytes)
        }
    }

    #[test]
    fn a_load_takes_the_time_of_each_part_of_its_way() {
        // Out: 20 ns, a header of 8 bytes at 8 per 1.25 ns, 200 ns, one of 20 bytes at 8 per 4 ns.
        let mut behind = bench(Attachment::Io);
        let out = 20 * NANOSECOND + 1250 + 200 * NANOSECOND + 12 * NANOSECOND;
        assert_eq!(behind.ask(0, 0), out);
        // Back with 4 bytes: 24 and 12 bytes, the second in two cycles.
        assert_eq!(behind.answer(out) - out, 12 * NANOSECOND + 200 * NANOSECOND + 2500 + 20 * NANOSECOND);
        // On the die: a cycle on the bus, and 25 cycles of way, or 50, both ways together.
        for (attachment, way) in [(Attachment::Cache, 25), (Attachment::Memory, 50)] {
            let mut near = bench(attachment);
            let out = near.ask(0, 0);
            assert_eq!(near.answer(out), CLOCK.picoseconds(way + 2), "{attachment:?}");
        }
    }

    #[test]
    fn nothing_overtakes_what_was_sent_before() {
        for attachment in [Attachment::Io, Attachment::Memory, Attachment::Cache] {
            let mut bench = bench(attachment);
            let (long, _) = bench.ways.down(&mut bench.memories, 0, 1000, 4096);
            assert!(bench.ask(0, 1001) >= long);
            // Writes of a card before its answer arrive before the answer.
            let Course { memory, done } = bench.write(5000, 64, 1500);
            assert!(done <= memory);
            bench.ways.note_written(memory);
            assert!(bench.answer(done) >= memory, "{attachment:?}");
            let later = bench.write(done, 4096, 4);
            assert!(later.memory >= memory);
            let message = bench.ways.message(&mut bench.memories, later.done, 4);
            assert!(message.done <= message.memory && message.memory >= later.memory);
            assert!(bench.write(message.done, 8192, 4).memory >= message.memory);
        }
    }

    #[test]
    fn a_card_behind_the_bridge_does_not_wait_for_what_it_writes() {
        let mut bench = bench(Attachment::Io);
        let course = bench.write(0, 0, 256);
        // Two packets of 148 bytes, of 19 cycles each.
        assert_eq!(course.done, 2 * 19 * 4 * NANOSECOND);
        let arrived = course.done + 200 * NANOSECOND + 17 * 1250 + 20 * NANOSECOND;
        assert_eq!(course.memory, arrived + 2 * LINE);
    }

    #[test]
    fn a_transfer_of_many_lines_takes_the_bandwidth_of_the_narrowest_bus() {
        let bytes = 1 << 20;
        let gb_per_s = |attachment| {
            let mut bench = bench(attachment);
            let read = bench.read(0, 0, bytes);
            let written = bench.write(read.done, 0, bytes);
            [read.done, written.memory - read.done].map(|time| bytes as f64 * 1000.0 / time as f64)
        };
        let is_near = |[read, written]: [f64; 2], expected: f64| {
            assert!(
                (read / expected - 1.0).abs() < 0.05 && (written / expected - 1.0).abs() < 0.05,
                "{read} {written}"
            );
        };
        // 128 of 152 bytes at 2 GB/s; 16 GB/s, and the misses of a cache go there too.
        is_near(gb_per_s(Attachment::Io), 2.0 * 128.0 / 152.0);
        is_near(gb_per_s(Attachment::Memory), 16.0);
        let [read, written] = gb_per_s(Attachment::Cache);
        assert!((read / 16.0 - 1.0).abs() < 0.05 && (written / 256.0 - 1.0).abs() < 0.05, "{read} {written}");
    }

    #[test]
    fn transfers_compete_with_misses_for_the_bus_to_memory() {
        let mut bench = bench(Attachment::Memory);
        let alone = bench.read(0, 0, 64 << 10).done;
        let mut both = self::bench(Attachment::Memory);
        let lines = 1000;
        for line in 0..lines {
            both.memories.refer(0, 1 << 20 | line, 0, false);
        }
        let delayed = both.read(0, 0, 64 << 10).done;
        assert!(delayed >= alone + (lines - 1) * LINE, "{alone} {delayed}");
    }

    #[test]
    fn what_a_cache_holds_is_read_from_there_if_memory_has_it_not() {
        let cycles = |cycles: u64| CLOCK.picoseconds(cycles);
        let line = 7;
        for (attachment, clean, dirty) in [
            // 50 ns and a line; or 25 cycles and a line.
            (Attachment::Memory, cycles(200 + 16), cycles(25 + 16)),
            // 25 cycles, of which the last moves it.
            (Attachment::Cache, cycles(25), cycles(25)),
        ] {
            for (writes, expected) in [(false, clean), (true, dirty)] {
                let mut bench = bench(attachment);
                bench.memories.refer(1, line, 0, writes);
                let at = 1000 * NANOSECOND;
                assert_eq!(bench.read(at, 7 * LINE_BYTES, 64).done - at, expected, "{attachment:?} {writes}");
            }
        }
    }
}
