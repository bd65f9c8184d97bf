//! Running scheduled blocks: the meaning of bundles, as plainly as possible.

use std::collections::BTreeMap;
use std::mem;

use serde::{Deserialize, Serialize};
use spinach_isa::registered::classic::coprocessor0::Coprocessor0;
use spinach_isa::registered::classic::interpreter::{Registers, execute, step};
use spinach_isa::registered::classic::memory::Memory;
use spinach_isa::registered::classic::operation::register;
use spinach_isa::registered::classic::{Extensions, Trap};
use thiserror::Error;

use super::verify::values;
use super::{Block, Machine, MachineError, Schedule, Source, schedule};

/// Error of an unfinished run. The second line of the message is an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ExecuteError {
    /// The limit was reached.
    #[error("the program runs for more than {0} cycles\nallow it more, or see why it does not end")]
    TooLong(u64),
}

/// The scheduled blocks of an image, by address.
#[derive(Clone, Debug)]
pub struct Program {
    blocks: BTreeMap<u32, (Block, Schedule)>,
    machine: Machine,
    extensions: Extensions,
}

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The exception that ended it, `break` if all went well. `registers.pc` names the instruction.
    pub stop: Trap,
    /// Cycles: bundles executed, with delay slots that were annulled, and waits between blocks.
    pub cycles: u64,
    /// Instructions executed one by one, because no block begins at the target of a transfer.
    pub unscheduled_instructions: u64,
}

/// Executes a scheduled block or path, from its first bundle to its end. A path must be the one that control takes.
///
/// # Errors
/// The exception that ended it. `registers.pc` names the instruction.
pub fn execute_block(
    block: &Block,
    schedule: &Schedule,
    machine: &Machine,
    registers: &mut Registers,
    memory: &mut impl Memory,
) -> Result<(), Trap> {
    let program =
        Program { blocks: BTreeMap::new(), machine: machine.clone(), extensions: Extensions::default() };
    program.block(block, schedule, &mut State { registers, memory, arriving: Vec::new(), renamed: None })
}

/// The machine between two bundles.
struct State<'run, M> {
    registers: &'run mut Registers,
    memory: &'run mut M,
    /// Results on their way.
    arriving: Vec<Arriving>,
    /// Storage of results, if not in the registers that the source names.
    renamed: Option<Renamed>,
}

/// A result on its way.
struct Arriving {
    /// Bundles until it is there.
    remaining: u32,
    /// Index of its instruction in the block.
    instruction: usize,
    register: u8,
    value: Value,
}

/// Separate registers for all results of a block.
struct Renamed {
    /// Per instruction and register, the instruction of the block that computes the operand.
    operands: Vec<[Option<usize>; 64]>,
    /// Per register, the last instruction that writes it.
    at_end: [Option<usize>; 64],
    /// Results that have arrived, per instruction.
    results: Vec<Vec<(u8, Value)>>,
}

/// Content of a register.
#[derive(Clone)]
enum Value {
    Number(u32),
    Link(Option<u32>),
    Coprocessor0(Box<Coprocessor0>),
}

/// Control transfer at the end of a block.
#[derive(Clone, Copy)]
struct Exit {
    target: u32,
    annuls: bool,
}

impl Program {
    /// Schedules all blocks.
    ///
    /// # Errors
    /// [`MachineError`] for the first block that cannot be scheduled.
    pub fn new(blocks: &[Block], machine: &Machine, extensions: Extensions) -> Result<Self, MachineError> {
        let scheduled =
            blocks.iter().map(|block| Ok((block.address(), (block.clone(), schedule(block, machine)?))));
        Ok(Self { blocks: scheduled.collect::<Result<_, _>>()?, machine: machine.clone(), extensions })
    }

    /// Runs from `registers.pc` on until an exception.
    ///
    /// # Errors
    /// [`ExecuteError::TooLong`] after `cycles_maximum`.
    pub fn run(
        &self,
        registers: &mut Registers,
        memory: &mut impl Memory,
        cycles_maximum: u64,
    ) -> Result<Run, ExecuteError> {
        let mut state = State { registers, memory, arriving: Vec::new(), renamed: None };
        let (mut cycles, mut unscheduled_instructions) = (0, 0);
        while cycles + unscheduled_instructions < cycles_maximum {
            let next = self.blocks.get(&state.registers.pc).filter(|_| !state.registers.in_delay_slot);
            let outcome = match next {
                Some((block, schedule)) => {
                    cycles += schedule.cycles();
                    self.block(block, schedule, &mut state)
                }
                None => {
                    unscheduled_instructions += 1;
                    step(state.registers, state.memory, self.extensions)
                }
            };
            if let Err(stop) = outcome {
                return Ok(Run { stop, cycles, unscheduled_instructions });
            }
        }
        Err(ExecuteError::TooLong(cycles_maximum))
    }

