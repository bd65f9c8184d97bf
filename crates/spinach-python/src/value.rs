//! Values of parameters.

use std::sync::Arc;

use pyo3::prelude::*;
use spinach_engine::{Frequency, ParameterValue, Policy, Time};
use spinach_python_macros::guarded;

use crate::errors::spinach_error;
use crate::policy::{Called, Expression};

/// The value of one parameter of one module.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct Value(pub(crate) ParameterValue);

/// The exact frequency of `numerator / denominator` hertz.
pub(crate) fn frequency(py: Python<'_>, numerator: u64, denominator: u64) -> PyResult<Frequency> {
    Frequency::from_fraction(numerator, denominator)
        .map_err(|error| spinach_error(py, error.to_string(), "give a frequency such as MHz(166)"))
}

#[guarded]
#[pymethods]
impl Value {
    /// `True` or `False`.
    #[staticmethod]
    fn boolean(value: bool) -> Self {
        Self(ParameterValue::Boolean(value))
    }

    /// An integer from 0 to 2^64 - 1.
    #[staticmethod]
    fn integer(value: u64) -> Self {
        Self(ParameterValue::Integer(value))
    }

    /// A span of time in femtoseconds.
    #[staticmethod]
    fn time(femtoseconds: u64) -> Self {
        Self(ParameterValue::Time(Time::from_femtoseconds(femtoseconds)))
    }

    /// Frequency in hertz, as a fraction.
    #[staticmethod]
    fn frequency(py: Python<'_>, numerator: u64, denominator: u64) -> PyResult<Self> {
        Ok(Self(ParameterValue::Frequency(frequency(py, numerator, denominator)?)))
    }

    /// An amount of memory in bytes.
    #[staticmethod]
    fn size(bytes: u64) -> Self {
        Self(ParameterValue::Size(bytes))
    }

    /// A data rate in bits per second.
    #[staticmethod]
    fn rate(bits_per_second: u64) -> Self {
        Self(ParameterValue::Rate(bits_per_second))
    }

    /// A text.
    #[staticmethod]
    fn text(value: String) -> Self {
        Self(ParameterValue::Text(value))
    }

    /// A list of integers from 0 to 2^64 - 1.
    #[staticmethod]
    fn integers(values: Vec<u64>) -> Self {
        Self(ParameterValue::Integers(values))
    }

    /// Raw bytes.
    #[staticmethod]
    fn bytes(value: &[u8]) -> Self {
        Self(ParameterValue::Bytes(value.to_vec()))
    }

    /// A policy that the module knows by name.
    #[staticmethod]
    fn named(name: String) -> Self {
        Self(ParameterValue::Policy(Policy::Named(name)))
    }

    /// A policy that the engine evaluates natively.
    #[staticmethod]
    fn lifted(expression: &Bound<'_, Expression>) -> Self {
        Self(ParameterValue::Policy(Policy::Lifted(Arc::clone(&expression.get().0))))
    }

    /// A policy that calls `function` with the signals' words: the slow path.
    #[staticmethod]
    fn called(function: Py<PyAny>, name: String) -> Self {
        Self(ParameterValue::Policy(Policy::Called(Arc::new(Called { function, name }))))
    }

    fn __repr__(&self) -> String {
        format!("Value({})", self.0)
    }
}
