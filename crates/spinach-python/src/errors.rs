//! Errors of the engine, as the exceptions of `spinach_nic.support.errors`.

use pyo3::prelude::*;
use pyo3::types::PyList;
use spinach_engine::{CheckpointError, ElaborationError};
use spinach_server::checkpoint::CheckpointError as ServerCheckpointError;

fn raise<'py>(py: Python<'py>, class: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let module = py.import("spinach_nic.support.errors");
    let error = module.and_then(|module| module.getattr(class)?.call1(arguments));
    error.map_or_else(|failure| failure, PyErr::from_value)
}

/// A `SpinachError` of two lines: the problem and the instruction.
pub(crate) fn spinach_error(py: Python<'_>, message: impl Into<String>, help: impl Into<String>) -> PyErr {
    raise(py, "SpinachError", (without_number(&message.into()), help.into()))
}

/// An `ElaborationError` with every problem and where each was described.
pub(crate) fn elaboration_error(py: Python<'_>, error: ElaborationError) -> PyErr {
    let problems = error.problems.into_iter().map(|problem| {
        let place = problem.location.map(|location| (location.file, location.line));
        (problem.pass, without_number(&problem.message), problem.help, place)
    });
    match PyList::new(py, problems.collect::<Vec<_>>()) {
        Ok(problems) => raise(py, "ElaborationError", (problems,)),
        Err(failure) => failure,
    }
}

/// `SpinachError` of an engine message, whose last line is the instruction.
pub(crate) fn engine_error(py: Python<'_>, text: &str) -> PyErr {
    let (message, help) = message_and_help(text);
    spinach_error(py, message, help)
}

/// A `DefectError`: the text of a panic, its place, and the call of Python.
pub(crate) fn defect_error(py: Python<'_>, text: &str, place: &str, call: &str) -> PyErr {
    raise(py, "DefectError", (text, place, call))
}

/// A `CheckpointError` with its kind, module and reason.
pub(crate) fn checkpoint_error(py: Python<'_>, error: &CheckpointError) -> PyErr {
    let (message, help) = message_and_help(&error.to_string());
    let (kind, path, reason) = match error {
        CheckpointError::NotACheckpoint => ("unknown", "", ""),
        CheckpointError::OtherVersion { .. } => ("version", "", ""),
        CheckpointError::OtherModel { differences } => ("model", "", differences.as_str()),
        CheckpointError::Damaged(reason) => ("damaged", "", reason.as_str()),
        CheckpointError::State { path, reason } => ("state", path.as_str(), reason.as_str()),
        CheckpointError::CannotSave { path, reason } => ("unsaved", path.as_str(), reason.as_str()),
    };
    raise(py, "CheckpointError", (message, help, kind, path, reason))
}

/// The same of the checkpoint of a server in a file called `name`.
pub(crate) fn server_checkpoint_error(py: Python<'_>, name: &str, error: &ServerCheckpointError) -> PyErr {
    const SAVE_AGAIN: &str = "boot again, and save a checkpoint there";
    let (kind, help) = match error {
        ServerCheckpointError::Kind => ("unknown", SAVE_AGAIN.to_owned()),
        ServerCheckpointError::Version { .. } => ("version", SAVE_AGAIN.to_owned()),
        ServerCheckpointError::Damaged { .. } => ("damaged", SAVE_AGAIN.to_owned()),
        ServerCheckpointError::Configuration { .. } | ServerCheckpointError::Machines { .. } => {
            ("model", format!("repeat the options of the run that saved it, or {SAVE_AGAIN}"))
        }
        ServerCheckpointError::Files { .. } => {
            ("state", "repeat the --root and --share of the run that saved it".to_owned())
        }
    };
    raise(
        py,
        "CheckpointError",
        (format!("cannot restore {name}: {error}"), help, kind, "", error.to_string()),
    )
}

/// A message without the numbers of errors of the system, which only their texts explain.
fn without_number(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.parse::<i32>().is_ok() => text.push_str(rest),
            _ => text.push_str(&format!(" (os error {part}")),
        }
    }
    text
}

fn message_and_help(text: &str) -> (String, String) {
    let (message, help) = text.rsplit_once("\n  help: ").unwrap_or((text, "please report this"));
    (message.to_owned(), help.to_owned())
}
