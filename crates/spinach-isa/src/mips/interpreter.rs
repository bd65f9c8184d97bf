//! The reference interpreter: one instruction per step, nothing but architecture.
//!
//! It is the functional semantics, the oracle for pipelines, and itself checked against QEMU. Time passes only if the caller
//! counts steps: Count does not advance with steps.

use serde::{Deserialize, Serialize};

use super::Extensions;
use super::access::{loaded_value, memory_reference};
use super::coprocessor0::Coprocessor0;
use super::decode::{Instruction, decode};
use super::memory::Memory;
use super::operation::Operation;
use super::semantics::{
    Context, HiLo, alu, check_exception, effective_address, multiply_divide, operands, redirection,
    return_address,
};
use super::trap::Trap;
use crate::instruction_set::Class;

/// The architectural state of a core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registers {
    /// Address of the next instruction to execute.
    pub pc: u32,
    /// Address of the instruction after that one: the target, while a taken branch waits for its delay slot.
    pub next_pc: u32,
    /// True if the next instruction follows a branch or jump, taken or not.
    pub in_delay_slot: bool,
    /// The general registers; register 0 stays zero.
    general: [u32; 32],
    /// The multiplier's registers.
    pub hi_lo: HiLo,
    /// The word that the last `ll` named, while the link holds.
    pub link: Option<u32>,
    /// The system-control registers.
    pub coprocessor0: Coprocessor0,
}

impl Registers {
    /// The state after reset of core number `core`, about to execute at `pc`.
    pub const fn reset(pc: u32, core: u32) -> Self {
        Self {
            pc,
            next_pc: pc.wrapping_add(4),
            in_delay_slot: false,
            general: [0; 32],
            hi_lo: HiLo { hi: 0, lo: 0 },
            link: None,
            coprocessor0: Coprocessor0::reset(core),
        }
    }

    /// The value of a general register; `number` is taken modulo 32.
    #[inline]
    pub const fn general(&self, number: u8) -> u32 {
        self.general[(number & 31) as usize]
    }

    /// Writes a general register; `number` is taken modulo 32, and writes to register 0 have no effect.
    #[inline]
    pub const fn set_general(&mut self, number: u8, value: u32) {
        self.general[(number & 31) as usize] = value;
        self.general[0] = 0;
    }

    /// Continues at `pc`, forgetting any pending branch.
    #[inline]
    pub const fn jump_to(&mut self, pc: u32) {
        self.pc = pc;
        self.next_pc = pc.wrapping_add(4);
        self.in_delay_slot = false;
    }

    /// Enters the handler of an exception that [`step`] or [`execute`] returned.
    pub const fn enter_exception(&mut self, trap: Trap) {
        let handler = self.coprocessor0.enter_exception(trap, self.pc, self.in_delay_slot);
        self.jump_to(handler);
    }

    /// Breaks the link if it names the word that another core or device is writing.
    pub fn observe_write(&mut self, word_address: u32) {
        if self.link == Some(word_address) {
            self.link = None;
        }
    }

    /// Advances to the next instruction.
    #[inline]
    pub const fn advance(&mut self) {
        self.pc = self.next_pc;
        self.next_pc = self.pc.wrapping_add(4);
        self.in_delay_slot = false;
    }

    const fn context(&self) -> Context {
        Context { privileged: self.coprocessor0.privileged(), in_delay_slot: self.in_delay_slot }
    }
}

/// Fetches, decodes and executes one instruction. A skipped delay slot does not count as a step.
///
/// # Errors
/// The exception that the instruction raised, or an interrupt that comes before it. The state is as before the
/// instruction; [`Registers::enter_exception`] continues in the handler.
pub fn step(registers: &mut Registers, memory: &mut impl Memory, extensions: Extensions) -> Result<(), Trap> {
    if registers.coprocessor0.interrupt_pending() {
        return Err(Trap::Interrupt);
    }
    let address = registers.pc;
    if !address.is_multiple_of(4) {
        return Err(Trap::MisalignedLoad { address });
    }
    let word = memory.fetch(address).map_err(|_| Trap::FetchBusError { address })?;
    execute(registers, memory, &decode(word, extensions))
}

