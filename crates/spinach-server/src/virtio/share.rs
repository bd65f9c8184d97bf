//! A folder of the host machine for the server: 9P2000.L over virtio (section 5 of the specification has only its number, 9).
//!
//! The folder can be read and written. Nothing outside of it is reached: links are entries that the server's kernel follows, and no path with a
//! link in it is opened here. All files belong to root. Only regular files and folders can be opened; extended attributes, devices and
//! names that are not UTF-8 are left out. Between requests no file is open, so that a checkpoint holds all state.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, FileTimes, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::Device;
use super::nine::{self, Answer, Fields, HEADER_BYTES, errno};

/// Name under which the server mounts the folder.
pub const TAG: &str = "host";
const DIALECT: &str = "9P2000.L";
/// Maximum files that the server refers to at a time.
const FILES_MAXIMUM: usize = 1 << 16;
const NAMES_MAXIMUM: u16 = 16;
const MESSAGE_BYTES: std::ops::RangeInclusive<u32> = 4096..=512 << 10;
const FILE_SYSTEM: u32 = 0x0102_1997;
const BLOCK_BYTES: u32 = 4096;
const NAME_MAXIMUM: u32 = 255;
const BASIC_ATTRIBUTES: u64 = 0x7ff;

const ACCESS: u32 = 0o3;
const READ_ONLY: u32 = 0;
const EXCLUSIVE: u32 = 0o200;
const TRUNCATES: u32 = 0o1000;
const REMOVES_FOLDER: u32 = 0x200;
const UNLOCKED: u8 = 2;

const SETS_MODE: u32 = 1;
const SETS_USER: u32 = 2;
const SETS_GROUP: u32 = 4;
const SETS_SIZE: u32 = 8;
const SETS_ACCESS_TIME: u32 = 0x10;
const SETS_TIME: u32 = 0x20;
const HAS_ACCESS_TIME: u32 = 0x80;
const HAS_TIME: u32 = 0x100;

type Outcome<T = ()> = Result<T, u32>;

/// A file that the server refers to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Reference {
    /// Path relative to the shared folder.
    path: Vec<String>,
    is_open: bool,
    /// Entries of an open folder.
    entries: Vec<String>,
}

/// State of the connection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    references: BTreeMap<u32, Reference>,
}

/// A readable folder of the host.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Finds a folder.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        fs::read_dir(&path)?;
        Ok(Self(path))
    }
}

/// The device. Without a folder all requests fail.
#[derive(Debug, Default)]
pub struct Share {
    folder: Option<PathBuf>,
    /// True if the restored checkpoint has a folder; `None` if it was not restored.
    expected: Option<bool>,
    connection: Connection,
}

impl Share {
    /// Shares a folder; false if a restored checkpoint has none.
    pub fn open(&mut self, folder: Folder) -> bool {
        self.folder = Some(folder.0);
        self.expected != Some(false)
    }

    /// True if a folder is shared.
    pub fn is_open(&self) -> bool {
        self.folder.is_some() || self.expected == Some(true)
    }

    /// True if the folder of a restored checkpoint is missing.
    pub fn lacks_folder(&self) -> bool {
        self.expected == Some(true) && self.folder.is_none()
    }

    /// State of the connection, for a checkpoint.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Restores that state; false if a path in it is invalid.
    pub fn restore(&mut self, connection: Connection, is_open: bool) -> bool {
        let is_name =
            |name: &String| !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\0']);
        let is_valid = connection.references.values().all(|reference| reference.path.iter().all(is_name));
        (self.connection, self.expected) = (connection, Some(is_open));
        is_valid
    }

    /// The host's path of a path of the server, none of whose folders is a link.
    fn place(&self, path: &[String]) -> Outcome<PathBuf> {
        let mut place = self.folder.clone().ok_or(errno::IO)?;
        for (depth, name) in path.iter().enumerate() {
            if depth > 0 && !metadata(&place)?.is_dir() {
                return Err(errno::NOT_A_FOLDER);
            }
            place.push(name);
        }
        Ok(place)
    }

    fn reference(&self, number: u32) -> Outcome<&Reference> {
        self.connection.references.get(&number).ok_or(errno::BAD_FILE)
    }

    /// Host path of a reference.
    fn file(&self, number: u32) -> Outcome<PathBuf> {
        self.place(&self.reference(number)?.path)
    }

