//! Debugger questions to a core, by [`spinach_engine::Simulation::ask`].
//!
//! Watching does not affect a core: it issues every instruction at the usual time, and pauses the simulation at the end of that
//! cycle. The instruction has only been issued by then, and everything older has been executed, though loads and stores may still
//! be under way. [`Question::Settle`] completes these; it does affect the core, so it is for a copy of the simulation that is
//! discarded.

use std::any::Any;

use serde_json::Value;
use spinach_isa::architecture::{Architecture, RegisterFile};
use spinach_isa::debugging::{Hit, Watched};
use spinach_isa::word::Word;

use super::data_port::reference;
use super::decoded::Decoded;
use super::profile::AccountSums;
use super::program::Program;
use super::stop::{Stop, StopCause};
use crate::values::Access;

/// A question to a core, and where the answer goes.
#[derive(Debug)]
pub struct Request {
    /// Question.
    pub question: Question,
    /// The answer, of a core that knows the question.
    pub answer: Option<Answer>,
}

/// Question of a debugger.
#[derive(Clone, Debug)]
pub enum Question {
    /// Watch for this from now on, and for nothing else. Answered with [`Answer::Done`].
    Watch(Watch),
    /// Stop condition for which the core paused the simulation in the last cycle, if any. Answered with [`Answer::Hit`].
    Hit,
    /// Stop issuing and drop instructions that were not executed; executed ones complete. Answered with [`Answer::Done`].
    Settle,
    /// State of the core. Answered with [`Answer::View`].
    View,
    /// Give a general register, as assembly language numbers it, another value. Answered with [`Answer::Done`], or with
    /// [`Answer::Refused`] if the register has no value yet or always the same.
    Set {
        /// The number.
        general: u8,
        /// The value.
        value: u64,
    },
    /// Load the aligned word at an address through the data port of a settled core, wherever the interconnect takes it. It affects
    /// what answers, so it is for a copy of the simulation too. Answered with [`Answer::Done`], or with [`Answer::Refused`] if the
    /// core is not settled.
    Load(u64),
    /// Outcome of [`Question::Load`]. Answered with [`Answer::Loaded`].
    Loaded,
    /// Add the accounts by instruction address to these sums. Answered with [`Answer::Done`].
    Accounts(AccountSums),
    /// First cycle that the accounts do not hold, of a core that runs ahead of its counters. Answered with [`Answer::Cycle`].
    AccountedUntil,
    /// Test for accounts by calls. Answered with [`Answer::Done`] if the core keeps them, else with [`Answer::Refused`].
    Calls,
}

/// Answer of a core.
#[derive(Clone, Debug)]
pub enum Answer {
    /// It was done.
    Done,
    /// It cannot be done now.
    Refused,
    /// Answer to [`Question::Hit`].
    Hit(Option<Hit>),
    /// Answer to [`Question::View`].
    View(Box<View>),
    /// Answer to [`Question::Loaded`].
    Loaded(Load),
    /// Answer to [`Question::AccountedUntil`]; 0 if the accounts are those of the cycles that have passed.
    Cycle(u64),
}

/// A load for a debugger.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Load {
    /// No response has come.
    #[default]
    Awaited,
    /// The bytes, in the order of memory.
    Bytes([u8; 4]),
    /// Nothing is at the address, or it cannot be loaded.
    Fault,
}

impl Load {
    /// Outcome of a response: its data, and whether it is a bus error.
    pub(super) fn of(data: u64, is_fault: bool) -> Self {
        if is_fault { Self::Fault } else { Self::Bytes((data as u32).to_le_bytes()) }
    }
}

/// Stop conditions, tested when a core issues an instruction.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Instructions outside of this range of addresses, the end excluded; all if it is empty.
    pub step: Option<(u64, u64)>,
    /// The instructions at these addresses, in rising order.
    pub instructions: Vec<u64>,
    /// Instructions that refer to these bytes.
    pub data: Vec<Watched>,
}

/// State of a core between two instructions.
#[derive(Clone, Debug)]
pub struct View {
    /// The name of the instruction set.
    pub instruction_set: &'static str,
    /// The address of the next instruction to execute.
    pub pc: u64,
    /// True if that was issued already.
    pub is_issued: bool,
    /// True if everything older has completed, stores included.
    pub is_settled: bool,
    /// The general registers, 32 of them, as assembly language numbers them.
    pub general: Vec<u64>,
    /// The further registers of the instruction set, by the names of [`Architecture::FURTHER_REGISTERS`], and those of exceptions.
    /// After an exception that ended the program they hold what the core records before its handler.
    pub further: Vec<(&'static str, u64)>,
    /// Why the program has ended, if it has.
    pub end: Option<String>,
}

impl Watch {
    /// True if no stop condition is set.
    pub fn is_empty(&self) -> bool {
        self.step.is_none() && self.instructions.is_empty() && self.data.is_empty()
    }

    /// Stop condition that an issued instruction meets. Data precedes instructions, these precede a step.
    pub(super) fn meets<A: Architecture>(
        &self,
        pc: A::Word,
        decoded: &Decoded<A>,
        registers: &A::Registers,
    ) -> Option<Hit> {
        let pc = pc.to_u64();
        self.meets_data(decoded, registers)
            .or_else(|| self.instructions.binary_search(&pc).is_ok().then_some(Hit::Instruction(pc)))
            .or_else(|| self.step.filter(|(start, end)| !(*start..*end).contains(&pc)).map(|_| Hit::Step))
    }

