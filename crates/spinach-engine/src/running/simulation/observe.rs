//! Looking at a simulation while it runs.

use super::{Island, Whole};
use crate::contract::{LeafVisitor, Listener, Payload};
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::running::bare::read_channel;
use crate::running::domain_set::DomainSet;
use crate::time::Time;

/// Something that looks at every cycle. A simulation without observers pays nothing for the possibility.
pub trait Observer: Send {
    /// Called once for every instant at which any domain has an edge, after all signals settled and modules committed; or only for those
    /// at which a value moves through one of its [`channels`](Self::channels).
    fn observe(&mut self, observed: &Observed<'_>);

    /// The channels, if it looks at values that move through these and at nothing else. The rest of the simulation sleeps as without it.
    fn channels(&self) -> Option<&[ChannelId]> {
        None
    }

    /// The channels, if it looks at the contents of these and of no others. Channels between fused modules hold values only for observers
    /// that may look at them.
    fn looks_at(&self) -> Option<&[ChannelId]> {
        self.channels()
    }
}

/// View of an [`Observer`].
pub struct Observed<'a> {
    /// The instant.
    pub time: Time,
    /// The elaborated design.
    pub netlist: &'a Netlist,
    /// The domains with an edge at this instant, and the number of the edge.
    pub edges: &'a [(DomainId, u64)],
    // Islands, each with true if it has an edge at this instant, and the design that they are islands of.
    islands: &'a [(&'a Island, bool)],
    whole: Option<&'a Whole>,
}

impl<'a> Observed<'a> {
    /// View of some islands of a design.
    pub(super) fn of(
        time: Time,
        edges: &'a [(DomainId, u64)],
        islands: &'a [(&'a Island, bool)],
        whole: Option<&'a Whole>,
    ) -> Self {
        let netlist = whole.map_or_else(|| &islands[0].0.netlist, |whole| &whole.netlist);
        Self { time, netlist, edges, islands, whole }
    }

    // Island of a channel, if it is one of those that are looked at and has an edge now, and the channel there.
    fn present(&self, channel: ChannelId) -> Option<(&'a Island, ChannelId)> {
        let Some(whole) = self.whole else { return Some((self.islands[0].0, channel)) };
        let (number, channel) = whole.places.channels[channel.index()];
        self.island(number).filter(|(_, has_edge)| *has_edge).map(|(island, _)| (island, channel))
    }

    fn island(&self, number: usize) -> Option<(&'a Island, bool)> {
        let is_it =
            |(island, _): &&(&Island, bool)| island.whole.as_ref().is_some_and(|(_, own)| *own == number);
        self.islands.iter().find(is_it).copied()
    }

    fn island_of_module(&self, module: ModuleId) -> Option<(&'a Island, ModuleId)> {
        let Some(whole) = self.whole else { return Some((self.islands[0].0, module)) };
        let (number, module) = whole.places.modules[module.index()];
        self.island(number).map(|(island, _)| (island, module))
    }

    /// The bytes of a payload that a value names that is in `channel` now, also if its receiver has just taken it out of the store.
    pub fn payload(&self, channel: ChannelId, payload: Payload) -> &'a [u8] {
        let island = self.present(channel).map_or(self.islands[0].0, |(island, _)| island);
        island.world.context.payloads.at_beginning(payload)
    }

    /// True if `channel` belongs to a domain with an edge at this instant.
    pub fn ticks(&self, channel: ChannelId) -> bool {
        let domain = self.netlist.channels[channel].domain;
        self.present(channel).is_some() && self.edges.iter().any(|(ticking, _)| *ticking == domain)
    }

    /// True if a value moves through `channel` at this instant.
    pub fn moves(&self, channel: ChannelId) -> bool {
        self.present(channel).is_some_and(|(island, own)| {
            let (slot, signals) = (island.netlist.channels[own].slot, &island.world.signals);
            signals.raw_present(slot) && signals.raw_ack(slot) && self.ticks(channel)
        })
    }

    /// Content of `channel`: the words, if any are presented, and the acknowledgement.
    pub fn channel(&self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        self.present(channel).map_or((None, false), |(island, channel)| {
            read_channel(&island.netlist, &island.world.signals, channel)
        })
    }

    /// The counters of a module after this instant, in the order of its declaration; those of one that sleeps are of when it fell asleep.
    pub fn counters(&self, module: ModuleId) -> &'a [u64] {
        self.island_of_module(module).map_or(&[], |(island, module)| island.counters_of(module))
    }

    /// Walks over the single values in the state of a module, as they are in this cycle.
    ///
    /// # Errors
    /// If the state refuses; the message has the reason.
    pub fn walk_state(&self, module: ModuleId, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
        let Some((island, module)) = self.island_of_module(module) else { return Ok(()) };
        let node = &island.netlist.modules[module];
        island.kinds[node.kind as usize].walk_state(node.instance, visitor)
    }

    /// The state of a module as text, if it has one; see [`Module::line`](crate::Module::line).
    pub fn line(&self, module: ModuleId) -> Option<String> {
        let (island, module) = self.island_of_module(module)?;
        let node = &island.netlist.modules[module];
        island.kinds[node.kind as usize].line(node.instance)
    }
}

