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
use spinach_modules::values::{Block, Reference};

pub use self::shadow::{Agent, CacheShape, HazardKind};
use self::shadow::{FoundHazard, Shadow, Site};

/// Maximum number of distinct hazards kept.
const MOST_HAZARDS: usize = 10_000;
/// Maximum number of accesses that wait for their instruction to be identified.
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
    // By core, how many accesses there were, and those of which the instruction is not known yet: number and address.
    accesses: Vec<u64>,
    waiting: Vec<VecDeque<(u64, u64)>>,
    // By core, instructions that completed before their accesses were seen, as stores that are queued do: instruction and address.
    early: Vec<VecDeque<(u64, u64)>>,
    // By core, the instructions of accesses that a line or a hazard may name.
    instructions: Vec<BTreeMap<u64, u64>>,
    hazards: BTreeMap<(HazardKind, usize, u64), (Hazard, Site)>,
}

impl CoherenceCheck {
    /// A check that begins with empty caches.
    pub fn new(watched: Watched) -> Self {
        let shapes: Vec<CacheShape> = watched.cores.iter().map(|core| core.shape).collect();
        let cores = watched.cores.len();
        Self(Arc::new(Mutex::new(Checking {
            shadow: Shadow::new(&shapes, watched.aliases.clone()),
            watched,
            accesses: vec![0; cores],
            waiting: vec![VecDeque::new(); cores],
            early: vec![VecDeque::new(); cores],
            instructions: vec![BTreeMap::new(); cores],
            hazards: BTreeMap::new(),
        })))
    }

    /// Hazards found, by time.
    pub fn hazards(&self) -> Vec<Hazard> {
        let checking = self.checking();
        let known = checking.hazards.values().map(|(hazard, site)| {
            let pc = checking.instructions[site.core].get(&site.access).copied();
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
                checking.completed(core, pc, address);
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
                self.accesses[core] += 1;
                let access = self.accesses[core];
                self.asked(core, access, reference.address);
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

    // An access of a core.
    fn asked(&mut self, core: usize, access: u64, address: u64) {
        if let Some(pc) = take_matching(&mut self.early[core], address) {
            self.instructions[core].insert(access, pc);
        } else if self.waiting[core].len() < MOST_WAITING {
            self.waiting[core].push_back((access, address));
        }
    }

    // An instruction that accessed memory.
    fn completed(&mut self, core: usize, pc: u64, address: u64) {
        if let Some(access) = take_matching(&mut self.waiting[core], address) {
            self.instructions[core].insert(access, pc);
            self.forget_instructions(core);
        } else {
            let early = &mut self.early[core];
            early.push_back((pc, address));
            early.drain(..early.len().saturating_sub(MOST_EARLY));
        }
    }

    // Forgets, now and then, instructions that neither a line nor a hazard names.
    fn forget_instructions(&mut self, core: usize) {
        if self.instructions[core].len() > 2 * MOST_WAITING {
            let mut named = self.shadow.named(core);
            let of_core = self.hazards.values().filter(|(_, site)| site.core == core);
            named.extend(of_core.map(|(_, site)| site.access));
            self.instructions[core].retain(|access, _| named.contains(access));
        }
    }
}

// Takes the oldest that waits with an address. Both sides come in the order of the program, but that queued stores are overtaken by
// loads; so what is much older than what matches is matched by nothing.
fn take_matching(waiting: &mut VecDeque<(u64, u64)>, address: u64) -> Option<u64> {
    // An unaligned access is asked for in words.
    let place = waiting.iter().position(|(_, waits)| waits & !3 == address & !3)?;
    let (found, _) = waiting.remove(place)?;
    waiting.drain(..place.saturating_sub(MOST_OVERTAKEN));
    Some(found)
}
