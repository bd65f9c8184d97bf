//! Fusing pass: finds modules that can be fused, and lays out the fused schedule.
//!
//! The netlist stays unchanged: names, counters, states and checkpoints are those of the modules. Only the executed netlist, the
//! plan, differs: in it a leader represents all members, with their processes and their channels, and the followers do nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use super::arena::{AnyKind, Runner};
use super::fused::{Absorbed, AnyFusion, Place};
use super::registry::Registry;
use crate::contract::{CompanionPorts, FusedProcess, MemberProcess};
use crate::elaborating::{Layout, Netlist, Placement, ProcessNode, Signal, lay_out};
use crate::ids::{Arena, ChannelId, Id, ModuleId, PortId, ProcessId};

/// Fused schedule that runs in place of the separate modules.
pub(crate) struct Fusing {
    /// The netlist as the schedule sees it, with the same numbers of modules and channels.
    pub(crate) plan: Netlist,
    pub(crate) fusions: Vec<Box<dyn AnyFusion>>,
    pub(crate) layout: Layout,
    /// Module that acts for each module.
    pub(crate) actors: Vec<ModuleId>,
}

impl Fusing {
    /// Every module acts for itself.
    pub(crate) fn nothing(netlist: &Netlist, layout: Layout) -> Self {
        Self { plan: netlist.clone(), fusions: Vec::new(), layout, actors: netlist.modules.ids().collect() }
    }

    /// Fusions by the names of their members, the leader first.
    pub(crate) fn names(&self, netlist: &Netlist) -> Vec<Vec<String>> {
        let name = |module| netlist.modules[module].path.clone();
        let mut fusions: BTreeMap<ModuleId, Vec<String>> = BTreeMap::new();
        for (module, actor) in netlist.modules.ids().zip(&self.actors) {
            if module != *actor {
                fusions.entry(*actor).or_insert_with(|| vec![name(*actor)]).push(name(module));
            }
        }
        fusions.into_values().collect()
    }

    /// True if any modules are fused.
    pub(crate) fn is_fused(&self) -> bool {
        !self.fusions.is_empty()
    }
}

/// All runners, by the numbers that kinds have in a plan: kinds, then kinds of fusions, then absorbed modules.
pub(crate) struct Runners<'a> {
    kinds: &'a [Box<dyn AnyKind>],
    fusions: &'a [Box<dyn AnyFusion>],
    absorbed: Absorbed,
}

impl<'a> Runners<'a> {
    pub(crate) fn new(kinds: &'a [Box<dyn AnyKind>], fusions: &'a [Box<dyn AnyFusion>]) -> Self {
        Self { kinds, fusions, absorbed: Absorbed::new() }
    }

    pub(crate) fn list(&self) -> Vec<&dyn Runner> {
        let kinds = self.kinds.iter().map(|kind| kind.deref() as &dyn Runner);
        let fusions = self.fusions.iter().map(|fusion| fusion.deref() as &dyn Runner);
        kinds.chain(fusions).chain([&self.absorbed as &dyn Runner]).collect()
    }
}

// Members of a fusion that is to be.
struct Group {
    // Its number among the sorts of fusions.
    sort: usize,
    leader: ModuleId,
    followers: Vec<(usize, ModuleId)>,
    companion: Option<ModuleId>,
}

impl Group {
    fn members(&self) -> impl Iterator<Item = ModuleId> {
        let followers = self.followers.iter().map(|(_, follower)| *follower);
        [self.leader].into_iter().chain(followers).chain(self.companion)
    }
}

/// Fuses modules wherever possible; `None` if no modules can be fused.
pub(crate) fn fuse(netlist: &Netlist, kinds: &[Box<dyn AnyKind>], registry: &Registry) -> Option<Fusing> {
    let groups = find(netlist, kinds, &registry.fusions());
    if groups.is_empty() {
        return None;
    }
    let join = |finely: &dyn Fn(usize) -> bool| join(netlist, kinds, registry.fusions(), &groups, finely);
    let sorts: BTreeSet<usize> = groups.iter().map(|group| group.sort).collect();
    // If one sort alone closes the loop, all others keep fewer processes.
    join(&|_| false)
        .or_else(|| sorts.iter().find_map(|sort| join(&|other| other == *sort)))
        .or_else(|| join(&|_| true))
}

