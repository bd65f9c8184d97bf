//! Policies: native expressions, and Python functions that are called.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;
use spinach_engine::{Callable, Operation};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

thread_local! {
    // Exception of a called function in the run of this thread. An expression cannot fail, so the engine cannot pass it on; the run
    // ends at its next look and raises it.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Takes the exception of a called function on this thread, if any.
pub(crate) fn take_raised() -> Option<PyErr> {
    RAISED.take()
}

/// Keeps the first exception of the run that this thread carries out.
pub(crate) fn raise(error: PyErr) {
    RAISED.with_borrow_mut(|raised| {
        raised.get_or_insert(error);
    });
}

/// A Python function as a policy.
pub(crate) struct Called {
    pub(crate) function: Py<PyAny>,
    pub(crate) name: String,
}

impl Callable for Called {
    fn call(&self, inputs: &[u64]) -> u64 {
        Python::attach(|py| {
            let arguments = pyo3::types::PyTuple::new(py, inputs);
            let result = arguments.and_then(|arguments| self.function.bind(py).call1(arguments));
            // Python's integers do not wrap; the words of the simulation do.
            let word = result.and_then(|result| result.call_method1("__and__", (u64::MAX,))?.extract());
            word.unwrap_or_else(|error| {
                raise(error);
                0
            })
        })
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// A function over words that the engine evaluates natively.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Expression(pub(crate) Arc<spinach_engine::Expression>);

#[guarded]
#[pymethods]
impl Expression {
    /// Checks the operations, given as JSON: a list of `{"add": [0, 1]}`, `{"constant": 5}` and so on.
    #[new]
    fn new(
        py: Python<'_>,
        operations: &str,
        result: u32,
        initial_state: Vec<u64>,
        next_state: Vec<u32>,
    ) -> PyResult<Self> {
        let refused = |reason: String| spinach_error(py, reason, "simplify the function");
        let operations: Vec<Operation> =
            serde_json::from_str(operations).map_err(|error| refused(error.to_string()))?;
        spinach_engine::Expression::new(operations, result, initial_state, next_state)
            .map(|expression| Self(Arc::new(expression)))
            .map_err(|error| refused(error.to_string()))
    }

    /// Number of inputs.
    #[getter]
    fn inputs(&self) -> u32 {
        self.0.inputs()
    }

    /// The state words before the first cycle.
    #[getter]
    fn initial_state(&self) -> Vec<u64> {
        self.0.initial_state().to_vec()
    }

    /// The result for these inputs and this state.
    fn evaluate(&self, inputs: Vec<u64>, state: Vec<u64>) -> u64 {
        self.0.evaluate(&inputs, &state)
    }

    /// The state of the next cycle.
    fn advance(&self, inputs: Vec<u64>, mut state: Vec<u64>) -> Vec<u64> {
        self.0.advance(&inputs, &mut state);
        state
    }
}
