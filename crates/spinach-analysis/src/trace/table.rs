//! Tables of integers in Parquet files, a group of rows at a time, for every kind of trace.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaDataBuilder, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::TraceError;
use super::beginning::Beginning;
use spinach_io::StreamFile;

/// Under this key the file's own metadata holds the header, as JSON.
const HEADER_KEY: &str = "spinach.trace";

/// This key marks footers that more rows were to follow.
const UNFINISHED_KEY: &str = "spinach.trace.unfinished";

/// Rows are written and read in groups of this many, which bounds the memory of both ends.
const GROUP_ROWS: usize = 1 << 17;

/// The first group is smaller, and the next ones double, so that a trace can soon be read whose writer is killed.
const FIRST_GROUP_ROWS: usize = 1 << 12;

/// Footers before the last are written after each group at first, then whenever the groups have grown by this fraction of them:
/// that much is lost at most when the writer is killed, and footers stay a small part of the file.
const FOOTER_SHARE: usize = 16;

/// Groups of other writers may be longer than ours, up to this many rows.
const GROUP_ROWS_MAXIMUM: usize = 1 << 22;

/// Value type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Unsigned integers of up to 32 bits.
    Narrow(i8),
    /// Unsigned integers of 64 bits, many of them equal.
    Address,
    /// Such an integer, or nothing.
    SparseAddress,
    /// Unsigned integers of 64 bits that rise.
    Wide,
    /// True or false.
    Flag,
}

/// One column of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// True if every file has it.
    pub(super) required: bool,
}

/// The values of one column in some rows. Of a sparse column, `values` holds only the rows whose level is 1.
#[derive(Debug)]
pub(super) enum Buffer {
    Narrow(Vec<i32>),
    Sparse { levels: Vec<i16>, values: Vec<i64> },
    Wide(Vec<i64>),
    Flag(Vec<bool>),
}

impl Buffer {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Narrow(_) => Self::Narrow(Vec::new()),
            Kind::SparseAddress => Self::Sparse { levels: Vec::new(), values: Vec::new() },
            Kind::Address | Kind::Wide => Self::Wide(Vec::new()),
            Kind::Flag => Self::Flag(Vec::new()),
        }
    }

    fn clear(&mut self) {
        match self {
            Self::Narrow(values) => values.clear(),
            Self::Sparse { levels, values } => {
                levels.clear();
                values.clear();
            }
            Self::Wide(values) => values.clear(),
            Self::Flag(values) => values.clear(),
        }
    }

    /// Appends a number to a column that is not sparse.
    pub(super) fn push(&mut self, value: u64) {
        match self {
            Self::Narrow(values) => values.push(value as i32),
            Self::Sparse { .. } => self.push_optional(Some(value)),
            Self::Wide(values) => values.push(value as i64),
            Self::Flag(values) => values.push(value != 0),
        }
    }

    /// Appends a number or nothing to a sparse column.
    pub(super) fn push_optional(&mut self, value: Option<u64>) {
        if let Self::Sparse { levels, values } = self {
            levels.push(i16::from(value.is_some()));
            values.extend(value.map(|value| value as i64));
        }
    }
}

/// Writes groups of rows to a file.
pub(super) struct TableWriter {
    path: PathBuf,
    writer: SerializedFileWriter<StreamFile>,
    /// Number of rows of the next group.
    group_rows: usize,
    rows: usize,
    /// Groups until the next footer is written.
    next_footer: usize,
}

