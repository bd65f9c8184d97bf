//! Counters by hierarchical name, and snapshots of them.

use super::Simulation;
use crate::ids::ModuleId;
use crate::time::Time;

/// All counters of a simulation at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The moment.
    pub time: Time,
    /// The counters, in the order of [`Statistics::names`].
    pub values: Vec<u64>,
}

impl Snapshot {
    /// What was counted between `earlier` and this snapshot.
    #[must_use]
    pub fn since(&self, earlier: &Snapshot) -> Vec<u64> {
        self.values.iter().zip(&earlier.values).map(|(later, earlier)| later.wrapping_sub(*earlier)).collect()
    }
}

/// The counters of a simulation, brought up to date.
pub struct Statistics<'a> {
    simulation: &'a Simulation,
}

impl<'a> Statistics<'a> {
    /// `path.counter` of every counter.
    pub fn names(&self) -> impl Iterator<Item = String> + 'a {
        let modules = self.simulation.netlist.modules.values();
        modules.flat_map(|node| {
            node.declaration.counters.iter().map(|(name, _)| format!("{}.{name}", node.path))
        })
    }

    /// Every counter with its name.
    pub fn iter(&self) -> impl Iterator<Item = (String, u64)> + 'a {
        self.names().zip(self.simulation.world.counters.iter().copied())
    }

    /// The counters of one module, in the order of its declaration.
    pub fn of(&self, module: ModuleId) -> &'a [u64] {
        let node = &self.simulation.netlist.modules[module];
        let (first, count) = self.simulation.kinds[node.kind as usize].placement(node.instance).counters;
        &self.simulation.world.counters[first as usize..(first + count) as usize]
    }

    /// All counters as they are now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { time: self.simulation.now, values: self.simulation.world.counters.to_vec() }
    }
}

impl Simulation {
    /// The counters, with sleeping modules' accounts brought up to date.
    pub fn statistics(&mut self) -> Statistics<'_> {
        self.account();
        Statistics { simulation: self }
    }

    // The index of a counter by module and name.
    pub(super) fn counter_index(&self, module: ModuleId, counter: &str) -> Option<usize> {
        let node = &self.netlist.modules[module];
        let offset = node.declaration.counters.iter().position(|(name, _)| *name == counter)?;
        let (first, _) = self.kinds[node.kind as usize].placement(node.instance).counters;
        Some(first as usize + offset)
    }
}
