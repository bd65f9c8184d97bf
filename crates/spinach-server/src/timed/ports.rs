//! Issue slots of a core, and the units behind them.

use super::parameters::TimedParameters;

/// Cycles whose slots are remembered.
const SLOTS: usize = 1024;
/// Number of kinds of units.
pub(super) const PORTS: usize = 4;

/// Kind of unit that an instruction issues to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Port {
    /// Integer arithmetic and branches: as many as the core is wide.
    Integer,
    /// Loads, stores and atomic operations.
    Memory,
    /// Multiplications and divisions of integers.
    Multiplier,
    /// Floating-point arithmetic.
    Float,
}

/// Instructions issued in a cycle: all, and by kind of unit.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    cycle: u64,
    all: u8,
    by_port: [u8; PORTS],
}

/// The slots of the cycles around the present.
#[derive(Debug)]
pub(super) struct Ports {
    width: u8,
    most: [u8; PORTS],
    slots: Box<[Slot; SLOTS]>,
}

impl Ports {
    pub(super) fn new(parameters: &TimedParameters) -> Self {
        // Each is checked to be small.
        let number = |count: u32| count.min(u32::from(u8::MAX)) as u8;
        let most =
            [parameters.width, parameters.memory_ports, parameters.multipliers, parameters.float_units];
        Self {
            width: number(parameters.width),
            most: most.map(number),
            slots: Box::new([Slot::default(); SLOTS]),
        }
    }

    /// The first cycle from `at` on with a slot and a unit of a kind, which are taken.
    #[inline]
    pub(super) fn take(&mut self, port: Port, mut at: u64) -> u64 {
        let most = self.most[port as usize];
        loop {
            let slot = &mut self.slots[at as usize % SLOTS];
            if slot.cycle != at {
                *slot = Slot { cycle: at, ..Slot::default() };
            }
            let of_port = &mut slot.by_port[port as usize];
            if slot.all < self.width && *of_port < most {
                slot.all += 1;
                *of_port += 1;
                return at;
            }
            at += 1;
        }
    }
}
