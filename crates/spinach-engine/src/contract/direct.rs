//! Direct access: what lies behind the ports of a module, for those that run ahead of their references.
//!
//! References travel through channels, one in a cycle. A module that executes many instructions at one edge cannot wait for them.
//! So each module that references pass, or that they reach, can say which addresses lead where ([`Module::passages`]
//! (super::Module::passages)). The engine follows that once, from the outputs that a module names
//! ([`Module::reaches`](super::Module::reaches)) to the modules whose bytes they are. At an edge, the module takes these bytes on loan
//! ([`Reach::lend`]), does to them what references would have done, and gives them back before the edge is over. Nobody else ever
//! sees them missing.
//!
//! What a loan is, the lender and the borrower have agreed on; the engine only brings them together.

use std::any::Any;
use std::ptr::NonNull;

/// A range of addresses, and where references to it go that come in through some port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The first address.
    pub first: u64,
    /// How many there are.
    pub bytes: u64,
    /// Where they go.
    pub to: Destination,
    /// Whether the bytes of each aligned word of four come in the opposite order.
    pub reverses_words: bool,
}

/// Where references go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// They reach bytes of this module, which it lends: the first address is byte `place` of these.
    Here {
        /// The byte.
        place: u64,
    },
    /// They leave through an output.
    On {
        /// The port.
        port: usize,
        /// Its lanes: `granule` bytes go to the first, as many to the next, and so on in turns.
        lanes: Vec<usize>,
        /// How many bytes go to one lane at a time; of no meaning if there is but one lane.
        granule: u64,
        /// What becomes of the first address. The addresses of several lanes count the bytes of each from there.
        address: u64,
    },
}

impl Passage {
    /// All references, unchanged, through lane 0 of an output.
    pub fn through(port: usize) -> Self {
        let to = Destination::On { port, lanes: vec![0], granule: 0, address: 0 };
        Self { first: 0, bytes: u64::MAX, to, reverses_words: false }
    }
}

/// A range of addresses whose bytes can be taken on loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first address.
    pub first: u64,
    /// How many there are.
    pub bytes: u64,
    /// Whether the bytes of each aligned word of four come in the opposite order.
    pub reverses_words: bool,
    /// How many bytes are at one place before the next has as many, in turns; of no meaning if there is but one.
    pub granule: u64,
    /// Where the bytes are: the number of the lender, and which of its bytes the first is.
    pub places: Vec<(usize, u64)>,
}

/// A module that lends what it holds.
#[derive(Clone, Copy)]
pub(crate) struct Lender {
    /// The instance.
    pub(crate) instance: NonNull<()>,
    /// Calls `lend` of the instance.
    pub(crate) lend: unsafe fn(NonNull<()>, &mut dyn Any),
}

// SAFETY: modules may go to another thread, and a simulation goes there as a whole: its modules and whatever points at them.
unsafe impl Send for Lender {}

/// What a module reaches directly.
#[derive(Default)]
pub(crate) struct Sight {
    /// For each of the outputs that it named.
    pub(crate) stretches: Vec<Vec<Stretch>>,
    pub(crate) lenders: Vec<Lender>,
}

/// What a module reaches directly at an edge.
pub struct Reach<'a> {
    pub(crate) sight: &'a Sight,
}

impl Reach<'_> {
    /// What lies behind an output, given as its place among those that the module named.
    pub fn stretches(&self, output: usize) -> &[Stretch] {
        &self.sight.stretches[output]
    }

    /// How many lenders there are.
    pub fn lenders(&self) -> usize {
        self.sight.lenders.len()
    }

    /// Hands a loan to a lender, to fill it or to take back what it holds; see [`Module::lend`](super::Module::lend).
    pub fn lend(&mut self, lender: usize, loan: &mut dyn Any) {
        let Lender { instance, lend } = self.sight.lenders[lender];
        // SAFETY: only the borrower's commit has this, while it is the only module that executes; no lender is its own borrower; and the
        // instances of a simulation stay where they are as long as it lives.
        unsafe { lend(instance, loan) }
    }
}
