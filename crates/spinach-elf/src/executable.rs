//! The parts of an ELF file.

use std::ops::Range;

use object::elf::{
    FileHeader32, FileHeader64, PT_LOAD, SHF_COMPRESSED, SHF_EXECINSTR, SHN_UNDEF, SHT_NOBITS, SHT_NOTE,
    SHT_PROGBITS, STT_FUNC, STT_NOTYPE, STT_OBJECT,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, FileKind};

use crate::budget::{Budget, FILE_MAXIMUM_BYTES};
use crate::error::ImageError;

/// Maximum number of bytes of names and of segments that a file may refer to, per byte of the file.
const REFERRED_PER_BYTE: usize = 8;

/// A part of memory as it is before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// First address.
    pub address: u64,
    /// Load address; firmware may copy the segment to `address` itself.
    pub load_address: u64,
    /// Bytes of the file that hold the segment's content; the rest is zero.
    pub data: Range<usize>,
    /// Its whole length, in bytes.
    pub memory_bytes: u64,
    /// True if code in the segment may be executed.
    pub executable: bool,
    /// True if the segment may be written.
    pub writable: bool,
}

impl Segment {
    /// True if the segment holds this address.
    pub fn contains(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|offset| offset < self.memory_bytes)
    }
}

/// A named part of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name, as `.text`.
    pub name: String,
    /// Address in memory; 0 if the section is not loaded.
    pub address: u64,
    /// Bytes of the file that hold the section's content.
    pub data: Range<usize>,
    /// True if the section holds code.
    pub is_code: bool,
    /// True if `data` is compressed.
    pub is_compressed: bool,
}

/// Kind of object that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A variable.
    Object,
    /// A label of assembly code, or a symbol of the linker.
    Untyped,
}

/// A name for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The address.
    pub address: u64,
    /// Size of the object, in bytes; 0 where the file does not give it.
    pub bytes: u64,
    /// Kind of object.
    pub kind: SymbolKind,
}

/// A note that a tool left in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Section of the note.
    pub section: String,
    /// Owner of the note.
    pub owner: String,
    /// Content of the note.
    pub description: Vec<u8>,
}

/// An ELF file, read whole, of any machine, byte order and word size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    name: String,
    content: Vec<u8>,
    /// Kind of file: `ET_EXEC` (2) for linked executables.
    pub kind: u16,
    /// The number of the machine, 243 for RISC-V.
    pub machine: u16,
    /// The word size, 32 or 64.
    pub bits: u8,
    /// The byte order.
    pub is_big_endian: bool,
    /// Flags of the machine.
    pub flags: u32,
    /// The address of the first instruction.
    pub entry: u64,
    /// Loaded segments.
    pub segments: Vec<Segment>,
    /// All sections but the first, which is empty.
    pub sections: Vec<Section>,
    /// Symbols with a name and an address, in the order of the file.
    pub symbols: Vec<Symbol>,
    /// The notes of all sections.
    pub notes: Vec<Note>,
}

impl Executable {
    /// Reads the content of a file; `name` is for messages.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn parse(name: impl Into<String>, content: Vec<u8>) -> Result<Self, ImageError> {
        let name = name.into();
        if content.len() > FILE_MAXIMUM_BYTES {
            let (bytes, maximum) = (content.len() as u64, FILE_MAXIMUM_BYTES as u64);
            return Err(ImageError::TooLong { name, bytes, maximum });
        }
        let not_elf = |problem: &str| ImageError::NotElf { name: name.clone(), problem: problem.to_owned() };
        if !content.starts_with(b"\x7fELF") {
            return Err(not_elf("it does not begin with the magic number of ELF"));
        }
        match FileKind::parse(content.as_slice()) {
            Ok(FileKind::Elf32) => Parser::<FileHeader32<Endianness>>::new(&name, &content)?.executable(),
            Ok(FileKind::Elf64) => Parser::<FileHeader64<Endianness>>::new(&name, &content)?.executable(),
            _ => Err(not_elf("its header is truncated, or is for neither 32 nor 64 bits")),
        }
        .map(|executable| Self { content, ..executable })
        .map(|executable| Self { name, ..executable })
    }

    /// The file, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of the file.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The name of the kind, as `ET_EXEC`; its number if it has none.
    pub fn kind_name(&self) -> String {
        named(object::elf::FileType(self.kind).name(), self.kind)
    }

    /// The name of the machine, as `EM_RISCV`; its number if it has none.
    pub fn machine_name(&self) -> String {
        named(object::elf::Machine(self.machine).name(), self.machine)
    }

    /// Content of a segment in the file.
    pub fn segment_data(&self, segment: &Segment) -> &[u8] {
        &self.content[segment.data.clone()]
    }

    /// Content of a section in the file.
    pub fn section_data(&self, section: &Section) -> &[u8] {
        &self.content[section.data.clone()]
    }

    /// The first section of that name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// True if an executable segment holds this address.
    pub fn is_code(&self, address: u64) -> bool {
        self.segments.iter().any(|segment| segment.executable && segment.contains(address))
    }
}

