//! What the kinds of modules declare, as plain data.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use spinach_modules::parts::layout::Layout;
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

/// Any serialisable value as plain Python data.
pub(crate) fn plain<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// What each kind of module declares: documentation, parameters, ports, counters and clocks, by kind in alphabetical order.
#[guarded]
#[pyfunction]
pub(crate) fn declarations(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let registry = spinach_modules::registry();
    let declared = serde_json::to_value(registry.declarations().collect::<Vec<_>>());
    let declared = declared.map_err(|error| spinach_error(py, error.to_string(), "please report this"))?;
    plain(py, &declared)
}

/// Names that kinds of modules had before, each with the one it has.
#[guarded]
#[pyfunction]
pub(crate) fn renamed_kinds() -> BTreeMap<&'static str, &'static str> {
    spinach_modules::registry().renamed().collect()
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

/// The names closest to `wanted` as a sentence, or all of them if none is close.
#[guarded]
#[pyfunction]
pub(crate) fn suggest(wanted: &str, known: Vec<String>) -> String {
    spinach_engine::suggest(wanted, known.iter().map(String::as_str))
}