impl Island {
    /// Adds an observer; it sees every cycle from now on, or all that moves through its channels.
    pub(super) fn add_observer(&mut self, observer: Box<dyn Observer>) {
        let Some(channels) = observer.channels() else {
            self.wake_all();
            self.observers.push(observer);
            self.note_looks_inside();
            self.be_observed(DomainSet::ALL);
            return;
        };
        for channel in channels {
            let channel = self.own_channel(*channel);
            let domain = self.netlist.channels[channel].domain.index();
            self.tapped = self.tapped.union(DomainSet::one(domain));
        }
        self.be_observed(self.tapped);
        self.taps.push(observer);
    }

    /// Takes all observers away.
    pub(super) fn take_observers(&mut self) -> Vec<Box<dyn Observer>> {
        (self.tapped, self.observed) = (DomainSet::default(), DomainSet::default());
        self.note_attended();
        self.world.context.payloads.begin_instant(false);
        let mut observers = std::mem::take(&mut self.observers);
        observers.append(&mut self.taps);
        self.note_looks_inside();
        observers
    }

    // Records whether an observer that sees every cycle may look at channels between members of a fusion.
    pub(super) fn note_looks_inside(&mut self) {
        let is_inside = |channel: &ChannelId| self.is_inside(self.own_channel(*channel));
        let mut named = self.observers.iter().map(|observer| observer.looks_at());
        self.observers_look_inside = named.any(|it| it.is_none_or(|channels| channels.iter().any(is_inside)));
    }

    /// Keeps payloads that these domains remove readable until observers have seen the instant.
    pub(super) fn be_observed(&mut self, domains: DomainSet) {
        self.observed = self.observed.union(domains);
        self.note_attended();
    }

    /// Sets the listener of the modules' notes from now on, in place of an earlier one; `None` removes it.
    pub(super) fn listen(&mut self, listener: Option<Box<dyn Listener>>) -> Option<Box<dyn Listener>> {
        self.world.context.notes.listen(listener)
    }

    pub(super) fn observe(&mut self, time: Time) {
        if self.observers_look_inside {
            self.reveal_present();
        }
        let mut observers = std::mem::take(&mut self.observers);
        self.show(time, observers.iter_mut());
        self.observers = observers;
    }

    // At an instant at which a domain with a tapped channel may have had an edge.
    #[inline(never)]
    pub(super) fn look_at_taps(&mut self, time: Time) {
        if self.taps_look_inside() {
            self.reveal_present();
        }
        let mut taps = std::mem::take(&mut self.taps);
        for tap in &mut taps {
            if tap.channels().unwrap_or_default().iter().any(|channel| self.moved(self.own_channel(*channel)))
            {
                self.show(time, std::iter::once(tap));
            }
        }
        self.taps = taps;
        self.world.context.payloads.end_instant();
    }

    // True if a tapped channel is one between members of a fusion, which otherwise shows nothing.
    pub(super) fn taps_look_inside(&self) -> bool {
        let mut channels = self.taps.iter().filter_map(|tap| tap.channels()).flatten();
        channels.any(|channel| self.is_inside(self.own_channel(*channel)))
    }

    // Channel of the whole design as one of the island.
    fn own_channel(&self, channel: ChannelId) -> ChannelId {
        self.whole.as_ref().map_or(channel, |(whole, _)| whole.places.channels[channel.index()].1)
    }

    // Domains of the whole design with an edge at `time`, the soonest instant or the one that was just run, and the number of the edge.
    pub(super) fn edges_due(&self, time: Time) -> Vec<(DomainId, u64)> {
        let edge_of = |index: usize| {
            let domain = DomainId::from_index(index);
            let domain =
                self.whole.as_ref().map_or(domain, |(whole, own)| whole.places.domains_of[*own][index]);
            (domain, self.domains[index].clock.frequency().first_edge_from(time))
        };
        (0..self.agenda.due_count()).map(|place| edge_of(self.agenda.due(place))).collect()
    }

    fn show<'a>(&self, time: Time, observers: impl Iterator<Item = &'a mut Box<dyn Observer>>) {
        let (edges, islands) = (self.edges_due(time), [(self, true)]);
        let whole = self.whole.as_ref().map(|(whole, _)| &**whole);
        let observed = Observed::of(time, &edges, &islands, whole);
        for observer in observers {
            observer.observe(&observed);
        }
    }
}
