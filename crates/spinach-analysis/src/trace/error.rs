//! Errors of a trace.

use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use thiserror::Error;

/// Error of a trace. The second line of each message is an instruction.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The operating system or the file format refuses to write.
    #[error("cannot write the trace {}: {problem}\ncheck the folder, its permissions and the free space", path.display())]
    CannotWrite {
        /// The file.
        path: PathBuf,
        /// Refused operation.
        problem: String,
    },
    /// The operating system refuses to read.
    #[error("cannot read the trace {}: {problem}\ncheck the path and its permissions", path.display())]
    CannotRead {
        /// The file.
        path: PathBuf,
        /// Refused operation.
        problem: String,
    },
    /// The file ends early, is damaged, or is not a Parquet file.
    #[error("{} is not a complete trace: {problem}\nrecord it again, and let the run end", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// Missing part.
        problem: String,
    },
    /// A Parquet file that is not the kind of trace asked for.
    #[error("{} is not the kind of trace that was asked for: {problem}\ngive a trace that Spinach wrote", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Symptom.
        problem: String,
    },
    /// A number in the trace has no name in its header.
    #[error("{}: row {row} names {what} {number}, of which the header knows {known}\nrecord the trace again", path.display())]
    Unnamed {
        /// The file.
        path: PathBuf,
        /// The row, from 0.
        row: u64,
        /// Numbered object.
        what: &'static str,
        /// The number.
        number: u32,
        /// Number of known names.
        known: usize,
    },
    /// A name that the trace does not have.
    #[error("{} has no {what} called `{name}`\nchoose from: {}", path.display(), known.join(", "))]
    UnknownName {
        /// The file.
        path: PathBuf,
        /// Named object.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Cycles are needed, and the trace has none.
    #[error("{} has no column `cycle`, which {needed_for} needs\nrecord it from a core that counts cycles", path.display())]
    Untimed {
        /// The file.
        path: PathBuf,
        /// Purpose that needs it.
        needed_for: &'static str,
    },
    /// The reader stopped early.
    #[error("{} was not read to its end\nread it again", path.display())]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
}

impl TraceError {
    pub(super) fn cannot_write(path: &Path, error: ParquetError) -> Self {
        Self::CannotWrite { path: path.to_owned(), problem: one_line(error) }
    }

    pub(super) fn cannot_read(path: &Path, error: ParquetError) -> Self {
        Self::CannotRead { path: path.to_owned(), problem: one_line(error) }
    }

    /// A file that cannot be read to its end, most likely because it is damaged.
    pub(super) fn incomplete(path: &Path, error: ParquetError) -> Self {
        let message = error.to_string();
        if message.contains("Disabled feature") {
            return Self::foreign(
                path,
                "it is compressed otherwise than by LZ4, Snappy or not at all".to_owned(),
            );
        }
        Self::Incomplete { path: path.to_owned(), problem: one_line(error) }
    }

    pub(super) fn foreign(path: &Path, problem: String) -> Self {
        Self::Foreign { path: path.to_owned(), problem }
    }
}

/// The message without the library's prefix and line breaks.
fn one_line(error: ParquetError) -> String {
    let message = match error {
        ParquetError::General(message) | ParquetError::EOF(message) | ParquetError::NYI(message) => message,
        ParquetError::External(error) => error.to_string(),
        other => other.to_string(),
    };
    message.replace('\n', " ")
}