impl TableWriter {
    pub(super) fn create(path: &Path, columns: &[Column]) -> Result<Self, TraceError> {
        let failed = |error| TraceError::cannot_write(path, error);
        let schema = schema(columns).map_err(failed)?;
        let file = StreamFile::create(path).map_err(|error| failed(error.into()))?;
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("spinach {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::LZ4_RAW)
            .set_statistics_enabled(EnabledStatistics::Chunk);
        for column in columns.iter().filter(|column| column.kind == Kind::Wide) {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, parquet::basic::Encoding::DELTA_BINARY_PACKED);
        }
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))
            .map_err(failed)?;
        Ok(Self { path: path.to_owned(), writer, group_rows: FIRST_GROUP_ROWS, rows: 0, next_footer: 1 })
    }

    /// Number of rows to collect before they are written.
    pub(super) fn group_rows(&self) -> usize {
        self.group_rows
    }

    /// True if the file should be given a footer now, so that it can be read up to here even if its writer is killed.
    pub(super) fn needs_footer(&self) -> bool {
        self.writer.flushed_row_groups().len() >= self.next_footer
    }

    /// Writes a footer for the present content. Later groups follow it; readers of the complete file skip it.
    pub(super) fn write_footer(&mut self, header: &impl Serialize) -> Result<(), TraceError> {
        self.try_write_footer(header).map_err(|error| TraceError::cannot_write(&self.path, error))
    }

    fn try_write_footer(&mut self, header: &impl Serialize) -> Result<(), ParquetError> {
        let groups = self.writer.flushed_row_groups().to_vec();
        self.next_footer = groups.len() + (groups.len() / FOOTER_SHARE).max(1);
        let properties = self.writer.properties();
        let file = FileMetaData::new(
            properties.writer_version().as_num(),
            groups.iter().map(RowGroupMetaData::num_rows).sum(),
            Some(properties.created_by().to_owned()),
            Some(vec![key_value(header)?, KeyValue::new(UNFINISHED_KEY.to_owned(), "true".to_owned())]),
            Arc::new(self.writer.schema_descr().clone()),
            None,
        );
        let metadata = ParquetMetaDataBuilder::new(file).set_row_groups(groups).build();
        let mut footer = Vec::new();
        ParquetMetaDataWriter::new(&mut footer, &metadata).finish()?;
        self.writer.write_all(&footer)?;
        self.writer.flush()?;
        Ok(self.writer.inner_mut().end_record()?)
    }

    /// Writes the rows that the buffers hold, one buffer per column, and empties them.
    pub(super) fn write_group(&mut self, buffers: &mut [Buffer]) -> Result<(), TraceError> {
        self.try_write(buffers).map_err(|error| TraceError::cannot_write(&self.path, error))?;
        buffers.iter_mut().for_each(Buffer::clear);
        self.rows += self.group_rows;
        self.group_rows = self.rows.min(GROUP_ROWS);
        Ok(())
    }

    fn try_write(&mut self, buffers: &[Buffer]) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for buffer in buffers {
            let Some(mut column) = group.next_column()? else { break };
            match buffer {
                Buffer::Narrow(values) => column.typed::<Int32Type>().write_batch(values, None, None)?,
                Buffer::Sparse { levels, values } => {
                    column.typed::<Int64Type>().write_batch(values, Some(levels), None)?
                }
                Buffer::Wide(values) => column.typed::<Int64Type>().write_batch(values, None, None)?,
                Buffer::Flag(values) => column.typed::<BoolType>().write_batch(values, None, None)?,
            };
            column.close()?;
        }
        group.close().map(|_| ())
    }

    /// Completes the file, which then takes its place.
    pub(super) fn close(self, header: &impl Serialize) -> Result<(), TraceError> {
        let Self { path, mut writer, .. } = self;
        let complete = move || {
            writer.append_key_value_metadata(key_value(header)?);
            writer.into_inner()?.complete().map_err(ParquetError::from)
        };
        complete().map_err(|error| TraceError::cannot_write(&path, error))
    }
}

fn key_value(header: &impl Serialize) -> Result<KeyValue, ParquetError> {
    let header = serde_json::to_string(header).map_err(|error| ParquetError::External(Box::new(error)))?;
    Ok(KeyValue::new(HEADER_KEY.to_owned(), header))
}

