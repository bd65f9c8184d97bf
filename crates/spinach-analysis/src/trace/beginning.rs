//! The beginning of a Parquet file up to a footer: all of it if it is complete, or the readable part if its writer was killed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader as _, Length, SerializedFileReader};

use super::page::PageSource;

/// Begins every file, and ends every footer.
const MAGIC: &[u8; 4] = b"PAR1";

/// The length of the footer and `MAGIC`, with which a file ends.
const END_BYTES: u64 = 8;

/// Number of bytes of a file that are searched at a time.
const SEARCH_BYTES: u64 = 1 << 20;

/// Maximum number of places that end like a footer which are tried: values may look like that too, and a hostile file may consist
/// of them.
const MOST_TRIED: usize = 64;

/// The first bytes of a file.
pub(super) struct Beginning {
    file: File,
    length: u64,
}

impl Beginning {
    /// Opens a file for reading, up to the last footer that can be read.
    ///
    /// # Errors
    /// The error of the whole file, if it has no footer that can be read.
    pub(super) fn read(file: &File) -> Result<SerializedFileReader<Self>, ParquetError> {
        let mut end = Length::len(file);
        let error = match SerializedFileReader::new(Self { file: file.try_clone()?, length: end }) {
            Ok(reader) => return Ok(reader),
            Err(error) => error,
        };
        for _ in 0..MOST_TRIED {
            let Some(found) = last_magic(file, end)? else { break };
            let beginning = Self { file: file.try_clone()?, length: found };
            if let Ok(reader) = SerializedFileReader::new(beginning)
                && reader.num_row_groups() > 0
            {
                return Ok(reader);
            }
            end = found - 1;
        }
        Err(error)
    }
}

impl Length for Beginning {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Beginning {
    type T = PageSource;

    /// Called for the end of the file and for headers of pages.
    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let reader = self.file.get_read(start)?;
        let left = self.length.saturating_sub(start);
        Ok(if left <= END_BYTES { PageSource::unchecked(reader) } else { PageSource::new(reader, left) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!("{length} bytes from {start} on are missing")));
        }
        self.file.get_bytes(start, length)
    }
}

/// End of the last `MAGIC` that ends at `end` or before.
fn last_magic(mut file: &File, mut end: u64) -> std::io::Result<Option<u64>> {
    let mut bytes = Vec::new();
    while end >= MAGIC.len() as u64 {
        let start = end.saturating_sub(SEARCH_BYTES);
        file.seek(SeekFrom::Start(start))?;
        bytes.clear();
        file.take(end - start).read_to_end(&mut bytes)?;
        if let Some(place) = bytes.windows(MAGIC.len()).rposition(|window| window == MAGIC) {
            return Ok(Some(start + (place + MAGIC.len()) as u64));
        }
        if start == 0 {
            break;
        }
        // Overlap of the blocks, so that a magic number across their border is found.
        end = start + MAGIC.len() as u64 - 1;
    }
    Ok(None)
}
