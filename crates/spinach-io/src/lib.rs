//! Files that are written over the length of a run, and appear under their name when they are complete.
//!
//! Until then everything goes to a neighbour, `NAME.partial-PID`. A file of that name from before stays as it was
//! until it is replaced in one step. After the process was killed the neighbour is what remains.

#![forbid(unsafe_code)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Size of the write buffer, in bytes.
const BUFFER_BYTES: usize = 1 << 16;

/// A longer record is handed over in pieces.
const LONGEST_RECORD_BYTES: usize = 1 << 22;

/// A file that is being written; see the crate.
///
/// Bytes go to the system at the instants that [`StreamFile::end_record`] allows, so that a process that is killed
/// leaves whole records.
#[derive(Debug)]
pub struct StreamFile {
    file: File,
    buffer: Vec<u8>,
    /// Temporary file next to the target, and the target that it replaces; `None` if the target is not an ordinary file, such as
    /// a pipe.
    places: Option<(PathBuf, PathBuf)>,
    holds_data: bool,
    /// Longest time between the end of a record and its hand-over; unlimited by default.
    latest: Option<Duration>,
    last_flush: Instant,
}

impl StreamFile {
    /// Opens the temporary file of `path`. A target that is not an ordinary file, such as a device or a pipe, is written
    /// directly.
    ///
    /// # Errors
    /// If the folder or the file cannot be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A link stays a link: its target is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = match fs::metadata(&target) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let buffer = Vec::with_capacity(BUFFER_BYTES);
        if let Some(old) = &old {
            // Permissions to write to the file, not only to its folder.
            let opened = OpenOptions::new().write(true).open(&target)?;
            if !old.is_file() {
                return Ok(Self {
                    file: opened,
                    buffer,
                    places: None,
                    holds_data: true,
                    latest: None,
                    last_flush: Instant::now(),
                });
            }
        }
        let (file, partial) = create_partial(&target)?;
        if let Some(old) = old {
            // Some file systems have no permissions, which is not a failure.
            let _ = fs::set_permissions(&partial, old.permissions());
        }
        Ok(Self {
            file,
            buffer,
            places: Some((partial, target)),
            holds_data: false,
            latest: None,
            last_flush: Instant::now(),
        })
    }

    /// Writes records within `latest`, at the next call of [`StreamFile::end_record`] or [`StreamFile::hand_over`].
    #[must_use]
    pub fn within(mut self, latest: Duration) -> Self {
        self.latest = Some(latest);
        self
    }

    /// Writes whole records to the system if the last write was too long ago.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn hand_over(&mut self) -> io::Result<()> {
        let is_due = self.latest.is_some_and(|latest| self.last_flush.elapsed() >= latest);
        if is_due && !self.buffer.is_empty() { self.flush() } else { Ok(()) }
    }

    /// Path of the temporary file that holds the bytes until the file is complete.
    #[must_use]
    pub fn partial(&self) -> Option<&Path> {
        self.places.as_ref().map(|(partial, _)| partial.as_path())
    }

    /// Marks the bytes written until now as readable: a good instant to flush them to the system.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn end_record(&mut self) -> io::Result<()> {
        self.holds_data = true;
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { self.hand_over() }
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If anything could not be written; the neighbour stays, and a file of that name from before too.
    pub fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        let Some((partial, target)) = self.places.take() else { return Ok(()) };
        self.file.sync_data()?;
        fs::rename(partial, target)
    }
}

impl Write for StreamFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        // A record may be long; memory does not grow with it.
        if self.buffer.len() >= LONGEST_RECORD_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        self.last_flush = Instant::now();
        written
    }
}

/// Rewrites the beginning, for formats whose header depends on the contents.
impl Seek for StreamFile {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.flush()?;
        self.file.seek(place)
    }
}

impl Drop for StreamFile {
    /// A file that was begun and holds nothing yet leaves no trace; one with data stays as far as it came.
    fn drop(&mut self) {
        let _ = self.flush();
        if let (false, Some((partial, _))) = (self.holds_data, &self.places) {
            let _ = fs::remove_file(partial);
        }
    }
}

/// Creates a file next to `target`, under a name that no other process and no other part of this one uses.
fn create_partial(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or_else(|| io::Error::from(ErrorKind::IsADirectory))?;
    let mut attempt = 1;
    loop {
        let mut partial = name.to_os_string();
        partial.push(format!(".partial-{}", std::process::id()));
        if attempt > 1 {
            partial.push(format!("-{attempt}"));
        }
        let partial = target.with_file_name(partial);
        match OpenOptions::new().write(true).create_new(true).open(&partial) {
            Ok(file) => return Ok((file, partial)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("spinach-stream-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn the_file_appears_when_it_is_complete() {
        let folder = folder("complete");
        let path = folder.join("out");
        fs::write(&path, "old").unwrap();
        let mut file = StreamFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["out"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_was_begun_leaves_no_trace_and_what_holds_data_stays() {
        let folder = folder("dropped");
        let path = folder.join("out");
        let mut file = StreamFile::create(&path).unwrap();
        file.write_all(b"header").unwrap();
        drop(file);
        assert!(names(&folder).is_empty());
        let mut file = StreamFile::create(&path).unwrap();
        file.write_all(b"record").unwrap();
        file.end_record().unwrap();
        let partial = file.partial().unwrap().to_owned();
        drop(file);
        assert_eq!(fs::read(partial).unwrap(), b"record");
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn two_writers_of_one_name_do_not_meet() {
        let folder = folder("two");
        let path = folder.join("out");
        let mut first = StreamFile::create(&path).unwrap();
        let mut second = StreamFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        first.complete().unwrap();
        second.complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = folder("link");
        let (path, link) = (folder.join("out"), folder.join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        let mut file = StreamFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.complete().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(folder).unwrap();
    }
}
