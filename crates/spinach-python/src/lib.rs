//! The binding between the engine and the Python package `spinach_nic`, where it is `spinach_nic._native`.
//!
//! It converts descriptions into netlists and results into Python objects, and decides nothing itself.
//! One file per subject; what Python sees is listed once, in [`_native`], and typed in
//! `python/spinach_nic/_native.pyi`, which `make lint` compares with the built module.

#![forbid(unsafe_code)]

mod analysis;
mod attached;
mod capture;
mod cosimulation;
mod debugger;
mod declarations;
mod defects;
mod design;
mod errors;
mod executable;
mod instructions;
mod live;
mod policy;
mod recorder;
mod server;
mod simulation;
mod trace_files;
mod traffic;
mod value;

use pyo3::prelude::*;
use spinach_live::shortage::{self, Allocator};
use spinach_python_macros::guarded;

/// Allocator of all native code in the extension.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Ends this process with a text on standard error, and an exit code, when the system refuses memory for a small allocation.
#[guarded]
#[pyfunction]
fn explain_shortage(text: &str, exit_code: i32) {
    shortage::explain(text, exit_code);
}

/// The version that the Rust crates and the Python distribution share.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The native part of Spinach. Private: use `spinach_nic`.
#[pymodule]
mod _native {
    /// Runs when Python imports the module.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "what pyo3 asks for")]
    fn initialize(_module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        super::defects::install_hook();
        Ok(())
    }

    #[pymodule_export]
    use super::analysis::coherence::simulate_caches;
    #[pymodule_export]
    use super::analysis::issue_limits::{issue_limit_table, issue_limits};
    #[pymodule_export]
    use super::analysis::trace::{describe_access_trace, describe_trace, record_trace};
    #[pymodule_export]
    use super::analysis::vliw::{schedule_blocks, schedule_paths, vliw_layout, vliw_listing, vliw_machine};
    #[pymodule_export]
    use super::attached::Attached;
    #[pymodule_export]
    use super::capture::{CaptureWriter, read_capture};
    #[pymodule_export]
    use super::cosimulation::Cosimulation;
    #[pymodule_export]
    use super::debugger::{Debugger, ServerDebugger};
    #[pymodule_export]
    use super::declarations::{
        block_description, block_paths, declaration, kinds, layouts, numbers, packet_mover_registers,
        similar, suggest,
    };
    #[pymodule_export]
    use super::defects::provoke_defect;
    #[pymodule_export]
    use super::design::Design;
    #[pymodule_export]
    use super::executable::Executable;
    #[pymodule_export]
    use super::instructions::disassemble;
    #[pymodule_export]
    use super::instructions::instruction_sets;
    #[pymodule_export]
    use super::instructions::unsuitable_elf;
    #[pymodule_export]
    use super::live::{Live, Recording};
    #[pymodule_export]
    use super::policy::Expression;
    #[pymodule_export]
    use super::recorder::Recorder;
    #[pymodule_export]
    use super::server::{Server, server_cards};
    #[pymodule_export]
    use super::simulation::{
        CoherenceCheck, FrameCounts, LineTraceFile, Simulation, TimelineFile, WaveFile, model_differences,
        read_journeys,
    };
    #[pymodule_export]
    use super::trace_files::TraceFiles;
    #[pymodule_export]
    use super::traffic::traffic_frames;
    #[pymodule_export]
    use super::value::Value;
    #[pymodule_export]
    use super::{explain_shortage, version};
}