// Fuses these groups, some sorts finely, if that closes no loop.
fn join(
    netlist: &Netlist,
    kinds: &[Box<dyn AnyKind>],
    mut fusions: Vec<Box<dyn AnyFusion>>,
    groups: &[Group],
    finely: &dyn Fn(usize) -> bool,
) -> Option<Fusing> {
    let mut planner = Planner {
        netlist,
        kinds,
        plan: netlist.clone(),
        replaced: vec![false; netlist.processes.len()],
        processes: Vec::new(),
        actors: netlist.modules.ids().collect(),
        absorbed: u32::try_from(kinds.len() + fusions.len()).ok()?,
    };
    for group in groups {
        planner.join(group, fusions[group.sort].as_mut(), finely(group.sort));
    }
    let Planner { mut plan, replaced, processes, actors, .. } = planner;
    let kept = netlist.processes.iter().filter(|(id, _)| !replaced[id.index()]);
    plan.processes = kept.map(|(_, process)| process.clone()).chain(processes).collect();
    // Fused members may close a loop that separate members do not; then none are fused.
    let layout = lay_out(&plan, &Runners::new(kinds, &fusions).list()).ok()?;
    forget_inside(&mut plan, &actors);
    Some(Fusing { plan, fusions, layout, actors })
}

// Every module is in one group at most.
fn find(netlist: &Netlist, kinds: &[Box<dyn AnyKind>], fusions: &[Box<dyn AnyFusion>]) -> Vec<Group> {
    let mut is_taken = vec![false; netlist.modules.len()];
    let mut groups = Vec::new();
    for (sort, fusion) in fusions.iter().enumerate() {
        for (leader, node) in netlist.modules.iter() {
            let kind = kinds[node.kind as usize].as_ref();
            let can_lead = fusion.leads(kind) && node.domains.len() == 1;
            if !can_lead || is_taken[leader.index()] || kind.reaches_others(node.instance) {
                continue;
            }
            let mut group = Group { sort, leader, followers: Vec::new(), companion: None };
            let (output, input) = fusion.leader_ports();
            let lanes = |port: usize| &node.ports[PortId::from_index(port)];
            for (lane, (request, response)) in lanes(output).iter().zip(lanes(input)).enumerate() {
                let follower = netlist.channels[*request].to.module;
                let is_free = follower != leader
                    && !is_taken[follower.index()]
                    && group.followers.iter().all(|(_, other)| *other != follower);
                let place = |module| place(netlist, kinds, module);
                let reaches_others = |Place { kind, instance }: Place<'_>| kind.reaches_others(instance);
                if is_free
                    && !reaches_others(place(follower))
                    && is_connected(
                        netlist,
                        (fusion.follower_ports(), fusion.shares_lanes()),
                        leader,
                        follower,
                        [*request, *response],
                    )
                    && fusion.admits(place(leader), lane, place(follower))
                {
                    group.followers.push((lane, follower));
                }
            }
            if let Some(ports) = fusion.companion_ports() {
                group.companion = companion(netlist, kinds, fusion.as_ref(), (leader, ports), &is_taken);
            }
            let is_whole = fusion.companion_ports().is_none() || group.companion.is_some();
            if is_whole && !group.followers.is_empty() {
                group.followers.extend(beyond(netlist, kinds, fusion.as_ref(), &group, &is_taken));
                group.members().for_each(|member| is_taken[member.index()] = true);
                groups.push(group);
            }
        }
    }
    groups
}

// The module at the other side of these ports of a leader, if it can be its companion.
fn companion(
    netlist: &Netlist,
    kinds: &[Box<dyn AnyKind>],
    fusion: &dyn AnyFusion,
    (leader, ports): (ModuleId, CompanionPorts),
    is_taken: &[bool],
) -> Option<ModuleId> {
    let lanes = |port: usize| netlist.modules[leader].ports[PortId::from_index(port)].as_slice();
    let (&[request], &[response]) = (lanes(ports.leader.0), lanes(ports.leader.1)) else { return None };
    let companion = netlist.channels[request].to.module;
    let place = |module| place(netlist, kinds, module);
    let Place { kind, instance } = place(companion);
    let joins = companion != leader
        && !is_taken[companion.index()]
        && !kind.reaches_others(instance)
        && is_connected(netlist, (ports.companion, false), leader, companion, [request, response])
        && fusion.admits_companion(place(leader), place(companion));
    joins.then_some(companion)
}

