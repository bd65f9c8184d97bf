//! Direct access: the memory behind the ports of a module, for modules that run ahead of their references.
//!
//! References travel through channels, one per cycle. A module that executes many instructions at one edge cannot wait for them.
//! So each module that forwards or answers references can map address ranges to destinations ([`Module::passages`]
//! (super::Module::passages)). The engine resolves these maps once, from the outputs that a module names
//! ([`Module::reaches`](super::Module::reaches)) to the modules that hold the bytes. At an edge, the module borrows these bytes
//! ([`Reach::lend`]), applies the references to them, and returns them before the edge is over. No other module sees them
//! missing.
//!
//! What a loan is, the lender and the borrower have agreed on; the engine only brings them together.

use std::any::Any;
use std::ptr::NonNull;

/// A range of addresses, and where references to it go that come in through some port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The first address.
    pub first: u64,
    /// Size of the range, in bytes.
    pub bytes: u64,
    /// Destination of the references.
    pub to: Destination,
    /// True if the bytes of each aligned 32-bit word come in reverse order.
    pub reverses_words: bool,
}

/// Destination of references.
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
        /// Number of consecutive bytes per lane; meaningless with a single lane.
        granule: u64,
        /// Address at the destination of the first byte of the range. With several lanes, each lane counts its own bytes from
        /// there.
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

/// Range of addresses whose bytes can be borrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first address.
    pub first: u64,
    /// Size of the range, in bytes.
    pub bytes: u64,
    /// True if the bytes of each aligned 32-bit word come in reverse order.
    pub reverses_words: bool,
    /// Number of consecutive bytes per place, in rotation; meaningless with a single place.
    pub granule: u64,
    /// Places of the bytes: the lender's number, and the offset of the first byte.
    pub places: Vec<(usize, u64)>,
}

/// A module that lends its content.
#[derive(Clone, Copy)]
pub(crate) struct Lender {
    /// The instance.
    pub(crate) instance: NonNull<()>,
    /// Calls `lend` of the instance.
    pub(crate) lend: unsafe fn(NonNull<()>, &mut dyn Any),
}

// SAFETY: modules may go to another thread, and a simulation goes there as a whole: its modules and whatever points at them.
unsafe impl Send for Lender {}

/// Memory that a module reaches directly.
#[derive(Default)]
pub(crate) struct Window {
    /// One entry per output that the module named.
    pub(crate) stretches: Vec<Vec<Stretch>>,
    pub(crate) lenders: Vec<Lender>,
}

/// Memory that a module reaches directly at an edge.
pub struct Reach<'a> {
    pub(crate) window: &'a Window,
}

impl Reach<'_> {
    /// Stretches behind an output, given as its index among the outputs that the module named.
    pub fn stretches(&self, output: usize) -> &[Stretch] {
        &self.window.stretches[output]
    }

    /// Number of lenders.
    pub fn lenders(&self) -> usize {
        self.window.lenders.len()
    }

    /// Passes a loan to a lender, to fill it or to take back its content; see [`Module::lend`](super::Module::lend).
    pub fn lend(&mut self, lender: usize, loan: &mut dyn Any) {
        let Lender { instance, lend } = self.window.lenders[lender];
        // SAFETY: only the borrower's commit has this, while it is the only module that executes; no lender is its own borrower; and the
        // instances of a simulation stay where they are as long as it lives.
        unsafe { lend(instance, loan) }
    }
}
