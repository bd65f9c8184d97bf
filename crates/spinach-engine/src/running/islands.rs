//! Islands: the parts of a design that are joined by latency only, each elaborated separately.

use std::collections::BTreeMap;

use super::registry::Registry;
use crate::contract::declaration::PortType;
use crate::contract::{Joint, Value};
use crate::describing::{Design, ElaborationError, End, ModuleDescription, Problem};
use crate::elaborating::Library;
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::time::Time;

/// Place of a module or channel: its island, and its id there.
pub(crate) type Place<I> = (usize, I);

/// Places of the modules, channels and domains of a design on its islands.
pub(crate) struct Places {
    pub(crate) modules: Vec<Place<ModuleId>>,
    pub(crate) channels: Vec<Place<ChannelId>>,
    /// Per island: the ids of its modules and domains in the whole design.
    pub(crate) modules_of: Vec<Vec<ModuleId>>,
    pub(crate) domains_of: Vec<Vec<DomainId>>,
    /// Receiver of each sender.
    pub(crate) joints: BTreeMap<Place<ModuleId>, Place<ModuleId>>,
    /// Smallest latency of the joints.
    pub(crate) latency: Time,
}

impl Places {
    /// Time until which islands do not depend on each other's actions from `time` on. Such times are multiples of the latency, so
    /// that they do not depend on when runs begin.
    pub(crate) fn window_end(&self, time: Time) -> Time {
        self.window_begin(time).saturating_add(self.latency)
    }

    /// Beginning of the window of `time`.
    pub(crate) fn window_begin(&self, time: Time) -> Time {
        let latency = self.latency.femtoseconds();
        Time::from_femtoseconds(time.femtoseconds() / latency * latency)
    }
}

/// A design without its joints, and the modules at the ends of each: sender and receiver.
pub(super) type Joined = (Design, Vec<[ModuleId; 2]>);

/// Takes the joints out of the connections of a design.
///
/// # Errors
/// If two of them share an end.
pub(super) fn take_joints(design: &Design, registry: &Registry) -> Result<Option<Joined>, ElaborationError> {
    let is_joint = |end: &End| {
        let kind = design.modules.get(end.module).and_then(|module| registry.declaration(&module.kind));
        let port = kind.and_then(|kind| kind.ports.iter().find(|port| port.name == end.port));
        port.is_some_and(|port| port.port_type == PortType::Fixed(Joint::TYPE))
    };
    if !design.connections.iter().any(|connection| is_joint(&connection.from) && is_joint(&connection.to)) {
        return Ok(None);
    }
    let mut without = design.clone();
    let (joints, others) = std::mem::take(&mut without.connections)
        .into_iter()
        .partition::<Vec<_>, _>(|connection| is_joint(&connection.from) && is_joint(&connection.to));
    without.connections = others;
    for (index, joint) in joints.iter().enumerate() {
        let shared = joints[..index].iter().find(|other| other.from == joint.from || other.to == joint.to);
        if let Some(other) = shared {
            let end = if other.from == joint.from { &joint.from } else { &joint.to };
            let path = &without.modules[end.module].path;
            let problem = Problem {
                pass: "connections",
                message: format!("{path}.{} is connected twice", end.port),
                help: "connect each end of a joint to one other end".to_owned(),
                location: joint.location.clone(),
            };
            return Err(ElaborationError { problems: vec![problem] });
        }
    }
    let joints = joints.iter().map(|joint| [joint.from.module, joint.to.module]).collect();
    Ok(Some((without, joints)))
}

/// Island of each module: modules that channels connect are on one. Modules that no channels and joints connect to others are on the
/// first.
pub(super) fn islands(design: &Design, joints: &[[ModuleId; 2]]) -> Vec<usize> {
    let mut component: Vec<usize> = (0..design.modules.len()).collect();
    let root = |component: &[usize], mut module: usize| {
        while component[module] != module {
            module = component[module];
        }
        module
    };
    for connection in &design.connections {
        let ends = [&connection.from, &connection.to].map(|end| root(&component, end.module.index()));
        component[ends[0].max(ends[1])] = ends[0].min(ends[1]);
    }
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ends: Vec<usize> = joints.iter().flatten().map(|module| module.index()).collect();
    ends.sort_unstable();
    for end in ends {
        let count = numbers.len();
        numbers.entry(root(&component, end)).or_insert(count);
    }
    let island = |module| numbers.get(&root(&component, module)).copied().unwrap_or(0);
    (0..component.len()).map(island).collect()
}

/// The design of each island, with the domains that its modules use.
pub(super) fn split(design: Design, island_of: &[usize]) -> Vec<Design> {
    let Design { domains, mut modules, connections } = design;
    let count = island_of.iter().max().map_or(0, |last| last + 1);
    let mut parts: Vec<Design> = (0..count).map(|_| Design::new()).collect();
    let mut own_domains = vec![BTreeMap::new(); count];
    let mut own_modules = Vec::new();
    for (description, island) in modules.values_mut().zip(island_of) {
        let ModuleDescription { mut domain, mut clocks, path, kind, parameters, location } =
            std::mem::take(description);
        let part = &mut parts[*island];
        for used in domain.iter_mut().chain(clocks.values_mut()) {
            let own = own_domains[*island].entry(*used);
            *used = *own.or_insert_with(|| part.domains.push(domains[*used].clone()));
        }
        let description = ModuleDescription { domain, clocks, path, kind, parameters, location };
        own_modules.push(part.modules.push(description));
    }
    for mut connection in connections {
        let island = island_of[connection.from.module.index()];
        for end in [&mut connection.from, &mut connection.to] {
            end.module = own_modules[end.module.index()];
        }
        parts[island].connections.push(connection);
    }
    parts
}
