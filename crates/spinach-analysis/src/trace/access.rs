//! Access traces: memory accesses by agent, for agents other than cores and for studies that need no instructions.
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `agent` | unsigned 16 bits | index into `agents` of the header |
//! | `address` | unsigned 64 bits | first byte |
//! | `bytes` | unsigned 32 bits | length, at least 1 |
//! | `write` | boolean | whether it writes; a read-modify-write is a write |
//! | `cycle` | unsigned 64 bits | when; the whole column is absent from untimed traces |
//!
//! The header is `{"kind": "accesses", "version": 2, "agents"}`.

use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::TraceError;
use super::instruction::check_kind;
use super::table::{Buffer, Column, Kind, TableReader, TableWriter};

const KIND: &str = "accesses";
const VERSION: u32 = 2;

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, required: true }
}

/// Length of an access: up to the longest frame. A damaged length would cover millions of lines of a cache.
const LENGTHS: RangeInclusive<u32> = 1..=1 << 16;

const CYCLE: usize = 4;
const COLUMNS: [Column; 5] = [
    column("agent", Kind::Narrow(16)),
    column("address", Kind::Address),
    column("bytes", Kind::Narrow(32)),
    column("write", Kind::Flag),
    Column { name: "cycle", kind: Kind::Wide, required: false },
];

/// One access to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Index of the agent in the header.
    pub agent: u16,
    /// First byte.
    pub address: u64,
    /// Length in bytes, at least 1.
    pub bytes: u32,
    /// True for a write. A read-modify-write is a write.
    pub write: bool,
    /// Time of the access; 0 in untimed traces.
    pub cycle: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    kind: String,
    version: u32,
    agents: Vec<String>,
}

/// Writes an access trace. The file takes its place when [`AccessWriter::close`] completes it.
pub struct AccessWriter {
    table: TableWriter,
    buffers: Vec<Buffer>,
    rows: usize,
}

impl AccessWriter {
    /// Begins the file, which is replaced when this is closed. A `timed` trace has the column `cycle`.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn create(path: &Path, timed: bool) -> Result<Self, TraceError> {
        let columns = if timed { &COLUMNS[..] } else { &COLUMNS[..CYCLE] };
        let buffers = columns.iter().map(|column| Buffer::new(column.kind)).collect();
        Ok(Self { table: TableWriter::create(path, columns)?, buffers, rows: 0 })
    }

    /// Appends an access.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn push(&mut self, access: &Access) -> Result<(), TraceError> {
        let values =
            [access.agent.into(), access.address, access.bytes.into(), access.write.into(), access.cycle];
        self.buffers.iter_mut().zip(values).for_each(|(buffer, value)| buffer.push(value));
        self.rows += 1;
        if self.rows == self.table.group_rows() {
            self.rows = 0;
            self.table.write_group(&mut self.buffers)?;
        }
        Ok(())
    }

    /// Writes a footer from time to time, so that the file can be read up to here even after a kill. Cheap in between.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn keep_readable(&mut self, agents: &[String]) -> Result<(), TraceError> {
        if self.table.needs_footer() { self.table.write_footer(&header(agents)) } else { Ok(()) }
    }

    /// Writes what remains and the names of the agents.
    ///
    /// # Errors
    /// [`TraceError::CannotWrite`].
    pub fn close(mut self, agents: &[String]) -> Result<(), TraceError> {
        if self.rows > 0 {
            self.table.write_group(&mut self.buffers)?;
        }
        self.table.close(&header(agents))
    }
}

fn header(agents: &[String]) -> Header {
    Header { kind: KIND.to_owned(), version: VERSION, agents: agents.to_vec() }
}

/// Reads an access trace a group of rows at a time.
pub struct AccessReader {
    table: TableReader,
    agents: Vec<String>,
    buffers: Vec<Buffer>,
    accesses: Vec<Access>,
    rows_read: u64,
}

impl AccessReader {
    /// Opens the file and reads its header.
    ///
    /// # Errors
    /// [`TraceError::CannotRead`], [`TraceError::Incomplete`], [`TraceError::Foreign`].
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let (table, header): (_, Header) = TableReader::open(path, &COLUMNS)?;
        check_kind(path, (&header.kind, header.version), KIND, VERSION)?;
        let buffers = COLUMNS.iter().map(|column| Buffer::new(column.kind)).collect();
        Ok(Self { table, agents: header.agents, buffers, accesses: Vec::new(), rows_read: 0 })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.table.path()
    }

    /// Reads only while this returns true; called before each group. Then the error is [`TraceError::Interrupted`].
    #[must_use]
    pub fn read_while(mut self, is_wanted: fn() -> bool) -> Self {
        self.table.read_while(is_wanted);
        self
    }

    /// Names of the agents.
    pub fn agents(&self) -> &[String] {
        &self.agents
    }

    /// True if the trace was completed. A trace whose writer was killed ends anywhere.
    pub fn is_complete(&self) -> bool {
        self.table.is_complete()
    }

    /// Number of accesses in the whole trace.
    pub fn access_count(&self) -> u64 {
        self.table.rows()
    }

    /// True if accesses have cycles.
    pub fn is_timed(&self) -> bool {
        self.table.has(CYCLE)
    }

    /// The next accesses, at most 131,072 as Spinach writes them; none after the last.
    ///
    /// # Errors
    /// [`TraceError::Incomplete`], [`TraceError::Unnamed`], [`TraceError::Interrupted`].
    pub fn next_group(&mut self) -> Result<&[Access], TraceError> {
        let rows = self.table.read_group(&mut self.buffers)?;
        self.accesses.clear();
        if rows == 0 {
            return Ok(&self.accesses);
        }
        let [
            Buffer::Narrow(agent),
            Buffer::Wide(address),
            Buffer::Narrow(bytes),
            Buffer::Flag(write),
            Buffer::Wide(cycle),
        ] = self.buffers.as_slice()
        else {
            return Ok(&self.accesses);
        };
        let columns = agent.iter().zip(address).zip(bytes).zip(write);
        self.accesses.extend(columns.map(|(((agent, address), bytes), write)| Access {
            agent: *agent as u16,
            address: *address as u64,
            bytes: *bytes as u32,
            write: *write,
            cycle: 0,
        }));
        for (access, cycle) in self.accesses.iter_mut().zip(cycle) {
            access.cycle = *cycle as u64;
        }
        let known = self.agents.len();
        if let Some(index) = self.accesses.iter().position(|access| usize::from(access.agent) >= known) {
            return Err(TraceError::Unnamed {
                path: self.table.path().to_owned(),
                row: self.rows_read + index as u64,
                what: "agent",
                number: self.accesses[index].agent.into(),
                known,
            });
        }
        if let Some(index) = self.accesses.iter().position(|access| !LENGTHS.contains(&access.bytes)) {
            let (row, bytes) = (self.rows_read + index as u64, self.accesses[index].bytes);
            let problem = format!(
                "row {row} has an access of {bytes} bytes, not {} to {}",
                LENGTHS.start(),
                LENGTHS.end()
            );
            return Err(TraceError::foreign(self.table.path(), problem));
        }
        self.rows_read += rows as u64;
        Ok(&self.accesses)
    }
}