fn schema(columns: &[Column]) -> Result<Type, ParquetError> {
    let fields = columns.iter().map(|column| {
        let (physical, bits) = match column.kind {
            Kind::Narrow(bits) => (PhysicalType::INT32, Some(bits)),
            Kind::Address | Kind::SparseAddress | Kind::Wide => (PhysicalType::INT64, Some(64)),
            Kind::Flag => (PhysicalType::BOOLEAN, None),
        };
        let repetition =
            if column.kind == Kind::SparseAddress { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type(bits.map(|bits| LogicalType::integer(bits, false)))
            .build()
            .map(Arc::new)
    });
    Type::group_type_builder("trace").with_fields(fields.collect::<Result<_, _>>()?).build()
}

/// The place of a column in the file, and whether the file's writer allowed for missing values.
#[derive(Clone, Copy, Debug)]
struct Source {
    index: usize,
    optional: bool,
}

/// Reads groups of rows from a file.
pub(super) struct TableReader {
    path: PathBuf,
    reader: SerializedFileReader<Beginning>,
    is_complete: bool,
    columns: Vec<(Column, Option<Source>)>,
    next_group: usize,
    levels: Vec<i16>,
    is_wanted: fn() -> bool,
}

impl TableReader {
    /// Opens a file that has `columns`, of which those not required may be absent, and reads its header.
    pub(super) fn open<Header: DeserializeOwned>(
        path: &Path,
        columns: &[Column],
    ) -> Result<(Self, Header), TraceError> {
        let file = open_file(path).map_err(|error| TraceError::cannot_read(path, error.into()))?;
        let reader = contained(|| Beginning::read(&file));
        let reader = reader.map_err(|error| TraceError::incomplete(path, error))?;
        let metadata = reader.metadata().file_metadata();
        let pairs = metadata.key_value_metadata().map(Vec::as_slice).unwrap_or_default();
        let header = pairs.iter().find(|pair| pair.key == HEADER_KEY).and_then(|pair| pair.value.as_deref());
        let header = header.ok_or_else(|| {
            let writer = metadata.created_by().unwrap_or("another program");
            TraceError::foreign(path, format!("it has no header `{HEADER_KEY}`; {writer} wrote it"))
        })?;
        let header = serde_json::from_str(header)
            .map_err(|error| TraceError::foreign(path, format!("its header cannot be read: {error}")))?;
        let is_complete = !pairs.iter().any(|pair| pair.key == UNFINISHED_KEY);
        let columns = columns.iter().map(|column| Ok((*column, find_column(path, &reader, column)?)));
        let columns = columns.collect::<Result<_, TraceError>>()?;
        let path = path.to_owned();
        let levels = Vec::new();
        let is_wanted: fn() -> bool = || true;
        let next_group = 0;
        Ok((Self { path, reader, is_complete, columns, next_group, levels, is_wanted }, header))
    }

    /// Calls this before each group, and ends reading when it returns false.
    pub(super) fn read_while(&mut self, is_wanted: fn() -> bool) {
        self.is_wanted = is_wanted;
    }

    /// True if the writer completed the file. If not, it is read up to its last footer.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Number of rows in the file.
    pub(super) fn rows(&self) -> u64 {
        u64::try_from(self.reader.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// True if the file has the column at this index of the requested ones.
    pub(super) fn has(&self, column: usize) -> bool {
        self.columns[column].1.is_some()
    }

    /// Reads the next group of rows into the buffers, one per column; gives how many, 0 after the last. Buffers of
    /// absent columns stay empty.
    pub(super) fn read_group(&mut self, buffers: &mut [Buffer]) -> Result<usize, TraceError> {
        buffers.iter_mut().for_each(Buffer::clear);
        if !(self.is_wanted)() {
            return Err(TraceError::Interrupted { path: self.path.clone() });
        }
        while self.next_group < self.reader.num_row_groups() {
            let read = contained(|| self.try_read(buffers));
            // After a failure no group can follow.
            self.next_group = if read.is_ok() { self.next_group + 1 } else { usize::MAX };
            let rows = read.map_err(|error| TraceError::incomplete(&self.path, error))?;
            if rows > 0 {
                return Ok(rows);
            }
        }
        Ok(0)
    }

    fn try_read(&mut self, buffers: &mut [Buffer]) -> Result<usize, ParquetError> {
        let group = self.reader.get_row_group(self.next_group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
        if rows > GROUP_ROWS_MAXIMUM {
            return Err(ParquetError::General(format!(
                "row group {} has {rows} rows, more than {GROUP_ROWS_MAXIMUM}",
                self.next_group
            )));
        }
        for ((column, source), buffer) in self.columns.iter().zip(buffers) {
            let Some(source) = source else { continue };
            let reader = group.get_column_reader(source.index)?;
            let levels = &mut self.levels;
            let complete = match buffer {
                Buffer::Narrow(values) => read::<Int32Type>(reader, source, rows, levels, values)?,
                Buffer::Sparse { levels, values } => {
                    levels.resize(if source.optional { 0 } else { rows }, 1);
                    read::<Int64Type>(reader, source, rows, levels, values)?;
                    levels.len() == rows
                }
                Buffer::Wide(values) => read::<Int64Type>(reader, source, rows, levels, values)?,
                Buffer::Flag(values) => read::<BoolType>(reader, source, rows, levels, values)?,
            };
            if !complete {
                return Err(ParquetError::General(format!("values are missing in column `{}`", column.name)));
            }
        }
        Ok(rows)
    }
}

/// Opens a file that can be read from any place: a pipe would hang.
fn open_file(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// The library takes the structure of a file on trust and panics where a damaged one contradicts itself. That is an error here.
fn contained<T>(action: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // State that a panic leaves half changed is not used again.
    catch_unwind(AssertUnwindSafe(action))
        .unwrap_or_else(|_| Err(ParquetError::General("its structure contradicts itself".to_owned())))
}

fn find_column(
    path: &Path,
    reader: &SerializedFileReader<Beginning>,
    column: &Column,
) -> Result<Option<Source>, TraceError> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let Some(index) = schema.columns().iter().position(|found| found.path().string() == column.name) else {
        if column.required {
            return Err(TraceError::foreign(path, format!("it has no column `{}`", column.name)));
        }
        return Ok(None);
    };
    let found = schema.column(index);
    let expected = match column.kind {
        Kind::Narrow(_) => PhysicalType::INT32,
        Kind::Address | Kind::SparseAddress | Kind::Wide => PhysicalType::INT64,
        Kind::Flag => PhysicalType::BOOLEAN,
    };
    if found.physical_type() != expected || found.max_rep_level() > 0 || found.max_def_level() > 1 {
        let problem = format!("column `{}` holds {}, not {expected}", column.name, found.physical_type());
        return Err(TraceError::foreign(path, problem));
    }
    Ok(Some(Source { index, optional: found.max_def_level() > 0 }))
}

/// Reads a whole column of a group; returns true if every row has a value.
fn read<T: DataType>(
    reader: ColumnReader,
    source: &Source,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<bool, ParquetError> {
    let Some(mut reader) = T::get_column_reader(reader) else {
        return Err(ParquetError::General("a column changes its type".to_owned()));
    };
    let mut remaining = rows;
    if source.optional {
        levels.clear();
    }
    while remaining > 0 {
        let (records, _, _) =
            reader.read_records(remaining, source.optional.then_some(&mut *levels), None, values)?;
        if records == 0 {
            return Err(ParquetError::EOF(format!("{remaining} rows are missing")));
        }
        remaining -= records;
    }
    Ok(values.len() == rows)
}
