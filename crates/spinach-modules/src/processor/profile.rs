//! Profile: cycles of a core, instruction by instruction.

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::Architecture;
use spinach_isa::word::Word;

use super::accounts::{Cause, RUNNING_CAUSES};

/// The account of one instruction address. Shown and saved as its numbers in a row, in the order of the fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "[u64; RUNNING_CAUSES + 2]", from = "[u64; RUNNING_CAUSES + 2]")]
pub struct AddressAccount {
    /// Number of completions of the instruction.
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

/// Number of counts of an instruction. The first are the uses of cycles, including halted ones, which no account keeps.
const BOOKINGS: usize = 8;
/// The completion of an instruction that does not access memory.
const PLAIN_COMPLETION: usize = 6;
/// The completion of one that does.
const ACCESS_COMPLETION: usize = 7;
/// In a trail: added to a completion that is counted together with the cycle in which the instruction was issued.
const WITH_EXECUTION: usize = BOOKINGS;

/// The counts of an entry of a trail.
fn counts(entry: u8) -> impl Iterator<Item = usize> {
    let execution = (usize::from(entry) >= WITH_EXECUTION).then_some(Cause::Execution as usize);
    execution.into_iter().chain([usize::from(entry) % BOOKINGS])
}

impl AddressAccount {
    fn add(&mut self, booking: usize, amount: u64) {
        match booking {
            PLAIN_COMPLETION => self.instructions += amount,
            ACCESS_COMPLETION => {
                self.instructions += amount;
                self.accesses += amount;
            }
            cause => {
                if let Some(cycles) = self.cycles.get_mut(cause) {
                    *cycles += amount;
                }
            }
        }
    }

    fn subtract(&mut self, booking: usize, amount: u64) {
        let mut others = Self::default();
        others.add(booking, amount);
        self.instructions -= others.instructions;
        self.accesses -= others.accesses;
        self.cycles.iter_mut().zip(others.cycles).for_each(|(cycles, others)| *cycles -= others);
    }

    fn add_account(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.cycles.iter_mut().zip(&other.cycles).for_each(|(cycles, others)| *cycles += others);
        self.accesses += other.accesses;
    }

    fn with_recent(mut self, recent: &[u8; BOOKINGS]) -> Self {
        recent.iter().enumerate().for_each(|(booking, amount)| self.add(booking, u64::from(*amount)));
        self
    }
}

/// Sums of the accounts of cores, with their addresses in order.
#[derive(Clone, Debug, Default)]
pub struct AccountSums {
    rows: Vec<(u64, AddressAccount)>,
}

impl AccountSums {
    /// Adds the accounts of a core, with their addresses. Cores that run one program have the same in the same order, which costs
    /// least.
    pub fn add(&mut self, accounts: impl Iterator<Item = (u64, AddressAccount)>) {
        let (mut place, mut others) = (0, Vec::new());
        for (address, account) in accounts {
            if self.rows.get(place).is_none_or(|(next, _)| *next != address) {
                place = self.rows.partition_point(|(known, _)| *known < address);
            }
            match self.rows.get_mut(place) {
                Some((known, sum)) if *known == address => {
                    sum.add_account(&account);
                    place += 1;
                }
                _ => others.push((address, account)),
            }
        }
        if !others.is_empty() {
            self.rows.append(&mut others);
            self.rows.sort_by_key(|(address, _)| *address);
        }
    }

    /// Each address and its account.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &(u64, AddressAccount)> {
        self.rows.iter()
    }
}

/// Accounts of all instructions in some ranges of addresses. Shown and saved without those that are empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "SavedProfile", try_from = "SavedProfile", bound = "")]
#[repr(C)] // The fields of every cycle come first.
pub struct Profile<A: Architecture> {
    start: A::Word,
    /// Counts of each parcel of the range that have not reached its account. They take an eighth of the memory: the counts of all
    /// the instructions of a loop stay in the caches of the host.
    recent: Box<[[u8; BOOKINGS]]>,
    /// One account for each parcel of the range: as many bytes as the shortest instruction has.
    accounts: Box<[AddressAccount]>,
    /// True while single counts are noted.
    keeps_trail: bool,
    /// Single counts noted since [`Self::begin_trail`], of all ranges: the address and the count.
    trail: Vec<(A::Word, u8)>,
    /// The accounts of the other ranges.
    further: Option<Box<Profile<A>>>,
    /// While a period lasts that may be repeated: its counts that are not in `recent`.
    repeated: Option<Vec<Booked>>,
    /// Instructions that are executed in a row, and how often they were and that has not reached their accounts.
    runs: Vec<(Run<A::Word>, u64)>,
}

