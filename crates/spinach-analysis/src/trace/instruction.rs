//! Instruction traces: every instruction that cores retired.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `core` | unsigned 16 bits | number of the core |
//! | `task` | unsigned 16 bits | index into `tasks` of the header |
//! | `function` | unsigned 32 bits | index into `functions` of the header |
//! | `pc` | unsigned 64 bits | address of the instruction |
//! | `word` | unsigned 32 bits | the encoded instruction |
//! | `address` | unsigned 64 bits or null | byte address of the memory access, null without one |
//! | `taken` | boolean | control went to the target of this branch or jump |
//! | `cycle` | unsigned 64 bits | cycle of retirement; the whole column is absent from untimed traces |
//!
//! Rows of one core are in program order. A delay slot follows its branch; a slot that was annulled has no row. The header is
//! `{"kind": "instructions", "version": 2, "instruction_set", "extensions", "tasks", "overhead_tasks", "functions"}`. The first
//! task and the first function represent unknown ones.

use std::path::Path;

use serde::{Deserialize, Serialize};
use spinach_isa::architecture::Architecture;

use super::TraceError;
use super::table::{Buffer, Column, Kind, TableReader, TableWriter};

const KIND: &str = "instructions";
const VERSION: u32 = 2;

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true }
}

const CYCLE: usize = 7;
const COLUMNS: [Column; 8] = [
    column("core", Kind::Narrow(16)),
    column("task", Kind::Narrow(16)),
    column("function", Kind::Narrow(32)),
    column("pc", Kind::Address),
    column("word", Kind::Narrow(32)),
    column("address", Kind::SparseAddress),
    column("taken", Kind::Flag),
    Column { name: "cycle", kind: Kind::Wide, required: false },
];

/// A retired instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// Number of the core.
    pub core: u16,
    /// Index of the task in the header.
    pub task: u16,
    /// Index of the function in the header.
    pub function: u32,
    /// Address of the instruction.
    pub pc: u64,
    /// The encoded instruction.
    pub word: u32,
    /// Byte address of its memory access.
    pub address: Option<u64>,
    /// True if control moved to the target of this branch or jump.
    pub taken: bool,
    /// Cycle of retirement, 0 in untimed traces.
    pub cycle: u64,
}

/// Header of an instruction trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionHeader {
    /// Name of the instruction set, as `rv32`.
    pub instruction_set: String,
    /// Names of its extensions that the cores had.
    pub extensions: Vec<String>,
    /// Names of tasks. The first represents instructions of no known task.
    pub tasks: Vec<String>,
    /// Tasks that do not process frames: dispatch, locking, waiting.
    pub overhead_tasks: Vec<String>,
    /// Names of functions. The first represents instructions outside every known function.
    pub functions: Vec<String>,
}

impl TraceReader {
    /// The instruction set of the trace with its extensions, which must be `A`.
    ///
    /// # Errors
    /// [`TraceError::Foreign`] for another one, or for unknown extensions.
    pub fn architecture<A: Architecture>(&self) -> Result<A, TraceError> {
        let foreign = |problem| TraceError::foreign(self.path(), problem);
        if self.header.instruction_set != A::NAME {
            let name = &self.header.instruction_set;
            return Err(foreign(format!("its instruction set is {name}, not {}", A::NAME)));
        }
        self.header.extensions.iter().try_fold(A::default(), |all, name| {
            all.with(name).ok_or_else(|| foreign(format!("its extension {name} is unknown")))
        })
    }
}

#[derive(Serialize, Deserialize)]
struct Tagged<Header> {
    kind: String,
    version: u32,
    #[serde(flatten)]
    header: Header,
}

/// Refuses headers of other kinds and versions.
pub(super) fn check_kind(
    path: &Path,
    (kind, version): (&str, u32),
    expected: &str,
    readable: u32,
) -> Result<(), TraceError> {
    if kind != expected {
        return Err(TraceError::foreign(path, format!("it holds {kind}, not {expected}")));
    }
    if version != readable {
        let problem = format!("its version is {version}; this Spinach reads version {readable}");
        return Err(TraceError::foreign(path, problem));
    }
    Ok(())
}

/// Writes an instruction trace.
///
/// The file takes its place when [`TraceWriter::close`] completes it.
pub struct TraceWriter {
    table: TableWriter,
    buffers: Vec<Buffer>,
    rows: usize,
    timed: bool,
}

impl TraceWriter {
    /// Begins the file, which is replaced when this is closed. A `timed` trace has the column `cycle`.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn create(path: &Path, timed: bool) -> Result<Self, TraceError> {
        let columns = if timed { &COLUMNS[..] } else { &COLUMNS[..CYCLE] };
        let buffers = columns.iter().map(|column| Buffer::new(column.kind)).collect();
        Ok(Self { table: TableWriter::create(path, columns)?, buffers, rows: 0, timed })
    }

    /// Appends an instruction.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    #[inline]
    pub fn push(&mut self, instruction: &Instruction) -> Result<(), TraceError> {
        let [core, task, function, pc, word, address, taken, rest @ ..] = self.buffers.as_mut_slice() else {
            return Ok(());
        };
        core.push(instruction.core.into());
        task.push(instruction.task.into());
        function.push(instruction.function.into());
        pc.push(instruction.pc);
        word.push(instruction.word.into());
        address.push_optional(instruction.address);
        taken.push(instruction.taken.into());
        if let [cycle] = rest {
            cycle.push(instruction.cycle);
        }
        self.rows += 1;
        if self.rows == self.table.group_rows() {
            self.rows = 0;
            self.table.write_group(&mut self.buffers)?;
        }
        Ok(())
    }

    /// Writes a footer from time to time, so that the file can be read up to here even after a kill. Cheap in between.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    #[inline]
    pub fn keep_readable(&mut self, header: impl FnOnce() -> InstructionHeader) -> Result<(), TraceError> {
        if self.table.needs_footer() { self.table.write_footer(&tagged(&header())) } else { Ok(()) }
    }

    /// True if the trace has the column `cycle`.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// Writes what remains and the header.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn close(mut self, header: &InstructionHeader) -> Result<(), TraceError> {
        if self.rows > 0 {
            self.table.write_group(&mut self.buffers)?;
        }
        self.table.close(&tagged(header))
    }
}

