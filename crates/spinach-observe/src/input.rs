//! Readers of files, pipes, devices and standard input, none of which may block a program for ever.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Names standard input.
pub const STANDARD_INPUT: &str = "-";

/// Interval at which a reader checks if it should continue.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const CHUNK_BYTES: usize = 1 << 16;
/// Number of chunks read ahead from a pipe.
const CHUNKS_AHEAD: usize = 4;

/// Reading was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("reading was given up")]
pub struct GivenUp;

/// Bytes of an input, as they come.
pub struct Input<'a> {
    source: Source,
    go_on: &'a mut dyn FnMut() -> bool,
    last_look: Instant,
    has_ended: Rc<Cell<bool>>,
}

enum Source {
    File(File),
    Piped { chunks: Receiver<io::Result<Vec<u8>>>, chunk: Vec<u8>, position: usize },
}

impl<'a> Input<'a> {
    /// Opens a file, or standard input for `-`. Long reads call `go_on` every 50 ms, and end if it returns false.
    ///
    /// # Errors
    /// If the file cannot be opened. For a pipe, the first read says so.
    pub fn open(path: &Path, go_on: &'a mut dyn FnMut() -> bool) -> io::Result<Self> {
        let is_standard_input = path.as_os_str() == STANDARD_INPUT;
        let source = if !is_standard_input && std::fs::metadata(path)?.is_file() {
            Source::File(File::open(path)?)
        } else {
            let (sender, chunks) = sync_channel(CHUNKS_AHEAD);
            let path = (!is_standard_input).then(|| path.to_owned());
            // Opening and reading a pipe may block for ever, so a thread does it. A cancelled thread ends with the process.
            std::thread::Builder::new().name("input".to_owned()).spawn(move || pump(path, &sender))?;
            Source::Piped { chunks, chunk: Vec::new(), position: 0 }
        };
        Ok(Self { source, go_on, last_look: Instant::now(), has_ended: Rc::default() })
    }

    /// True if the end of the input was reached, also after the reader has been given away.
    pub fn end(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.has_ended)
    }

    fn look(&mut self) -> io::Result<()> {
        self.last_look = Instant::now();
        if (self.go_on)() { Ok(()) } else { Err(io::Error::other(GivenUp)) }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.last_look.elapsed() >= POLL_INTERVAL {
            self.look()?;
        }
        let length = loop {
            match &mut self.source {
                Source::File(file) => break file.read(buffer)?,
                Source::Piped { chunk, position, .. } if *position < chunk.len() => {
                    let length = buffer.len().min(chunk.len() - *position);
                    buffer[..length].copy_from_slice(&chunk[*position..*position + length]);
                    *position += length;
                    break length;
                }
                Source::Piped { chunks, chunk, position } => match chunks.recv_timeout(POLL_INTERVAL) {
                    Ok(read) => (*chunk, *position) = (read?, 0),
                    Err(RecvTimeoutError::Timeout) => self.look()?,
                    Err(RecvTimeoutError::Disconnected) => break 0,
                },
            }
        };
        if length == 0 && !buffer.is_empty() {
            self.has_ended.set(true);
        }
        Ok(length)
    }
}

fn pump(path: Option<PathBuf>, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let opened: io::Result<Box<dyn Read>> = match path {
        None => Ok(Box::new(io::stdin())),
        Some(path) => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    let outcome = opened.and_then(|mut reader| {
        loop {
            // One read, not a full chunk: a pipe returns the bytes that are there.
            let mut chunk = vec![0; CHUNK_BYTES];
            let length = match reader.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            chunk.truncate(length);
            if length == 0 || sender.send(Ok(chunk)).is_err() {
                return Ok(());
            }
        }
    });
    if let Err(error) = outcome {
        // Without a reader there is no one to report to.
        let _ = sender.send(Err(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_to_its_end_and_one_that_is_missing_cannot_be_opened() {
        let path = crate::wire::temporary("input");
        std::fs::write(&path, b"frames").expect("temporary files can be written");
        let mut go_on = || true;
        let mut input = Input::open(&path, &mut go_on).expect("it is there");
        assert!(matches!(input.source, Source::File(_)));
        let (end, mut bytes) = (input.end(), Vec::new());
        assert!(!end.get());
        input.read_to_end(&mut bytes).expect("it can be read");
        assert_eq!((bytes.as_slice(), end.get()), (&b"frames"[..], true));
        std::fs::remove_file(&path).expect("it was written");
        assert!(Input::open(&path, &mut go_on).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_not_waited_for() {
        let mut looks = 0;
        let mut go_on = || {
            looks += 1;
            looks < 20
        };
        let mut input = Input::open(&std::env::temp_dir(), &mut go_on).expect("it is there");
        let error = input.read(&mut [0]).expect_err("it is a folder");
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }
}
