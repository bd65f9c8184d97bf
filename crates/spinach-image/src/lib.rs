//! Firmware images: what ELF files hold of code, memory, names and source lines.
//!
//! The one reader of ELF and DWARF. It takes the content of a file, which may come from anywhere: what it costs in time and
//! memory is bounded by a multiple of the file's length, see [`budget`], and a file that contradicts itself ends in an
//! [`ImageError`] that names the section and the offset. Damaged debug information is no error: what can be read of it is
//! used, and [`DebugInformation::notes`] say what is missing.

mod budget;
pub mod debug;
mod error;
mod executable;

pub use budget::FILE_MAXIMUM_BYTES;
pub use debug::{DebugInformation, SourceLine};
pub use error::ImageError;
pub use executable::{Executable, Note, Section, Segment, Symbol, SymbolKind};
