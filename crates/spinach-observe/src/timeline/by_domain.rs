//! Things that change at the edges of clock domains, by domain.

use spinach_engine::{DomainId, Id, Netlist, Observed};

/// Places in a list of what changes at the edges of clock domains, by domain.
pub(super) struct ByDomain(Vec<Vec<usize>>);

impl ByDomain {
    pub(super) fn new<'a>(netlist: &Netlist, domains: impl Iterator<Item = &'a [DomainId]>) -> Self {
        let mut places = vec![Vec::new(); netlist.domains.len()];
        for (place, domains) in domains.enumerate() {
            domains.iter().for_each(|domain| places[domain.index()].push(place));
        }
        Self(places)
    }

    /// Calls `look` for each place of what may have changed at this instant, for one of several domains perhaps more than once.
    pub(super) fn each_due(&self, observed: &Observed<'_>, mut look: impl FnMut(usize)) {
        for (domain, _) in observed.edges {
            self.0[domain.index()].iter().for_each(|place| look(*place));
        }
    }
}
