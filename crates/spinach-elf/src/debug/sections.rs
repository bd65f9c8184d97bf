//! The sections that DWARF is kept in, decompressed.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use gimli::{EndianSlice, RunTimeEndian, SectionId};
use object::elf::{CompressionHeader32, CompressionHeader64, ELFCOMPRESS_ZLIB};
use object::read::elf::CompressionHeader;
use object::{Endianness, pod};

use super::problems::Problems;
use crate::budget::FILE_MAXIMUM_BYTES;
use crate::executable::{Executable, Section};

/// Reader of DWARF from memory.
pub(super) type Reader<'data> = EndianSlice<'data, RunTimeEndian>;
/// All of DWARF.
pub(super) type Dwarf<'data> = gimli::Dwarf<Reader<'data>>;

/// The contents of the sections.
pub(super) struct Sections<'data> {
    contents: gimli::DwarfSections<Cow<'data, [u8]>>,
    endian: RunTimeEndian,
    decompressed_bytes: usize,
}

impl<'data> Sections<'data> {
    /// Takes the sections of the file; a section that cannot be decompressed is empty, and reported.
    pub(super) fn load(executable: &'data Executable, problems: &mut Problems) -> Self {
        let mut remaining = FILE_MAXIMUM_BYTES;
        let mut load = |id: SectionId| -> Cow<'data, [u8]> {
            let Some(section) = executable.section(id.name()) else { return Cow::default() };
            let data = executable.section_data(section);
            if !section.is_compressed {
                return Cow::Borrowed(data);
            }
            match decompress(executable, section, remaining) {
                Ok(contents) => {
                    remaining -= contents.len();
                    Cow::Owned(contents)
                }
                Err(problem) => {
                    problems.add(&section.name, 0, problem);
                    Cow::default()
                }
            }
        };
        let Ok(contents) = gimli::DwarfSections::load(|id| Ok::<_, std::convert::Infallible>(load(id)));
        let endian = if executable.is_big_endian { RunTimeEndian::Big } else { RunTimeEndian::Little };
        Self { contents, endian, decompressed_bytes: FILE_MAXIMUM_BYTES - remaining }
    }

    /// Number of bytes decompressed from sections.
    pub(super) fn decompressed_bytes(&self) -> usize {
        self.decompressed_bytes
    }

    /// Section in the form of gimli.
    pub(super) fn dwarf(&self) -> Dwarf<'_> {
        self.contents.borrow(|section| EndianSlice::new(section, self.endian))
    }
}

fn decompress(executable: &Executable, section: &Section, maximum: usize) -> Result<Vec<u8>, &'static str> {
    const NO_HEADER: &str = "its compression header is truncated";
    let endian = if executable.is_big_endian { Endianness::Big } else { Endianness::Little };
    let data = executable.section_data(section);
    let (kind, bytes, compressed) = if executable.bits == 32 {
        let (header, rest) =
            pod::from_bytes::<CompressionHeader32<Endianness>>(data).map_err(|()| NO_HEADER)?;
        (header.ch_type(endian), u64::from(header.ch_size(endian)), rest)
    } else {
        let (header, rest) =
            pod::from_bytes::<CompressionHeader64<Endianness>>(data).map_err(|()| NO_HEADER)?;
        (header.ch_type(endian), header.ch_size(endian), rest)
    };
    if kind != ELFCOMPRESS_ZLIB {
        return Err("it is compressed otherwise than with zlib");
    }
    if bytes > maximum as u64 {
        return Err("it is too long when decompressed");
    }
    let mut contents = Vec::new();
    // The stated length is not trusted: memory grows only with the data.
    ZlibDecoder::new(compressed)
        .take(bytes)
        .read_to_end(&mut contents)
        .map_err(|_| "its compressed data are damaged")?;
    Ok(contents)
}
