//! A check of firmware for caches that are not coherent: firmware must write back data for devices, and drop lines that devices
//! have written.
//!
//! It looks at what cores ask of their data caches and what devices ask of the memory, and at nothing that the caches do: a line counts
//! as there until firmware drops it.

mod shadow;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spinach_engine::{ChannelId, Listener, ModuleId, Note, Observed, Observer, Time, Value};
use spinach_modules::notes::Noted;
use spinach_modules::values::{Access, Block, Reference};

pub use self::shadow::{Agent, CacheShape, HazardKind};
use self::shadow::{FoundHazard, Shadow, Site};

/// Maximum number of distinct hazards kept.
const MOST_HAZARDS: usize = 10_000;
/// Maximum number of accesses of a core that wait for notes, or for their instruction to be identified.
const MOST_WAITING: usize = 1 << 16;
/// Maximum number of overtaken accesses.
const MOST_OVERTAKEN: usize = 8;
/// Maximum number of instructions that may complete before their accesses are seen.
const MOST_EARLY: usize = 64;

/// A core with a data cache.
#[derive(Clone, Copy, Debug)]
pub struct WatchedCore {
    /// The core, which notes the instructions that it completes.
    pub module: ModuleId,
    /// Channel of its requests to the data cache.
    pub requests: ChannelId,
    /// The cache.
    pub shape: CacheShape,
}

/// Subject of the check.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The cores, by their numbers.
    pub cores: Vec<WatchedCore>,
    /// Channels on which devices access runs of bytes of the memory, by device number.
    pub devices: Vec<ChannelId>,
    /// Ranges at which the same memory is reached past the caches: first address, bytes, and the first address by which caches
    /// know it.
    pub aliases: Vec<(u64, u64, u64)>,
}

/// Hazard of one line and one instruction.
#[derive(Clone, Copy, Debug)]
pub struct Hazard {
    /// Kind of hazard.
    pub kind: HazardKind,
    /// The core whose firmware is at fault.
    pub core: usize,
    /// The first byte that was wrong.
    pub address: u64,
    /// The instruction that changed the bytes, or read them; `None` if it did not complete.
    pub pc: Option<u64>,
    /// Agent of the conflicting access.
    pub other: Agent,
    /// Time of its first occurrence.
    pub time: Time,
    /// Number of occurrences.
    pub count: u64,
}

/// Running check. Clones are handles to the same one.
#[derive(Clone)]
pub struct CoherenceCheck(Arc<Mutex<Checking>>);

struct Checking {
    watched: Watched,
    shadow: Shadow,
    matching: Vec<Matching>,
    hazards: BTreeMap<(HazardKind, usize, u64), (Hazard, Site)>,
}

impl CoherenceCheck {
    /// A check that begins with empty caches.
    pub fn new(watched: Watched) -> Self {
        let shapes: Vec<CacheShape> = watched.cores.iter().map(|core| core.shape).collect();
        let matching = watched.cores.iter().map(|_| Matching::default()).collect();
        Self(Arc::new(Mutex::new(Checking {
            shadow: Shadow::new(&shapes, watched.aliases.clone()),
            watched,
            matching,
            hazards: BTreeMap::new(),
        })))
    }

    /// Hazards found, by time.
    pub fn hazards(&self) -> Vec<Hazard> {
        let mut checking = self.checking();
        checking.matching.iter_mut().for_each(|matching| matching.place_until(Time::MAX));
        let known = checking.hazards.values().map(|(hazard, site)| {
            let pc = checking.matching[site.core].instructions.get(&site.access).copied();
            Hazard { pc, ..*hazard }
        });
        let mut hazards: Vec<Hazard> = known.collect();
        hazards.sort_by_key(|hazard| (hazard.time, hazard.address));
        hazards
    }

    fn checking(&self) -> MutexGuard<'_, Checking> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for CoherenceCheck {
    fn observe(&mut self, observed: &Observed<'_>) {
        self.checking().observe(observed);
    }
}

impl Listener for CoherenceCheck {
    fn hear(&mut self, notes: &[Note]) {
        let mut checking = self.checking();
        for note in notes {
            let core = checking.watched.cores.iter().position(|core| core.module == note.module);
            if let Some(core) = core
                && let Noted::Retired { pc, address: Some(address), .. } = Noted::from_words(note.words)
            {
                checking.matching[core].completed(pc, address, note.time);
                checking.forget_instructions(core);
            }
        }
    }
}

