//! Checking a schedule against its block and machine, without the dependence graph and the scheduler.

use thiserror::Error;

use super::{Block, Machine, MemoryOrder, Schedule, Source};

/// Violation of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Violation {
    /// An instruction is in no bundle, or in several, or a NOP of the source is in one.
    #[error("instruction {instruction} is in {times} bundles")]
    Count {
        /// Index in the block.
        instruction: usize,
        /// Number of bundles that hold it.
        times: usize,
    },
    /// More operations of a kind than units, or more than the machine is wide.
    #[error("bundle {bundle} needs more than the machine has")]
    Resources {
        /// Index of the bundle.
        bundle: usize,
    },
    /// The later of two instructions does not wait for the earlier, or results come in the wrong order.
    #[error("instruction {later} does not wait for {earlier}")]
    Order {
        /// Index in the block.
        earlier: usize,
        /// Index in the block.
        later: usize,
    },
    /// The exit is not followed by exactly its delay slots.
    #[error("the exit is not followed by its delay slots")]
    Exit,
    /// A delay slot holds another instruction than in the source, or its instruction has moved.
    #[error("instruction {instruction} is on the wrong side of the exit")]
    DelaySlot {
        /// Index in the block.
        instruction: usize,
    },
    /// The block does not wait for its last result, or waits longer.
    #[error("the last result comes {0} cycles after the last bundle")]
    Wait(u32),
}

/// Checks that a schedule computes the results of the block, on the machine.
///
/// Registers are followed bundle by bundle: every read must find the value that it finds in the source. So this is independent of
/// kinds of dependences.
///
/// # Errors
/// The first [`Violation`] found.
pub fn verify(block: &Block, schedule: &Schedule, machine: &Machine) -> Result<(), Violation> {
    let places = places(block, schedule)?;
    check_resources(block, schedule, machine)?;
    check_exit(block, schedule, machine, &places)?;
    check_side_exits(block, &places)?;
    if machine.register_renaming {
        check_values(block, schedule, machine, &places)?;
    } else {
        check_registers(block, schedule, machine)?;
    }
    check_memory(block, machine, &places)
}

/// Bundle of each instruction.
fn places(block: &Block, schedule: &Schedule) -> Result<Vec<Option<usize>>, Violation> {
    let mut places = vec![Vec::new(); block.instructions.len()];
    for (bundle, instructions) in schedule.bundles.iter().enumerate() {
        for instruction in instructions {
            match places.get_mut(*instruction) {
                Some(place) => place.push(bundle),
                None => return Err(Violation::Count { instruction: *instruction, times: 1 }),
            }
        }
    }
    for (instruction, found) in places.iter().enumerate() {
        let expected = usize::from(!block.instructions[instruction].operation.is_nop());
        if found.len() != expected {
            return Err(Violation::Count { instruction, times: found.len() });
        }
    }
    Ok(places.iter().map(|found| found.first().copied()).collect())
}

fn check_resources(block: &Block, schedule: &Schedule, machine: &Machine) -> Result<(), Violation> {
    for (bundle, instructions) in schedule.bundles.iter().enumerate() {
        let mut free: Vec<u32> = machine.units.iter().map(|unit| unit.count).collect();
        for instruction in instructions {
            let unit = machine.unit(block.instructions[*instruction].operation.class);
            let left = unit.and_then(|unit| free[unit].checked_sub(1).map(|left| (unit, left)));
            let Some((unit, left)) = left else { return Err(Violation::Resources { bundle }) };
            free[unit] = left;
        }
        if instructions.len() > machine.width() as usize {
            return Err(Violation::Resources { bundle });
        }
    }
    Ok(())
}

fn check_exit(
    block: &Block,
    schedule: &Schedule,
    machine: &Machine,
    places: &[Option<usize>],
) -> Result<(), Violation> {
    let Some(exit) = block.exit else { return Ok(()) };
    let first_slot = schedule.bundles.len().saturating_sub(block.delay_slots() as usize);
    if places[exit].map(|place| place + 1) != Some(first_slot) {
        return Err(Violation::Exit);
    }
    let strict = machine.original_delay_slot || block.annuls();
    for (instruction, place) in places.iter().enumerate() {
        let Some(place) = place else { continue };
        let (was_in_slot, is_in_slot) = (instruction > exit, *place >= first_slot);
        if strict && was_in_slot != is_in_slot {
            return Err(Violation::DelaySlot { instruction });
        }
    }
    Ok(())
}

/// At an exit of a path, no later memory effect of the source has happened.
fn check_side_exits(block: &Block, places: &[Option<usize>]) -> Result<(), Violation> {
    for exit in &block.side_exits {
        let Some(place) = places[*exit] else { continue };
        let slots = usize::from(block.instructions[*exit].operation.delay_slots);
        let first_on_path = place + slots + 1;
        for (later, place) in places.iter().enumerate().skip(exit + 1) {
            let is_exit = block.side_exits.contains(&later) || block.exit == Some(later);
            let waits = is_exit || later > exit + slots && block.instructions[later].has_side_effects();
            if waits && place.is_some_and(|place| place < first_on_path) {
                return Err(Violation::Order { earlier: *exit, later });
            }
        }
    }
    Ok(())
}

/// Values are named by the instruction that computes them; initial values of the block have no name.
pub(super) type Value = Option<usize>;

