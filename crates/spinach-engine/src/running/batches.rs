//! The batches of a schedule as every edge executes them, and which of their steps are awake.
//!
//! Each batch has a word with one bit for each of its steps, and each list a word with one bit for each of its batches, so that
//! steps which are skipped cost nothing, however many there are.

use std::cell::Cell;
use std::ops::{Deref, Range};
use std::ptr::NonNull;

use super::steps::{Place, PlacedStep, Switches};
use super::world::World;
use crate::bits::lowest;
use crate::elaborating::{Action, Batch, Schedule, Step};
use crate::ids::{DomainId, Id};

/// Executes the awake steps of a batch. One function for each kind and each action.
///
/// # Safety
/// The batch is one of the same kind, and its instances are not borrowed meanwhile.
pub(crate) type Execute = unsafe fn(batch: &ActiveBatch, batches: &Batches, world: &mut World);

/// Pointer to the first instance of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instances(pub(super) NonNull<()>);

// SAFETY: modules may go to another thread, and a simulation goes there as a whole: its kinds and whatever points at them.
unsafe impl Send for Instances {}

/// A step as it is executed: where the instance is, in bytes from the first of its kind, and the lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) offset: u32,
    pub(crate) lane: u32,
}

/// All instances of one kind of module, as batches need them.
pub(crate) trait Executable {
    /// Executor of batches of this kind.
    fn execute(&self, action: Action) -> Execute;
    /// Pointer to the instances; valid as long as no more are made.
    fn instances(&self) -> Instances;
    /// Instance of a step.
    fn target(&self, step: Step) -> Target;
}

/// All batches of a simulation: a list for each domain, then one of the commits of modules with several clocks.
///
/// Shared: a step that wakes during an iteration over the list is seen when the iteration reaches it.
#[derive(Debug)]
pub(crate) struct Batches {
    // Of all lists.
    words: Box<[BatchWord]>,
    // Range of the words of each domain's list, and of that of the crossings; all of them exist.
    lists: Box<[Range<usize>]>,
    crossings: Range<usize>,
}

/// Batches in the order in which they run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunList<'a> {
    words: &'a [BatchWord],
}

// Up to 64 batches, and one bit for each that has anything to do: never one beyond the last batch.
#[derive(Debug)]
struct BatchWord {
    awake: Cell<u64>,
    batches: Box<[ActiveBatch]>,
}

/// A batch, and which of its steps run.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct ActiveBatch {
    execute: Execute,
    /// Pointer to the instances of its kind.
    pub(crate) instances: Instances,
    // The steps that batch, one bit each: never one beyond the last step.
    chosen: Cell<u64>,
    targets: Box<[Target]>,
    /// Domain at whose edges it batches.
    pub(crate) domain: DomainId,
    pub(crate) clock: u32,
    pub(crate) code: u16,
    origin: Box<Origin>,
}

/// Sources from which a batch was made.
#[derive(Debug)]
struct Origin {
    kind: u32,
    action: Action,
    steps: Box<[Step]>,
}

impl ActiveBatch {
    // All steps awake; `steps` are those of the whole domain.
    fn new<K: Deref<Target: Executable>>(
        batch: &Batch,
        domain: DomainId,
        steps: &[Step],
        kinds: &[K],
    ) -> Self {
        let (steps, kind) = (batch.steps(steps), &kinds[batch.kind as usize]);
        Self {
            execute: kind.execute(batch.action),
            instances: kind.instances(),
            chosen: Cell::new(lowest(steps.len())),
            targets: steps.iter().map(|step| kind.target(*step)).collect(),
            domain,
            code: batch.code,
            clock: batch.clock,
            origin: Box::new(Origin { kind: batch.kind, action: batch.action, steps: steps.into() }),
        }
    }

    /// The steps that batch.
    #[inline(always)]
    pub(crate) fn chosen(&self) -> impl Iterator<Item = Target> {
        let (mut chosen, targets) = (self.chosen.get(), &*self.targets);
        std::iter::from_fn(move || {
            if chosen == 0 {
                return None;
            }
            // SAFETY: no bit is ever set in `chosen` but those of steps, and there are as many targets.
            let target = unsafe { *targets.get_unchecked(chosen.trailing_zeros() as usize) };
            chosen &= chosen - 1;
            Some(target)
        })
    }

    /// Executes its awake steps. The `kinds` are those that the batch was made for.
    #[inline(always)]
    pub(crate) fn execute<K: ?Sized>(&self, kinds: &mut [Box<K>], batches: &Batches, world: &mut World) {
        // Borrowed exclusively, so the instances behind `instances` are too.
        let _ = kinds;
        // SAFETY: the function is that of the kind.
        unsafe { (self.execute)(self, batches, world) }
    }
}

impl BatchWord {
    // All awake.
    fn new(batches: Box<[ActiveBatch]>) -> Self {
        Self { awake: Cell::new(lowest(batches.len())), batches }
    }
}

