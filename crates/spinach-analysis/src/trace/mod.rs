//! Traces: retired instructions and memory accesses on disk.
//!
//! A trace is a Parquet file, one row per instruction or access, in the order of time. Writers and readers hold one group
//! of 131,072 rows in memory, however long the trace. The file's metadata has one entry `spinach.trace`, a JSON object
//! that says which kind of trace it is and names what the columns number. Any Parquet reader can read the rest.
//!
//! [`instruction`] describes the columns of instruction traces, [`access`] those of access traces. [`record()`] makes an
//! instruction trace with the reference interpreter.
//!
//! A trace takes its place when its writer is closed. Before that it is a [`StreamFile`](spinach_io::StreamFile); its
//! writer gives it footers as it grows, and what a process leaves that was killed is read up to the last of them. Such a trace
//! says that it is not complete. A trace without any footer is refused.

pub mod access;
mod beginning;
mod error;
pub mod filter;
pub mod instruction;
mod page;
pub mod profile;
pub mod record;
mod table;
pub mod tasks;

pub use access::{Access, AccessReader, AccessWriter};
pub use error::TraceError;
pub use filter::Filter;
pub use instruction::{Instruction, InstructionHeader, TraceReader, TraceWriter};
pub use profile::Profile;
pub use record::{RecordError, TraceRequest, record};
pub use tasks::{MappedCode, TaskTracker};