// The first module beyond the companion of a group that can join it, and its lane there.
fn beyond(
    netlist: &Netlist,
    kinds: &[Box<dyn AnyKind>],
    fusion: &dyn AnyFusion,
    group: &Group,
    is_taken: &[bool],
) -> Option<(usize, ModuleId)> {
    let (companion, (output, input)) = (group.companion?, fusion.companion_ports()?.beyond?);
    let lanes = |port: usize| &netlist.modules[companion].ports[PortId::from_index(port)];
    let place = |module| place(netlist, kinds, module);
    let joins = |(lane, [request, response]): (usize, [ChannelId; 2])| {
        let follower = netlist.channels[request].to.module;
        let Place { kind, instance } = place(follower);
        let is_free = !is_taken[follower.index()] && group.members().all(|member| member != follower);
        (is_free
            && !kind.reaches_others(instance)
            && is_connected(
                netlist,
                (fusion.follower_ports(), false),
                companion,
                follower,
                [request, response],
            )
            && fusion.admits_beyond(place(companion), lane, place(follower)))
        .then_some((lane, follower))
    };
    let channels = lanes(output).iter().zip(lanes(input)).map(|(request, response)| [*request, *response]);
    channels.enumerate().find_map(joins)
}

// True if a module has these channels at the ports of a follower, and no others unless they lead to the
// leader too.
fn is_connected(
    netlist: &Netlist,
    ((input, output), shares_lanes): ((usize, usize), bool),
    leader: ModuleId,
    follower: ModuleId,
    [request, response]: [ChannelId; 2],
) -> bool {
    let node = &netlist.modules[follower];
    let lanes = |port: usize| node.ports.get(PortId::from_index(port)).map(Vec::as_slice).unwrap_or_default();
    let (inputs, outputs) = (lanes(input), lanes(output));
    let is_of_leader = inputs.iter().all(|channel| netlist.channels[*channel].from.module == leader)
        && outputs.iter().all(|channel| netlist.channels[*channel].to.module == leader);
    node.domains.len() == 1
        && is_of_leader
        && inputs.contains(&request)
        && outputs.contains(&response)
        && (shares_lanes || inputs.len() == 1 && outputs.len() == 1)
}

fn place<'a>(netlist: &Netlist, kinds: &'a [Box<dyn AnyKind>], module: ModuleId) -> Place<'a> {
    let node = &netlist.modules[module];
    Place { kind: kinds[node.kind as usize].as_ref(), instance: node.instance }
}

struct Planner<'a> {
    netlist: &'a Netlist,
    kinds: &'a [Box<dyn AnyKind>],
    plan: Netlist,
    // Processes of members, and the fused processes that replace them.
    replaced: Vec<bool>,
    processes: Vec<ProcessNode>,
    actors: Vec<ModuleId>,
    // Number of absorbed modules, which do nothing.
    absorbed: u32,
}

