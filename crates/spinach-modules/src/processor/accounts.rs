//! Where a core's cycles go, for the whole program and instruction by instruction.

use serde::{Deserialize, Serialize};

/// What a cycle of a core went to. Every cycle has exactly one cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cause {
    /// An instruction was issued.
    Execution = 0,
    /// No instruction had arrived.
    InstructionMiss = 1,
    /// A reference that the memory had taken was not answered yet.
    Load = 2,
    /// The memory refused a reference.
    Conflict = 3,
    /// A hazard, an annulled delay slot or a wrong path.
    Pipeline = 4,
    /// The core stood still by command, or because its program ended.
    Halted = 5,
}

/// How many causes the cycles of a running core have: all but [`Cause::Halted`].
pub const RUNNING_CAUSES: usize = 5;

/// The counters of every core: first one for each [`Cause`], then one for each [`Event`].
pub const COUNTERS: &[(&str, &str)] = &[
    ("execution", "cycles in which an instruction was issued"),
    ("instruction_miss", "cycles lost waiting for an instruction"),
    ("load", "cycles lost waiting for the answer to a reference that the memory had taken"),
    ("conflict", "cycles lost because the memory refused a reference"),
    ("pipeline", "cycles lost to hazards, annulled delay slots and wrong paths"),
    ("halted", "cycles in which the core stood still by command or because its program had ended"),
    ("instructions", "instructions completed"),
    ("loads", "loads completed, `ll` among them"),
    ("stores", "stores completed, `sc` among them"),
    ("atomics", "`set` and `update` instructions completed"),
    ("branches", "conditional branches completed"),
    ("branches_taken", "conditional branches that were taken"),
    ("jumps", "unconditional jumps completed"),
    ("annulled", "delay slots annulled by likely branches"),
    ("exceptions", "exceptions entered, those that stopped the core not counted"),
];

/// What a core counts besides cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub enum Event {
    /// An instruction completed.
    Instruction = 6,
    /// A load completed.
    Load = 7,
    /// A store completed.
    Store = 8,
    /// A `set` or `update` completed.
    Atomic = 9,
    /// A conditional branch completed.
    Branch = 10,
    /// A conditional branch was taken.
    BranchTaken = 11,
    /// An unconditional jump completed.
    Jump = 12,
    /// A delay slot was annulled.
    Annulled = 13,
    /// An exception was entered.
    Exception = 14,
}

/// The account of one instruction address. Shown and saved as its numbers in a row, in the order of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "[u64; RUNNING_CAUSES + 2]", from = "[u64; RUNNING_CAUSES + 2]")]
pub struct AddressAccount {
    /// How often the instruction completed.
    pub instructions: u64,
    /// Cycles by [`Cause`], without halted ones. A cycle lost to the memory belongs to the instruction that waits there, one
    /// lost to a hazard to the instruction that cannot be issued, a miss to the instruction that is missing.
    pub cycles: [u64; RUNNING_CAUSES],
    /// Loads, stores and atomic operations completed.
    pub accesses: u64,
}

impl From<AddressAccount> for [u64; RUNNING_CAUSES + 2] {
    fn from(account: AddressAccount) -> Self {
        let [execution, instruction_miss, load, conflict, pipeline] = account.cycles;
        [account.instructions, execution, instruction_miss, load, conflict, pipeline, account.accesses]
    }
}

impl From<[u64; RUNNING_CAUSES + 2]> for AddressAccount {
    fn from([instructions, cycles @ .., accesses]: [u64; RUNNING_CAUSES + 2]) -> Self {
        Self { instructions, cycles, accesses }
    }
}

/// Accounts of all instructions in some ranges of addresses. Shown and saved without those that are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "SavedProfile", try_from = "SavedProfile")]
pub struct Profile {
    /// The first address of the range.
    pub start: u32,
    /// One account for each word of the range.
    pub entries: Vec<AddressAccount>,
    /// The accounts of the other ranges.
    pub further: Option<Box<Profile>>,
}

/// A [`Profile`] as it is shown and saved.
#[derive(Serialize, Deserialize)]
struct SavedProfile {
    start: u32,
    /// How many words the range has.
    words: usize,
    /// The accounts that are not empty, each with the number of its word.
    accounts: Vec<(usize, AddressAccount)>,
    further: Option<Box<Profile>>,
}

impl From<Profile> for SavedProfile {
    fn from(profile: Profile) -> Self {
        let words = profile.entries.len();
        let accounts = profile.entries.into_iter().enumerate();
        let accounts = accounts.filter(|(_, account)| *account != AddressAccount::default()).collect();
        Self { start: profile.start, words, accounts, further: profile.further }
    }
}

impl TryFrom<SavedProfile> for Profile {
    type Error = String;

    fn try_from(saved: SavedProfile) -> Result<Self, String> {
        let mut entries = vec![AddressAccount::default(); saved.words];
        for (word, account) in saved.accounts {
            let entry = entries.get_mut(word);
            *entry.ok_or_else(|| format!("the profile has no word {word}"))? = account;
        }
        Ok(Self { start: saved.start, entries, further: saved.further })
    }
}

