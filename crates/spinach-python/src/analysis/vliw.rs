//! VLIW schedules of images.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use spinach_analysis::image::Image;
use spinach_analysis::trace::{Filter, Profile, TraceError};
use spinach_analysis::vliw::{
    self, Dependence, DependenceGraph, Evaluation, Machine, Paths, Schedule, WeightedBlock,
};
use spinach_isa::architecture::Architecture;
use spinach_isa::registered::Classic;
use spinach_isa::registered::classic::Extensions;
use spinach_isa::registered::classic::disassemble::disassemble;
use spinach_python_macros::guarded;

use super::interruption::open_instructions;
use super::{from_json, refused, to_json};

/// A block as Python sees it.
#[derive(Serialize)]
struct BlockReport<'block> {
    address: u32,
    function: Option<&'block str>,
    entries: u64,
    /// Instructions as text.
    instructions: Vec<String>,
    /// Per instruction, the kind of unit it needs; `None` for NOPs.
    units: Vec<Option<usize>>,
    exit: Option<usize>,
    delay_slots: u32,
    annuls: bool,
    dependences: Vec<Dependence>,
    schedule: &'block Schedule,
}

#[derive(Serialize)]
struct Report<'block> {
    evaluation: Evaluation,
    blocks: Vec<BlockReport<'block>>,
}

/// An image, how often its code executed, and the machine.
struct Study {
    image: Image,
    profile: Profile,
    instruction_set: Classic,
    machine: Machine,
}

impl Study {
    fn read(py: Python<'_>, image: &Path, trace: &Path, filter: &str, machine: &str) -> PyResult<Self> {
        let filter: Filter = from_json(py, "filter", filter)?;
        let machine: Machine = from_json(py, "machine", machine)?;
        let image = Image::load(image)
            .and_then(|image| image.of_set(Classic::NAME))
            .map_err(|error| refused(py, error))?;
        let profile = py.detach(|| {
            let mut reader = open_instructions(trace)?;
            let instruction_set = reader.architecture::<Classic>()?;
            Ok((Profile::read(&mut reader, &filter, &instruction_set)?, instruction_set))
        });
        let (profile, instruction_set) = profile.map_err(|error: TraceError| refused(py, error))?;
        image.check_traced(&profile).map_err(|error| refused(py, error))?;
        Ok(Self { image, profile, instruction_set, machine })
    }

    fn evaluate(&self, py: Python<'_>) -> PyResult<(Evaluation, Vec<WeightedBlock>)> {
        let blocks = vliw::blocks(&self.image, &self.instruction_set, self.profile.entries());
        py.detach(|| vliw::evaluate(&blocks, &self.profile, &self.machine))
            .map_err(|error| refused(py, error))
    }

    fn report<'block>(&'block self, weighted: &'block WeightedBlock) -> BlockReport<'block> {
        let block = &weighted.block;
        let sources = &block.instructions;
        BlockReport {
            address: block.address(),
            function: self.image.function_at(block.address().into()).map(|function| function.name.as_str()),
            entries: weighted.entries,
            instructions: sources
                .iter()
                .map(|source| disassemble(source.instruction, source.address).to_string())
                .collect(),
            units: sources
                .iter()
                .map(|source| {
                    let works = !source.operation.is_nop();
                    works.then(|| self.machine.unit(source.operation.class)).flatten()
                })
                .collect(),
            exit: block.exit,
            delay_slots: block.delay_slots(),
            annuls: block.annuls(),
            dependences: DependenceGraph::new(block, &self.machine).dependences,
            schedule: &weighted.schedule,
        }
    }
}

/// Schedules the paths of a trace, of at most `blocks_maximum` blocks; returns totals as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn schedule_paths(
    py: Python<'_>,
    image: PathBuf,
    trace: PathBuf,
    filter: &str,
    machine: &str,
    blocks_maximum: NonZeroU32,
) -> PyResult<String> {
    let study = Study::read(py, &image, &trace, filter, machine)?;
    let filter: Filter = from_json(py, "filter", filter)?;
    let blocks = vliw::blocks(&study.image, &study.instruction_set, study.profile.entries());
    let paths = py.detach(|| {
        let mut reader = open_instructions(&trace)?;
        Paths::read(&mut reader, &filter, &study.instruction_set, &blocks, blocks_maximum)
    });
    let paths = paths.map_err(|error: TraceError| refused(py, error))?;
    let evaluation = py.detach(|| paths.evaluate(&blocks, &study.machine));
    to_json(py, &evaluation.map_err(|error| refused(py, error))?)
}

/// A machine of the VLIW paper, table 1, as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn vliw_machine(py: Python<'_>, integer: u32, load_store: u32, branch: u32) -> PyResult<String> {
    to_json(py, &Machine::new(integer, load_store, branch))
}

/// All code of an image, scheduled, verified and laid out for a VLIW core: the first address, what each of its memories
/// holds from there on, and how many bundles and operations it holds.
#[guarded]
#[pyfunction]
pub(crate) fn vliw_layout<'py>(
    py: Python<'py>,
    image: PathBuf,
    machine: &str,
    extensions: Vec<String>,
) -> PyResult<(u32, Vec<Bound<'py, PyBytes>>, u64, u64)> {
    let machine: Machine = from_json(py, "machine", machine)?;
    let extensions = extensions.iter().try_fold(Extensions::default(), |all, name| all.with(name));
    let extensions = extensions.map_err(|error| refused(py, error))?;
    let image = Image::load(&image)
        .and_then(|image| image.of_set(Classic::NAME))
        .map_err(|error| refused(py, error))?;
    let layout = py.detach(|| vliw::layout(&image, &Classic { extensions }, &machine));
    let layout = layout.map_err(|error| refused(py, error))?;
    let memories = layout.memories().iter().map(|bytes| PyBytes::new(py, bytes)).collect();
    Ok((layout.base, memories, layout.bundles, layout.operations))
}

/// Schedules the blocks of an image that a trace executes; gives totals and blocks as JSON.
#[guarded]
#[pyfunction]
pub(crate) fn schedule_blocks(
    py: Python<'_>,
    image: PathBuf,
    trace: PathBuf,
    filter: &str,
    machine: &str,
) -> PyResult<String> {
    let study = Study::read(py, &image, &trace, filter, machine)?;
    let (evaluation, weighted) = study.evaluate(py)?;
    to_json(py, &Report { evaluation, blocks: weighted.iter().map(|block| study.report(block)).collect() })
}

/// The schedules of the blocks that take most cycles, as text.
#[guarded]
#[pyfunction]
pub(crate) fn vliw_listing(
    py: Python<'_>,
    image: PathBuf,
    trace: PathBuf,
    filter: &str,
    machine: &str,
    blocks_maximum: usize,
) -> PyResult<String> {
    let study = Study::read(py, &image, &trace, filter, machine)?;
    let (_, weighted) = study.evaluate(py)?;
    let shown = &weighted[..weighted.len().min(blocks_maximum)];
    Ok(vliw::listing(&study.image, shown, &study.machine))
}
