//! Declarations of the kinds of modules, as plain data.

use std::path::PathBuf;
use std::sync::LazyLock;

use pyo3::prelude::*;
use spinach_engine::Registry;
use spinach_modules::parts::layout::Layout;
use spinach_plugin::{Block, combinational_paths};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

/// Any serialisable value as plain Python data.
pub(crate) fn plain<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(spinach_modules::registry);

/// The names of the kinds of modules, in alphabetical order.
#[guarded]
#[pyfunction]
pub(crate) fn kinds() -> Vec<&'static str> {
    REGISTRY.names().collect()
}

/// Documentation, parameters, ports, counters and clocks of a kind of module.
#[guarded]
#[pyfunction]
pub(crate) fn declaration<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
    let Some(declaration) = REGISTRY.declarations().find(|one| one.kind == kind) else {
        let known = spinach_engine::suggest(kind, REGISTRY.names());
        return Err(spinach_error(py, format!("unknown kind of module {kind:?}"), known));
    };
    let declared = serde_json::to_value(declaration);
    plain(py, &declared.map_err(|error| spinach_error(py, error.to_string(), "please report this"))?)
}

/// Description of the block in a library: its signals and the ports that they form.
#[guarded]
#[pyfunction]
pub(crate) fn block_description(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let described = Block::open(&path).map(|block| serde_json::to_value(block.description()));
    match described {
        Ok(Ok(value)) => plain(py, &value),
        Ok(Err(error)) => Err(spinach_error(py, error.to_string(), "please report this")),
        Err(reason) => Err(not_a_block(py, reason)),
    }
}

/// Combinational paths through the block in a library, as names of an input and an output.
#[guarded]
#[pyfunction]
pub(crate) fn block_paths(py: Python<'_>, path: PathBuf) -> PyResult<Vec<(String, String)>> {
    let mut block = Block::open(&path).map_err(|reason| not_a_block(py, reason))?;
    let paths = combinational_paths(&mut block);
    let name = |signal: usize| block.description().signals[signal].name.clone();
    Ok(paths.into_iter().map(|(input, output)| (name(input), name(output))).collect())
}

fn not_a_block(py: Python<'_>, reason: String) -> PyErr {
    spinach_error(py, reason, "give a library that `spinach verilate` of this version has written")
}

// Name and meaning of a structure, and of each field the name, what it is, and its meaning.
type LayoutRow = (&'static str, &'static str, Vec<(&'static str, &'static str, &'static str)>);

/// The structures that firmware shares with the library.
#[guarded]
#[pyfunction]
pub(crate) fn layouts() -> Vec<LayoutRow> {
    let fields = |layout: &'static Layout| {
        layout.fields.iter().map(|field| (field.name, field.layout.name, field.meaning)).collect()
    };
    spinach_modules::layouts().map(|layout| (layout.name, layout.about, fields(layout))).collect()
}

/// The numbers that programs share with the library: by group, by name.
#[guarded]
#[pyfunction]
pub(crate) fn numbers() -> Vec<(&'static str, Vec<(&'static str, u64)>)> {
    spinach_modules::numbers().map(|(group, numbers)| (group, numbers.to_vec())).collect()
}

/// Name, value and meaning of a register, or of a field of one.
type DescribedRegister = (&'static str, u32, &'static str);

/// The registers of a packet mover and related numbers: by group, names with values and meanings.
#[guarded]
#[pyfunction]
pub(crate) fn packet_mover_registers() -> Vec<(&'static str, Vec<DescribedRegister>)> {
    let groups = spinach_modules::dma::packet_mover::register_map::GROUPS;
    groups.into_iter().map(|(group, described)| (group, described.to_vec())).collect()
}

/// The names most like `wanted`, at most three, best first.
#[guarded]
#[pyfunction]
pub(crate) fn similar(wanted: &str, known: Vec<String>) -> Vec<String> {
    let close = spinach_engine::similar(wanted, known.iter().map(String::as_str));
    close.into_iter().map(str::to_owned).collect()
}

/// A line of help for a name that does not exist: the names most like it, or else the first valid ones.
#[guarded]
#[pyfunction]
pub(crate) fn suggest(wanted: &str, known: Vec<String>) -> String {
    spinach_engine::suggest(wanted, known.iter().map(String::as_str))
}
