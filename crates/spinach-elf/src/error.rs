//! Errors of an image.

use thiserror::Error;

/// An image that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// It does not begin like an ELF file.
    #[error("{name} is not an ELF file: {problem}")]
    NotElf {
        /// The image.
        name: String,
        /// Missing part.
        problem: String,
    },
    /// The file contradicts itself.
    #[error("{name} is a damaged ELF file: {place}, offset {offset:#x}: {problem}")]
    Damaged {
        /// The image.
        name: String,
        /// The section or table, as `.symtab`.
        place: String,
        /// Offset in the file.
        offset: u64,
        /// Problem at the offset.
        problem: String,
    },
    /// The file is longer than any firmware.
    #[error("{name} is {bytes} bytes long; images have at most {maximum}")]
    TooLong {
        /// The image.
        name: String,
        /// Its length.
        bytes: u64,
        /// The limit.
        maximum: u64,
    },
}