fn named(name: Option<&str>, number: u16) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}

/// A file of one word size.
struct Parser<'data, Elf: FileHeader<Endian = Endianness>> {
    name: &'data str,
    content: &'data [u8],
    header: &'data Elf,
    endian: Endianness,
    /// Charge for references between parts of the file.
    budget: Budget,
}

impl<'data, Elf: FileHeader<Endian = Endianness>> Parser<'data, Elf> {
    fn new(name: &'data str, content: &'data [u8]) -> Result<Self, ImageError> {
        let budget = Budget::new(content.len(), REFERRED_PER_BYTE);
        let parsed = Elf::parse(content).and_then(|header| Ok((header, header.endian()?)));
        match parsed {
            Ok((header, endian)) => Ok(Self { name, content, header, endian, budget }),
            Err(error) => Err(ImageError::NotElf { name: name.to_owned(), problem: error.to_string() }),
        }
    }

    fn damaged(&self, place: &str, offset: u64, problem: impl std::fmt::Display) -> ImageError {
        let (name, place, problem) = (self.name.to_owned(), place.to_owned(), format!("{problem}"));
        ImageError::Damaged { name, place, offset, problem }
    }

    fn executable(mut self) -> Result<Executable, ImageError> {
        let segments = self.segments()?;
        let sections = self.sections()?;
        Ok(Executable {
            name: String::new(),
            content: Vec::new(),
            kind: self.header.e_type(self.endian).0,
            machine: self.header.e_machine(self.endian).0,
            bits: if self.header.is_class_64() { 64 } else { 32 },
            is_big_endian: self.endian == Endianness::Big,
            flags: self.header.e_flags(self.endian).0,
            entry: self.header.e_entry(self.endian).into(),
            segments,
            sections,
            symbols: self.symbols()?,
            notes: self.notes()?,
        })
    }

    fn segments(&mut self) -> Result<Vec<Segment>, ImageError> {
        const PLACE: &str = "program headers";
        let offset = self.header.e_phoff(self.endian).into();
        let headers = self.header.program_headers(self.endian, self.content);
        let headers = headers.map_err(|error| self.damaged(PLACE, offset, error))?;
        let mut segments = Vec::new();
        for header in headers {
            let memory_bytes = header.p_memsz(self.endian).into();
            if header.p_type(self.endian) != PT_LOAD || memory_bytes == 0 {
                continue;
            }
            let address: u64 = header.p_vaddr(self.endian).into();
            let (start, bytes) = header.file_range(self.endian);
            let data = self.range(start, bytes).ok_or_else(|| {
                self.damaged(PLACE, start, format!("the segment at {address:#x} lies outside the file"))
            })?;
            if data.len() as u64 > memory_bytes {
                let problem = format!("the segment at {address:#x} is longer in the file than in memory");
                return Err(self.damaged(PLACE, start, problem));
            }
            if address.checked_add(memory_bytes - 1).is_none() {
                let problem = format!("the segment at {address:#x} passes the end of all addresses");
                return Err(self.damaged(PLACE, start, problem));
            }
            self.spend(data.len(), PLACE, start)?;
            let flags = header.p_flags(self.endian);
            segments.push(Segment {
                address,
                load_address: header.p_paddr(self.endian).into(),
                data,
                memory_bytes,
                executable: flags.contains(object::elf::PF_X),
                writable: flags.contains(object::elf::PF_W),
            });
        }
        Ok(segments)
    }