impl Checking {
    fn observe(&mut self, observed: &Observed<'_>) {
        for core in 0..self.watched.cores.len() {
            let channel = self.watched.cores[core].requests;
            if observed.moves(channel)
                && let (Some(words), _) = observed.channel(channel)
            {
                let reference = Reference::load(|word| words[word as usize]);
                let line_bytes = self.watched.cores[core].shape.line_bytes;
                let access = self.matching[core].requested(&reference, line_bytes, observed.time);
                self.shadow.refer(core, &reference, access);
            }
        }
        for device in 0..self.watched.devices.len() {
            let channel = self.watched.devices[device];
            if observed.moves(channel)
                && let (Some(words), _) = observed.channel(channel)
            {
                let block = Block::load(|word| words[word as usize]);
                self.shadow.transfer(device, block.address, block.length.into(), block.write.is_some());
            }
        }
        for found in self.shadow.take_found() {
            self.keep(&found, observed.time);
        }
    }

    fn keep(&mut self, found: &FoundHazard, time: Time) {
        let line = found.address / self.watched.cores[found.site.core].shape.line_bytes;
        let key = (found.kind, found.site.core, line);
        if let Some((hazard, _)) = self.hazards.get_mut(&key) {
            hazard.count += 1;
        } else if self.hazards.len() < MOST_HAZARDS {
            let FoundHazard { kind, address, site, other } = *found;
            let hazard = Hazard { kind, core: site.core, address, pc: None, other, time, count: 1 };
            self.hazards.insert(key, (hazard, site));
        }
    }

    // Forgets, now and then, instructions that neither a line nor a hazard names.
    fn forget_instructions(&mut self, core: usize) {
        if self.matching[core].instructions.len() > 2 * MOST_WAITING {
            let mut named = self.shadow.named(core);
            let of_core = self.hazards.values().filter(|(_, site)| site.core == core);
            named.extend(of_core.map(|(_, site)| site.access));
            self.matching[core].instructions.retain(|access, _| named.contains(access));
        }
    }
}

/// Search for the instructions of the accesses of a core.
///
/// Accesses are seen in every cycle, notes of completed instructions come many at once: both are put into the order of their times first.
/// Both are in program order then, except that loads overtake queued stores, and an instruction and its access are a few apart.
#[derive(Default)]
struct Matching {
    accesses: u64,
    /// Accesses later than the last note.
    recent: VecDeque<Requested>,
    /// Accesses whose instruction has not completed.
    waiting: VecDeque<Requested>,
    /// Instructions that completed before their accesses were seen, as queued stores do: instruction and address.
    early: VecDeque<(u64, u64)>,
    /// Instructions of accesses that a line or a hazard may name.
    instructions: BTreeMap<u64, u64>,
}

/// An access of a core.
#[derive(Clone, Copy)]
struct Requested {
    access: u64,
    time: Time,
    address: u64,
    /// Address bits that the request has in common with the address of its instruction.
    same: u64,
}

impl Requested {
    fn matches(&self, address: u64) -> bool {
        (self.address ^ address) & self.same == 0
    }
}

impl Matching {
    // Returns the number of an access.
    fn requested(&mut self, reference: &Reference, line_bytes: u64, time: Time) -> u64 {
        self.accesses += 1;
        // Cache maintenance is requested for a line, an unaligned access in words.
        let granule = if reference.access == Access::Maintain { line_bytes } else { 4 };
        let (access, address) = (self.accesses, reference.address);
        self.recent.push_back(Requested { access, time, address, same: !(granule - 1) });
        if self.recent.len() > MOST_WAITING
            && let Some(oldest) = self.recent.pop_front()
        {
            self.place(oldest);
        }
        access
    }

    // An instruction that accessed memory completed at a time.
    fn completed(&mut self, pc: u64, address: u64, time: Time) {
        self.place_until(time);
        if let Some(requested) = take_first(&mut self.waiting, |requested| requested.matches(address)) {
            self.instructions.insert(requested.access, pc);
        } else {
            self.early.push_back((pc, address));
            self.early.drain(..self.early.len().saturating_sub(MOST_EARLY));
        }
    }

