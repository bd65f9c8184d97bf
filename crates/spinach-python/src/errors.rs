//! Errors of the engine, as the exceptions of `spinach_nic.support.errors`.

use pyo3::prelude::*;
use pyo3::types::PyList;
use spinach_engine::{CheckpointError, ElaborationError};

fn raise<'py>(py: Python<'py>, class: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let module = py.import("spinach_nic.support.errors");
    let error = module.and_then(|module| module.getattr(class)?.call1(arguments));
    error.map_or_else(|failure| failure, PyErr::from_value)
}

/// A `SpinachError` of two lines: the problem and the instruction.
pub(crate) fn spinach_error(py: Python<'_>, message: impl Into<String>, help: impl Into<String>) -> PyErr {
    raise(py, "SpinachError", (message.into(), help.into()))
}

/// An `ElaborationError` with every problem and where each was described.
pub(crate) fn elaboration_error(py: Python<'_>, error: ElaborationError) -> PyErr {
    let problems = error.problems.into_iter().map(|problem| {
        let place = problem.location.map(|location| (location.file, location.line));
        (problem.pass, problem.message, problem.help, place)
    });
    match PyList::new(py, problems.collect::<Vec<_>>()) {
        Ok(problems) => raise(py, "ElaborationError", (problems,)),
        Err(failure) => failure,
    }
}

/// `SpinachError` of an engine message, whose last line is the instruction.
pub(crate) fn engine_error(py: Python<'_>, text: &str) -> PyErr {
    raise(py, "SpinachError", message_and_help(text))
}

/// A `DefectError`: the text of a panic, its place, and the call of Python.
pub(crate) fn defect_error(py: Python<'_>, text: &str, place: &str, call: &str) -> PyErr {
    raise(py, "DefectError", (text, place, call))
}

/// A `CheckpointError`.
pub(crate) fn checkpoint_error(py: Python<'_>, error: &CheckpointError) -> PyErr {
    raise(py, "CheckpointError", message_and_help(&error.to_string()))
}

fn message_and_help(text: &str) -> (String, String) {
    let (message, help) = text.rsplit_once("\n  help: ").unwrap_or((text, "please report this"));
    (message.to_owned(), help.to_owned())
}
