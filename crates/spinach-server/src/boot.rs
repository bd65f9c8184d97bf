//! Boot content of a machine: a Linux kernel with its initramfs, or a bare-metal program.

use spinach_elf::{Executable, ImageError};
use thiserror::Error;

use crate::device_tree::{Chosen, device_tree};
use crate::machine::{Configuration, HARTS_MAXIMUM, Machine};
use crate::map;
use crate::memory::PAGE_BYTES;
use crate::pci::function::bytes_text;

const MACHINE: u16 = 243;
/// Magic number of a kernel for RISC-V, as Documentation/riscv/boot-image-header.rst describes it.
const KERNEL_MAGIC: (usize, &[u8]) = (0x38, b"RSC\x05");
const KERNEL_OFFSET: usize = 0x08;
const KERNEL_BYTES: usize = 0x10;
const A0: usize = 10;
const A1: usize = 11;
const MEMORY_MINIMUM_BYTES: u64 = 1 << 20;
const MEMORY_MAXIMUM_BYTES: u64 = 16 << 30;

/// Reason why a machine cannot be created or started.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BootError {
    #[error("{harts} harts: a server has 1 to {HARTS_MAXIMUM}")]
    Harts { harts: usize },
    #[error("invalid memory size {} (1 MiB to 16 GiB, a multiple of 4 KiB)", bytes_text(*bytes))]
    Memory { bytes: u64 },
    #[error("{name} is {what}, not a kernel or a program for RISC-V of 64 bits")]
    Kind { name: String, what: String },
    #[error("{name} needs the memory up to {end:#x}, the server has it up to {has:#x}")]
    TooLittleMemory { name: String, end: u64, has: u64 },
    #[error("{name} is to be loaded at {address:#x}, where the server has no memory")]
    Elsewhere { name: String, address: u64 },
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl BootError {
    /// Instruction that solves the problem.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Harts { .. } => "choose another number of harts",
            Self::Memory { .. } => "give a size such as 128MiB",
            Self::Kind { .. } => {
                "make a kernel with `make linux`, or name the file Image of a kernel built for riscv"
            }
            Self::TooLittleMemory { .. } => "give the server more memory",
            Self::Elsewhere { .. } => "link it to the memory, which begins at 0x80000000",
            Self::Image(_) => "compile the program again",
        }
    }
}

/// Boot content.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// The name of the kernel's file, for messages.
    pub name: &'a str,
    /// The content of the file: a kernel's `Image`, or an ELF file.
    pub kernel: Vec<u8>,
    /// Initramfs; empty for none.
    pub files: &'a [u8],
    /// The kernel's command line.
    pub arguments: &'a str,
}

impl Machine {
    /// A machine about to execute the first instruction of a kernel or program: its first hart with its number, 0, in register a0
    /// and the address of the device tree in a1.
    ///
    /// # Errors
    /// [`BootError`].
    pub fn booting(configuration: &Configuration, start: &Start) -> Result<Self, BootError> {
        check(configuration)?;
        let mut machine = Self::new(configuration);
        let (entry, end) = machine.load(start)?;
        let page = PAGE_BYTES as u64;
        let has = map::MEMORY + configuration.memory_bytes;
        let tree_of = |files| {
            let chosen = Chosen { arguments: start.arguments.to_owned(), files };
            device_tree(configuration, &chosen)
        };
        // The positions of files do not affect the length of the tree.
        let tree_bytes = tree_of(Some((0, 0))).len() as u64;
        let needed = [tree_bytes, start.files.len() as u64].map(|length| length.next_multiple_of(page));
        let name = || start.name.to_owned();
        let total = end.saturating_add(needed[0]).saturating_add(needed[1]);
        if total > has {
            return Err(BootError::TooLittleMemory { name: name(), end: total, has });
        }
        let tree_at = has - needed[0];
        let files_at = tree_at - needed[1];
        let files = (!start.files.is_empty()).then(|| (files_at, files_at + start.files.len() as u64));
        machine.put(files_at, start.files);
        machine.put(tree_at, &tree_of(files));
        let hart = &mut machine.harts[0];
        hart.pc = entry;
        hart.set_general(A0, 0);
        hart.set_general(A1, tree_at);
        Ok(machine)
    }

    fn put(&mut self, address: u64, bytes: &[u8]) {
        let place = (address - map::MEMORY) as usize;
        self.board.memory.bytes_mut()[place..place + bytes.len()].copy_from_slice(bytes);
    }

    /// Loads the kernel; returns its entry and the end of its memory.
    fn load(&mut self, start: &Start) -> Result<(u64, u64), BootError> {
        let kernel = &start.kernel;
        let has = map::MEMORY + self.configuration.memory_bytes;
        let (place, magic) = KERNEL_MAGIC;
        if kernel.get(place..place + magic.len()) == Some(magic) {
            let number = |place: usize| {
                let bytes = kernel[place..place + 8].try_into().unwrap_or_default();
                u64::from_le_bytes(bytes)
            };
            let entry = map::MEMORY.saturating_add(number(KERNEL_OFFSET));
            let end = entry.saturating_add(number(KERNEL_BYTES).max(kernel.len() as u64));
            if end > has {
                return Err(BootError::TooLittleMemory { name: start.name.to_owned(), end, has });
            }
            self.put(entry, kernel);
            return Ok((entry, end));
        }
        if !kernel.starts_with(b"\x7fELF") {
            return Err(BootError::Kind { name: start.name.to_owned(), what: kind(kernel).to_owned() });
        }
        let program = Executable::parse(start.name, kernel.clone())?;
        if program.machine != MACHINE || program.bits != 64 {
            let what = format!("an ELF file of {} bits for machine {}", program.bits, program.machine);
            return Err(BootError::Kind { name: start.name.to_owned(), what });
        }
        let mut end = map::MEMORY;
        for segment in &program.segments {
            let address = segment.load_address;
            let last = address.saturating_add(segment.memory_bytes.max(segment.data.len() as u64));
            if address < map::MEMORY {
                return Err(BootError::Elsewhere { name: start.name.to_owned(), address });
            }
            if last > has {
                return Err(BootError::TooLittleMemory { name: start.name.to_owned(), end: last, has });
            }
            self.put(address, &program.content()[segment.data.clone()]);
            end = end.max(last);
        }
        Ok((program.entry, end))
    }
}

pub(crate) fn check(configuration: &Configuration) -> Result<(), BootError> {
    let Configuration { harts, memory_bytes: bytes, .. } = *configuration;
    if !(1..=HARTS_MAXIMUM).contains(&harts) {
        return Err(BootError::Harts { harts });
    }
    let is_whole = bytes.is_multiple_of(PAGE_BYTES as u64);
    if !is_whole || !(MEMORY_MINIMUM_BYTES..=MEMORY_MAXIMUM_BYTES).contains(&bytes) {
        return Err(BootError::Memory { bytes });
    }
    Ok(())
}

/// Apparent type of a file that is not a kernel for RISC-V.
fn kind(content: &[u8]) -> &'static str {
    let has = |place: usize, magic: &[u8]| content.get(place..place + magic.len()) == Some(magic);
    if content.is_empty() {
        "empty"
    } else if has(0, b"\x1f\x8b") {
        "compressed by gzip"
    } else if has(0x202, b"HdrS") {
        "a kernel for x86"
    } else if has(0x38, b"ARM\x64") {
        "a kernel for 64-bit Arm"
    } else if has(0, b"\xd0\x0d\xfe\xed") {
        "a device tree"
    } else if has(0, b"070701") {
        "an archive of files"
    } else {
        "something else"
    }
}