impl RunList<'_> {
    /// Executes the batches with awake steps whose bits are set in `mask`, which gives the bits of each word. Includes
    /// batches further on that wake meanwhile.
    #[inline(always)]
    pub(crate) fn for_each_awake(&self, mask: impl Fn(usize) -> u64, mut visit: impl FnMut(&ActiveBatch)) {
        for (place, word) in self.words.iter().enumerate() {
            let mask = if word.awake.get() == 0 { continue } else { mask(place) };
            let mut awake = word.awake.get() & mask;
            while awake != 0 {
                let bit = awake.trailing_zeros();
                // SAFETY: no bit is ever set in `awake` but those of batches.
                visit(unsafe { word.batches.get_unchecked(bit as usize) });
                awake = word.awake.get() & mask & (u64::MAX << bit << 1);
            }
        }
    }

    /// Per word and per domain: the bits of the batches that belong there.
    pub(crate) fn words_by_domain(&self, domains: usize) -> Box<[Box<[u64]>]> {
        let by_domain = |word: &BatchWord| {
            let mut bits = vec![0; domains];
            for (bit, batch) in word.batches.iter().enumerate() {
                bits[batch.domain.index()] |= 1 << bit;
            }
            bits.into()
        };
        self.words.iter().map(by_domain).collect()
    }
}

impl Batches {
    /// Everything awake.
    pub(crate) fn new<K: Deref<Target: Executable>>(schedule: &Schedule, kinds: &[K]) -> Self {
        let mut words = Vec::new();
        let mut add_list = |batches: Vec<ActiveBatch>| {
            let (first, mut batches) = (words.len(), batches.into_iter());
            while batches.len() > 0 {
                words.push(BatchWord::new(batches.by_ref().take(64).collect()));
            }
            first..words.len()
        };
        let mut crossings = Vec::new();
        let domains = schedule.iter();
        let lists = domains.map(|(id, domain)| {
            let make = |batch: &Batch| ActiveBatch::new(batch, id, &domain.steps, kinds);
            crossings.extend(domain.crossings.iter().map(make));
            add_list(domain.batches.iter().map(make).collect())
        });
        let lists = lists.collect();
        // For one clock after another, so that the result does not depend on the order of the domains.
        crossings.sort_by_key(|batch| batch.clock);
        let crossings = add_list(crossings);
        Self { words: words.into(), lists, crossings }
    }

    /// The batches of a domain.
    #[inline]
    pub(crate) fn of_domain(&self, domain: usize) -> RunList<'_> {
        self.list(&self.lists[domain])
    }

    #[inline(always)]
    fn list(&self, range: &Range<usize>) -> RunList<'_> {
        debug_assert!(range.start <= range.end && range.end <= self.words.len());
        // SAFETY: a range of a list is one of words that exist, and their number never changes.
        RunList { words: unsafe { self.words.get_unchecked(range.clone()) } }
    }

    /// The commits of modules with several clocks: all first clocks before all second ones, and so on.
    #[inline]
    pub(crate) fn crossings(&self) -> RunList<'_> {
        self.list(&self.crossings)
    }

    /// True if a crossing may have work to do whose bit in the first word is set, or whose bit is in another.
    #[inline]
    pub(crate) fn may_cross(&self, first: u64) -> bool {
        match self.crossings().words {
            [] => false,
            [word] => word.awake.get() & first != 0,
            _ => true,
        }
    }

    /// Every step.
    pub(crate) fn steps(&self) -> impl Iterator<Item = PlacedStep> {
        let number = |index| u32::try_from(index).expect("there are fewer steps than channel words");
        self.words.iter().enumerate().flat_map(move |(word, batches)| {
            batches.batches.iter().enumerate().flat_map(move |(bit, batch)| {
                let Origin { kind, action, steps } = &*batch.origin;
                steps.iter().enumerate().map(move |(index, step)| PlacedStep {
                    place: Place { word: number(word), bit: number(bit), steps: 1 << index },
                    kind: *kind,
                    action: *action,
                    step: *step,
                })
            })
        })
    }

    #[inline]
    fn run(&self, place: Place) -> (&BatchWord, &ActiveBatch) {
        let word = &self.words[place.word as usize];
        (word, &word.batches[place.bit as usize])
    }
}

impl Switches for Batches {
    #[inline]
    fn set(&self, place: Place) {
        let (word, batch) = self.run(place);
        batch.chosen.set(batch.chosen.get() | place.steps);
        word.awake.set(word.awake.get() | 1 << place.bit);
    }

    #[inline]
    fn clear(&self, place: Place) {
        let (word, batch) = self.run(place);
        batch.chosen.set(batch.chosen.get() & !place.steps);
        word.awake.set(word.awake.get() & !(u64::from(batch.chosen.get() == 0) << place.bit));
    }
}