    /// Host path of an entry of a folder.
    fn entry(&self, folder: u32, name: &str) -> Outcome<PathBuf> {
        self.place(&self.joined(folder, name)?)
    }

    fn joined(&self, folder: u32, name: &str) -> Outcome<Vec<String>> {
        let mut path = self.reference(folder)?.path.clone();
        path.push(name.to_owned());
        Ok(path)
    }

    /// Host path of an open regular file.
    fn opened(&self, number: u32) -> Outcome<PathBuf> {
        if !self.reference(number)?.is_open {
            return Err(errno::BAD_FILE);
        }
        let place = self.file(number)?;
        check_regular(&place)?;
        Ok(place)
    }

    fn keep(&mut self, number: u32, reference: Reference) -> Outcome {
        let references = &mut self.connection.references;
        if references.len() >= FILES_MAXIMUM && !references.contains_key(&number) {
            return Err(errno::NO_MEMORY);
        }
        references.insert(number, reference);
        Ok(())
    }

    fn answer(&mut self, kind: u8, fields: &mut Fields<'_>, room: usize) -> Outcome<Answer> {
        let mut answer = Answer::default();
        match kind {
            nine::AGREE => self.agree(fields, &mut answer)?,
            nine::ATTACH => self.attach(fields, &mut answer)?,
            nine::WALK => self.walk(fields, &mut answer)?,
            nine::OPEN => self.open_file(fields, &mut answer)?,
            nine::CREATE => self.create(fields, &mut answer)?,
            nine::READ => self.read(fields, room, &mut answer)?,
            nine::WRITE => self.write(fields, &mut answer)?,
            nine::READ_FOLDER => self.read_folder(fields, room, &mut answer)?,
            nine::GET_ATTRIBUTES => self.get_attributes(fields, &mut answer)?,
            nine::SET_ATTRIBUTES => self.set_attributes(fields)?,
            nine::MAKE_FOLDER => self.make_folder(fields, &mut answer)?,
            nine::SYMLINK => self.make_link(fields, &mut answer)?,
            nine::READ_LINK => self.read_link(fields, &mut answer)?,
            nine::LINK => self.link(fields)?,
            nine::RENAME => self.rename_file(fields)?,
            nine::RENAME_AT => self.rename_entry(fields)?,
            nine::UNLINK_AT => self.remove_entry(fields)?,
            nine::REMOVE => self.remove(fields)?,
            nine::FORGET => self.forget(fields)?,
            nine::SYNCHRONIZE | nine::FLUSH => {}
            nine::LOCK => answer.u8(0),
            nine::GET_LOCK => Self::get_lock(fields, &mut answer)?,
            nine::STATFS => self.describe_file_system(fields, &mut answer)?,
            _ => return Err(errno::NOT_SUPPORTED),
        }
        Ok(answer)
    }

    fn agree(&mut self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let bytes = fields.u32()?.clamp(*MESSAGE_BYTES.start(), *MESSAGE_BYTES.end());
        let is_known = fields.text()? == DIALECT;
        self.connection = Connection::default();
        answer.u32(bytes);
        answer.text(if is_known { DIALECT } else { "unknown" });
        Ok(())
    }

    fn attach(&mut self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let number = fields.u32()?;
        let place = self.place(&[])?;
        self.keep(number, Reference::default())?;
        identify(answer, &metadata(&place)?);
        Ok(())
    }

    fn read(&self, fields: &mut Fields<'_>, room: usize, answer: &mut Answer) -> Outcome {
        let place = self.opened(fields.u32()?)?;
        let (offset, count) = (fields.u64()?, fields.u32()? as usize);
        let mut bytes = vec![0; count.min(room.saturating_sub(4))];
        let read = read_at(&File::open(place).map_err(number_of)?, &mut bytes, offset)?;
        answer.u32(read as u32);
        answer.0.extend(&bytes[..read]);
        Ok(())
    }

    fn write(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let place = self.opened(fields.u32()?)?;
        let (offset, count) = (fields.u64()?, fields.u32()?);
        let bytes = fields.bytes(count as usize)?;
        let file = OpenOptions::new().write(true).open(place).map_err(number_of)?;
        file.write_all_at(bytes, offset).map_err(number_of)?;
        answer.u32(count);
        Ok(())
    }

    fn get_attributes(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        describe(answer, &metadata(&self.file(fields.u32()?)?)?);
        Ok(())
    }

