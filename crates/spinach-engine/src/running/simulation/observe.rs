//! Looking at a simulation while it runs.

use super::Simulation;
use crate::contract::{LeafVisitor, Listener, Payloads, Signals};
use crate::elaborating::Netlist;
use crate::ids::{ChannelId, DomainId, Id, ModuleId};
use crate::running::arena::AnyKind;
use crate::running::bare::read_channel;
use crate::running::domain_set::DomainSet;
use crate::running::world::World;
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
}

/// View of an [`Observer`].
pub struct Observed<'a> {
    /// The instant.
    pub time: Time,
    /// The elaborated design.
    pub netlist: &'a Netlist,
    /// The stored payloads.
    pub payloads: &'a Payloads,
    /// The domains with an edge at this instant, and the number of the edge.
    pub edges: &'a [(DomainId, u64)],
    signals: &'a Signals,
    kinds: &'a [Box<dyn AnyKind>],
}

impl Observed<'_> {
    /// True if `channel` belongs to a domain with an edge at this instant.
    pub fn ticks(&self, channel: ChannelId) -> bool {
        let domain = self.netlist.channels[channel].domain;
        self.edges.iter().any(|(ticking, _)| *ticking == domain)
    }

    /// True if a value moves through `channel` at this instant.
    pub fn moves(&self, channel: ChannelId) -> bool {
        let slot = self.netlist.channels[channel].slot;
        self.signals.raw_present(slot) && self.signals.raw_ack(slot) && self.ticks(channel)
    }

    /// Content of `channel`: the words, if any are presented, and the acknowledgement.
    pub fn channel(&self, channel: ChannelId) -> (Option<Vec<u64>>, bool) {
        read_channel(self.netlist, self.signals, channel)
    }

    /// Walks over the single values in the state of a module, as they are in this cycle.
    ///
    /// # Errors
    /// If the state refuses; the message has the reason.
    pub fn walk_state(&self, module: ModuleId, visitor: &mut dyn LeafVisitor) -> Result<(), String> {
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].walk_state(node.instance, visitor)
    }

    /// The state of a module as text, if it has one; see [`Module::line`](crate::Module::line).
    pub fn line(&self, module: ModuleId) -> Option<String> {
        let node = &self.netlist.modules[module];
        self.kinds[node.kind as usize].line(node.instance)
    }
}

impl Simulation {
    /// Adds an observer; it sees every cycle from now on, or all that moves through its channels.
    pub fn add_observer(&mut self, observer: Box<dyn Observer>) {
        let Some(channels) = observer.channels() else {
            self.wake_all();
            self.observers.push(observer);
            return;
        };
        for channel in channels {
            let domain = self.netlist.channels[*channel].domain.index();
            self.tapped = self.tapped.union(DomainSet::one(domain));
        }
        self.taps.push(observer);
    }

    /// Takes all observers away.
    pub fn take_observers(&mut self) -> Vec<Box<dyn Observer>> {
        self.tapped = DomainSet::default();
        let mut observers = std::mem::take(&mut self.observers);
        observers.append(&mut self.taps);
        observers
    }

    /// Sets the listener of the modules' notes from now on, in place of an earlier one; `None` removes it.
    pub fn listen(&mut self, listener: Option<Box<dyn Listener>>) -> Option<Box<dyn Listener>> {
        self.world.context.notes.listen(listener)
    }

    pub(super) fn observe(&mut self, time: Time) {
        self.reveal_present();
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
            if tap.channels().unwrap_or_default().iter().any(|channel| self.moved(*channel)) {
                self.show(time, std::iter::once(tap));
            }
        }
        self.taps = taps;
    }

    // True if a tapped channel is one between members of a fusion, which otherwise shows nothing.
    pub(super) fn taps_look_inside(&self) -> bool {
        let mut channels = self.taps.iter().filter_map(|tap| tap.channels()).flatten();
        channels.any(|channel| self.is_inside(*channel))
    }

    fn show<'a>(&self, time: Time, observers: impl Iterator<Item = &'a mut Box<dyn Observer>>) {
        // Their clocks have stepped over the present edge.
        let edge_of = |index: usize| (DomainId::from_index(index), self.domains[index].clock.next_edge() - 1);
        let due = (0..self.agenda.due_count()).map(|place| self.agenda.due(place));
        let edges: Vec<(DomainId, u64)> = due.map(edge_of).collect();
        let Self { netlist, world: World { signals, context, .. }, kinds, .. } = self;
        let observed = Observed { time, netlist, payloads: &context.payloads, edges: &edges, signals, kinds };
        for observer in observers {
            observer.observe(&observed);
        }
    }
}
