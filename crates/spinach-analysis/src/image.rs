//! Firmware images: code, memory and names of an ELF executable.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use spinach_elf::{Executable, FILE_MAXIMUM_BYTES, Segment, SymbolKind};
use spinach_isa::architecture::{Architecture, ByteOrder};
use spinach_isa::registered::{NAMES, Visitor, visit};
use thiserror::Error;

use crate::trace::Profile;

/// Visitor that recognises an ELF file with code of an instruction set; gives its name.
struct IsOf<'file>(&'file Executable);

impl Visitor for IsOf<'_> {
    type Output = bool;

    fn visit<A: Architecture>(self) -> bool {
        let (file, set) = (self.0, A::ELF);
        let is_big_endian = set.byte_order == ByteOrder::Big;
        (file.machine, u32::from(file.bits), file.is_big_endian) == (set.machine, set.bits, is_big_endian)
    }
}

/// Error of an unsuitable image. The second line of each message is an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// The file cannot be read.
    #[error("cannot read the image {name}: {problem}\nname a linked ELF executable")]
    CannotRead {
        /// The image.
        name: String,
        /// Message of the operating system.
        problem: String,
    },
    /// Longer than any firmware.
    #[error("the image {name} has more than {} MiB\ngive the linked image", FILE_MAXIMUM_BYTES >> 20)]
    TooLong {
        /// The image.
        name: String,
    },
    /// Not an ELF file, or a damaged one.
    #[error("{name} is not an ELF file with a program: {problem}\ngive the linked image")]
    NotElf {
        /// The image.
        name: String,
        /// Problem of the file.
        problem: String,
    },
    /// Compiled for another machine.
    #[error("{name} is for {machine}, which no core executes\ncompile it for one of: {}", NAMES.join(", "))]
    OtherMachine {
        /// The image.
        name: String,
        /// The machine, the bits of its addresses and its byte order.
        machine: String,
    },
    /// Compiled for another instruction set than a study is of.
    #[error("{name} is compiled for {found}, not for {wanted}\ncompile it for {wanted}")]
    OtherSet {
        /// The image.
        name: String,
        /// Instruction set that the file is compiled for.
        found: &'static str,
        /// Instruction set of the study.
        wanted: &'static str,
    },
    /// Not the firmware of a trace.
    #[error(
        "{name} is not the firmware of the trace: {differing} of {instructions} traced instructions differ from it, the first \
         at {first:#x}\ngive the firmware.elf that `spinach trace` wrote next to a trace of scalar cores"
    )]
    OtherFirmware {
        /// The image.
        name: String,
        /// Number of executed instructions whose words differ from those of the image, or that lie outside it if all do.
        differing: u64,
        /// Number of instructions of the trace that are studied.
        instructions: u64,
        /// Lowest address of a different instruction.
        first: u64,
    },
    /// No section holds code.
    #[error("{name} has no section of code\ngive the linked image with its section headers")]
    NoCode {
        /// The image.
        name: String,
    },
    /// No function is named.
    #[error("{name} names no functions\nlink it without --strip-all, which removes the symbols")]
    NoSymbols {
        /// The image.
        name: String,
    },
}

/// A named function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// First address of the code.
    pub address: u64,
    /// Length of the code in bytes; at least one instruction.
    pub bytes: u64,
}

/// Consecutive instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Address of the first.
    pub address: u64,
    /// The encoded instructions, if all have 4 bytes; else the words that they lie in.
    pub words: Vec<u32>,
}

impl Code {
    /// First address after the code.
    pub fn end(&self) -> u64 {
        self.address.saturating_add(4 * self.words.len() as u64)
    }
}

/// An ELF executable for a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    name: String,
    instruction_set: &'static str,
    file: Executable,
    code: Vec<Code>,
    functions: Vec<Function>,
    labels: Vec<u64>,
}

