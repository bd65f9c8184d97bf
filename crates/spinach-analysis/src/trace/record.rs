//! Recording a program on the reference interpreter: a trace without a machine around it.

use std::path::Path;

use spinach_isa::architecture::{Architecture, ArchitectureTrap, RegisterFile};
use spinach_isa::interpreter::{Bytes, step};
use spinach_isa::registered::{Visitor, visit};
use spinach_isa::word::Word;
use thiserror::Error;

use super::{Instruction, InstructionHeader, TaskTracker, TraceError, TraceWriter};
use crate::image::Image;

/// Error of an unfinished recording. The second line of each message is an instruction.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The trace cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The image does not fit the memory.
    #[error(
        "{image}: the segment at {address:#010x} is outside the memory from {base:#010x}, {bytes} bytes\n\
         give a memory that holds the image"
    )]
    OutsideMemory {
        /// The image.
        image: String,
        /// First address of the segment.
        address: u64,
        /// First address of the memory.
        base: u64,
        /// Size of the memory, in bytes.
        bytes: u32,
    },
    /// The program raised an exception other than the breakpoint that ends it.
    #[error("{image} stopped at {pc:#010x}: {trap}\nrecord a program that needs no devices and no handler")]
    Trap {
        /// The image.
        image: String,
        /// Address of the instruction.
        pc: u64,
        /// The exception.
        trap: String,
    },
    /// The instruction set has no such extension.
    #[error("no extension of {instruction_set} is called `{extension}`\nchoose from: {known}")]
    Extension {
        /// The set.
        instruction_set: &'static str,
        /// Requested extension.
        extension: String,
        /// Fields that exist.
        known: String,
    },
}

/// Request of a recording.
#[derive(Clone, Debug)]
pub struct TraceRequest {
    /// Extensions that the core has.
    pub extensions: Vec<String>,
    /// First address of the memory.
    pub memory_base: u64,
    /// Size of the memory, in bytes.
    pub memory_bytes: u32,
    /// The recording ends after this many instructions, or at a `break`.
    pub instructions_maximum: u64,
}

impl TraceRequest {
    /// The memory before the first instruction.
    ///
    /// # Errors
    /// [`RecordError::OutsideMemory`].
    pub fn memory(&self, image: &Image) -> Result<Bytes, RecordError> {
        let mut memory = Bytes::new(self.memory_base, self.memory_bytes as usize);
        let end = self.memory_base.saturating_add(self.memory_bytes.into());
        for (segment, data) in image.segments() {
            let segment_end = segment.address.saturating_add(segment.memory_bytes);
            if segment.address < self.memory_base || segment_end > end {
                return Err(RecordError::OutsideMemory {
                    image: image.name().to_owned(),
                    address: segment.address,
                    base: self.memory_base,
                    bytes: self.memory_bytes,
                });
            }
            let start = (segment.address - self.memory_base) as usize;
            memory.bytes_mut()[start..start + data.len()].copy_from_slice(data);
        }
        Ok(memory)
    }
}

/// Runs the image on one core of its instruction set and writes every instruction to an untimed trace. Gives their number.
///
/// # Errors
/// [`RecordError`]. What was recorded up to then is not kept.
pub fn record(
    image: &Image,
    recording: &TraceRequest,
    tasks: TaskTracker,
    path: &Path,
) -> Result<u64, RecordError> {
    // An image has one of the sets that there are.
    visit(image.instruction_set(), Record { image, recording, tasks, path }).unwrap_or(Ok(0))
}

struct Record<'a> {
    image: &'a Image,
    recording: &'a TraceRequest,
    tasks: TaskTracker,
    path: &'a Path,
}

impl Visitor for Record<'_> {
    type Output = Result<u64, RecordError>;

    fn visit<A: Architecture>(self) -> Result<u64, RecordError> {
        let Self { image, recording, mut tasks, path } = self;
        let architecture: A = recording.extensions.iter().try_fold(A::default(), |all, extension| {
            all.with(extension).ok_or_else(|| RecordError::Extension {
                instruction_set: A::NAME,
                extension: extension.clone(),
                known: A::EXTENSIONS.join(", "),
            })
        })?;
        let mut memory = recording.memory(image)?;
        let mut registers = A::Registers::reset(A::Word::from_u64(image.entry()), 0);
        let mut writer = TraceWriter::create(path, false)?;
        let mut count = 0;
        while count < recording.instructions_maximum {
            let pc = registers.pc().to_u64();
            let executed = match step(architecture, &mut registers, &mut memory) {
                Ok(executed) => executed,
                Err(trap) if trap.stop_code().is_some() => break,
                Err(trap) => {
                    let (image, trap) = (image.name().to_owned(), trap.to_string());
                    return Err(RecordError::Trap { image, pc, trap });
                }
            };
            let (task, function) = tasks.locate(0, pc);
            let address = executed.address.map(Word::to_u64);
            let (word, taken) = (executed.word, executed.taken);
            writer.push(&Instruction { core: 0, task, function, pc, word, address, taken, cycle: 0 })?;
            count += 1;
        }
        writer.close(&InstructionHeader {
            instruction_set: A::NAME.to_owned(),
            extensions: architecture.extensions().into_iter().map(str::to_owned).collect(),
            tasks: tasks.task_names().to_vec(),
            overhead_tasks: tasks.overhead_tasks().to_vec(),
            functions: tasks.function_names().to_vec(),
        })?;
        Ok(count)
    }
}
