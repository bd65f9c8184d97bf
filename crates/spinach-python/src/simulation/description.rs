//! Parts of a simulation.

use pyo3::prelude::*;
use spinach_engine::{Id, Terminal};
use spinach_python_macros::guarded;

use super::Simulation;

/// Number of the module, name of the port, lane.
type End = (usize, &'static str, usize);
/// Output, input, name and number of words of its values, number of the domain.
type Channel = (End, End, &'static str, u32, usize);

#[guarded]
#[pymethods]
impl Simulation {
    /// The clock domains: name, and hertz as numerator and denominator.
    fn domains(&self) -> PyResult<Vec<(String, u64, u64)>> {
        let engine = self.engine()?;
        let domains = engine.netlist().domains.values().map(|domain| {
            let (numerator, denominator) = domain.frequency.fraction();
            (domain.name.clone(), numerator, denominator)
        });
        Ok(domains.collect())
    }

    /// The modules: path, kind, and the number of the domain of each clock.
    fn modules(&self) -> PyResult<Vec<(String, &'static str, Vec<usize>)>> {
        let engine = self.engine()?;
        let modules = engine.netlist().modules.values().map(|node| {
            let domains = node.domains.iter().map(|domain| domain.index()).collect();
            (node.path.clone(), node.declaration.kind, domains)
        });
        Ok(modules.collect())
    }

    /// The channels: output, input, name and number of 64-bit words of their values, number of the domain.
    fn channels(&self) -> PyResult<Vec<Channel>> {
        let engine = self.engine()?;
        let netlist = engine.netlist();
        let end = |terminal: Terminal| {
            let port = &netlist.modules[terminal.module].declaration.ports[terminal.port.index()];
            (terminal.module.index(), port.name, terminal.lane)
        };
        let channels = netlist.channels.values().map(|channel| {
            let carried = channel.value_type;
            (end(channel.from), end(channel.to), carried.name, carried.words, channel.domain.index())
        });
        Ok(channels.collect())
    }

    /// The parameters of a module with their resolved values, in their written form.
    fn parameters(&self, py: Python<'_>, module: usize) -> PyResult<Vec<(&'static str, String)>> {
        let engine = self.engine()?;
        let node = &engine.netlist().modules[super::module_id(py, &engine, module)?];
        Ok(node.parameters.values.iter().map(|(name, value)| (*name, value.to_string())).collect())
    }

    /// `path.counter` of every counter.
    fn counter_names(&self) -> PyResult<Vec<String>> {
        Ok(self.engine()?.statistics().names().collect())
    }
}
