//! Firmware images: what an ELF executable holds of code, memory and names.

use std::path::Path;

use object::elf::{EM_MIPS, FileHeader32, PT_LOAD, SHF_EXECINSTR, SHT_PROGBITS, STT_FUNC, STT_NOTYPE};
use object::read::elf::{ElfFile, ProgramHeader, SectionHeader};
use object::{BigEndian, Object, ObjectSection, ObjectSymbol};
use thiserror::Error;

/// An image that cannot be studied. The second line of each message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// The file cannot be read.
    #[error("cannot read the image {name}: {problem}\nname a linked ELF executable")]
    CannotRead {
        /// The image.
        name: String,
        /// What the operating system says.
        problem: String,
    },
    /// Not an ELF file, or a damaged one.
    #[error(
        "{name} is no 32-bit big-endian ELF file: {problem}\ngive the linked image, compiled for big-endian MIPS"
    )]
    NotElf {
        /// The image.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Compiled for another machine.
    #[error("{name} is for machine {machine}, not for MIPS (8)\ncompile it for big-endian MIPS")]
    OtherMachine {
        /// The image.
        name: String,
        /// The machine's number in the ELF header.
        machine: u16,
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
    /// Where its code begins.
    pub address: u32,
    /// How long it is; at least one instruction.
    pub bytes: u32,
}

/// Consecutive instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Address of the first.
    pub address: u32,
    /// The encoded instructions.
    pub words: Vec<u32>,
}

impl Code {
    /// First address after the code.
    pub fn end(&self) -> u32 {
        self.address.saturating_add(4 * self.words.len() as u32)
    }
}

/// A part of memory as it is before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Where it begins.
    pub address: u32,
    /// What the file holds of it; the rest is zero.
    pub data: Vec<u8>,
    /// Its whole length.
    pub memory_bytes: u32,
}

/// An ELF executable for big-endian MIPS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    name: String,
    entry: u32,
    code: Vec<Code>,
    segments: Vec<Segment>,
    functions: Vec<Function>,
    labels: Vec<u32>,
}

impl Image {
    /// Reads the file.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn load(path: &Path) -> Result<Self, ImageError> {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(name, &bytes),
            Err(error) => Err(ImageError::CannotRead { name, problem: error.to_string() }),
        }
    }

    /// Takes the content of an ELF file; `name` is for messages.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn parse(name: impl Into<String>, bytes: &[u8]) -> Result<Self, ImageError> {
        let name = name.into();
        let damaged = |error: object::read::Error| ImageError::NotElf {
            name: name.clone(),
            problem: error.to_string(),
        };
        let elf = ElfFile::<FileHeader32<BigEndian>>::parse(bytes).map_err(damaged)?;
        let machine = elf.elf_header().e_machine.get(BigEndian);
        if machine != EM_MIPS {
            return Err(ImageError::OtherMachine { name, machine: machine.0 });
        }
        let mut segments = Vec::new();
        for header in elf.elf_program_headers() {
            let memory_bytes = header.p_memsz(BigEndian);
            if header.p_type(BigEndian) != PT_LOAD || memory_bytes == 0 {
                continue;
            }
            let data = header.data(BigEndian, bytes).map_err(|()| ImageError::NotElf {
                name: name.clone(),
                problem: "a segment lies outside the file".to_owned(),
            })?;
            segments.push(Segment { address: header.p_vaddr(BigEndian), data: data.to_vec(), memory_bytes });
        }
        let mut code = Vec::new();
        for section in elf.sections() {
            let header = section.elf_section_header();
            let executable = header.sh_flags(BigEndian).contains(SHF_EXECINSTR);
            if !executable || header.sh_type(BigEndian) != SHT_PROGBITS {
                continue;
            }
            let data = section.data().map_err(damaged)?;
            let words = data.as_chunks::<4>().0.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
            code.push(Code { address: header.sh_addr(BigEndian), words });
        }
        code.retain(|code: &Code| !code.words.is_empty());
        code.sort_by_key(|code| code.address);
        if code.is_empty() {
            return Err(ImageError::NoCode { name });
        }
        let entry = elf.entry() as u32;
        let mut image = Self { name, entry, code, segments, functions: Vec::new(), labels: Vec::new() };
        image.take_symbols(&elf);
        if image.functions.is_empty() {
            return Err(ImageError::NoSymbols { name: image.name });
        }
        Ok(image)
    }

    /// Functions, and labels in assembly code, which have no type and no length.
    fn take_symbols(&mut self, elf: &ElfFile<'_, FileHeader32<BigEndian>>) {
        for symbol in elf.symbols() {
            let address = symbol.address() as u32;
            let kind = symbol.elf_symbol().st_type();
            let Ok(name) = symbol.name() else { continue };
            if name.is_empty() || self.word_at(address).is_none() {
                continue;
            }
            if kind == STT_FUNC {
                let bytes = (symbol.size() as u32).max(4);
                self.functions.push(Function { name: name.to_owned(), address, bytes });
            }
            if kind == STT_FUNC || kind == STT_NOTYPE {
                self.labels.push(address);
            }
        }
        self.functions.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        self.functions.dedup_by_key(|function| function.address);
        self.labels.sort_unstable();
        self.labels.dedup();
    }

    /// For messages: the file's path, or what [`Image::parse`] was told.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Address of the first instruction to execute.
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// The code, by rising address.
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// What is to be loaded.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The functions, by rising address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Addresses in the code that have names, functions or not, by rising address.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The function whose code holds `address`.
    pub fn function_at(&self, address: u32) -> Option<&Function> {
        let index = self.functions.partition_point(|function| function.address <= address).checked_sub(1)?;
        let function = &self.functions[index];
        (address - function.address < function.bytes).then_some(function)
    }

    /// The instruction at `address`.
    pub fn word_at(&self, address: u32) -> Option<u32> {
        let index = self.code.partition_point(|code| code.address <= address).checked_sub(1)?;
        let code = &self.code[index];
        let offset = address - code.address;
        if !offset.is_multiple_of(4) {
            return None;
        }
        code.words.get(offset as usize / 4).copied()
    }
}
