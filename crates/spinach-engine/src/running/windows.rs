//! Following references from the outputs of modules to the bytes that they reach; see [`crate::contract::direct`].

use super::arena::AnyKind;
use super::domain_set::DomainSet;
use crate::contract::{Destination, Passage, Reach, Stretch, Window};
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, Id, ModuleId, PortId};

/// Maximum number of modules through which references are followed.
const DEEPEST: usize = 16;

/// Directly reachable memory by module, after informing the module; empty if no module reaches any. Also the domains with memory that is
/// reached from other domains, and these.
pub(crate) fn windows(
    netlist: &Netlist,
    kinds: &mut [Box<dyn AnyKind>],
) -> (Vec<Option<Box<Window>>>, DomainSet) {
    let mut shared = DomainSet::default();
    let mut windows: Vec<_> = netlist
        .modules
        .ids()
        .map(|module| window(netlist, kinds, module, &mut shared).map(Box::new))
        .collect();
    for (node, window) in netlist.modules.values().zip(&windows) {
        if let Some(window) = window {
            kinds[node.kind as usize].attach(node.instance, &Reach { window });
        }
    }
    if windows.iter().all(Option::is_none) {
        windows.clear();
    }
    (windows, shared)
}

/// Memory that a module reaches directly. If some of it is in other domains, all these domains are added to `shared`.
fn window(
    netlist: &Netlist,
    kinds: &[Box<dyn AnyKind>],
    module: ModuleId,
    shared: &mut DomainSet,
) -> Option<Window> {
    let node = &netlist.modules[module];
    let reaches = kinds[node.kind as usize].reaches(node.instance);
    if reaches.is_empty() || node.domains.len() != 1 {
        return None;
    }
    let mut lenders: Vec<ModuleId> = Vec::new();
    let mut stretches = Vec::with_capacity(reaches.len());
    for port in reaches {
        let channels = &node.ports[PortId::from_index(port)];
        let found = channels.first().map_or_else(Vec::new, |first| follow(netlist, kinds, *first, 0));
        let numbered = found.into_iter().filter(|found| found.places.iter().all(|(own, _)| *own != module));
        let numbered = numbered.map(|found| found.number(&mut lenders)).collect();
        stretches.push(numbered);
    }
    if lenders.is_empty() {
        return None;
    }
    // `Reach::lend` rests on this: the borrower is executing, so that it cannot be borrowed again.
    assert!(!lenders.contains(&module), "a module does not lend to itself");
    let domains = |module: &ModuleId| &netlist.modules[*module].domains;
    if lenders.iter().any(|lender| domains(lender) != domains(&module)) {
        let all = lenders.iter().chain([&module]).flat_map(domains);
        *shared = all.fold(*shared, |shared, domain| shared.union(DomainSet::one(domain.index())));
    }
    let lender = |module: &ModuleId| {
        let node = &netlist.modules[*module];
        kinds[node.kind as usize].lender(node.instance)
    };
    Some(Window { stretches, lenders: lenders.iter().map(lender).collect() })
}

/// A [`Stretch`] whose lenders have no numbers yet.
#[derive(Clone, Debug)]
struct Found {
    first: u64,
    bytes: u64,
    reverses_words: bool,
    granule: u64,
    places: Vec<(ModuleId, u64)>,
}

impl Found {
    fn number(self, lenders: &mut Vec<ModuleId>) -> Stretch {
        let mut number = |module: ModuleId| {
            lenders.iter().position(|lender| *lender == module).unwrap_or_else(|| {
                lenders.push(module);
                lenders.len() - 1
            })
        };
        let places = self.places.into_iter().map(|(module, place)| (number(module), place)).collect();
        let Self { first, bytes, reverses_words, granule, .. } = self;
        Stretch { first, bytes, reverses_words, granule, places }
    }

    /// The part of it that is among the addresses `from..from + bytes`.
    fn part(&self, from: u64, bytes: u64) -> Option<Self> {
        let first = self.first.max(from);
        let end = self.first.saturating_add(self.bytes).min(from.saturating_add(bytes));
        let bytes = end.checked_sub(first).filter(|bytes| *bytes > 0)?;
        let ways = self.places.len() as u64;
        let skipped = first - self.first;
        if ways > 1 && !skipped.is_multiple_of(self.granule * ways) {
            return None;
        }
        let places = self.places.iter().map(|(module, place)| (*module, place + skipped / ways)).collect();
        Some(Self { first, bytes, places, ..*self })
    }
}

/// Memory behind a channel.
fn follow(netlist: &Netlist, kinds: &[Box<dyn AnyKind>], channel: ChannelId, depth: usize) -> Vec<Found> {
    let end = netlist.channels[channel].to;
    let node = &netlist.modules[end.module];
    let mut all = Vec::new();
    for passage in kinds[node.kind as usize].passages(node.instance, end.port.index(), end.lane) {
        let Passage { first, bytes, reverses_words, to } = passage;
        match to {
            Destination::Here { place } => {
                let places = vec![(end.module, place)];
                all.push(Found { first, bytes, reverses_words, granule: 0, places });
            }
            Destination::On { .. } if depth == DEEPEST => {}
            Destination::On { port, lanes, granule, address } => {
                let channels = &node.ports[PortId::from_index(port)];
                let behind = |lane: &usize| {
                    let channel = channels.get(*lane);
                    channel.map_or_else(Vec::new, |channel| follow(netlist, kinds, *channel, depth + 1))
                };
                let found = match lanes.as_slice() {
                    [only] => behind(only).iter().filter_map(|found| found.part(address, bytes)).collect(),
                    _ => join(lanes.iter().map(behind), granule, address, bytes)
                        .into_iter()
                        .collect::<Vec<_>>(),
                };
                all.extend(found.into_iter().map(|found| Found {
                    first: found.first - address + first,
                    reverses_words: found.reverses_words ^ reverses_words,
                    ..found
                }));
            }
        }
    }
    all
}

/// Memory behind several lanes that alternate every `granule` bytes, from the common `address` on; `bytes` in all. Each lane has
/// to reach one run of bytes from there on; bytes that only some lanes reach are left out.
fn join(lanes: impl Iterator<Item = Vec<Found>>, granule: u64, address: u64, bytes: u64) -> Option<Found> {
    let runs: Option<Vec<Found>> = lanes
        .map(|behind| {
            let mut parts = behind.iter().filter_map(|found| found.part(address, u64::MAX));
            parts.find(|part| part.first == address && part.places.len() == 1)
        })
        .collect();
    let runs = runs?;
    let whole = runs.iter().map(|run| run.bytes / granule * granule).min()?;
    let bytes = bytes.min(whole.saturating_mul(runs.len() as u64));
    let reverses_words = runs[0].reverses_words;
    let is_alike = runs.iter().all(|run| run.reverses_words == reverses_words);
    let places = runs.iter().map(|run| run.places[0]).collect();
    (is_alike && bytes > 0).then_some(Found { first: address, bytes, reverses_words, granule, places })
}
