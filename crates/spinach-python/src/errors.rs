//! What the engine refuses, as the exceptions of `spinach_nic.errors`.

use pyo3::prelude::*;
use pyo3::types::PyList;
use spinach_engine::{CheckpointError, ElaborationError};

fn raise<'py>(py: Python<'py>, class: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let module = py.import("spinach_nic.errors");
    let error = module.and_then(|module| module.getattr(class)?.call1(arguments));
    error.map_or_else(|failure| failure, PyErr::from_value)
}

/// A `SpinachError` of one line what is wrong and one line what to do.
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

/// A `CheckpointError`.
pub(crate) fn checkpoint_error(py: Python<'_>, error: &CheckpointError) -> PyErr {
    let help = match error {
        CheckpointError::NotACheckpoint => "give the bytes that `Simulation.checkpoint` returned",
        CheckpointError::OtherVersion { .. } => "take it again with this version of Spinach",
        CheckpointError::OtherModel { .. } => {
            "restore it into a simulation with the same modules, parameters, clocks and connections"
        }
        CheckpointError::Damaged(_) => "take it again, or restore an earlier one",
        CheckpointError::CannotSave { .. } => "this is a defect of that kind of module: please report it",
    };
    raise(py, "CheckpointError", (error.to_string(), help))
}
