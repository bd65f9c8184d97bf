//! The trace-driven studies. Descriptions and results pass as JSON, in the words of the Rust types.

pub(crate) mod coherence;
mod interruption;
pub(crate) mod issue_limits;
pub(crate) mod trace;
pub(crate) mod vliw;

use std::fmt::Display;

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::spinach_error;

/// A `SpinachError` of an error with the problem on its first line and the instruction on its last; or the exception of a signal
/// handler, if that was the reason.
pub(crate) fn refused(py: Python<'_>, error: impl Display) -> PyErr {
    if let Some(raised) = interruption::take_raised() {
        return raised;
    }
    let text = error.to_string();
    let (message, help) = text.rsplit_once('\n').unwrap_or((&text, "please report this"));
    spinach_error(py, message, help)
}

fn from_json<T: DeserializeOwned>(py: Python<'_>, what: &str, text: &str) -> PyResult<T> {
    serde_json::from_str(text)
        .map_err(|error| spinach_error(py, format!("{what}: {error}"), "give values of the documented types"))
}

fn to_json(py: Python<'_>, value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| refused(py, error))
}
