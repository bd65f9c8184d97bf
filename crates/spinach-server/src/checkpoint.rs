//! Checkpoint of a machine in a file.
//!
//! The file is a line that names it, a line of JSON with all state but memory, and of each page of memory that is not all zeros its
//! number and its bytes. Numbers are of 32 bits, little-endian.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{Asked, Console};
use crate::differences::{differences, listed};
use crate::hart::{self, Hart};
use crate::interrupts::InterruptController;
use crate::machine::{Configuration, End, Machine};
use crate::memory::PAGE_BYTES;
use crate::messages::MessageController;
use crate::pci::bridge::{Posted, SavedFunction};
use crate::pci::function::Function;
use crate::virtio::disk::{Identity, Image};
use crate::virtio::share::{Connection, Folder};
use crate::virtio::transport::Registers;

const NAME: &[u8] = b"spinach server checkpoint\n";
/// Version of the file's content. It changes with every version of the package.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (13)");
static EMPTY_PAGE: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
const NUMBER_BYTES: usize = 4;
const PAGE_ENTRY_BYTES: usize = NUMBER_BYTES + PAGE_BYTES;

/// Reasons why a file is not a usable checkpoint.
#[derive(Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CheckpointError {
    #[error("it is not a checkpoint of a server")]
    Kind,
    #[error("it is damaged: {what}")]
    Damaged { what: String },
    #[error("it was made by version {theirs}, this is version {VERSION}")]
    Version { theirs: String },
    #[error("it is of another configuration: {}", listed(differences))]
    Configuration { differences: Vec<String> },
    #[error("it is of {theirs}, not of {ours}")]
    Machines { theirs: String, ours: String },
    #[error("it is of a server that has {what}")]
    Files { what: &'static str },
}

