//! Instruction sets, as the package's Python needs them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use spinach_isa::architecture::{Architecture, ByteOrder, ElfIdentity, Toolchain};
use spinach_isa::registered::{NAMES, Visitor, visit};
use spinach_isa::word::Word;
use spinach_python_macros::guarded;

/// Description of an instruction set.
#[derive(Serialize)]
struct Description {
    name: &'static str,
    byte_order: ByteOrder,
    word_bits: u32,
    parcel_bytes: u32,
    elf: ElfIdentity,
    toolchain: Toolchain,
    extensions: &'static [&'static str],
    general_registers: Vec<&'static str>,
    further_registers: &'static [(&'static str, &'static str)],
}

struct Describe;

impl Visitor for Describe {
    type Output = Description;

    fn visit<A: Architecture>(self) -> Description {
        Description {
            name: A::NAME,
            byte_order: A::BYTE_ORDER,
            word_bits: A::Word::BITS,
            parcel_bytes: A::PARCEL_BYTES,
            elf: A::ELF,
            toolchain: A::TOOLCHAIN,
            extensions: A::EXTENSIONS,
            general_registers: (0..32).map(|field| A::register_name(A::general_register(field))).collect(),
            further_registers: A::FURTHER_REGISTERS,
        }
    }
}

struct Disassemble(u32, u64);

impl Visitor for Disassemble {
    type Output = String;

    fn visit<A: Architecture>(self) -> String {
        let extended = |set: A, name: &&str| set.with(name).unwrap_or(set);
        let set = A::EXTENSIONS.iter().fold(A::default(), extended);
        A::disassemble(set.decode(self.0), self.1)
    }
}

struct Unsuitable(u32);

impl Visitor for Unsuitable {
    type Output = Option<String>;

    fn visit<A: Architecture>(self) -> Option<String> {
        A::unsuitable(self.0)
    }
}

fn unknown(name: &str) -> PyErr {
    PyValueError::new_err(format!("no instruction set is called {name}"))
}

/// Descriptions of all instruction sets, as JSON. The first is the default of cores.
#[guarded]
#[pyfunction]
pub(crate) fn instruction_sets() -> PyResult<String> {
    let described: Vec<_> = NAMES.iter().filter_map(|name| visit(name, Describe)).collect();
    serde_json::to_string(&described).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The instruction `word` at `address` as assembly text; the extensions of all shipped cores are known.
#[guarded]
#[pyfunction]
pub(crate) fn disassemble(instruction_set: &str, word: u32, address: u64) -> PyResult<String> {
    visit(instruction_set, Disassemble(word, address)).ok_or_else(|| unknown(instruction_set))
}

/// Target that an ELF file with these flags was compiled for, if cores of the set cannot execute it.
#[guarded]
#[pyfunction]
pub(crate) fn unsuitable_elf(instruction_set: &str, flags: u32) -> PyResult<Option<String>> {
    visit(instruction_set, Unsuitable(flags)).ok_or_else(|| unknown(instruction_set))
}
