//! Studies read traces with the interpreter released, and look for signals between two groups of rows.

use std::cell::RefCell;
use std::path::Path;

use pyo3::prelude::*;
use spinach_analysis::trace::{AccessReader, TraceError, TraceReader};

thread_local! {
    /// Exception that a signal handler raised while this thread read a trace.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Opens an instruction trace that is read until a signal handler raises an exception.
pub(super) fn open_instructions(path: &Path) -> Result<TraceReader, TraceError> {
    Ok(TraceReader::open(path)?.read_while(no_signal))
}

/// Opens an access trace that is read until a signal handler raises an exception.
pub(super) fn open_accesses(path: &Path) -> Result<AccessReader, TraceError> {
    Ok(AccessReader::open(path)?.read_while(no_signal))
}

/// Takes the exception of a signal handler on this thread, if any.
pub(super) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

fn no_signal() -> bool {
    let raised = Python::attach(|py| py.check_signals().err());
    let is_wanted = raised.is_none();
    RAISED.set(raised);
    is_wanted
}