    fn sections(&mut self) -> Result<Vec<Section>, ImageError> {
        const PLACE: &str = "section headers";
        let offset = self.header.e_shoff(self.endian).into();
        let table = self.header.sections(self.endian, self.content);
        let table = table.map_err(|error| self.damaged(PLACE, offset, error))?;
        let mut sections = Vec::new();
        for header in table.iter().skip(1) {
            let start: u64 = header.sh_offset(self.endian).into();
            let name = table
                .section_name(self.endian, header)
                .map_err(|error| self.damaged(PLACE, offset, error))?;
            self.spend(name.len(), PLACE, offset)?;
            let name = String::from_utf8_lossy(name).into_owned();
            let kind = header.sh_type(self.endian);
            let bytes = if kind == SHT_NOBITS { 0 } else { header.sh_size(self.endian).into() };
            let start = if kind == SHT_NOBITS { 0 } else { start };
            let data = self
                .range(start, bytes)
                .ok_or_else(|| self.damaged(&name, start, "it lies outside the file"))?;
            let flags = header.sh_flags(self.endian);
            let is_code = kind == SHT_PROGBITS && flags.contains(SHF_EXECINSTR);
            if is_code {
                self.spend(data.len(), &name, start)?;
            }
            sections.push(Section {
                name,
                address: header.sh_addr(self.endian).into(),
                data,
                is_code,
                is_compressed: flags.contains(SHF_COMPRESSED),
            });
        }
        Ok(sections)
    }

    fn symbols(&mut self) -> Result<Vec<Symbol>, ImageError> {
        const PLACE: &str = ".symtab";
        let table = self
            .header
            .sections(self.endian, self.content)
            .and_then(|sections| sections.symbols(self.endian, self.content, object::elf::SHT_SYMTAB));
        let table = table.map_err(|error| self.damaged(PLACE, 0, error))?;
        let mut symbols = Vec::new();
        for symbol in table.iter() {
            let kind = match symbol.st_type() {
                STT_FUNC => SymbolKind::Function,
                STT_OBJECT => SymbolKind::Object,
                STT_NOTYPE => SymbolKind::Untyped,
                _ => continue,
            };
            if symbol.st_shndx(self.endian) == SHN_UNDEF || symbol.st_name(self.endian) == 0 {
                continue;
            }
            let at = self.offset_of(symbol);
            let name = symbol.name(self.endian, table.strings());
            let name = name.map_err(|error| self.damaged(PLACE, at, error))?;
            self.spend(name.len(), PLACE, at)?;
            if !name.is_empty() {
                symbols.push(Symbol {
                    name: String::from_utf8_lossy(name).into_owned(),
                    address: symbol.st_value(self.endian).into(),
                    bytes: symbol.st_size(self.endian).into(),
                    kind,
                });
            }
        }
        Ok(symbols)
    }

    fn notes(&mut self) -> Result<Vec<Note>, ImageError> {
        let sections = self.header.sections(self.endian, self.content);
        let sections = sections.map_err(|error| self.damaged("section headers", 0, error))?;
        let mut notes = Vec::new();
        for header in sections.iter() {
            if header.sh_type(self.endian) != SHT_NOTE {
                continue;
            }
            let name = sections.section_name(self.endian, header).unwrap_or_default();
            let section = String::from_utf8_lossy(name).into_owned();
            let offset = header.sh_offset(self.endian).into();
            let found = header.notes(self.endian, self.content);
            let Some(mut found) = found.map_err(|error| self.damaged(&section, offset, error))? else {
                continue;
            };
            while let Some(note) = found.next().map_err(|error| self.damaged(&section, offset, error))? {
                self.spend(section.len() + note.name().len() + note.desc().len(), &section, offset)?;
                notes.push(Note {
                    section: section.clone(),
                    owner: String::from_utf8_lossy(note.name()).into_owned(),
                    description: note.desc().to_vec(),
                });
            }
        }
        Ok(notes)
    }

    fn spend(&mut self, bytes: usize, place: &str, offset: u64) -> Result<(), ImageError> {
        let spent = self.budget.spend(bytes);
        spent.map_err(|_| self.damaged(place, offset, "parts of the file are referred to too often"))
    }

    /// A range of the file, if it lies inside.
    fn range(&self, start: u64, bytes: u64) -> Option<Range<usize>> {
        let (start, bytes) = (usize::try_from(start).ok()?, usize::try_from(bytes).ok()?);
        let end = start.checked_add(bytes)?;
        (end <= self.content.len()).then_some(start..end)
    }

    /// Offset in the file of a part that was read from it.
    fn offset_of<T>(&self, part: &T) -> u64 {
        (std::ptr::from_ref(part).addr() - self.content.as_ptr().addr()) as u64
    }
}
