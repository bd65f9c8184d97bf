//! Machines to schedule for.

use serde::{Deserialize, Serialize};
use spinach_isa::instruction_set::Class;
use thiserror::Error;

use crate::operation::Operation;

/// Several units of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Name in listings and messages.
    pub name: String,
    /// Number of units.
    pub count: u32,
    /// The operations they execute.
    pub classes: Vec<Class>,
}

/// Knowledge about memory accesses for reordering. Atomic and linked accesses always stay in order with all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryOrder {
    /// Nothing: a store stays in order with every other access. Loads pass each other. This is safe for registers of
    /// devices that are written in sequence.
    Stores,
    /// Besides, accesses relative to the same value of the same register that do not overlap are independent. Stores to
    /// devices may then be exchanged.
    DisjointOffsets,
}

/// A machine that issues one bundle per cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The kinds of units. A class of operations executes on the first kind that lists it.
    pub units: Vec<Unit>,
    /// Operations in a bundle, if fewer than there are units.
    pub issue_width: Option<u32>,
    /// Bundles from a load to the first use of its data.
    pub load_latency: u32,
    /// Bundles from a multiplication or division to the first that can use its result.
    pub multiply_latency: u32,
    /// Knowledge about memory accesses for reordering.
    pub memory_order: MemoryOrder,
    /// True if every result has a separate register, so that only its consumers wait for an operation. Otherwise a register that
    /// the source reuses makes operations wait for each other. The number of such registers is unlimited: this bounds what a
    /// compiler could do, and no core has them.
    #[serde(default)]
    pub register_renaming: bool,
    /// True if the delay slot holds only the compiler's instruction. Otherwise it is a bundle as any other, which instructions
    /// from before the branch may fill.
    pub original_delay_slot: bool,
}

/// Error of an unsuitable machine. The second line of each message is an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MachineError {
    /// No unit executes the operation.
    #[error(
        "the machine has no unit for `{instruction}` at {address:#010x}, of class {class:?}\ngive it one"
    )]
    NoUnit {
        /// The instruction.
        instruction: String,
        /// Its address.
        address: u32,
        /// Class that a unit would have to list.
        class: Class,
    },
    /// Nothing can issue.
    #[error("the machine issues no operations\ngive it an issue width of at least 1, or none")]
    NoWidth,
    /// A result before its operation.
    #[error("a latency of 0 would give results before they are computed\ngive at least 1")]
    NoLatency,
}

const INTEGER: [Class; 8] = [
    Class::Alu,
    Class::Shift,
    Class::Multiply,
    Class::Divide,
    Class::MultiplierMove,
    Class::Coprocessor,
    Class::System,
    Class::Reserved,
];

impl Machine {
    /// Machine of the VLIW paper, table 1: the given numbers of integer, load/store and branch units, perfect memory, every
    /// result in the next cycle. Stores stay in order with all memory accesses.
    pub fn new(integer: u32, load_store: u32, branch: u32) -> Self {
        let unit = |name: &str, count, classes: &[Class]| Unit {
            name: name.to_owned(),
            count,
            classes: classes.to_vec(),
        };
        Self {
            units: vec![
                unit("integer", integer, &INTEGER),
                unit("load/store", load_store, &[Class::Load, Class::Store, Class::Atomic]),
                unit("branch", branch, &[Class::Branch, Class::Jump]),
            ],
            issue_width: None,
            load_latency: 1,
            multiply_latency: 1,
            memory_order: MemoryOrder::Stores,
            register_renaming: false,
            original_delay_slot: false,
        }
    }

    /// The machines of the VLIW paper, table 1, as integer, load/store and branch units.
    pub const TABLE_1: [(u32, u32, u32); 7] =
        [(1, 1, 1), (2, 1, 1), (2, 3, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1), (6, 6, 1)];

    /// Operations in a bundle at most.
    pub fn width(&self) -> u32 {
        let units = self.units.iter().map(|unit| unit.count).sum();
        self.issue_width.map_or(units, |width| width.min(units))
    }

    /// The kind of unit that executes a class of operations.
    pub fn unit(&self, class: Class) -> Option<usize> {
        self.units.iter().position(|unit| unit.count > 0 && unit.classes.contains(&class))
    }

    /// Bundles from an operation to the first that can use its result.
    pub fn latency(&self, operation: &Operation) -> u32 {
        match operation.class {
            Class::Load | Class::Atomic => self.load_latency,
            Class::Multiply | Class::Divide => self.multiply_latency,
            _ => 1,
        }
    }

    /// # Errors
    /// [`MachineError::NoWidth`], [`MachineError::NoLatency`].
    pub(super) fn check(&self) -> Result<(), MachineError> {
        if self.width() == 0 {
            return Err(MachineError::NoWidth);
        }
        if self.load_latency == 0 || self.multiply_latency == 0 {
            return Err(MachineError::NoLatency);
        }
        Ok(())
    }
}