/// Instructions that are executed in a row, one cycle each: their addresses, and whether they access memory.
pub(super) type Run<W> = Box<[(W, bool)]>;

/// An amount that was counted on a parcel.
#[derive(Clone, Copy, Debug)]
struct Booked {
    parcel: usize,
    booking: usize,
    amount: u64,
}

/// A [`Profile`] as it is shown and saved.
#[derive(Serialize, Deserialize)]
struct SavedProfile {
    start: u64,
    /// Size of a parcel in bytes.
    parcel_bytes: u32,
    /// Number of parcels of the range.
    words: usize,
    /// The accounts that are not empty, each with the number of its parcel.
    accounts: Vec<(usize, AddressAccount)>,
    further: Option<Box<SavedProfile>>,
}

impl<A: Architecture> From<Profile<A>> for SavedProfile {
    fn from(mut profile: Profile<A>) -> Self {
        profile.settle_runs();
        let words = profile.accounts.len();
        let further = profile.further.take().map(|further| Box::new((*further).into()));
        let (start, parcel_bytes) = (profile.start.to_u64(), A::PARCEL_BYTES);
        let accounts = profile.settled_accounts().collect();
        Self { start, parcel_bytes, words, accounts, further }
    }
}

impl<A: Architecture> TryFrom<SavedProfile> for Profile<A> {
    type Error = String;

    fn try_from(saved: SavedProfile) -> Result<Self, String> {
        if saved.parcel_bytes != A::PARCEL_BYTES {
            return Err("the profile is of another instruction set".to_owned());
        }
        let further = saved.further.map(|further| Self::try_from(*further).map(Box::new)).transpose()?;
        let mut profile = Self::of_range(A::Word::from_u64(saved.start), saved.words, further);
        for (word, account) in saved.accounts {
            let place = profile.accounts.get_mut(word);
            *place.ok_or_else(|| format!("the profile has no word {word}"))? = account;
        }
        Ok(profile)
    }
}

impl<A: Architecture> Profile<A> {
    /// Adds the accounts to `sums`.
    pub(super) fn add_to(&mut self, sums: &mut AccountSums) {
        self.settle_runs();
        let start = self.start.to_u64();
        let address = |parcel| start + u64::from(A::PARCEL_BYTES) * parcel as u64;
        sums.add(self.settled_accounts().map(|(parcel, account)| (address(parcel), account)));
        if let Some(further) = &mut self.further {
            further.add_to(sums);
        }
    }

    /// Accounts for ranges of instructions, each given by its first address and its bytes; `None` if all of them are empty.
    pub fn new(ranges: &[(A::Word, u64)]) -> Option<Self> {
        let ((start, bytes), others) = ranges.split_first()?;
        let further = Self::new(others);
        let words = usize::try_from(bytes.div_ceil(u64::from(A::PARCEL_BYTES))).unwrap_or(usize::MAX);
        if words == 0 {
            return further;
        }
        Some(Self::of_range(*start, words, further.map(Box::new)))
    }

    fn of_range(start: A::Word, words: usize, further: Option<Box<Self>>) -> Self {
        let (recent, accounts) = (vec![[0; BOOKINGS]; words], vec![AddressAccount::default(); words]);
        Self {
            start,
            recent: recent.into(),
            accounts: accounts.into(),
            keeps_trail: false,
            trail: Vec::new(),
            further,
            repeated: None,
            runs: Vec::new(),
        }
    }

    /// The accounts of the words of the first range.
    pub fn accounts(&self) -> impl Iterator<Item = AddressAccount> {
        let mut settled = self.clone();
        settled.settle_runs();
        settled.accounts.into_iter().zip(settled.recent).map(|(account, recent)| account.with_recent(&recent))
    }

    /// Accounts that are not empty, each with the number of its parcel; those of runs are settled.
    fn settled_accounts(&self) -> impl Iterator<Item = (usize, AddressAccount)> {
        let accounts = self.accounts.iter().zip(&self.recent).enumerate();
        // Tested first: most instructions are never executed.
        let touched = accounts.filter(|(_, (account, recent))| {
            u64::from_ne_bytes(**recent) != 0 || **account != AddressAccount::default()
        });
        let settled = touched.map(|(parcel, (account, recent))| (parcel, account.with_recent(recent)));
        // A count of halted cycles belongs to no account.
        settled.filter(|(_, account)| *account != AddressAccount::default())
    }

    /// True if `other` keeps accounts of the same ranges.
    pub fn fits(&self, other: &Self) -> bool {
        let is_same = self.start == other.start && self.accounts.len() == other.accounts.len();
        is_same
            && match (&self.further, &other.further) {
                (Some(own), Some(other)) => own.fits(other),
                (own, other) => own.is_none() && other.is_none(),
            }
    }

