//! What all cores can be told.

use spinach_isa::mips::Extensions;
use spinach_isa::mips::tigon2::PriorityOrder;

use super::delays::Delays;

/// The most bytes of instructions that accounts are kept of.
pub(super) const PROFILE_MAXIMUM: u64 = 16 << 20;

/// The parameters that all cores share, in the form in which they are used.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The number of the core.
    pub identity: u16,
    /// Where execution begins.
    pub entry: u32,
    /// What instructions there are beyond the base set.
    pub extensions: Extensions,
    /// Where exceptions go; `None` if each of them stops the core.
    pub exception_vector: Option<u32>,
    /// Whether the core waits for a command before it begins.
    pub starts_halted: bool,
    /// Whether a fault stops the simulation.
    pub fault_stops_simulation: bool,
    /// How many completed instructions to remember.
    pub history: u32,
    /// The ranges of addresses to keep accounts of: first addresses and bytes.
    pub profile: Vec<(u32, u64)>,
    /// The range of addresses that no load or store may touch: first address and bytes.
    pub guard: (u32, u32),
    /// Before which instructions the core stands still.
    pub delays: Delays,
}

impl Settings {
    /// Whether a load or store may not touch `address`.
    #[inline]
    pub const fn is_guarded(&self, address: u32) -> bool {
        address.wrapping_sub(self.guard.0) < self.guard.1
    }
}

/// The extension that the parameter `priority_decode` stands for.
pub(super) fn priority_order(name: &str) -> Option<PriorityOrder> {
    match name {
        "highest_first" => Some(PriorityOrder::HighestFirst),
        "lowest_first" => Some(PriorityOrder::LowestFirst),
        _ => None,
    }
}

/// Declares the parameters of a core: those that all cores share, then its own.
macro_rules! core_parameters {
    ($(#[$outer:meta])* $name:ident { $($own:tt)* }) => {
        spinach_engine::parameters! {
            $(#[$outer])*
            pub struct $name {
                /// The number of the core, which firmware reads from coprocessor 0, register 22, and which its references carry
                /// as their source.
                pub identity: u32 = 0 => in 0..=65535,
                /// The address at which execution begins.
                pub entry: u32 = 0,
                /// Whether the core has the atomic bit-array instructions `set` and `update`.
                pub bit_array: bool = true,
                /// Whether the core has the Tigon-2's priority decode and jump offset, and which bit comes first.
                pub priority_decode: String = "none".to_owned() => of ["none", "highest_first", "lowest_first"],
                /// The address that exceptions go to; 0 for none, so that every exception stops the core. `break` always stops it.
                pub exception_vector: u32 = 0,
                /// Whether the core waits at its entry until it is told to go on through `control`.
                pub starts_halted: bool = false,
                /// What a fault of the firmware does beside stopping the core: stop the simulation too, or nothing.
                pub on_fault: String = "stop".to_owned() => of ["stop", "halt"],
                /// How many of the last completed instructions to remember, rounded up to a power of two.
                pub history: u32 = 16 => in 1..=16_777_216,
                /// The first instruction address that the profile keeps an account of.
                pub profile_start: u32 = 0,
                /// How many bytes of instructions the profile keeps accounts of; 0 for no profile.
                pub profile_bytes: spinach_engine::Size = spinach_engine::Size(0) => in 0..=super::settings::PROFILE_MAXIMUM,
                /// Further ranges that the profile keeps accounts of: rows of 2 numbers, the first address and how many bytes.
                pub profile_further: Vec<u64> = Vec::new(),
                /// The first address that no load or store may touch.
                pub guard_start: u32 = 0,
                /// How many bytes no load or store may touch, such as a gap between stack and data; 0 for none.
                pub guard_bytes: spinach_engine::Size = spinach_engine::Size(0) => in 0..=0xffff_ffff,
                /// Where the core stands still, to look for races: rows of 3 numbers, the address of an instruction, for how many
                /// cycles the core issues nothing before it, and at each how manieth time, of which the first is one.
                pub delays: Vec<u64> = Vec::new(),
                $($own)*
            }
        }

        impl $name {
            fn settings(&self) -> Result<super::settings::Settings, String> {
                if self.entry % 4 != 0 || self.exception_vector % 4 != 0 {
                    return Err("entry and exception_vector must be multiples of 4".to_owned());
                }
                if !self.profile_further.len().is_multiple_of(2) {
                    return Err("profile_further: a range has 2 numbers".to_owned());
                }
                let bytes = self.profile_further.chunks_exact(2).fold(0u64, |sum, range| sum.saturating_add(range[1]));
                if bytes > super::settings::PROFILE_MAXIMUM {
                    return Err("profile_further: the ranges have more than 16 MiB together".to_owned());
                }
                let further = self.profile_further.chunks_exact(2).map(|range| (range[0] as u32, range[1]));
                let profile = std::iter::once((self.profile_start, self.profile_bytes.0)).chain(further).collect();
                Ok(super::settings::Settings {
                    identity: self.identity as u16,
                    entry: self.entry,
                    extensions: spinach_isa::mips::Extensions {
                        tigon2: super::settings::priority_order(&self.priority_decode),
                        atomic_bit_array: self.bit_array,
                    },
                    exception_vector: (self.exception_vector != 0).then_some(self.exception_vector),
                    starts_halted: self.starts_halted,
                    fault_stops_simulation: self.on_fault == "stop",
                    history: self.history,
                    profile,
                    guard: (self.guard_start, self.guard_bytes.0 as u32),
                    delays: super::delays::Delays::new(&self.delays)?,
                })
            }
        }
    };
}
pub(super) use core_parameters;
