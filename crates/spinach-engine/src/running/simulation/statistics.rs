//! Counters by hierarchical name, and snapshots of them.

use super::{Island, Simulation};
use crate::ids::{Id, ModuleId};
use crate::time::Time;

/// All counters of a simulation at one instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The instant.
    pub time: Time,
    /// The counters, in the order of [`Statistics::names`].
    pub values: Vec<u64>,
}

impl Snapshot {
    /// Counts between `earlier` and this snapshot.
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
        let modules = self.simulation.netlist().modules.values();
        modules.flat_map(|node| {
            node.declaration.counters.iter().map(|(name, _)| format!("{}.{name}", node.path))
        })
    }

    /// Every counter with its name.
    pub fn iter(&self) -> impl Iterator<Item = (String, u64)> + 'a {
        self.names().zip(self.simulation.counters())
    }

    /// The counters of one module, in the order of its declaration.
    pub fn of(&self, module: ModuleId) -> &'a [u64] {
        self.simulation.counters_of(module)
    }

    /// All counters as they are now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { time: self.simulation.now(), values: self.simulation.counters().collect() }
    }
}

impl Simulation {
    /// The counters, with those of sleeping modules brought up to date.
    pub fn statistics(&mut self) -> Statistics<'_> {
        self.islands_mut().for_each(Island::account);
        Statistics { simulation: self }
    }

    /// A counter of a module, brought up to date; `None` if the module has none of this name. Cheaper than all counters.
    pub fn counter(&mut self, module: ModuleId, counter: &str) -> Option<u64> {
        let (island, module) = self.island_of(module);
        island.counter(module, counter)
    }

    // All counters, module by module.
    fn counters(&self) -> impl Iterator<Item = u64> {
        self.netlist().modules.ids().flat_map(|module| self.counters_of(module)).copied()
    }

    // The counters of one module, in the order of its declaration.
    fn counters_of(&self, module: ModuleId) -> &[u64] {
        let (island, module) = self.present_island_of(module);
        island.counters_of(module)
    }
}

impl Island {
    /// A counter of a module, brought up to date; `None` if the module has none of this name. Cheaper than all counters.
    pub(super) fn counter(&mut self, module: ModuleId, counter: &str) -> Option<u64> {
        let index = self.counter_index(module, counter)?;
        if self.accounts_for_sleep(self.acting.actors[module.index()]) {
            self.account();
        }
        Some(self.counters_of(module)[index])
    }

    // All counters, module by module.
    pub(super) fn counters(&self) -> impl Iterator<Item = u64> {
        self.netlist.modules.ids().flat_map(|module| self.counters_of(module)).copied()
    }

    // The counters of one module, in the order of its declaration.
    #[inline]
    pub(super) fn counters_of(&self, module: ModuleId) -> &[u64] {
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].counters(node.instance)
    }

    // The place of a counter among those of its module.
    pub(super) fn counter_index(&self, module: ModuleId, counter: &str) -> Option<usize> {
        let counters = self.netlist.modules[module].declaration.counters;
        counters.iter().position(|(name, _)| *name == counter)
    }
}