    #[inline]
    fn word(&self, pc: A::Word) -> usize {
        pc.wrapping_sub(self.start).to_u64() as usize / A::PARCEL_BYTES as usize
    }

    /// Begins to note single counts, to repeat them.
    pub(super) fn begin_trail(&mut self) {
        self.trail.clear();
        self.keeps_trail = true;
    }

    /// Ends noting single counts.
    pub(super) fn end_trail(&mut self) {
        self.keeps_trail = false;
    }

    /// Repeats the single counts that were noted.
    pub(super) fn repeat_trail(&mut self, times: u64) {
        let trail = std::mem::take(&mut self.trail);
        for (pc, entry) in &trail {
            counts(*entry).for_each(|booking| self.book_many_at(*pc, booking, times));
        }
        self.trail = trail;
    }

    /// Takes the single counts back that were noted.
    pub(super) fn revert_trail(&mut self) {
        let mut trail = std::mem::take(&mut self.trail);
        for (pc, entry) in trail.drain(..) {
            counts(entry).for_each(|booking| self.take_back(pc, booking));
        }
        self.trail = trail;
    }

    fn take_back(&mut self, pc: A::Word, booking: usize) {
        let word = self.word(pc);
        let Some(recent) = self.recent.get_mut(word) else {
            if let Some(further) = &mut self.further {
                further.take_back(pc, booking);
            }
            return;
        };
        let amount = &mut recent[booking % BOOKINGS];
        if *amount == 0 {
            // The count has moved to the account together with earlier ones.
            self.accounts[word].subtract(booking, 1 << u8::BITS);
        }
        *amount = amount.wrapping_sub(1);
    }

    fn book_many_at(&mut self, pc: A::Word, booking: usize, amount: u64) {
        let word = self.word(pc);
        if word < self.accounts.len() {
            self.book_many(word, booking, amount);
        } else if let Some(further) = &mut self.further {
            further.book_many_at(pc, booking, amount);
        }
    }

    #[inline]
    fn book(&mut self, pc: A::Word, booking: usize) {
        if self.keeps_trail {
            self.trail.push((pc, booking as u8));
        }
        self.book_silently(pc, booking);
    }

    #[inline]
    fn book_silently(&mut self, pc: A::Word, booking: usize) {
        let word = self.word(pc);
        let Some(recent) = self.recent.get_mut(word) else { return self.book_further(pc, booking) };
        let amount = &mut recent[booking % BOOKINGS];
        let is_full;
        (*amount, is_full) = amount.overflowing_add(1);
        if is_full {
            self.book_many(word, booking, 1 << u8::BITS);
        }
    }

    fn book_many(&mut self, parcel: usize, booking: usize, amount: u64) {
        self.accounts[parcel].add(booking, amount);
        if let Some(repeated) = &mut self.repeated {
            repeated.push(Booked { parcel, booking, amount });
        }
    }

    #[cold]
    #[inline(never)]
    fn book_further(&mut self, pc: A::Word, booking: usize) {
        if let Some(further) = &mut self.further {
            further.book_silently(pc, booking);
        }
    }

    /// Counts a cycle on the instruction at `pc`.
    #[inline]
    pub fn spend(&mut self, pc: A::Word, cause: Cause) {
        self.book(pc, cause as usize);
    }

    /// Counts `cycles` cycles on the instruction at `pc`.
    pub fn spend_many(&mut self, pc: A::Word, cause: Cause, cycles: u64) {
        self.book_many_at(pc, cause as usize, cycles);
    }

    /// The number of a run, for [`Self::execute_run`].
    pub(super) fn add_run(&mut self, run: Run<A::Word>) -> usize {
        self.runs.push((run, 0));
        self.runs.len() - 1
    }

    /// Counts `times` executions of a run.
    pub(super) fn execute_run(&mut self, number: usize, times: u64) {
        self.runs[number].1 += times;
    }

    /// Forgets all runs; their numbers mean others from now on.
    pub(super) fn forget_runs(&mut self) {
        self.settle_runs();
        self.runs.clear();
    }

    /// Counts executed runs on their instructions.
    fn settle_runs(&mut self) {
        let mut runs = std::mem::take(&mut self.runs);
        for (run, times) in runs.iter_mut().filter(|(_, times)| *times > 0) {
            run.iter().for_each(|(pc, accesses_memory)| self.execute_many(*pc, *accesses_memory, *times));
            *times = 0;
        }
        self.runs = runs;
    }