    fn meets_data<A: Architecture>(&self, decoded: &Decoded<A>, registers: &A::Registers) -> Option<Hit> {
        if self.data.is_empty() || !decoded.accesses_memory() {
            return None;
        }
        // One that fails refers to nothing.
        let (reference, _) = reference(decoded, registers, 0).ok()?;
        let reads = matches!(reference.access, Access::Read | Access::LoadLinked);
        let end = reference.address + u64::from(reference.size);
        let index = self.data.iter().position(|watched| {
            let overlaps = watched.address < end && reference.address < watched.address + watched.bytes;
            overlaps && if reads { watched.reads } else { watched.writes }
        })?;
        Some(Hit::Data { index, address: reference.address })
    }
}

/// A core that answers a debugger.
pub(super) trait Debugged {
    /// Watches for this from now on, or for nothing.
    fn watch(&mut self, watch: Option<Box<Watch>>);
    /// Stop condition for which it paused the simulation in the last cycle.
    fn hit(&self) -> Option<Hit>;
    /// See [`Question::Settle`].
    fn settle(&mut self);
    /// State of the core.
    fn view(&self) -> View;
    /// See [`Question::Set`]; whether it was done.
    fn set(&mut self, general: u8, value: u64) -> bool;
    /// See [`Question::Load`]; false if the core is not settled.
    fn load(&mut self, address: u64) -> bool;
    /// Outcome of the last load for a debugger.
    fn loaded(&self) -> Load;
    /// See [`Question::Accounts`].
    fn add_accounts(&mut self, sums: &mut AccountSums);
    /// See [`Question::AccountedUntil`].
    fn accounted_until(&self) -> u64 {
        0
    }
    /// See [`Question::Calls`].
    fn keeps_calls(&self) -> bool;
}

fn done(is_done: bool) -> Answer {
    if is_done { Answer::Done } else { Answer::Refused }
}

/// Answers a request, if it is one of a debugger.
pub(super) fn answer(core: &mut impl Debugged, request: &mut dyn Any) {
    let Some(request) = request.downcast_mut::<Request>() else { return };
    request.answer = Some(match &mut request.question {
        Question::Watch(watch) => {
            core.watch((!watch.is_empty()).then(|| Box::new(std::mem::take(watch))));
            Answer::Done
        }
        Question::Hit => Answer::Hit(core.hit()),
        Question::Settle => {
            core.settle();
            Answer::Done
        }
        Question::View => Answer::View(Box::new(core.view())),
        Question::Set { general, value } => done(core.set(*general, *value)),
        Question::Load(address) => done(core.load(*address)),
        Question::Loaded => Answer::Loaded(core.loaded()),
        Question::Accounts(sums) => {
            core.add_accounts(sums);
            Answer::Done
        }
        Question::AccountedUntil => Answer::Cycle(core.accounted_until()),
        Question::Calls => done(core.keeps_calls()),
    });
}

/// State of a core whose next instruction is at `pc`, or at the one that ended its program.
pub(super) fn view<A: Architecture>(
    program: &Program<A>,
    pc: A::Word,
    is_issued: bool,
    is_settled: bool,
) -> View {
    let registers = &program.registers;
    let general = (0..32).map(|number| registers.general(A::general_register(number)).to_u64()).collect();
    let end = program.stop.as_deref();
    let mut further = named::<A>(registers, A::FURTHER_REGISTERS);
    further.retain(|(name, _)| A::DEBUGGER.exceptions.iter().all(|(known, _)| known != name));
    further.extend(match end {
        Some(Stop { cause: StopCause::Exception(trap), pc, in_delay_slot, .. }) => {
            let mut raised = registers.clone();
            raised.enter_exception(*trap, *pc, *in_delay_slot);
            named::<A>(&raised, A::DEBUGGER.exceptions)
        }
        _ => named::<A>(registers, A::DEBUGGER.exceptions),
    });
    View {
        instruction_set: A::NAME,
        pc: end.map_or(pc, |stop| stop.pc).to_u64(),
        is_issued,
        is_settled,
        general,
        further,
        end: end.map(|stop| stop.message.clone()),
    }
}

/// Gives a general register another value, unless a load that is under way does so: `awaited` has a bit for each such register.
pub(super) fn set<A: Architecture>(program: &mut Program<A>, general: u8, value: u64, awaited: u64) -> bool {
    let register = A::general_register(general);
    if awaited >> (register & 63) & 1 != 0 {
        return false;
    }
    let value = A::Word::from_u64(value);
    program.registers.set_general(register, value);
    // A register that is always 0 stays so.
    program.registers.general(register) == value
}

/// Registers by their names and their places among the serialised ones.
fn named<A: Architecture>(
    registers: &A::Registers,
    places: &[(&'static str, &'static str)],
) -> Vec<(&'static str, u64)> {
    // Registers that cannot be shown as data have none.
    let data = serde_json::to_value(registers).unwrap_or(Value::Null);
    let found = places.iter().filter_map(|(name, place)| {
        let value = place.split('.').try_fold(&data, |value, field| {
            field.parse::<usize>().map_or_else(|_| value.get(field), |index| value.get(index))
        })?;
        Some((*name, value.as_u64()?))
    });
    found.collect()
}