    fn make_folder(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let place = self.entry(fields.u32()?, fields.name()?)?;
        DirBuilder::new().mode(fields.u32()? & 0o777).create(&place).map_err(number_of)?;
        identify(answer, &metadata(&place)?);
        Ok(())
    }

    fn make_link(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let place = self.entry(fields.u32()?, fields.name()?)?;
        symlink(fields.text()?, &place).map_err(number_of)?;
        identify(answer, &metadata(&place)?);
        Ok(())
    }

    fn read_link(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let target = fs::read_link(self.file(fields.u32()?)?).map_err(number_of)?;
        answer.text(target.to_str().ok_or(errno::INVALID)?);
        Ok(())
    }

    fn link(&self, fields: &mut Fields<'_>) -> Outcome {
        let (folder, file) = (fields.u32()?, self.file(fields.u32()?)?);
        fs::hard_link(file, self.entry(folder, fields.name()?)?).map_err(number_of)
    }

    fn rename_file(&mut self, fields: &mut Fields<'_>) -> Outcome {
        let from = self.reference(fields.u32()?)?.path.clone();
        let to = self.joined(fields.u32()?, fields.name()?)?;
        self.rename(&from, &to)
    }

    fn rename_entry(&mut self, fields: &mut Fields<'_>) -> Outcome {
        let from = self.joined(fields.u32()?, fields.name()?)?;
        let to = self.joined(fields.u32()?, fields.name()?)?;
        self.rename(&from, &to)
    }

    fn remove_entry(&self, fields: &mut Fields<'_>) -> Outcome {
        let place = self.entry(fields.u32()?, fields.name()?)?;
        let removes_folder = fields.u32()? & REMOVES_FOLDER != 0;
        if removes_folder { fs::remove_dir(place) } else { fs::remove_file(place) }.map_err(number_of)?;
        Ok(())
    }

    fn remove(&mut self, fields: &mut Fields<'_>) -> Outcome {
        let number = fields.u32()?;
        let place = self.file(number);
        self.connection.references.remove(&number);
        let place = place?;
        let is_folder = metadata(&place)?.is_dir();
        if is_folder { fs::remove_dir(place) } else { fs::remove_file(place) }.map_err(number_of)
    }

    fn forget(&mut self, fields: &mut Fields<'_>) -> Outcome {
        self.connection.references.remove(&fields.u32()?).ok_or(errno::BAD_FILE)?;
        Ok(())
    }

    fn get_lock(fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        fields.u32()?;
        fields.bytes(1)?;
        answer.u8(UNLOCKED);
        let (start, length, process) = (fields.u64()?, fields.u64()?, fields.u32()?);
        answer.u64(start);
        answer.u64(length);
        answer.u32(process);
        answer.text(fields.text()?);
        Ok(())
    }

    fn describe_file_system(&self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        // Free space is not known to the server.
        self.file(fields.u32()?)?;
        answer.u32(FILE_SYSTEM);
        answer.u32(BLOCK_BYTES);
        (0..6).for_each(|_| answer.u64(0));
        answer.u32(NAME_MAXIMUM);
        Ok(())
    }