    /// Counts `times` executions of the instruction at `pc`, each in one cycle.
    pub(super) fn execute_many(&mut self, pc: A::Word, accesses_memory: bool, times: u64) {
        let word = self.word(pc);
        if word < self.accounts.len() {
            self.book_many(word, Cause::Execution as usize, times);
            self.book_many(word, PLAIN_COMPLETION + usize::from(accesses_memory), times);
        } else if let Some(further) = &mut self.further {
            further.execute_many(pc, accesses_memory, times);
        }
    }

    /// Begins a period that may be repeated.
    pub(super) fn begin_period(&mut self) {
        self.settle_runs();
        for (account, recent) in self.accounts.iter_mut().zip(&mut *self.recent) {
            if *recent != [0; BOOKINGS] {
                *account = account.with_recent(&std::mem::take(recent));
            }
        }
        self.repeated = Some(Vec::new());
        if let Some(further) = &mut self.further {
            further.begin_period();
        }
    }

    /// Replays the counts of the period that ends now n times.
    pub(super) fn repeat(&mut self, times: u64) {
        self.settle_runs();
        for (account, recent) in self.accounts.iter_mut().zip(&*self.recent) {
            if *recent != [0; BOOKINGS] {
                for (booking, amount) in recent.iter().enumerate() {
                    account.add(booking, u64::from(*amount) * times);
                }
            }
        }
        for Booked { parcel, booking, amount } in self.repeated.take().into_iter().flatten() {
            self.accounts[parcel].add(booking, amount * times);
        }
        if let Some(further) = &mut self.further {
            further.repeat(times);
        }
    }

    /// Counts the completion of the instruction at `pc`, and the cycle in which it was issued.
    #[inline]
    pub(super) fn execute(&mut self, pc: A::Word, accesses_memory: bool) {
        const ONE_OF_EACH: [u64; 2] = {
            let execution = 1 << (8 * Cause::Execution as u32);
            [execution | 1 << (8 * PLAIN_COMPLETION), execution | 1 << (8 * ACCESS_COMPLETION)]
        };
        let completion = PLAIN_COMPLETION + usize::from(accesses_memory);
        if self.keeps_trail {
            self.trail.push((pc, (WITH_EXECUTION + completion) as u8));
        }
        let word = self.word(pc);
        if let Some(recent) = self.recent.get_mut(word)
            && recent[Cause::Execution as usize] != u8::MAX
            && recent[completion] != u8::MAX
        {
            // No count overflows into the next.
            *recent = (u64::from_le_bytes(*recent) + ONE_OF_EACH[usize::from(accesses_memory)]).to_le_bytes();
        } else {
            self.book_silently(pc, Cause::Execution as usize);
            self.book_silently(pc, completion);
        }
    }