/// Register values before each instruction, and after the last.
pub(super) fn values(block: &Block) -> (Vec<[Value; 64]>, [Value; 64]) {
    let mut found = Vec::with_capacity(block.instructions.len());
    let mut registers = [None; 64];
    for (index, source) in block.instructions.iter().enumerate() {
        found.push(registers);
        source.operation.writes.iter().for_each(|register| registers[usize::from(register)] = Some(index));
    }
    (found, registers)
}

/// With a register for each result, a result must have arrived where it is read.
fn check_values(
    block: &Block,
    schedule: &Schedule,
    machine: &Machine,
    places: &[Option<usize>],
) -> Result<(), Violation> {
    let arrival = |index: usize| {
        places[index]
            .map_or(0, |place| place + machine.latency(&block.instructions[index].operation) as usize)
    };
    let (in_source, _) = values(block);
    for (later, source) in block.instructions.iter().enumerate() {
        let Some(place) = places[later] else { continue };
        for register in source.operation.reads.iter() {
            if let Some(earlier) = in_source[later][usize::from(register)]
                && arrival(earlier) > place
            {
                return Err(Violation::Order { earlier, later });
            }
        }
    }
    let last = (0..places.len()).map(arrival).max().unwrap_or(0);
    let wait_cycles = last.saturating_sub(schedule.bundles.len()) as u32;
    if wait_cycles == schedule.wait_cycles { Ok(()) } else { Err(Violation::Wait(wait_cycles)) }
}

fn check_registers(block: &Block, schedule: &Schedule, machine: &Machine) -> Result<(), Violation> {
    let sources = &block.instructions;
    let (in_source, at_end) = values(block);
    let mut registers = [None; 64];
    let mut arriving: Vec<(usize, u8, usize)> = Vec::new();
    for (bundle, instructions) in schedule.bundles.iter().enumerate() {
        for instruction in instructions {
            for register in sources[*instruction].operation.reads.iter() {
                let (found, wanted) =
                    (registers[usize::from(register)], in_source[*instruction][usize::from(register)]);
                if found != wanted {
                    let (a, b) = (wanted.or(found).unwrap_or(*instruction), *instruction);
                    return Err(Violation::Order { earlier: a.min(b), later: a.max(b) });
                }
            }
        }
        for instruction in instructions {
            let operation = &sources[*instruction].operation;
            let arrival = bundle + machine.latency(operation) as usize;
            arriving.extend(operation.writes.iter().map(|register| (arrival, register, *instruction)));
        }
        let (now, later) = arriving.into_iter().partition(|(arrival, ..)| *arrival == bundle + 1);
        arriving = later;
        arrive(&mut registers, now)?;
    }
    let end = schedule.bundles.len();
    let wait_cycles = arriving.iter().map(|(arrival, ..)| (arrival - end) as u32).max().unwrap_or(0);
    if wait_cycles != schedule.wait_cycles {
        return Err(Violation::Wait(wait_cycles));
    }
    arriving.sort_unstable();
    while !arriving.is_empty() {
        let first = arriving[0].0;
        let (now, later) = arriving.into_iter().partition(|(arrival, ..)| *arrival == first);
        arriving = later;
        arrive(&mut registers, now)?;
    }
    match registers.iter().zip(&at_end).find(|(found, wanted)| found != wanted) {
        Some((Some(found), Some(wanted))) => {
            Err(Violation::Order { earlier: *found.min(wanted), later: *found.max(wanted) })
        }
        Some(_) => Err(Violation::Exit),
        None => Ok(()),
    }
}

/// Results arrive in each register in the order of the source, and never two at once.
fn arrive(registers: &mut [Value; 64], results: Vec<(usize, u8, usize)>) -> Result<(), Violation> {
    let before = *registers;
    for (_, register, instruction) in results {
        let register = usize::from(register);
        let now = registers[register].filter(|_| registers[register] != before[register]);
        if let Some(other) = now.or(before[register].filter(|before| *before > instruction)) {
            return Err(Violation::Order { earlier: other.min(instruction), later: other.max(instruction) });
        }
        registers[register] = Some(instruction);
    }
    Ok(())
}

fn check_memory(block: &Block, machine: &Machine, places: &[Option<usize>]) -> Result<(), Violation> {
    let sources = &block.instructions;
    for (later, second) in sources.iter().enumerate() {
        for (earlier, first) in sources[..later].iter().enumerate() {
            let (Some(before), Some(after)) = (places[earlier], places[later]) else { continue };
            let in_order = before < after || before == after && may_share_bundle(first, second);
            if !in_order && must_stay_in_order(first, second, &sources[earlier..later], machine) {
                return Err(Violation::Order { earlier, later });
            }
        }
    }
    Ok(())
}

/// A load and a store after it: the load reads first.
fn may_share_bundle(first: &Source, second: &Source) -> bool {
    let plain = first.footprint().is_some() && second.footprint().is_some();
    plain && !first.writes_memory() && second.writes_memory() && !second.reads_memory()
}

fn must_stay_in_order(first: &Source, second: &Source, from_first: &[Source], machine: &Machine) -> bool {
    if first.is_barrier() || second.is_barrier() {
        return true;
    }
    if !first.accesses_memory() || !second.accesses_memory() {
        return false;
    }
    let (Some(a), Some(b)) = (first.footprint(), second.footprint()) else { return true };
    if !first.writes_memory() && !second.writes_memory() {
        return false;
    }
    let same_value =
        a.base == b.base && !from_first.iter().any(|source| source.operation.writes.contains(a.base));
    let overlap = a.first < b.first + b.bytes && b.first < a.first + a.bytes;
    machine.memory_order == MemoryOrder::Stores || !same_value || overlap
}