    /// Walks from a reference by names to another. An answer with fewer files than names leaves no new reference.
    fn walk(&mut self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let (from, to, names) = (fields.u32()?, fields.u32()?, fields.u16()?);
        if names > NAMES_MAXIMUM {
            return Err(errno::INVALID);
        }
        let mut path = self.reference(from)?.path.clone();
        let mut walked = Vec::new();
        for _ in 0..names {
            let name = fields.text()?;
            match name {
                ".." => drop(path.pop()),
                _ if name.is_empty() || name == "." || name.contains(['/', '\0']) => {
                    return Err(errno::INVALID);
                }
                _ => path.push(name.to_owned()),
            }
            match self.place(&path).and_then(|place| metadata(&place)) {
                Ok(found) => walked.push(found),
                Err(error) if walked.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        if walked.len() == usize::from(names) {
            self.keep(to, Reference { path, ..Reference::default() })?;
        }
        answer.u16(walked.len() as u16);
        for found in &walked {
            identify(answer, found);
        }
        Ok(())
    }

    fn open_file(&mut self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let (number, flags) = (fields.u32()?, fields.u32()?);
        let place = self.file(number)?;
        let found = metadata(&place)?;
        let mut entries = Vec::new();
        if found.is_dir() {
            for entry in fs::read_dir(&place).map_err(number_of)? {
                entries.extend(entry.map_err(number_of)?.file_name().into_string());
            }
            entries.sort_unstable();
        } else {
            check_regular(&place)?;
            let writes = flags & ACCESS != READ_ONLY;
            let file = OpenOptions::new().read(!writes).write(writes).open(&place).map_err(number_of)?;
            if writes && flags & TRUNCATES != 0 {
                file.set_len(0).map_err(number_of)?;
            }
        }
        let reference = self.connection.references.get_mut(&number).ok_or(errno::BAD_FILE)?;
        (reference.is_open, reference.entries) = (true, entries);
        identify(answer, &found);
        answer.u32(0);
        Ok(())
    }

    fn create(&mut self, fields: &mut Fields<'_>, answer: &mut Answer) -> Outcome {
        let (folder, name, flags, mode) = (fields.u32()?, fields.name()?, fields.u32()?, fields.u32()?);
        let path = self.joined(folder, name)?;
        let place = self.place(&path)?;
        if metadata(&place).is_ok() {
            check_regular(&place)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).create_new(flags & EXCLUSIVE != 0).truncate(flags & TRUNCATES != 0);
        options.mode(mode & 0o777).open(&place).map_err(number_of)?;
        self.keep(folder, Reference { path, is_open: true, entries: Vec::new() })?;
        identify(answer, &metadata(&place)?);
        answer.u32(0);
        Ok(())
    }

    fn read_folder(&self, fields: &mut Fields<'_>, room: usize, answer: &mut Answer) -> Outcome {
        let (number, offset, count) = (fields.u32()?, fields.u64()?, fields.u32()? as usize);
        let reference = self.reference(number)?;
        let place = self.place(&reference.path)?;
        let limit = count.min(room.saturating_sub(4));
        let mut listed = Answer::default();
        let names = [".", ".."].into_iter().chain(reference.entries.iter().map(String::as_str));
        for (position, name) in names.enumerate().skip(usize::try_from(offset).unwrap_or(usize::MAX)) {
            let path = if position < 2 { place.clone() } else { place.join(name) };
            // Entries removed since the folder was opened are left out.
            let Ok(found) = metadata(&path) else { continue };
            let mut entry = Answer::default();
            let kind = identify(&mut entry, &found);
            entry.u64(position as u64 + 1);
            entry.u8(kind);
            entry.text(name);
            if listed.0.len() + entry.0.len() > limit {
                break;
            }
            listed.0.extend(entry.0);
        }
        answer.u32(listed.0.len() as u32);
        answer.0.extend(listed.0);
        Ok(())
    }

    fn set_attributes(&self, fields: &mut Fields<'_>) -> Outcome {
        let place = self.file(fields.u32()?)?;
        let (valid, mode, user, group) = (fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?);
        let (size, accessed, modified) = (fields.u64()?, time(fields)?, time(fields)?);
        if valid & SETS_USER != 0 && user != 0 || valid & SETS_GROUP != 0 && group != 0 {
            return Err(errno::PERMISSION);
        }
        if metadata(&place)?.is_symlink() {
            return Err(errno::NOT_SUPPORTED);
        }
        if valid & SETS_MODE != 0 {
            fs::set_permissions(&place, Permissions::from_mode(mode & 0o777)).map_err(number_of)?;
        }
        if valid & SETS_SIZE != 0 {
            check_regular(&place)?;
            let file = OpenOptions::new().write(true).open(&place).map_err(number_of)?;
            file.set_len(size).map_err(number_of)?;
        }
        if valid & (SETS_ACCESS_TIME | SETS_TIME) != 0 {
            let chosen = |has: u32, time| if valid & has != 0 { time } else { SystemTime::now() };
            let mut times = FileTimes::new();
            if valid & SETS_ACCESS_TIME != 0 {
                times = times.set_accessed(chosen(HAS_ACCESS_TIME, accessed));
            }
            if valid & SETS_TIME != 0 {
                times = times.set_modified(chosen(HAS_TIME, modified));
            }
            if !metadata(&place)?.is_dir() {
                check_regular(&place)?;
            }
            File::open(&place).and_then(|file| file.set_times(times)).map_err(number_of)?;
        }
        Ok(())
    }

    fn rename(&mut self, from: &[String], to: &[String]) -> Outcome {
        if from.is_empty() || to.is_empty() {
            return Err(errno::PERMISSION);
        }
        fs::rename(self.place(from)?, self.place(to)?).map_err(number_of)?;
        for reference in self.connection.references.values_mut() {
            if let Some(rest) = reference.path.strip_prefix(from) {
                reference.path = [to, rest].concat();
            }
        }
        Ok(())
    }
}

impl Device for Share {
    const NUMBER: u32 = 9;
    /// The tag is in the configuration space.
    const FEATURES: u64 = 1;

    fn configuration(&self) -> Vec<u8> {
        [&(TAG.len() as u16).to_le_bytes(), TAG.as_bytes()].concat()
    }

    fn serve(&mut self, request: &[u8], room: usize) -> Vec<u8> {
        let Some(room) = room.checked_sub(HEADER_BYTES + 4) else { return Vec::new() };
        let (kind, tag, content) = match request {
            [_, _, _, _, kind, low, high, content @ ..] => {
                (*kind, u16::from_le_bytes([*low, *high]), content)
            }
            _ => (0, u16::MAX, &[][..]),
        };
        let mut message = Answer::default();
        let (kind, answer) = match self.answer(kind, &mut Fields(content), room) {
            Ok(answer) if answer.0.len() <= room + 4 => (kind | 1, answer.0),
            Ok(_) => (nine::ERROR, errno::IO.to_le_bytes().to_vec()),
            Err(number) => (nine::ERROR, number.to_le_bytes().to_vec()),
        };
        message.u32((HEADER_BYTES + answer.len()) as u32);
        message.u8(kind);
        message.u16(tag);
        message.0.extend(answer);
        message.0
    }
}

/// Error number of an error of the host.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes the error itself")]
fn number_of(error: io::Error) -> u32 {
    error.raw_os_error().and_then(|number| u32::try_from(number).ok()).unwrap_or(errno::IO)
}

/// Attributes of a file itself, not of the target of a link.
fn metadata(place: &Path) -> Outcome<Metadata> {
    fs::symlink_metadata(place).map_err(number_of)
}

/// Opening others could wait, or follow a link.
fn check_regular(place: &Path) -> Outcome {
    let found = metadata(place)?;
    match () {
        () if found.is_file() => Ok(()),
        () if found.is_symlink() => Err(errno::LINK),
        () => Err(errno::PERMISSION),
    }
}

fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> Outcome<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset.saturating_add(done as u64)).map_err(number_of)? {
            0 => break,
            count => done += count,
        }
    }
    Ok(done)
}