/// Executes an instruction decoded before, which must be the one at `registers.pc`.
///
/// # Errors
/// The exception that the instruction raised; the state is as before it.
#[inline]
pub fn execute(
    registers: &mut Registers,
    memory: &mut impl Memory,
    instruction: &Instruction,
) -> Result<(), Trap> {
    let description = instruction.operation.description();
    let (rs, rt) = (registers.general(instruction.rs), registers.general(instruction.rt));
    match description.class {
        Class::Alu | Class::Shift => {
            let (a, b) = operands(instruction, rs, rt);
            registers.set_general(instruction.destination, alu(description.alu, a, b)?);
        }
        Class::Load | Class::Store | Class::Atomic => access_memory(registers, memory, instruction, rs, rt)?,
        Class::Branch | Class::Jump => return transfer_control(registers, instruction, rs, rt),
        Class::Multiply | Class::Divide => registers.hi_lo = multiply_divide(instruction.operation, rs, rt),
        Class::MultiplierMove => move_multiplier(registers, instruction, rs),
        Class::Coprocessor | Class::System | Class::Reserved => {
            return control_system(registers, instruction, rs, rt);
        }
    }
    registers.advance();
    Ok(())
}

fn move_multiplier(registers: &mut Registers, instruction: &Instruction, rs: u32) {
    match instruction.operation {
        Operation::Mthi => registers.hi_lo.hi = rs,
        Operation::Mtlo => registers.hi_lo.lo = rs,
        Operation::Mfhi => registers.set_general(instruction.destination, registers.hi_lo.hi),
        _ => registers.set_general(instruction.destination, registers.hi_lo.lo),
    }
}

#[inline]
fn access_memory(
    registers: &mut Registers,
    memory: &mut impl Memory,
    instruction: &Instruction,
    rs: u32,
    rt: u32,
) -> Result<(), Trap> {
    let description = instruction.operation.description();
    let Some(behaviour) = description.memory else { return Ok(()) };
    let reference = memory_reference(instruction, behaviour, rs, rt)?;
    let address = reference.word_address;
    let bus_error = |_| Trap::DataBusError { address: effective_address(instruction, rs, rt) };
    match (description.class, description.atomic) {
        (Class::Load, _) => {
            let word = memory.read(address, reference.enables).map_err(bus_error)?;
            let value = loaded_value(behaviour, effective_address(instruction, rs, rt), word, rt);
            registers.set_general(instruction.destination, value);
            if behaviour.linked {
                registers.link = Some(address);
            }
        }
        (_, Some(operation)) => {
            let result = memory.atomic(address, operation, reference.data).map_err(bus_error)?;
            registers.set_general(instruction.destination, result);
        }
        _ if behaviour.linked => {
            let linked = registers.link == Some(address);
            let stored = linked && memory.store_conditional(address, reference.data).map_err(bus_error)?;
            registers.link = None;
            registers.set_general(instruction.destination, u32::from(stored));
        }
        _ => memory.write(address, reference.data, reference.enables).map_err(bus_error)?,
    }
    Ok(())
}

#[inline]
fn transfer_control(
    registers: &mut Registers,
    instruction: &Instruction,
    rs: u32,
    rt: u32,
) -> Result<(), Trap> {
    let address = registers.pc;
    if registers.in_delay_slot {
        return Err(Trap::ReservedInstruction { word: instruction.word });
    }
    registers.set_general(instruction.destination, return_address(address));
    registers.advance();
    match redirection(instruction, address, rs, rt) {
        Some(outcome) if outcome.annuls_delay_slot => registers.advance(),
        Some(outcome) => {
            registers.in_delay_slot = true;
            if outcome.taken {
                registers.next_pc = outcome.target;
            }
        }
        None => {}
    }
    Ok(())
}

fn control_system(
    registers: &mut Registers,
    instruction: &Instruction,
    rs: u32,
    rt: u32,
) -> Result<(), Trap> {
    check_exception(instruction, rs, rt, registers.context())?;
    match instruction.operation {
        Operation::Mfc0 => {
            let value = registers.coprocessor0.read(instruction.rd);
            registers.set_general(instruction.destination, value);
        }
        Operation::Mtc0 => registers.coprocessor0.write(instruction.rd, rt),
        Operation::Eret => {
            let resume = registers.coprocessor0.exception_return();
            registers.link = None;
            registers.jump_to(resume);
            return Ok(());
        }
        _ => {}
    }
    registers.advance();
    Ok(())
}
