//! Recording a program on the reference interpreter: a trace without a machine around it.

use std::path::Path;

use spinach_isa::instruction_set::Class;
use spinach_isa::mips::interpreter::{Registers, execute};
use spinach_isa::mips::memory::{FlatMemory, Memory};
use spinach_isa::mips::semantics::effective_address;
use spinach_isa::mips::{Extensions, Trap, decode};
use thiserror::Error;

use super::{Instruction, InstructionHeader, TaskTracker, TraceError, TraceWriter};
use crate::image::Image;

/// A recording that did not come to its end. The second line of each message says what to do.
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
        /// Where the segment begins.
        address: u32,
        /// Where the memory begins.
        base: u32,
        /// How long it is.
        bytes: u32,
    },
    /// The program raised an exception other than the breakpoint that ends it.
    #[error("{image} stopped at {pc:#010x}: {trap}\nrecord a program that needs no devices and no handler")]
    Trap {
        /// The image.
        image: String,
        /// Address of the instruction.
        pc: u32,
        /// The exception.
        trap: Trap,
    },
}

/// How to record.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Extensions that the core has.
    pub extensions: Extensions,
    /// Where the memory begins.
    pub memory_base: u32,
    /// How long it is.
    pub memory_bytes: u32,
    /// The recording ends after this many instructions, or at a `break`.
    pub instructions_maximum: u64,
}

impl Recording {
    /// The memory before the first instruction.
    ///
    /// # Errors
    /// [`RecordError::OutsideMemory`].
    pub fn memory(&self, image: &Image) -> Result<FlatMemory, RecordError> {
        let mut memory = FlatMemory::new(self.memory_base, self.memory_bytes);
        let end = u64::from(self.memory_base) + u64::from(self.memory_bytes);
        for segment in image.segments() {
            let segment_end = u64::from(segment.address) + u64::from(segment.memory_bytes);
            if segment.address < self.memory_base || segment_end > end {
                return Err(RecordError::OutsideMemory {
                    image: image.name().to_owned(),
                    address: segment.address,
                    base: self.memory_base,
                    bytes: self.memory_bytes,
                });
            }
            for (offset, byte) in segment.data.iter().enumerate() {
                let place = (segment.address - self.memory_base) as usize + offset;
                let shift = 24 - 8 * (place % 4);
                let word = &mut memory.words_mut()[place / 4];
                *word = *word & !(0xff << shift) | u32::from(*byte) << shift;
            }
        }
        Ok(memory)
    }
}

/// Runs the image on one core and writes every instruction to an untimed trace. Gives their number.
///
/// # Errors
/// [`RecordError`]. What was recorded up to then is not kept.
pub fn record(
    image: &Image,
    recording: &Recording,
    mut tasks: TaskTracker,
    path: &Path,
) -> Result<u64, RecordError> {
    let mut memory = recording.memory(image)?;
    let mut registers = Registers::reset(image.entry(), 0);
    let mut writer = TraceWriter::create(path, false)?;
    let mut count = 0;
    while count < recording.instructions_maximum {
        let stopped = |pc, trap| RecordError::Trap { image: image.name().to_owned(), pc, trap };
        let pc = registers.pc;
        if !pc.is_multiple_of(4) {
            return Err(stopped(pc, Trap::MisalignedLoad { address: pc }));
        }
        let word = memory.fetch(pc).map_err(|_| stopped(pc, Trap::FetchBusError { address: pc }))?;
        let instruction = decode(word, recording.extensions);
        let address =
            matches!(instruction.operation.description().class, Class::Load | Class::Store | Class::Atomic)
                .then(|| {
                    let value = |number| registers.general(number);
                    effective_address(&instruction, value(instruction.rs), value(instruction.rt))
                });
        match execute(&mut registers, &mut memory, &instruction) {
            Ok(()) => {}
            Err(Trap::Breakpoint { .. }) => break,
            Err(trap) => return Err(stopped(pc, trap)),
        }
        let (task, function) = tasks.locate(0, pc);
        // After a branch, the address behind its delay slot tells where control goes.
        let taken = registers.in_delay_slot && registers.next_pc != pc.wrapping_add(8);
        writer.push(&Instruction { core: 0, task, function, pc, word, address, taken, cycle: 0 })?;
        count += 1;
    }
    let names = Extensions::NAMES.into_iter().filter(|name| has_extension(recording.extensions, name));
    writer.close(&InstructionHeader {
        instruction_set: "mips".to_owned(),
        extensions: names.map(str::to_owned).collect(),
        tasks: tasks.task_names().to_vec(),
        functions: tasks.function_names().to_vec(),
    })?;
    Ok(count)
}

/// Whether switching the extension on changes nothing.
fn has_extension(extensions: Extensions, name: &str) -> bool {
    extensions.with(name).is_ok_and(|with| with == extensions)
}
