//! The binding between the engine and the Python package `spinach_nic`, where it is `spinach_nic._native`.
//!
//! It converts descriptions into netlists and results into Python objects, and decides nothing itself.
//! One file per subject; what Python sees is listed once, in [`_native`], and typed in
//! `python/spinach_nic/_native.pyi`, which `make lint` compares with the built module.

use pyo3::prelude::*;

/// The version that the Rust crates and the Python distribution share.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The native part of Spinach. Private: use `spinach_nic`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::version;
}