impl Image {
    /// Reads the file, of at most [`FILE_MAXIMUM_BYTES`].
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn load(path: &Path) -> Result<Self, ImageError> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let mut read = || File::open(path)?.take(FILE_MAXIMUM_BYTES as u64 + 1).read_to_end(&mut bytes);
        match read() {
            Ok(length) if length > FILE_MAXIMUM_BYTES => Err(ImageError::TooLong { name }),
            Ok(_) => Self::parse(name, &bytes),
            Err(error) => Err(ImageError::CannotRead { name, problem: error.to_string() }),
        }
    }

    /// Takes the content of an ELF file; `name` is for messages.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn parse(name: impl Into<String>, bytes: &[u8]) -> Result<Self, ImageError> {
        let name = name.into();
        let not_elf = |problem: String| ImageError::NotElf { name: name.clone(), problem };
        let file =
            Executable::parse(name.clone(), bytes.to_vec()).map_err(|error| not_elf(error.to_string()))?;
        let is_of = |set: &&&'static str| visit(set, IsOf(&file)).unwrap_or(false);
        let Some(instruction_set) = NAMES.iter().find(is_of) else {
            let order = if file.is_big_endian { "big" } else { "little" };
            let machine = format!("{}, {} bits, {order}-endian", file.machine_name(), file.bits);
            return Err(ImageError::OtherMachine { name, machine });
        };
        let is_big_endian = file.is_big_endian;
        let mut code: Vec<_> =
            file.sections
                .iter()
                .filter(|section| section.is_code && section.data.len() >= 4)
                .map(|section| Code {
                    address: section.address,
                    words: file
                        .section_data(section)
                        .as_chunks::<4>()
                        .0
                        .iter()
                        .map(|word| {
                            if is_big_endian { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) }
                        })
                        .collect(),
                })
                .collect();
        code.sort_by_key(|code| code.address);
        if code.is_empty() {
            return Err(ImageError::NoCode { name });
        }
        let mut image = Self { name, instruction_set, file, code, functions: Vec::new(), labels: Vec::new() };
        image.take_symbols();
        if image.functions.is_empty() {
            return Err(ImageError::NoSymbols { name: image.name });
        }
        Ok(image)
    }

    /// Functions, and labels in assembly code, which have no type and no length.
    fn take_symbols(&mut self) {
        for symbol in &self.file.symbols {
            let address = symbol.address;
            if !self.code.iter().any(|code| (code.address..code.end()).contains(&address)) {
                continue;
            }
            if symbol.kind == SymbolKind::Function {
                let bytes = symbol.bytes.max(4);
                self.functions.push(Function { name: symbol.name.clone(), address, bytes });
            }
            if symbol.kind != SymbolKind::Object {
                self.labels.push(address);
            }
        }
        self.functions.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        self.functions.dedup_by_key(|function| function.address);
        self.labels.sort_unstable();
        self.labels.dedup();
    }

    /// Name in messages: the file's path, or the name given to [`Image::parse`].
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the instruction set that it is compiled for.
    pub fn instruction_set(&self) -> &'static str {
        self.instruction_set
    }

    /// This image, if it is compiled for `wanted`.
    ///
    /// # Errors
    /// [`ImageError::OtherSet`].
    pub fn of_set(self, wanted: &'static str) -> Result<Self, ImageError> {
        if self.instruction_set == wanted {
            return Ok(self);
        }
        Err(ImageError::OtherSet { name: self.name, found: self.instruction_set, wanted })
    }

    /// Checks that this is the firmware that a trace executed: every traced word is the one at its address. Instructions
    /// outside the image do not count, as code that the program made itself, unless all are outside.
    ///
    /// # Errors
    /// [`ImageError::OtherFirmware`].
    pub fn check_traced(&self, profile: &Profile) -> Result<(), ImageError> {
        let is_elsewhere = profile.words().all(|(address, _)| self.word_at(address).is_none());
        let differs = |(address, word): &(u64, u32)| match self.word_at(*address) {
            Some(own) => own != *word,
            None => is_elsewhere,
        };
        let mut differing = profile.words().filter(differs).map(|(address, _)| address).peekable();
        let Some(first) = differing.peek().copied() else { return Ok(()) };
        Err(ImageError::OtherFirmware {
            name: self.name.clone(),
            differing: differing.map(|address| profile.executions(address).total).sum(),
            instructions: profile.instructions(),
            first,
        })
    }

    /// Address of the first instruction to execute.
    pub fn entry(&self) -> u64 {
        self.file.entry
    }

    /// The code, by rising address.
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// Segments to load, and the content of each in the file.
    pub fn segments(&self) -> impl Iterator<Item = (&Segment, &[u8])> {
        self.file.segments.iter().map(|segment| (segment, self.file.segment_data(segment)))
    }

    /// The functions, by rising address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Addresses in the code that have names, functions or not, by rising address.
    pub fn labels(&self) -> &[u64] {
        &self.labels
    }

    /// The function whose code holds `address`.
    pub fn function_at(&self, address: u64) -> Option<&Function> {
        let index = self.functions.partition_point(|function| function.address <= address).checked_sub(1)?;
        let function = &self.functions[index];
        (address - function.address < function.bytes).then_some(function)
    }

    /// The word of code at `address`, a multiple of 4 from where the code begins.
    pub fn word_at(&self, address: u64) -> Option<u32> {
        let index = self.code.partition_point(|code| code.address <= address).checked_sub(1)?;
        let code = &self.code[index];
        let offset = address - code.address;
        if !offset.is_multiple_of(4) {
            return None;
        }
        code.words.get(offset as usize / 4).copied()
    }
}