    fn place_until(&mut self, time: Time) {
        while let Some(oldest) = self.recent.front().copied().filter(|oldest| oldest.time <= time) {
            self.recent.pop_front();
            self.place(oldest);
        }
    }

    fn place(&mut self, requested: Requested) {
        if let Some((pc, _)) = take_first(&mut self.early, |(_, address)| requested.matches(*address)) {
            self.instructions.insert(requested.access, pc);
        } else {
            self.waiting.push_back(requested);
            self.waiting.drain(..self.waiting.len().saturating_sub(MOST_WAITING));
        }
    }
}

// Takes the oldest that matches. Nothing will match those that are much older.
fn take_first<T>(queue: &mut VecDeque<T>, matches: impl FnMut(&T) -> bool) -> Option<T> {
    let place = queue.iter().position(matches)?;
    let found = queue.remove(place);
    queue.drain(..place.saturating_sub(MOST_OVERTAKEN));
    found
}

#[cfg(test)]
mod tests {
    use spinach_modules::values::Maintenance;

    use super::*;

    const LINE: u64 = 32;
    const LINE_FLUSH: u64 = 0x108;

    fn at(cycle: u64) -> Time {
        Time::from_femtoseconds(cycle * 1_000_000)
    }

    fn store(address: u64) -> Reference {
        Reference { access: Access::Write, ..Reference::read(address, 4) }
    }

    // A loop that stores a word, flushes its line and loads a word that all iterations share; the store is queued.
    // Requests with their cycles; notes as instruction, address and cycle.
    fn iterations(count: u64) -> (Vec<(Reference, u64)>, Vec<[u64; 3]>) {
        let (mut requests, mut notes) = (Vec::new(), Vec::new());
        for number in 0..count {
            let (word, cycle) = (0x1000 + 4 * number, 10 * number);
            notes.extend([[0x104, word, cycle], [LINE_FLUSH, word, cycle + 4], [0x10c, 0x2000, cycle + 6]]);
            let flush = Reference::maintain(Maintenance::FlushLine, word & !(LINE - 1), 0, 0);
            requests.extend([
                (store(word), cycle + 2),
                (flush, cycle + 3),
                (Reference::read(0x2000, 4), cycle + 5),
            ]);
        }
        (requests, notes)
    }

    #[test]
    fn notes_in_batches_of_any_size_name_every_access() {
        let (requests, notes) = iterations(2000);
        for batch in [1, 7, 4096] {
            let mut matching = Matching::default();
            let mut requests = requests.iter().peekable();
            for notes in notes.chunks(batch) {
                // Everything up to the last note of a batch is seen before the batch.
                let last = notes[notes.len() - 1][2];
                while let Some((reference, cycle)) = requests.next_if(|(_, cycle)| *cycle <= last) {
                    matching.requested(reference, LINE, at(*cycle));
                }
                for [pc, address, cycle] in notes {
                    matching.completed(*pc, *address, at(*cycle));
                }
            }
            matching.place_until(Time::MAX);
            let named: Vec<u64> = matching.instructions.values().copied().collect();
            assert_eq!(named, [0x104, LINE_FLUSH, 0x10c].repeat(2000), "batches of {batch}");
        }
    }

    #[test]
    fn maintenance_is_matched_by_its_line_and_a_load_by_its_word() {
        let mut matching = Matching::default();
        let flush = Reference::maintain(Maintenance::FlushLine, 0x40, 0, 0);
        assert_eq!(matching.requested(&Reference::read(0x44, 4), LINE, at(1)), 1);
        assert_eq!(matching.requested(&flush, LINE, at(2)), 2);
        matching.completed(0x100, 0x5f, at(3));
        assert_eq!(matching.instructions, BTreeMap::from([(2, 0x100)]));
        matching.completed(0x104, 0x46, at(4));
        assert_eq!(matching.instructions, BTreeMap::from([(1, 0x104), (2, 0x100)]));
    }

    #[test]
    fn accesses_without_notes_are_kept_up_to_a_limit() {
        let mut matching = Matching::default();
        for number in 0..3 * MOST_WAITING as u64 {
            matching.requested(&store(4 * number), LINE, at(number));
        }
        assert!(matching.recent.len() <= MOST_WAITING);
        assert!(matching.waiting.len() <= MOST_WAITING);
    }
}