    fn block<M: Memory>(
        &self,
        block: &Block,
        schedule: &Schedule,
        state: &mut State<'_, M>,
    ) -> Result<(), Trap> {
        state.renamed = self.machine.register_renaming.then(|| Renamed::new(block));
        let outcome = self.bundles(block, schedule, state);
        while !state.arriving.is_empty() {
            state.arrive();
        }
        state.leave_renamed();
        state.registers.jump_to(outcome?);
        Ok(())
    }

    /// Executes all bundles; returns the continuation address. After a trap the program counter is that of the instruction.
    fn bundles<M: Memory>(
        &self,
        block: &Block,
        schedule: &Schedule,
        state: &mut State<'_, M>,
    ) -> Result<u32, Trap> {
        let mut exit = Exit { target: block.end(), annuls: false };
        for bundle in &schedule.bundles {
            if !exit.annuls {
                let taken = self.bundle(block, bundle, state)?;
                exit = taken.unwrap_or(exit);
            }
            state.arrive();
        }
        Ok(exit.target)
    }

    /// Executes the operations of a bundle, all of which see the registers as they were before it.
    fn bundle<M: Memory>(
        &self,
        block: &Block,
        bundle: &[usize],
        state: &mut State<'_, M>,
    ) -> Result<Option<Exit>, Trap> {
        let mut exit = None;
        let (stores, others): (Vec<usize>, Vec<usize>) =
            bundle.iter().partition(|index| block.instructions[**index].writes_memory());
        for index in others.into_iter().chain(stores) {
            let source = &block.instructions[index];
            let mut after = state.operands(index, source);
            after.jump_to(source.address);
            if let Err(trap) = execute(&mut after, state.memory, &source.instruction) {
                state.registers.jump_to(source.address);
                return Err(trap);
            }
            if block.exit == Some(index) {
                let waits = after.in_delay_slot;
                let target = if waits { after.next_pc } else { after.pc };
                exit = Some(Exit { target, annuls: !waits && block.delay_slots() > 0 });
            }
            self.send(index, source, &after, state);
        }
        Ok(exit)
    }

    fn send<M>(&self, index: usize, source: &Source, after: &Registers, state: &mut State<'_, M>) {
        let remaining = self.machine.latency(&source.operation);
        let results = source.operation.writes.iter().map(|register| Arriving {
            remaining,
            instruction: index,
            register,
            value: read(after, register),
        });
        state.arriving.extend(results);
    }
}

impl Renamed {
    fn new(block: &Block) -> Self {
        let (operands, at_end) = values(block);
        Self { operands, at_end, results: vec![Vec::new(); block.instructions.len()] }
    }

    fn result(&self, instruction: usize, register: u8) -> Option<&Value> {
        let found = self.results[instruction].iter().find(|(name, _)| *name == register);
        found.map(|(_, value)| value)
    }
}

impl<M> State<'_, M> {
    /// The registers as an instruction sees them.
    fn operands(&self, index: usize, source: &Source) -> Registers {
        let mut registers = self.registers.clone();
        if let Some(renamed) = &self.renamed {
            for register in source.operation.reads.iter() {
                let instruction = renamed.operands[index][usize::from(register)];
                if let Some(value) = instruction.and_then(|from| renamed.result(from, register)) {
                    write(&mut registers, register, value);
                }
            }
        }
        registers
    }

    /// Ends a bundle: writes the results that are due.
    fn arrive(&mut self) {
        self.arriving.iter_mut().for_each(|result| result.remaining -= 1);
        let (now, later): (Vec<Arriving>, Vec<Arriving>) =
            mem::take(&mut self.arriving).into_iter().partition(|result| result.remaining == 0);
        self.arriving = later;
        for Arriving { instruction, register, value, .. } in now {
            match &mut self.renamed {
                Some(renamed) => renamed.results[instruction].push((register, value)),
                None => write(self.registers, register, &value),
            }
        }
    }

    /// Leaves in each register the last result that the block has for it.
    fn leave_renamed(&mut self) {
        let Some(renamed) = self.renamed.take() else { return };
        for (register, last) in (0u8..).zip(&renamed.at_end) {
            if let Some(value) = last.and_then(|instruction| renamed.result(instruction, register)) {
                write(self.registers, register, value);
            }
        }
    }
}

fn read(registers: &Registers, number: u8) -> Value {
    match number {
        register::HI => Value::Number(registers.hi_lo.hi),
        register::LO => Value::Number(registers.hi_lo.lo),
        register::LINK => Value::Link(registers.link),
        register::COPROCESSOR0 => Value::Coprocessor0(Box::new(registers.coprocessor0.clone())),
        general => Value::Number(registers.general(general)),
    }
}

fn write(registers: &mut Registers, number: u8, value: &Value) {
    match value {
        Value::Link(link) => registers.link = *link,
        Value::Coprocessor0(coprocessor0) => registers.coprocessor0 = (**coprocessor0).clone(),
        Value::Number(value) => match number {
            register::HI => registers.hi_lo.hi = *value,
            register::LO => registers.hi_lo.lo = *value,
            general => registers.set_general(general, *value),
        },
    }
}
