//! The instruction sets that there are: the one place that lists them.

use crate::architecture::Architecture;

/// Something to do with an instruction set that is known by name.
pub trait Visitor {
    /// What comes of it.
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

        /// Does something with the instruction set called `name`; `None` if there is none.
        pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
            match name {
                <$first>::NAME => Some(visitor.visit::<$first>()),
                $(<$architecture>::NAME => Some(visitor.visit::<$architecture>()),)*
                _ => None,
            }
        }
    };
}

instruction_sets!(crate::mips::Mips, crate::riscv::Rv32);
