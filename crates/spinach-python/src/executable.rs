//! ELF files and their debug information.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_elf::{DebugInformation, ImageError, SymbolKind};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

/// Address, contents, bytes in memory, whether executable, whether writable, and where it is put at first.
type Segment<'py> = (u64, Bound<'py, PyBytes>, u64, bool, bool, u64);

/// An ELF file, read whole. Debug information is read on first use.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Executable {
    file: spinach_elf::Executable,
    debug: OnceLock<DebugInformation>,
}

impl Executable {
    fn debug(&self, py: Python<'_>) -> &DebugInformation {
        py.detach(|| self.debug.get_or_init(|| DebugInformation::read(&self.file)))
    }
}

#[guarded]
#[pymethods]
impl Executable {
    /// Takes the content of a file; `name` is for messages.
    #[new]
    fn new(py: Python<'_>, name: String, content: &[u8]) -> PyResult<Self> {
        let parsed = py.detach(|| spinach_elf::Executable::parse(name, content.to_vec()));
        let file = parsed.map_err(|error| {
            let help = match error {
                ImageError::NotElf { .. } => "give the linked image, not a source or a raw binary",
                ImageError::Damaged { .. } => "build the image again",
                ImageError::TooLong { .. } => "give the linked image",
            };
            spinach_error(py, error.to_string(), help)
        })?;
        Ok(Self { file, debug: OnceLock::new() })
    }

    /// Kind of file, as `ET_EXEC`.
    #[getter]
    fn kind(&self) -> String {
        self.file.kind_name()
    }

    /// The machine it is for, as `EM_RISCV`.
    #[getter]
    fn machine(&self) -> String {
        self.file.machine_name()
    }

    /// The word size.
    #[getter]
    fn bits(&self) -> u8 {
        self.file.bits
    }

    /// The byte order.
    #[getter]
    fn is_big_endian(&self) -> bool {
        self.file.is_big_endian
    }

    /// The flags of its machine.
    #[getter]
    fn flags(&self) -> u32 {
        self.file.flags
    }

    /// The address of the first instruction.
    #[getter]
    fn entry(&self) -> u64 {
        self.file.entry
    }

    /// Loaded segments.
    fn segments<'py>(&self, py: Python<'py>) -> Vec<Segment<'py>> {
        let segments = self.file.segments.iter().map(|segment| {
            let data = PyBytes::new(py, self.file.segment_data(segment));
            let rights = (segment.executable, segment.writable);
            (segment.address, data, segment.memory_bytes, rights.0, rights.1, segment.load_address)
        });
        segments.collect()
    }

    /// Names of addresses: name, address, bytes, and whether it is a function.
    fn symbols(&self) -> Vec<(String, u64, u64, bool)> {
        let symbols = self.file.symbols.iter().map(|symbol| {
            (symbol.name.clone(), symbol.address, symbol.bytes, symbol.kind == SymbolKind::Function)
        });
        symbols.collect()
    }

    /// The notes of tools: section, owner and content.
    fn notes<'py>(&self, py: Python<'py>) -> Vec<(String, String, Bound<'py, PyBytes>)> {
        let notes = self.file.notes.iter();
        notes
            .map(|note| (note.section.clone(), note.owner.clone(), PyBytes::new(py, &note.description)))
            .collect()
    }

    /// File and line of the source of the instruction at an address, where they are known.
    fn source_line_at(&self, py: Python<'_>, address: u64) -> Option<(String, u64)> {
        self.debug(py).line_at(address).map(|line| (line.file.to_string(), line.line))
    }

    /// The functions inlined around the instruction at an address, the outermost first.
    fn inlined_at(&self, py: Python<'_>, address: u64) -> Vec<String> {
        self.debug(py).inlined_at(address).iter().map(ToString::to_string).collect()
    }

    /// Damaged parts of the debug information, one sentence each.
    fn damages(&self, py: Python<'_>) -> Vec<String> {
        self.debug(py).notes().to_vec()
    }
}
