//! Sets of clock domains.

/// Some domains, one bit each. From the 64th on they share a bit, so a set may report a domain that it does not have.
#[derive(Clone, Copy, Default)]
pub(crate) struct DomainSet(u64);

impl DomainSet {
    /// The bit of the domains that share one.
    const SHARED: u32 = u64::BITS - 1;

    /// All domains.
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// A set of one.
    #[inline(always)]
    pub(crate) const fn one(domain: usize) -> Self {
        Self(1 << if domain < Self::SHARED as usize { domain as u32 } else { Self::SHARED })
    }

    #[inline(always)]
    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if both may have a domain in common; false only if they certainly have none.
    #[inline(always)]
    pub(crate) const fn may_meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Takes a domain away, unless others share its bit.
    #[inline(always)]
    pub(crate) const fn remove(&mut self, domain: usize) {
        if domain < Self::SHARED as usize {
            self.0 &= !(1 << domain);
        }
    }

    /// Adds those of a group of up to four domains whose `bits` are set. `first`, the first of the group, is a multiple of four.
    #[inline(always)]
    pub(crate) const fn add_group(&mut self, bits: u64, first: usize) {
        self.0 |=
            if first <= Self::SHARED as usize { bits << first } else { ((bits != 0) as u64) << Self::SHARED };
    }
}
