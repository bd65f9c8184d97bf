//! Firmware images: code, memory, names and source lines of ELF files.
//!
//! The one reader of ELF and DWARF. Its input may come from any source: its cost in time and memory is bounded by a multiple of
//! the file's length, see [`budget`], and a file that contradicts itself gives an [`ImageError`] that names the section and the
//! offset. Damaged debug information is not an error: its readable part is used, and [`DebugInformation::notes`] list the missing
//! parts.

#![forbid(unsafe_code)]

mod budget;
pub mod debug;
mod error;
mod executable;

pub use budget::FILE_MAXIMUM_BYTES;
pub use debug::{DebugInformation, SourceLine};
pub use error::ImageError;
pub use executable::{Executable, Note, Section, Segment, Symbol, SymbolKind};
