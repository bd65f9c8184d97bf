//! Traces of the cores and the assists of a NIC, for the studies of `spinach-analysis`.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spinach_analysis::trace::{
    Access, AccessWriter, Instruction, InstructionHeader, TaskTracker, TraceError, TraceWriter,
};
use spinach_engine::{Frequency, Id, Listener, ModuleId, Note, Time};
use spinach_modules::notes::Noted;

/// Two traces that are being written: every instruction that some cores complete, and every reference of some other modules
/// to the memory that they share with the cores. Both go to their files as they come, so that memory does not grow. Clones are
/// handles to the same traces.
#[derive(Clone)]
pub struct TraceFiles(Arc<Mutex<Option<Open>>>);

/// Subjects of the traces, with their names.
#[derive(Debug)]
pub struct Traced {
    /// The cores, in the order of their numbers.
    pub cores: Vec<ModuleId>,
    /// The other modules, by the names of agents.
    pub agents: Vec<(String, ModuleId)>,
    /// The clock of the cores, by whose cycles accesses are numbered too, so that they can be put in order with instructions.
    pub clock: Frequency,
    /// The name of the instruction set that the cores execute.
    pub instruction_set: String,
    /// Its extensions that they have.
    pub extensions: Vec<String>,
    /// Knows functions and tasks.
    pub tasks: TaskTracker,
}

/// Number of rows of the traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rows {
    /// Instructions of cores.
    pub instructions: u64,
    /// Accesses of agents.
    pub accesses: u64,
}

struct Open {
    instructions: TraceWriter,
    accesses: AccessWriter,
    /// Per module, its number among the cores or among the agents; `u16::MAX` for neither.
    numbers: Vec<u16>,
    agents: Vec<String>,
    clock: Frequency,
    instruction_set: String,
    extensions: Vec<String>,
    tasks: TaskTracker,
    /// Per core, its last edge: what it executes ahead of time has happened when it acts again.
    last: Vec<LastEdge>,
    rows: Rows,
    failed: Option<TraceError>,
}

/// The edge at which a core completed its last instructions.
#[derive(Default)]
struct LastEdge {
    time: Time,
    cycle: u64,
    /// Its instructions of later cycles.
    ahead: Vec<Instruction>,
}

/// Number of modules that are not traced.
const NO_AGENT: u16 = u16::MAX;

impl TraceFiles {
    /// Begins both traces; the files are replaced when they are complete.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn create(instructions: &Path, accesses: &Path, traced: Traced) -> Result<Self, TraceError> {
        let Traced { cores, agents, clock, instruction_set, extensions, tasks } = traced;
        let (agents, modules): (Vec<_>, Vec<_>) = agents.into_iter().unzip();
        let all = || cores.iter().zip(0u16..).chain(modules.iter().zip(0u16..));
        let length = all().map(|(module, _)| module.index() + 1).max().unwrap_or(0);
        let mut numbers = vec![NO_AGENT; length];
        for (module, number) in all() {
            numbers[module.index()] = number;
        }
        let open = Open {
            instructions: TraceWriter::create(instructions, true)?,
            accesses: AccessWriter::create(accesses, true)?,
            last: cores.iter().map(|_| LastEdge::default()).collect(),
            numbers,
            agents,
            clock,
            instruction_set,
            extensions,
            tasks,
            rows: Rows::default(),
            failed: None,
        };
        Ok(Self(Arc::new(Mutex::new(Some(open)))))
    }

    /// Completes both files at time `end`; returns how many rows they have. A second call returns nothing. Instructions of later
    /// cycles, which cores have executed ahead of time, are left out.
    ///
    /// # Errors
    /// If anything could not be written; files of these names from before stay then.
    pub fn finish(&self, end: Time) -> Result<Option<Rows>, TraceError> {
        let Some(mut open) = self.open().take() else { return Ok(None) };
        if let Some(error) = open.failed {
            return Err(error);
        }
        let cycles = open.clock.first_edge_from(end);
        (0..open.last.len()).try_for_each(|core| open.write_ahead(core, cycles))?;
        open.instructions.close(&header(&open.instruction_set, &open.extensions, &open.tasks))?;
        open.accesses.close(&open.agents)?;
        Ok(Some(open.rows))
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for TraceFiles {
    fn hear(&mut self, notes: &[Note]) {
        let mut open = self.open();
        let Some(open) = open.as_mut().filter(|open| open.failed.is_none()) else { return };
        // After the first failure nothing more is written; `finish` returns the failure.
        open.failed =
            notes.iter().try_for_each(|note| open.write(note)).and_then(|()| open.keep_readable()).err();
    }
}

fn header(instruction_set: &str, extensions: &[String], tasks: &TaskTracker) -> InstructionHeader {
    InstructionHeader {
        instruction_set: instruction_set.to_owned(),
        extensions: extensions.to_vec(),
        tasks: tasks.task_names().to_vec(),
        overhead_tasks: tasks.overhead_tasks().to_vec(),
        functions: tasks.function_names().to_vec(),
    }
}

impl Open {
    fn keep_readable(&mut self) -> Result<(), TraceError> {
        self.instructions.keep_readable(|| header(&self.instruction_set, &self.extensions, &self.tasks))?;
        self.accesses.keep_readable(&self.agents)
    }

    // Writes the instructions that a core has executed ahead of time, as far as they are of cycles before `end`.
    fn write_ahead(&mut self, core: usize, end: u64) -> Result<(), TraceError> {
        for instruction in self.last[core].ahead.drain(..).filter(|instruction| instruction.cycle < end) {
            self.rows.instructions += 1;
            self.instructions.push(&instruction)?;
        }
        Ok(())
    }

    fn write(&mut self, note: &Note) -> Result<(), TraceError> {
        let number = self.numbers.get(note.module.index()).copied().unwrap_or(NO_AGENT);
        if number == NO_AGENT {
            return Ok(());
        }
        match Noted::from_words(note.words) {
            Noted::Retired { pc, word, address, taken } => {
                if self.last[usize::from(number)].time != note.time {
                    self.write_ahead(number.into(), u64::MAX)?;
                    let last = &mut self.last[usize::from(number)];
                    (last.time, last.cycle) = (note.time, self.clock.first_edge_from(note.time));
                }
                let (task, function) = self.tasks.locate(number, pc);
                let cycle = note.cycle;
                let instruction =
                    Instruction { core: number, task, function, pc, word, address, taken, cycle };
                let last = &mut self.last[usize::from(number)];
                if cycle > last.cycle {
                    last.ahead.push(instruction);
                    return Ok(());
                }
                self.rows.instructions += 1;
                self.instructions.push(&instruction)
            }
            Noted::Accessed { address, bytes, write } => {
                self.rows.accesses += 1;
                let cycle = self.clock.first_edge_from(note.time);
                self.accesses.push(&Access { agent: number, address, bytes, write, cycle })
            }
        }
    }
}
