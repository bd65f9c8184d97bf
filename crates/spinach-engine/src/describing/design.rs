//! Design as the user describes it: modules, clock domains, connections. Unchecked here; elaboration checks everything.

use std::collections::BTreeMap;
use std::fmt;

use crate::contract::parameter::ParameterValue;
use crate::ids::{Arena, DomainId, ModuleId};
use crate::time::Frequency;

/// Source location of a description in the user's code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// A clock domain.
#[derive(Clone, PartialEq, Debug)]
pub struct DomainDescription {
    /// The name, unique in the design.
    pub name: String,
    /// The exact frequency.
    pub frequency: Frequency,
    /// Source location of the description.
    pub location: Option<Location>,
}

/// A module to be made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModuleDescription {
    /// The hierarchical name, unique in the design, such as `nic.core[0].fetch`.
    pub path: String,
    /// The kind, as registered.
    pub kind: String,
    /// The parameters that are set.
    pub parameters: Vec<(String, ParameterValue)>,
    /// The domain of every clock that is not named in `clocks`.
    pub domain: Option<DomainId>,
    /// The domains of particular clocks, for modules that have several.
    pub clocks: BTreeMap<String, DomainId>,
    /// Source location of the description.
    pub location: Option<Location>,
}

/// One end of a connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// The module.
    pub module: ModuleId,
    /// The name of the port.
    pub port: String,
    /// Lane of the port, from 0; lanes must be connected without gaps.
    pub lane: usize,
}

/// A connection from an output to an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectionDescription {
    /// The output.
    pub from: End,
    /// The input.
    pub to: End,
    /// Source location of the description.
    pub location: Option<Location>,
}

/// A system as it was described.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Design {
    /// The clock domains.
    pub domains: Arena<DomainId, DomainDescription>,
    /// The modules.
    pub modules: Arena<ModuleId, ModuleDescription>,
    /// The connections.
    pub connections: Vec<ConnectionDescription>,
}

impl Design {
    /// A design without anything in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clock domain.
    pub fn domain(&mut self, name: impl Into<String>, frequency: Frequency) -> DomainId {
        self.domains.push(DomainDescription { name: name.into(), frequency, location: None })
    }

    /// Adds a module whose clocks all belong to `domain`.
    pub fn module<P, N, V>(
        &mut self,
        path: impl Into<String>,
        kind: &str,
        domain: DomainId,
        parameters: P,
    ) -> ModuleId
    where
        P: IntoIterator<Item = (N, V)>,
        N: Into<String>,
        V: Into<ParameterValue>,
    {
        self.modules.push(ModuleDescription {
            path: path.into(),
            kind: kind.to_owned(),
            parameters: parameters.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            domain: Some(domain),
            ..ModuleDescription::default()
        })
    }

    /// Connects lane 0 of output port `from` to lane 0 of input port `to`.
    pub fn connect(&mut self, from: (ModuleId, &str), to: (ModuleId, &str)) {
        self.connect_lanes((from.0, from.1, 0), (to.0, to.1, 0));
    }

    /// Connects one lane of an output port to one lane of an input port.
    pub fn connect_lanes(&mut self, from: (ModuleId, &str, usize), to: (ModuleId, &str, usize)) {
        let end = |(module, port, lane): (ModuleId, &str, usize)| End { module, port: port.to_owned(), lane };
        self.connections.push(ConnectionDescription { from: end(from), to: end(to), location: None });
    }
}