/// Writes the identity of a file; its kind as entries of folders have it.
fn identify(answer: &mut Answer, found: &Metadata) -> u8 {
    const FOLDER: (u8, u8) = (0x80, 4);
    const LINK: (u8, u8) = (0x02, 10);
    const FILE: (u8, u8) = (0, 8);
    let (kind, of_entry) = match () {
        () if found.is_dir() => FOLDER,
        () if found.is_symlink() => LINK,
        () => FILE,
    };
    answer.u8(kind);
    answer.u32(found.mtime() as u32 ^ (found.size() << 8) as u32);
    answer.u64(found.ino());
    of_entry
}

fn describe(answer: &mut Answer, found: &Metadata) {
    answer.u64(BASIC_ATTRIBUTES);
    identify(answer, found);
    answer.u32(found.mode());
    answer.u32(0);
    answer.u32(0);
    answer.u64(found.nlink());
    answer.u64(0);
    answer.u64(found.size());
    answer.u64(BLOCK_BYTES.into());
    answer.u64(found.blocks());
    let times = [
        (found.atime(), found.atime_nsec()),
        (found.mtime(), found.mtime_nsec()),
        (found.ctime(), found.ctime_nsec()),
        (0, 0),
    ];
    for (seconds, nanoseconds) in times {
        answer.u64(seconds as u64);
        answer.u64(nanoseconds as u64);
    }
    answer.u64(0);
    answer.u64(0);
}

fn time(fields: &mut Fields<'_>) -> Outcome<SystemTime> {
    let (seconds, nanoseconds) = (fields.u64()?, fields.u64()?);
    let since =
        Duration::new(seconds, u32::try_from(nanoseconds).map_err(|_| errno::INVALID)? % 1_000_000_000);
    SystemTime::UNIX_EPOCH.checked_add(since).ok_or(errno::INVALID)
}
