//! Describing a system.

use pyo3::prelude::*;
use spinach_engine::{
    ConnectionDescription, DomainDescription, DomainId, Elaborated, End, Id, Location, ModuleDescription,
    ModuleId,
};
use spinach_python_macros::guarded;

use crate::errors::{elaboration_error, spinach_error};
use crate::simulation::Simulation;
use crate::value::{Value, frequency};

/// File and line.
type Place = Option<(String, u32)>;

fn location(place: Place) -> Option<Location> {
    place.map(|(file, line)| Location { file, line })
}

/// A system that is being described: modules, clock domains, connections, named by the numbers in which they were added.
#[pyclass(module = "spinach_nic._native")]
#[derive(Default)]
pub(crate) struct Design(spinach_engine::Design);

impl Design {
    fn elaborated(&self, py: Python<'_>) -> PyResult<Elaborated> {
        let design = &self.0;
        let elaborated = py.detach(|| spinach_engine::elaborate(design, &spinach_modules::registry()));
        elaborated.map_err(|error| elaboration_error(py, error))
    }

    fn domain_id(&self, py: Python<'_>, index: usize) -> PyResult<DomainId> {
        if index < self.0.domains.len() {
            return Ok(DomainId::from_index(index));
        }
        Err(spinach_error(py, format!("there is no clock domain number {index}"), "add it first"))
    }

    fn end(&self, py: Python<'_>, (module, port, lane): (usize, String, usize)) -> PyResult<End> {
        if module < self.0.modules.len() {
            return Ok(End { module: ModuleId::from_index(module), port, lane });
        }
        Err(spinach_error(py, format!("there is no module number {module}"), "add it first"))
    }
}

#[guarded]
#[pymethods]
impl Design {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a clock domain of `numerator / denominator` hertz and returns its number.
    #[pyo3(signature = (name, numerator, denominator, place=None))]
    fn domain(
        &mut self,
        py: Python<'_>,
        name: String,
        numerator: u64,
        denominator: u64,
        place: Place,
    ) -> PyResult<usize> {
        let frequency = frequency(py, numerator, denominator)?;
        let description = DomainDescription { name, frequency, location: location(place) };
        Ok(self.0.domains.push(description).index())
    }

    /// Adds a module and returns its number. `domain` clocks it, but for the clocks named in `clocks`.
    #[pyo3(signature = (path, kind, parameters, domain=None, clocks=Vec::new(), place=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "a module is described in one call; Python names the arguments"
    )]
    fn module(
        &mut self,
        py: Python<'_>,
        path: String,
        kind: String,
        parameters: Vec<(String, Bound<'_, Value>)>,
        domain: Option<usize>,
        clocks: Vec<(String, usize)>,
        place: Place,
    ) -> PyResult<usize> {
        let clocks = clocks.into_iter().map(|(name, index)| Ok((name, self.domain_id(py, index)?)));
        let description = ModuleDescription {
            path,
            kind,
            parameters: parameters
                .iter()
                .map(|(name, value)| (name.clone(), value.get().0.clone()))
                .collect(),
            domain: domain.map(|index| self.domain_id(py, index)).transpose()?,
            clocks: clocks.collect::<PyResult<_>>()?,
            location: location(place),
        };
        Ok(self.0.modules.push(description).index())
    }

    /// Connects an output to an input; each is the number of a module, the name of a port, and a lane.
    #[pyo3(signature = (output, input, place=None))]
    fn connect(
        &mut self,
        py: Python<'_>,
        output: (usize, String, usize),
        input: (usize, String, usize),
        place: Place,
    ) -> PyResult<()> {
        let connection = ConnectionDescription {
            from: self.end(py, output)?,
            to: self.end(py, input)?,
            location: location(place),
        };
        self.0.connections.push(connection);
        Ok(())
    }

    /// Checks everything and makes a simulation at time zero.
    fn elaborate(&self, py: Python<'_>) -> PyResult<Simulation> {
        Ok(Simulation::new(self.elaborated(py)?))
    }

    /// Report of the elaboration pass named `pass_name` on this design, as text.
    fn dump(&self, py: Python<'_>, pass_name: &str) -> PyResult<String> {
        let elaborated = self.elaborated(py)?;
        elaborated.dump(pass_name).map_err(|problem| spinach_error(py, problem.message, problem.help))
    }
}
