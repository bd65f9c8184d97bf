//! Contract of every target of the memory protocol.

use spinach_engine::{ModuleId, Simulation};
use spinach_isa::atomic::AtomicOperation;
use spinach_modules::values::{Access, Reference, Response, all_enabled};

use super::{Bench, Random, Stalls, run_to};

/// Number of bytes that the contract uses, from [`BASE`] on.
pub(crate) const SIZE: u64 = 4096;
/// The address of the first of them.
pub(crate) const BASE: u64 = 0x8000;

/// Number of references of one run, and its maximum number of cycles.
const REFERENCES: u64 = 300;
const CYCLES: u64 = 24_000;
const CYCLES_BETWEEN_LOOKS: u64 = 1000;

/// Abilities of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abilities {
    /// The widest reference, in bytes.
    pub width: u8,
    /// True if it performs atomic operations.
    pub atomics: bool,
    /// True if it answers writes before it knows if anything is at the address.
    pub posts_writes: bool,
}

/// Builds a target into a bench and says which of its bundles takes references.
pub(crate) type Build<'a> = &'a dyn Fn(&mut Bench) -> (ModuleId, &'a str);

/// Runs the whole contract.
pub(crate) fn check(build: Build<'_>, abilities: Abilities) {
    for stalls in Stalls::all() {
        for seed in 0..3 {
            answers_as_a_flat_memory_would(build, abilities, Stalls { seed, ..stalls });
        }
        sleeping_changes_nothing(build, abilities, stalls);
    }
}

// One initiator sees exactly what it would see of an array of bytes, in order.
fn answers_as_a_flat_memory_would(build: Build<'_>, abilities: Abilities, stalls: Stalls) {
    let mut bench = Bench::new();
    let (target, bundle) = build(&mut bench);
    let references = random_references(abilities, stalls.seed);
    let initiator = bench.initiator((target, bundle, 0), &references, stalls);
    let mut simulation = bench.start();
    // Verifying declared dependencies costs most of the time; once for each way to stall is enough.
    simulation.set_check_dependencies(stalls.seed == 0);
    let mut responses = Vec::new();
    for look in 1..=CYCLES / CYCLES_BETWEEN_LOOKS {
        run_to(&mut simulation, look * CYCLES_BETWEEN_LOOKS);
        responses = initiator.responses::<Response>(&mut simulation);
        if responses.len() == references.len() {
            break;
        }
    }
    let mut golden = Golden::default();
    for (number, reference) in references.iter().enumerate() {
        let expected = golden.perform(*reference);
        let answered = responses.get(number).map(|(_, response)| *response);
        assert_eq!(answered, Some(expected), "reference {number}: {reference:?} with {stalls:?}");
    }
    assert_eq!(responses.len(), references.len());
}

/// Several initiators see one order of all references, atomic operations included: cycle by cycle, in each cycle reads
/// first, then lane by lane. Holds for targets that perform references in the order in which they take them.
pub(crate) fn one_order_for_all(build: Build<'_>, lanes: usize) {
    let abilities = Abilities { width: 16, atomics: true, posts_writes: false };
    for stalls in Stalls::all() {
        let mut bench = Bench::new();
        let (target, bundle) = build(&mut bench);
        let scripts: Vec<Vec<Reference>> =
            (0..lanes).map(|lane| random_references(abilities, 40 + lane as u64)).collect();
        let initiators: Vec<_> = scripts
            .iter()
            .enumerate()
            .map(|(lane, script)| bench.initiator((target, bundle, lane), script, stalls))
            .collect();
        let mut simulation = bench.start();
        simulation.set_check_dependencies(false);
        run_to(&mut simulation, CYCLES);
        let mut order = Vec::new();
        for (lane, (script, initiator)) in scripts.iter().zip(&initiators).enumerate() {
            let taken = initiator.requested(&mut simulation);
            let responses = initiator.responses::<Response>(&mut simulation);
            assert_eq!(
                (taken.len(), responses.len()),
                (script.len(), script.len()),
                "lane {lane} with {stalls:?}"
            );
            for ((reference, cycle), (_, response)) in script.iter().zip(taken).zip(responses) {
                order.push((cycle, reference.access.writes(), lane, *reference, response));
            }
        }
        order.sort_by_key(|(cycle, writes, lane, _, _)| (*cycle, *writes, *lane));
        let mut golden = Golden::default();
        for (cycle, _, lane, reference, response) in order {
            let expected = golden.perform(reference);
            assert_eq!(response, expected, "cycle {cycle} lane {lane}: {reference:?} with {stalls:?}");
        }
    }
}

fn sleeping_changes_nothing(build: Build<'_>, abilities: Abilities, stalls: Stalls) {
    let run = |sleeping: bool| {
        let mut bench = Bench::new();
        let (target, bundle) = build(&mut bench);
        let references = random_references(abilities, 5);
        let initiator = bench.initiator((target, bundle, 0), &references, stalls);
        // Long pauses, so that there is time to sleep.
        bench.set(&initiator, "pause", 23_u64);
        let mut simulation = bench.start();
        simulation.set_check_dependencies(false);
        simulation.set_sleeping(sleeping);
        run_to(&mut simulation, CYCLES);
        let counters: Vec<(String, u64)> = simulation.statistics().iter().collect();
        (initiator.responses::<Response>(&mut simulation), counters, checkpoint(&mut simulation))
    };
    assert!(run(true) == run(false), "sleeping changes a result with {stalls:?}");
}

fn checkpoint(simulation: &mut Simulation) -> Vec<u8> {
    simulation.checkpoint().expect("every state can be saved")
}

fn random_references(abilities: Abilities, seed: u64) -> Vec<Reference> {
    let mut random = Random::new(seed);
    (0..REFERENCES).map(|_| random_reference(abilities, &mut random)).collect()
}

// Half of them within a few words, so that they meet; now and then one outside.
fn random_reference(abilities: Abilities, random: &mut Random) -> Reference {
    let widths = u64::from(abilities.width.trailing_zeros()) + 1;
    let mut size = 1_u8 << random.below(widths);
    let mut access = if random.below(2) == 0 { Access::Read } else { Access::Write };
    if abilities.atomics && random.below(4) == 0 {
        let atomics = [
            Access::LoadLinked,
            Access::StoreConditional,
            Access::Set,
            Access::Update,
            Access::Swap,
            Access::Add,
            Access::ExclusiveOr,
            Access::And,
            Access::Or,
            Access::Minimum,
            Access::Maximum,
            Access::MinimumUnsigned,
            Access::MaximumUnsigned,
        ];
        (access, size) = (atomics[random.below(atomics.len() as u64) as usize], 4);
    }
    let near = [64, SIZE][random.below(2) as usize];
    let mut offset = random.below(near) & !u64::from(size - 1);
    if random.below(40) == 0 && !(abilities.posts_writes && access.writes()) {
        offset += SIZE;
    }
    let enables = if random.below(4) == 0 { random.next() as u16 } else { u16::MAX } & all_enabled(size);
    let enables = if matches!(access, Access::Read | Access::Write) { enables } else { all_enabled(size) };
    let data = u128::from(random.next()) << 64 | u128::from(random.next());
    Reference { address: BASE + offset, access, size, enables, source: random.below(3) as u16, data }
}

/// The contents as they should be: the slow and obvious way.
pub(crate) struct Golden {
    bytes: Vec<u8>,
    reserved: std::collections::BTreeMap<u16, u64>,
}

impl Default for Golden {
    fn default() -> Self {
        Self { bytes: vec![0; SIZE as usize], reserved: std::collections::BTreeMap::new() }
    }
}

impl Golden {
    pub(crate) fn perform(&mut self, reference: Reference) -> Response {
        let Reference { address, access, size, enables, source, data } = reference;
        let offset = address.wrapping_sub(BASE);
        if offset + u64::from(size) > SIZE {
            return Response { data: 0, is_fault: true };
        }
        let read = |bytes: &[u8], enables: u16| {
            let enabled = (0..usize::from(size)).filter(|byte| enables >> byte & 1 != 0);
            enabled.fold(0, |word, byte| word | u128::from(bytes[offset as usize + byte]) << (8 * byte))
        };
        let word = (read(&self.bytes, 0b1111) as u32).swap_bytes();
        let data = match access {
            Access::Read => read(&self.bytes, enables),
            Access::Write => {
                self.write(offset, size, enables, data);
                0
            }
            Access::LoadLinked => {
                self.reserved.insert(source, offset);
                read(&self.bytes, u16::MAX)
            }
            Access::StoreConditional => {
                let stands = self.reserved.remove(&source) == Some(offset);
                if stands {
                    self.write(offset, size, enables, data);
                }
                u128::from(stands)
            }
            Access::Set => {
                let outcome = AtomicOperation::Set.apply(word, data as u32);
                self.write(offset, 4, 0b1111, u128::from(outcome.word.swap_bytes()));
                u128::from(word)
            }
            Access::Update => {
                let outcome = AtomicOperation::Update.apply(word, data as u32);
                self.write(offset, 4, 0b1111, u128::from(outcome.word.swap_bytes()));
                u128::from(outcome.result)
            }
            _ => {
                let operand = data as u32;
                let signed = [word as i32, operand as i32];
                let new = match access {
                    Access::Swap => operand,
                    Access::Add => (u64::from(word) + u64::from(operand)) as u32,
                    Access::ExclusiveOr => word ^ operand,
                    Access::And => word & operand,
                    Access::Or => word | operand,
                    Access::Minimum => signed[0].min(signed[1]) as u32,
                    Access::Maximum => signed[0].max(signed[1]) as u32,
                    Access::MinimumUnsigned => word.min(operand),
                    _ => word.max(operand),
                };
                self.write(offset, 4, 0b1111, u128::from(new.swap_bytes()));
                u128::from(word)
            }
        };
        Response { data, is_fault: false }
    }

    fn write(&mut self, offset: u64, size: u8, enables: u16, data: u128) {
        for byte in (0..u64::from(size)).filter(|byte| enables >> byte & 1 != 0) {
            self.bytes[(offset + byte) as usize] = (data >> (8 * byte)) as u8;
        }
        let end = offset + u64::from(size);
        self.reserved.retain(|_, word| *word + 4 <= offset || *word >= end);
    }
}