#[derive(Serialize, Deserialize)]
struct State {
    version: String,
    configuration: Configuration,
    harts: Vec<hart::Registers>,
    is_started: Vec<bool>,
    interrupts: InterruptController,
    messages: MessageController,
    console: Console,
    functions: Vec<SavedFunction>,
    posted: Vec<Posted>,
    disk: SavedDisk,
    share: SavedShare,
    asked: Vec<Option<Asked>>,
    time: u64,
    end: Option<End>,
    pages: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedDisk {
    registers: Registers,
    image: Option<Identity>,
    /// Written pages, which follow those of the memory.
    pages: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedShare {
    registers: Registers,
    connection: Connection,
    is_open: bool,
}

impl Machine {
    /// Gives the machine the image of its disk and the folder that it shares, before it runs.
    ///
    /// # Errors
    /// [`CheckpointError::Files`] if it was restored, and had others.
    pub fn attach_files(
        &mut self,
        image: Option<Image>,
        folder: Option<Folder>,
    ) -> Result<(), CheckpointError> {
        let (disk, share) = (&mut self.board.disk.device, &mut self.board.share.device);
        if image.is_some_and(|image| !disk.insert(image)) {
            let is_empty = disk.is_restored_empty();
            let what =
                if is_empty { "no disk: it was saved without --root" } else { "a disk with another image" };
            return Err(CheckpointError::Files { what });
        }
        if folder.is_some_and(|folder| !share.open(folder)) {
            return Err(CheckpointError::Files { what: "no shared folder: it was saved without --share" });
        }
        match () {
            () if disk.lacks_image() => Err(CheckpointError::Files { what: "a disk, and there is no image" }),
            () if share.lacks_folder() => {
                Err(CheckpointError::Files { what: "a shared folder, and there is none" })
            }
            () => Ok(()),
        }
    }

    /// True if a file claims to be a checkpoint of one machine.
    pub fn is_checkpoint(file: &[u8]) -> bool {
        file.starts_with(NAME)
    }

    /// Saves the machine as a file. Translations, decoded code and the content of caches are dropped, here as in the machine
    /// restored from the file, so that both behave equally: the interrupt tests of a timed hart depend on the pages it may store
    /// to without a test, and on blocks. Counts of timed cores and caches remain.
    pub fn save(&mut self) -> Vec<u8> {
        self.harts.iter_mut().for_each(Hart::flush_translations);
        self.harts.iter_mut().for_each(Hart::count);
        self.blocks.drop_all();
        self.board.memory.forget_code();
        if let Some(timed) = &mut self.timed {
            timed.reset();
            self.board.bus.reset_shared();
        }
        let memory = self.board.memory.bytes();
        // The comparison of whole pages is fast; most are empty.
        let pages = memory.chunks(PAGE_BYTES).enumerate();
        let used: Vec<_> = pages.filter(|(_, page)| *page != &EMPTY_PAGE[..page.len()]).collect();
        let state = State {
            version: VERSION.to_owned(),
            configuration: self.configuration.clone(),
            harts: self.harts.iter().map(Hart::registers).collect(),
            is_started: self.is_started.clone(),
            interrupts: self.board.interrupts.clone(),
            messages: self.board.messages.clone(),
            console: self.board.console.clone(),
            functions: self.board.bus.save(),
            posted: self.board.bus.posted().cloned().collect(),
            disk: SavedDisk {
                registers: self.board.disk.registers().clone(),
                image: self.board.disk.device.identity(),
                pages: self.board.disk.device.written().count() as u32,
            },
            share: SavedShare {
                registers: self.board.share.registers().clone(),
                connection: self.board.share.device.connection().clone(),
                is_open: self.board.share.device.is_open(),
            },
            asked: self.board.asked().to_vec(),
            time: self.time,
            end: self.end,
            pages: used.len() as u32,
        };
        let mut file = NAME.to_vec();
        // Numbers, lists and names only, which JSON can always express.
        file.extend(serde_json::to_vec(&state).unwrap_or_default());
        file.push(b'\n');
        file.reserve(used.len() * PAGE_ENTRY_BYTES);
        for (number, page) in used {
            file.extend((number as u32).to_le_bytes());
            file.extend(page);
        }
        for (number, page) in self.board.disk.device.written() {
            file.extend((number as u32).to_le_bytes());
            file.extend(page);
        }
        file
    }

    /// The machine of a file, which must be of this configuration if one is given, and with such functions on its bus.
    ///
    /// # Errors
    /// [`CheckpointError`].
    pub fn restore(
        file: &[u8],
        expected: Option<&Configuration>,
        functions: Vec<Box<dyn Function>>,
    ) -> Result<Self, CheckpointError> {
        let (state, pages) = State::parse(file)?;
        state.check(expected, &functions)?;
        state.rebuild(functions, pages)
    }
}

impl State {
    /// The state of a file, and the pages behind it.
    fn parse(file: &[u8]) -> Result<(Self, &[u8]), CheckpointError> {
        let rest = file.strip_prefix(NAME).ok_or(CheckpointError::Kind)?;
        let end =
            rest.iter().position(|byte| *byte == b'\n').ok_or_else(|| damaged("its state is truncated"))?;
        let (state, pages) = (&rest[..end], &rest[end + 1..]);
        // The fields that files of all versions share.
        #[derive(Deserialize)]
        struct Versioned {
            version: String,
        }
        let invalid = |error: serde_json::Error| CheckpointError::Damaged { what: error.to_string() };
        let Versioned { version } = serde_json::from_slice(state).map_err(invalid)?;
        if version != VERSION {
            return Err(CheckpointError::Version { theirs: version });
        }
        Ok((serde_json::from_slice(state).map_err(invalid)?, pages))
    }

    /// Checks that the state is that of a machine of this configuration with these functions.
    fn check(
        &self,
        expected: Option<&Configuration>,
        functions: &[Box<dyn Function>],
    ) -> Result<(), CheckpointError> {
        let configuration = &self.configuration;
        let described: Vec<_> = functions.iter().map(|function| function.describe()).collect();
        let saved: Vec<_> = self.functions.iter().map(SavedFunction::description).collect();
        let differences =
            differences((configuration, &saved), (expected.unwrap_or(configuration), &described));
        if !differences.is_empty() {
            return Err(CheckpointError::Configuration { differences });
        }
        crate::boot::check(configuration).map_err(|error| damaged(&error.to_string()))?;
        let harts = configuration.harts;
        let lengths = [self.harts.len(), self.is_started.len(), self.asked.len()];
        if lengths != [harts; 3] || !self.interrupts.serves(harts) {
            return Err(damaged("it does not have the state of every hart"));
        }
        Ok(())
    }

    /// The machine of this state, with these functions on its bus and these pages of its memory and its disk.
    fn rebuild(self, functions: Vec<Box<dyn Function>>, pages: &[u8]) -> Result<Machine, CheckpointError> {
        let lengths = [self.pages, self.disk.pages].map(|pages| pages as usize * PAGE_ENTRY_BYTES);
        if pages.len() != lengths[0] + lengths[1] {
            return Err(damaged("its memory is truncated"));
        }
        let (pages, written) = pages.split_at(lengths[0]);
        let mut machine = Machine::new(&self.configuration);
        functions.into_iter().for_each(|function| machine.board.bus.attach(function));
        for (number, bytes) in numbered(pages) {
            let memory = machine.board.memory.bytes_mut().chunks_mut(PAGE_BYTES).nth(number as usize);
            memory.ok_or_else(|| damaged("it has a page beyond the memory"))?.copy_from_slice(bytes);
        }
        machine.harts = self
            .harts
            .iter()
            .map(|registers| Hart::new(registers, self.configuration.cycles_per_tick))
            .collect();
        machine.is_started = self.is_started;
        machine.board.interrupts = self.interrupts;
        machine.board.messages = self.messages;
        machine.board.console = self.console;
        let board = &mut machine.board;
        board.bus.restore(self.functions, self.posted, &board.memory).map_err(|what| damaged(&what))?;
        machine.board.set_asked(self.asked);
        let board = &mut machine.board;
        for (number, bytes) in numbered(written) {
            let page = bytes.try_into().map_err(|_| damaged("its disk is truncated"))?;
            board.disk.device.set_written(number.into(), page);
        }
        board.disk.restore(self.disk.registers);
        board.disk.device.expect(self.disk.image);
        board.share.restore(self.share.registers);
        if !board.share.device.restore(self.share.connection, self.share.is_open) {
            return Err(damaged("it has an invalid path of the shared folder"));
        }
        (machine.time, machine.end) = (self.time, self.end);
        Ok(machine)
    }
}

/// The number and the bytes of each of these pages.
fn numbered(pages: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    pages.chunks(PAGE_ENTRY_BYTES).map(|page| {
        let (number, bytes) = page.split_at(NUMBER_BYTES);
        (u32::from_le_bytes(number.try_into().unwrap_or_default()), bytes)
    })
}

fn damaged(what: &str) -> CheckpointError {
    CheckpointError::Damaged { what: what.to_owned() }
}
