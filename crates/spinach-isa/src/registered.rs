//! The instruction sets that there are: the one place that lists them.

use crate::architecture::Architecture;

/// Something to do with an instruction set that is known by name.
pub trait Visitor {
    /// Result type.
    type Output;

    /// Does it with the set `A`.
    fn visit<A: Architecture>(self) -> Self::Output;
}

macro_rules! instruction_sets {
    ($first:ty $(, $architecture:ty)*) => {
        /// The set of cores for which none is chosen.
        pub type Default = $first;

        /// The names of all instruction sets. The first is the default.
        pub const NAMES: &[&str] = &[<$first>::NAME $(, <$architecture>::NAME)*];

        /// Visits the instruction set called `name`; `None` if there is none.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            match name {
                <$first>::NAME => Some(visitor.visit::<$first>()),
                $(<$architecture>::NAME => Some(visitor.visit::<$architecture>()),)*
                _ => None,
            }
        }
    };
}

instruction_sets!(crate::mips::Mips, crate::riscv::Rv32, crate::powerpc::PowerPc405);

/// The set that is also used behind the seam: by the stages of the composed core, and by the scheduler for the VLIW core with its
/// verifier. Fields of its words, its multiplier, its delay slots and its coprocessor 0 are the subject of these.
pub use crate::mips as classic;

/// The same set as a type parameter.
pub type Classic = crate::mips::Mips;
