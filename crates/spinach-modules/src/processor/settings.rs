//! The parameters of all cores.

use spinach_engine::{Size, parameters};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::delays::Delays;

/// The most bytes of instructions that accounts are kept of.
pub(super) const PROFILE_MAXIMUM: u64 = 16 << 20;

/// The parameters that all cores share, in the form in which they are used.
#[derive(Clone, Debug)]
pub(super) struct Settings<A: Architecture> {
    /// The number of the core.
    pub identity: u16,
    /// Entry address.
    pub entry: A::Word,
    /// The instruction set with its extensions.
    pub architecture: A,
    /// Address of the exception handler; `None` if each exception stops the core.
    pub exception_vector: Option<A::Word>,
    /// True if the core waits for a command before it begins.
    pub starts_halted: bool,
    /// True if a fault stops the simulation.
    pub fault_stops_simulation: bool,
    /// Number of completed instructions to remember.
    pub history: u32,
    /// The ranges of addresses to keep accounts of: first addresses and bytes.
    pub profile: Vec<(A::Word, u64)>,
    /// True to keep accounts by the calls that led to the instructions.
    pub calls: bool,
    /// The range of addresses that no load or store may touch: first address and bytes.
    pub guard: (A::Word, A::Word),
    /// Instructions before which the core pauses.
    pub delays: Delays,
}

impl<A: Architecture> Settings<A> {
    /// True if a load or store may not touch `address`.
    #[inline]
    pub(super) fn is_guarded(&self, address: A::Word) -> bool {
        address.wrapping_sub(self.guard.0) < self.guard.1
    }
}

/// An instruction set with the extensions that the parameters of a core ask for.
///
/// # Errors
///
/// The set has no such extension.
pub(super) fn with_extensions<A: Architecture>(
    bit_array: bool,
    caches: bool,
    priority_decode: &str,
) -> Result<A, String> {
    let priority = match priority_decode {
        "highest_first" => Some("tigon2"),
        "lowest_first" => Some("tigon2_lowest_first"),
        _ => None,
    };
    let bit_array = bit_array.then_some("atomic_bit_array");
    let mut names = bit_array.into_iter().chain(caches.then_some("caches")).chain(priority);
    names.try_fold(A::default(), |all, name| {
        all.with(name).ok_or_else(|| format!("{} has no extension {name}", A::NAME))
    })
}

parameters! {
    /// Parameters of every core.
    pub struct CoreParameters {
        /// The number of the core, which firmware reads from coprocessor 0, register 22, and which its references carry
        /// as their source.
        pub identity: u32 = 0 => in 0..=65535,
        /// The address at which execution begins.
        pub entry: u64 = 0,
        /// Presence of the atomic bit-array instructions `set` and `update`.
        pub bit_array: bool = true,
        /// If true, cache operations, barriers and the registers that choose attributes of regions become references to a
        /// `data_cache` on the data port, of the PowerPC 405. Otherwise cache operations do nothing.
        pub caches: bool = false,
        /// Presence of the Tigon-2's priority decode and jump offset, and the bit that comes first.
        pub priority_decode: String = "none".to_owned() => of ["none", "highest_first", "lowest_first"],
        /// The address that exceptions go to; 0 for none, so that every exception stops the core. `break` always stops it.
        pub exception_vector: u64 = 0,
        /// If true, the core waits at its entry until `control` resumes it.
        pub starts_halted: bool = false,
        /// Effect of a firmware fault besides stopping the core: stop the simulation too, or nothing.
        pub on_fault: String = "stop".to_owned() => of ["stop", "halt"],
        /// Number of the last completed instructions to remember, rounded up to a power of two.
        pub history: u32 = 16 => in 1..=16_777_216,
        /// The first instruction address that the profile keeps an account of.
        pub profile_start: u64 = 0,
        /// Number of bytes of instructions that the profile covers; 0 for no profile.
        pub profile_bytes: Size = Size(0) => in 0..=PROFILE_MAXIMUM,
        /// Further ranges that the profile keeps accounts of: rows of 2 numbers, the first address and how many bytes.
        pub profile_further: Vec<u64> = Vec::new(),
        /// If true, every instruction is accounted for by the calls that led to it.
        pub calls: bool = false,
        /// The first address that no load or store may touch.
        pub guard_start: u64 = 0,
        /// Number of bytes that no load or store may touch, such as a gap between stack and data; 0 for none.
        pub guard_bytes: Size = Size(0) => in 0..=0xffff_ffff,
        /// Pauses of the core, to look for races: rows of 3 numbers, the address of an instruction, the number of cycles
        /// in which the core issues nothing before it, and an interval: 100 for each hundredth time, from the first on.
        pub delays: Vec<u64> = Vec::new(),
    }
}

impl CoreParameters {
    pub(super) fn settings<A: Architecture>(&self) -> Result<Settings<A>, String> {
        let addresses = [self.entry, self.exception_vector, self.profile_start, self.guard_start];
        if let Some(address) =
            addresses.iter().find(|address| A::Word::from_u64(**address).to_u64() != **address)
        {
            return Err(format!("{address:#x} is not an address: {} has {} bits", A::NAME, A::Word::BITS));
        }
        if !self.entry.is_multiple_of(u64::from(A::PARCEL_BYTES)) || !self.exception_vector.is_multiple_of(4)
        {
            return Err(
                "entry must be where an instruction can be, exception_vector a multiple of 4".to_owned()
            );
        }
        if !self.profile_further.len().is_multiple_of(2) {
            return Err("profile_further: a range has 2 numbers".to_owned());
        }
        let bytes =
            self.profile_further.chunks_exact(2).fold(0u64, |sum, range| sum.saturating_add(range[1]));
        if bytes > PROFILE_MAXIMUM {
            return Err("profile_further: the ranges have more than 16 MiB together".to_owned());
        }
        let further = self.profile_further.chunks_exact(2).map(|range| (range[0], range[1]));
        let first = (self.profile_start, self.profile_bytes.0);
        let ranges = std::iter::once(first).chain(further);
        Ok(Settings {
            identity: self.identity as u16,
            entry: A::Word::from_u64(self.entry),
            architecture: with_extensions(self.bit_array, self.caches, &self.priority_decode)?,
            exception_vector: (self.exception_vector != 0).then(|| A::Word::from_u64(self.exception_vector)),
            starts_halted: self.starts_halted,
            fault_stops_simulation: self.on_fault == "stop",
            history: self.history,
            calls: self.calls,
            profile: ranges.map(|(start, bytes)| (A::Word::from_u64(start), bytes)).collect(),
            guard: (A::Word::from_u64(self.guard_start), A::Word::from_u64(self.guard_bytes.0)),
            delays: Delays::new(&self.delays, A::PARCEL_BYTES, A::Word::BITS)?,
        })
    }
}