impl Profile {
    /// Accounts for ranges of instructions, each given by its first address and its bytes; `None` if all of them are empty.
    pub fn new(ranges: &[(u32, u64)]) -> Option<Box<Self>> {
        let ((start, bytes), others) = ranges.split_first()?;
        let further = Self::new(others);
        let words = usize::try_from(bytes.div_ceil(4)).unwrap_or(usize::MAX);
        if words == 0 {
            return further;
        }
        Some(Box::new(Self { start: *start, entries: vec![AddressAccount::default(); words], further }))
    }

    /// Whether `other` keeps accounts of the same ranges.
    pub fn fits(&self, other: &Self) -> bool {
        let is_same = self.start == other.start && self.entries.len() == other.entries.len();
        is_same
            && match (&self.further, &other.further) {
                (Some(own), Some(other)) => own.fits(other),
                (own, other) => own.is_none() && other.is_none(),
            }
    }

    #[inline]
    fn entry(&mut self, pc: u32) -> Option<&mut AddressAccount> {
        match self.entries.get_mut(pc.wrapping_sub(self.start) as usize / 4) {
            None => Self::further_entry(&mut self.further, pc),
            found => found,
        }
    }

    #[cold]
    #[inline(never)]
    fn further_entry(further: &mut Option<Box<Self>>, pc: u32) -> Option<&mut AddressAccount> {
        further.as_mut()?.entry(pc)
    }

    /// Books `cycles` cycles on the instruction at `pc`.
    pub fn spend(&mut self, pc: u32, cause: Cause, cycles: u64) {
        if let Some(entry) = self.entry(pc)
            && let Some(account) = entry.cycles.get_mut(cause as usize)
        {
            *account += cycles;
        }
    }

    /// Books the completion of the instruction at `pc`.
    pub fn complete(&mut self, pc: u32, accesses_memory: bool) {
        if let Some(entry) = self.entry(pc) {
            entry.instructions += 1;
            entry.accesses += u64::from(accesses_memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_in_the_order_of_causes_and_events() {
        let name = |index: usize| COUNTERS[index].0;
        assert_eq!(name(Cause::Execution as usize), "execution");
        assert_eq!(name(Cause::Pipeline as usize), "pipeline");
        assert_eq!(name(Cause::Halted as usize), "halted");
        assert_eq!(name(Event::Instruction as usize), "instructions");
        assert_eq!(name(Event::Atomic as usize), "atomics");
        assert_eq!(name(Event::BranchTaken as usize), "branches_taken");
        assert_eq!(name(Event::Annulled as usize), "annulled");
        assert_eq!(name(Event::Exception as usize), "exceptions");
        assert_eq!(COUNTERS.len(), Event::Exception as usize + 1);
    }

    #[test]
    fn profiles_come_back_as_they_were_saved() {
        let mut profile = Profile::new(&[(0x1000, 64)]).unwrap();
        profile.spend(0x1008, Cause::Conflict, 7);
        profile.complete(0x103c, true);
        let shown = serde_json::to_value(&profile).unwrap();
        let accounts = serde_json::json!([[2, [0, 0, 0, 0, 7, 0, 0]], [15, [1, 0, 0, 0, 0, 0, 1]]]);
        let expected =
            serde_json::json!({"start": 0x1000, "words": 16, "accounts": accounts, "further": null});
        assert_eq!(shown, expected);
        assert_eq!(serde_json::from_value::<Box<Profile>>(shown).unwrap(), profile);
        let outside = serde_json::json!({"start": 0, "words": 1, "accounts": [[1, [0, 0, 0, 0, 0, 0, 0]]]});
        assert!(serde_json::from_value::<Profile>(outside).is_err());
    }

    #[test]
    fn profiles_ignore_what_lies_outside() {
        assert_eq!(Profile::new(&[(0x1000, 0)]), None);
        let mut profile = Profile::new(&[(0x1000, 6)]).unwrap();
        assert_eq!(profile.entries.len(), 2);
        profile.spend(0xffc, Cause::Load, 1);
        profile.spend(0x1008, Cause::Load, 1);
        profile.spend(0x1004, Cause::Halted, 1);
        assert!(profile.entries.iter().all(|entry| *entry == AddressAccount::default()));
        profile.spend(0x1004, Cause::Load, 3);
        profile.complete(0x1004, true);
        assert_eq!(profile.entries[1].cycles, [0, 0, 3, 0, 0]);
        assert_eq!((profile.entries[1].instructions, profile.entries[1].accesses), (1, 1));
    }

    #[test]
    fn profiles_keep_accounts_of_several_ranges() {
        let mut profile = Profile::new(&[(0x4000, 8), (0, 0), (0xc0_0000, 4)]).unwrap();
        profile.complete(0x4004, false);
        profile.complete(0xc0_0000, true);
        profile.complete(0x4008, true);
        assert_eq!(profile.entries[1].instructions, 1);
        assert_eq!(profile.further.as_ref().unwrap().entries[0].accesses, 1);
        let saved = serde_json::to_value(&profile).unwrap();
        assert_eq!(serde_json::from_value::<Box<Profile>>(saved).unwrap(), profile);
        assert!(profile.fits(&profile) && !profile.fits(&Profile::new(&[(0x4000, 8)]).unwrap()));
    }
}