    /// Counts the completion of the instruction at `pc`.
    #[inline]
    pub fn complete(&mut self, pc: A::Word, accesses_memory: bool) {
        self.book(pc, PLAIN_COMPLETION + usize::from(accesses_memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Profile = super::Profile<spinach_isa::registered::Default>;

    fn accounts(profile: &Profile) -> Vec<AddressAccount> {
        profile.accounts().collect()
    }

    fn saved(profile: &Profile) -> serde_json::Value {
        serde_json::to_value(profile).unwrap()
    }

    #[test]
    fn bookings_are_causes_and_completions() {
        assert_eq!(Cause::Halted as usize, RUNNING_CAUSES);
        assert_eq!([PLAIN_COMPLETION, ACCESS_COMPLETION, BOOKINGS], [6, 7, 8]);
    }

    #[test]
    fn profiles_come_back_as_they_were_saved() {
        let mut profile = Profile::new(&[(0x1000, 64)]).unwrap();
        profile.spend_many(0x1008, Cause::Conflict, 7);
        profile.complete(0x103c, true);
        let expected = serde_json::json!([[2, [0, 0, 0, 0, 7, 0, 0]], [15, [1, 0, 0, 0, 0, 0, 1]]]);
        let expected = serde_json::json!({"start": 0x1000, "parcel_bytes": 4, "words": 16, "accounts": expected, "further": null});
        assert_eq!(saved(&profile), expected);
        let restored: Profile = serde_json::from_value(expected.clone()).unwrap();
        assert_eq!(saved(&restored), expected);
        let outside = serde_json::json!({"start": 0, "parcel_bytes": 4, "words": 1, "accounts": [[1, [0, 0, 0, 0, 0, 0, 0]]]});
        assert!(serde_json::from_value::<Profile>(outside).is_err());
    }

    #[test]
    fn profiles_fit_those_of_the_same_ranges() {
        let of = |ranges: &[(u32, u64)]| Profile::new(ranges).unwrap();
        let profile = of(&[(0x1000, 64)]);
        assert!(profile.fits(&of(&[(0x1000, 64)])));
        for other in [of(&[(0x2000, 64)]), of(&[(0x1000, 32)]), of(&[(0x1000, 64), (0x2000, 64)])] {
            assert!(!profile.fits(&other) && !other.fits(&profile));
        }
    }

    #[test]
    fn profiles_ignore_what_lies_outside() {
        assert!(Profile::new(&[(0x1000, 0)]).is_none());
        let mut profile = Profile::new(&[(0x1000, 6)]).unwrap();
        assert_eq!(accounts(&profile).len(), 2);
        profile.spend(0xffc, Cause::Load);
        profile.spend(0x1008, Cause::Load);
        profile.spend(0x1004, Cause::Halted);
        profile.spend_many(0xffc, Cause::Load, 9);
        profile.spend_many(0x1004, Cause::Halted, 9);
        assert!(profile.accounts().all(|account| account == AddressAccount::default()));
        profile.spend_many(0x1004, Cause::Load, 3);
        profile.complete(0x1004, true);
        assert_eq!(accounts(&profile)[1].cycles, [0, 0, 3, 0, 0]);
        assert_eq!((accounts(&profile)[1].instructions, accounts(&profile)[1].accesses), (1, 1));
    }

    #[test]
    fn profiles_lose_nothing_of_many_bookings() {
        let mut profile = Profile::new(&[(0, 8)]).unwrap();
        for _ in 0..1000 {
            profile.spend(4, Cause::Execution);
            profile.spend(4, Cause::Pipeline);
            profile.spend(4, Cause::Halted);
            profile.complete(4, true);
            profile.complete(4, false);
        }
        profile.spend_many(4, Cause::Pipeline, 500);
        let expected = AddressAccount { instructions: 2000, cycles: [1000, 0, 0, 0, 1500], accesses: 1000 };
        assert_eq!(accounts(&profile), [AddressAccount::default(), expected]);
    }

    #[test]
    fn noted_counts_are_repeated() {
        let count = |profile: &mut Profile| {
            profile.spend(0x1004, Cause::Load);
            profile.complete(0x1004, false);
            profile.complete(0x2000, true);
            profile.spend(0x3000, Cause::Load);
        };
        let [mut repeated, mut expected] =
            [(); 2].map(|()| Profile::new(&[(0x1000, 8), (0x2000, 4)]).unwrap());
        repeated.begin_trail();
        count(&mut repeated);
        repeated.end_trail();
        repeated.complete(0x1000, false);
        repeated.repeat_trail(300);
        (0..301).for_each(|_| count(&mut expected));
        expected.complete(0x1000, false);
        assert_eq!(saved(&repeated), saved(&expected));
    }

    #[test]
    fn accounts_of_cores_are_summed_by_address() {
        let [mut one, mut other] = [[(0x4000, 8), (0x1000, 8)], [(0x1000, 8), (0x4000, 8)]]
            .map(|ranges| Profile::new(&ranges).unwrap());
        one.complete(0x4004, true);
        one.complete(0x1000, false);
        other.complete(0x1000, true);
        other.spend(0x1004, Cause::Load);
        other.complete(0x4004, false);
        let mut sums = AccountSums::default();
        one.add_to(&mut sums);
        other.add_to(&mut sums);
        let rows: Vec<_> =
            sums.iter().map(|(address, it)| (*address, it.instructions, it.accesses, it.cycles[2])).collect();
        assert_eq!(rows, [(0x1000, 2, 1, 0), (0x1004, 0, 0, 1), (0x4004, 2, 1, 0)]);
    }

    #[test]
    fn profiles_keep_accounts_of_several_ranges() {
        let mut profile = Profile::new(&[(0x4000, 8), (0, 0), (0xc0_0000, 4)]).unwrap();
        profile.complete(0x4004, false);
        profile.complete(0xc0_0000, true);
        profile.complete(0x4008, true);
        profile.spend_many(0xc0_0000, Cause::Load, 5);
        assert_eq!(accounts(&profile)[1].instructions, 1);
        let further = profile.further.as_ref().unwrap().accounts().next().unwrap();
        assert_eq!((further.accesses, further.cycles[Cause::Load as usize]), (1, 5));
        let restored: Profile = serde_json::from_value(saved(&profile)).unwrap();
        assert_eq!(saved(&restored), saved(&profile));
        assert!(profile.fits(&restored) && !profile.fits(&Profile::new(&[(0x4000, 8)]).unwrap()));
    }
}