impl Planner<'_> {
    fn join(&mut self, group: &Group, fusion: &mut dyn AnyFusion, finely: bool) {
        let place = |module| place(self.netlist, self.kinds, module);
        let followers: Vec<(usize, Place<'_>)> =
            group.followers.iter().map(|(lane, follower)| (*lane, place(*follower))).collect();
        let Some((instance, processes)) =
            fusion.join(place(group.leader), &followers, group.companion.map(place), finely)
        else {
            return;
        };
        let Some(nodes) = self.stand_for(group, &processes) else {
            debug_assert!(false, "a fusion does not replace every process of its members");
            return;
        };
        fusion.place(instance, self.placement(group));
        self.processes.extend(nodes);
        for (place, member) in group.members().enumerate() {
            self.actors[member.index()] = group.leader;
            let node = &mut self.plan.modules[member];
            let kind = self.kinds.len() + group.sort;
            (node.kind, node.instance) = match place {
                0 => (u32::try_from(kind).unwrap_or(u32::MAX), instance),
                _ => (self.absorbed, u32::try_from(member.index()).unwrap_or(u32::MAX)),
            };
        }
        let ports = group.members().flat_map(|member| self.netlist.modules[member].ports.values());
        let mut channels: Vec<ChannelId> = ports.flatten().copied().collect();
        channels.sort_unstable();
        channels.dedup();
        self.plan.modules[group.leader].ports = [channels].into_iter().collect();
    }

    // Processes of a group that replace all those of its members; `None` if they do not cover them.
    fn stand_for(&mut self, group: &Group, processes: &[FusedProcess]) -> Option<Vec<ProcessNode>> {
        let members: Vec<ModuleId> = group.members().collect();
        let mut parts: BTreeMap<(ModuleId, u16, u32), (ProcessId, &ProcessNode)> = BTreeMap::new();
        for (id, process) in self.netlist.processes.iter() {
            if members.contains(&process.module) {
                parts.insert((process.module, process.code, process.lane), (id, process));
            }
        }
        let (mut nodes, mut replaced) = (Vec::new(), Vec::new());
        for (ordinal, process) in processes.iter().enumerate() {
            let mut node = ProcessNode {
                module: group.leader,
                code: process.code,
                lane: 0,
                ordinal: u32::try_from(ordinal).ok()?,
                clock: 0,
                drives: Vec::new(),
                reads: Vec::new(),
                is_live: false,
            };
            for MemberProcess { follower, code, lane } in &process.parts {
                let member = follower.map_or(Some(0), |place| place.checked_add(1))?;
                // A process that drives nothing is not there.
                let Some((id, part)) = parts.remove(&(*members.get(member)?, *code, *lane)) else { continue };
                replaced.push(id);
                node.drives.extend(&part.drives);
                node.reads.extend(&part.reads);
                node.is_live |= part.is_live;
            }
            let is_other = |signal: &Signal| !node.drives.contains(signal);
            node.reads.retain(is_other);
            node.reads.sort_unstable();
            node.reads.dedup();
            nodes.push(node);
        }
        parts.is_empty().then_some(())?;
        replaced.iter().for_each(|id| self.replaced[id.index()] = true);
        Some(nodes)
    }

    // Placement of all members together: their slots except those between them.
    fn placement(&self, group: &Group) -> Placement {
        let members: Vec<ModuleId> = group.members().collect();
        // A channel from a member to itself is evaluated and committed as one that leads out.
        let inside = self.netlist.channels.values().filter(|channel| {
            let [from, to] = [channel.from.module, channel.to.module];
            from != to && members.contains(&from) && members.contains(&to)
        });
        let inside: Vec<u32> = inside.map(|channel| channel.slot).collect();
        let mut whole = Placement::default();
        for member in members {
            let node = &self.netlist.modules[member];
            let own = self.kinds[node.kind as usize].placement(node.instance);
            let outer = |slots: &[u32]| {
                slots.iter().copied().filter(|slot| !inside.contains(slot)).collect::<Vec<_>>()
            };
            whole.inputs.extend(outer(&own.inputs));
            whole.outputs.extend(outer(&own.outputs));
            if member == group.leader {
                (whole.module, whole.domains) = (own.module, own.domains.clone());
            }
        }
        whole
    }
}

// Once the order is fixed, channels between members have no other reader.
fn forget_inside(plan: &mut Netlist, actors: &[ModuleId]) {
    let actor = |module: ModuleId| actors[module.index()];
    let is_inside: Arena<ChannelId, bool> = plan
        .channels
        .values()
        .map(|channel| {
            actor(channel.from.module) == actor(channel.to.module) && channel.from.module != channel.to.module
        })
        .collect();
    for process in plan.processes.values_mut() {
        process.reads.retain(|signal| !is_inside[signal.channel]);
        process.drives.retain(|signal| !is_inside[signal.channel]);
    }
    for node in plan.modules.values_mut() {
        node.ports.values_mut().for_each(|lanes| lanes.retain(|channel| !is_inside[*channel]));
    }
}