fn tagged(header: &InstructionHeader) -> Tagged<&InstructionHeader> {
    Tagged { kind: KIND.to_owned(), version: VERSION, header }
}

/// Reads an instruction trace a group of rows at a time.
pub struct TraceReader {
    table: TableReader,
    header: InstructionHeader,
    buffers: Vec<Buffer>,
    instructions: Vec<Instruction>,
    rows_read: u64,
}

impl TraceReader {
    /// Opens the file and reads its header.
    ///
    /// # Errors
    /// [`TraceError::CannotRead`], [`TraceError::Incomplete`], [`TraceError::Foreign`].
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let (table, tagged): (_, Tagged<serde_json::Value>) = TableReader::open(path, &COLUMNS)?;
        check_kind(path, (&tagged.kind, tagged.version), KIND, VERSION)?;
        let header: InstructionHeader = serde_json::from_value(tagged.header)
            .map_err(|error| TraceError::foreign(path, format!("its header cannot be read: {error}")))?;
        if header.tasks.is_empty() || header.functions.is_empty() {
            return Err(TraceError::foreign(path, "its header names no tasks or no functions".to_owned()));
        }
        let buffers = COLUMNS.iter().map(|column| Buffer::new(column.kind)).collect();
        Ok(Self { table, header, buffers, instructions: Vec::new(), rows_read: 0 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.table.path()
    }

    /// Reads only while this returns true; called before each group. Then the error is [`TraceError::Interrupted`].
    #[must_use]
    pub fn read_while(mut self, is_wanted: fn() -> bool) -> Self {
        self.table.read_while(is_wanted);
        self
    }

    /// Header of the trace.
    pub fn header(&self) -> &InstructionHeader {
        &self.header
    }

    /// True if the trace was completed. A trace whose writer was killed ends anywhere.
    pub fn is_complete(&self) -> bool {
        self.table.is_complete()
    }

    /// Number of instructions in the whole trace.
    pub fn instruction_count(&self) -> u64 {
        self.table.rows()
    }

    /// True if instructions have cycles.
    pub fn is_timed(&self) -> bool {
        self.table.has(CYCLE)
    }

    /// The next instructions, at most 131,072 as Spinach writes them; none after the last.
    ///
    /// # Errors
    /// [`TraceError::Incomplete`], [`TraceError::Unnamed`], [`TraceError::Interrupted`].
    pub fn next_group(&mut self) -> Result<&[Instruction], TraceError> {
        let rows = self.table.read_group(&mut self.buffers)?;
        self.instructions.clear();
        if rows == 0 {
            return Ok(&self.instructions);
        }
        let [
            Buffer::Narrow(core),
            Buffer::Narrow(task),
            Buffer::Narrow(function),
            Buffer::Wide(pc),
            Buffer::Narrow(word),
            Buffer::Sparse { levels, values },
            Buffer::Flag(taken),
            Buffer::Wide(cycle),
        ] = self.buffers.as_slice()
        else {
            return Ok(&self.instructions);
        };
        let mut addresses = values.iter();
        let columns = core.iter().zip(task).zip(function).zip(pc).zip(word).zip(levels).zip(taken);
        self.instructions.extend(columns.map(|((((((core, task), function), pc), word), level), taken)| {
            Instruction {
                core: *core as u16,
                task: *task as u16,
                function: *function as u32,
                pc: *pc as u64,
                word: *word as u32,
                address: if *level == 0 { None } else { addresses.next().map(|address| *address as u64) },
                taken: *taken,
                cycle: 0,
            }
        }));
        for (instruction, cycle) in self.instructions.iter_mut().zip(cycle) {
            instruction.cycle = *cycle as u64;
        }
        self.check_names()?;
        self.rows_read += rows as u64;
        Ok(&self.instructions)
    }

    /// Every number must have its name, so that users can index without looking.
    fn check_names(&self) -> Result<(), TraceError> {
        let (tasks, functions) = (self.header.tasks.len(), self.header.functions.len());
        let bad = |instruction: &Instruction| {
            usize::from(instruction.task) >= tasks || instruction.function as usize >= functions
        };
        let Some(index) = self.instructions.iter().position(bad) else { return Ok(()) };
        let instruction = &self.instructions[index];
        let task = usize::from(instruction.task) >= tasks;
        Err(TraceError::Unnamed {
            path: self.table.path().to_owned(),
            row: self.rows_read + index as u64,
            what: if task { "task" } else { "function" },
            number: if task { instruction.task.into() } else { instruction.function },
            known: if task { tasks } else { functions },
        })
    }
}
