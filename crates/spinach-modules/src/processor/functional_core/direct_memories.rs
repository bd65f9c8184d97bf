//! Memories that lend a core their bytes, and the ranges of addresses at which it reaches them without its ports.

use spinach_engine::{Edge, Reach, Stretch};
use spinach_isa::word::Word;

use crate::interconnect::word_bridge::{answered_bytes, crossed, swapped};
use crate::memory::loan::Loan;
use crate::parts::divisor::Divisor;
use crate::values::{Reference, Response};

/// Bytes of the longest instruction.
pub(super) const WORD_BYTES: usize = 4;

/// The memories that a core reaches directly, and at which addresses.
#[derive(Debug)]
pub(super) struct DirectMemories {
    /// Places of instructions.
    fetch: Vec<Window>,
    /// Places of data, and the index of the range reached last.
    data: Vec<Window>,
    last: usize,
    /// Borrowed memories by the number of the lender; empty between edges.
    pub(super) loans: Vec<Loan>,
    /// True if a store has changed decoded code.
    pub(super) has_rewritten: bool,
}

/// A range of addresses.
#[derive(Debug)]
struct Window {
    first: u64,
    bytes: u64,
    /// The lender, and which of its bytes is the first.
    lender: usize,
    place: u64,
    reverses_words: bool,
    /// The same of several lenders that take turns, with the bytes of a turn as a power of two.
    ways: Option<Box<Ways>>,
}

#[derive(Debug)]
struct Ways {
    granule_bits: u32,
    count: Divisor,
    places: Box<[(usize, u64)]>,
}

impl Window {
    fn new(stretch: &Stretch) -> Option<Self> {
        let Stretch { first, bytes, reverses_words, granule, ref places } = *stretch;
        let (lender, place) = *places.first()?;
        let is_spread = places.len() > 1;
        if is_spread && !(granule.is_power_of_two() && granule >= 4) || reverses_words && first % 4 != 0 {
            return None;
        }
        let ways = is_spread.then(|| {
            let count = Divisor::new(places.len() as u64);
            Box::new(Ways { granule_bits: granule.trailing_zeros(), count, places: places.as_slice().into() })
        });
        Some(Self { first, bytes, lender, place, reverses_words, ways })
    }

    fn holds(&self, address: u64, size: u64) -> bool {
        let offset = address.wrapping_sub(self.first);
        offset < self.bytes && self.bytes - offset >= size
    }

    /// Place of a byte.
    #[inline(always)]
    fn locate(&self, address: u64) -> (usize, u64) {
        let offset = address.wrapping_sub(self.first);
        match &self.ways {
            None => (self.lender, self.place.wrapping_add(offset)),
            Some(ways) => ways.locate(offset),
        }
    }
}

impl Ways {
    #[inline]
    fn locate(&self, offset: u64) -> (usize, u64) {
        let granule = offset >> self.granule_bits;
        let turn = self.count.quotient(granule);
        let (lender, place) = self.places[(granule - turn * self.count.number()) as usize];
        (lender, place + (turn << self.granule_bits | offset & ((1 << self.granule_bits) - 1)))
    }
}

impl DirectMemories {
    /// Window behind the ports; `None` if no instruction is within reach.
    pub(super) fn new(reach: &Reach<'_>) -> Option<Self> {
        let windows =
            |output| reach.stretches(output).iter().filter_map(Window::new).collect::<Vec<Window>>();
        // Instructions have to lie side by side, as they are.
        let (mut fetch, data) = (windows(0), windows(1));
        fetch.retain(|window| window.ways.is_none() && !window.reverses_words);
        let loans = (0..reach.lenders()).map(|_| Loan::default()).collect();
        (!fetch.is_empty()).then_some(Self { fetch, data, last: 0, loans, has_rewritten: false })
    }

    /// Borrows all memories, or returns them.
    pub(super) fn exchange(&mut self, edge: &mut Edge<'_>) {
        if let Some(mut reach) = edge.reach() {
            for (lender, loan) in self.loans.iter_mut().enumerate() {
                reach.lend(lender, loan);
            }
        }
    }

    /// Place of the instruction at an address, and the number of bytes from there on; `None` if the longest instruction may not
    /// be within reach there.
    #[inline]
    pub(super) fn code_at<W: Word>(&self, pc: W) -> Option<(usize, usize, u64)> {
        let address = pc.to_u64();
        let window = self.fetch.iter().find(|window| window.holds(address, WORD_BYTES as u64))?;
        let (lender, place) = window.locate(address);
        Some((lender, usize::try_from(place).ok()?, window.bytes - (address - window.first)))
    }

    /// Finds the range of data with `size` bytes from `address` on.
    #[inline(always)]
    fn window(&mut self, address: u64, size: u64) -> Option<&Window> {
        if self.data.get(self.last)?.holds(address, size) {
            return self.data.get(self.last);
        }
        self.last = self.search(address, size)?;
        self.data.get(self.last)
    }

    #[cold]
    #[inline(never)]
    fn search(&self, address: u64, size: u64) -> Option<usize> {
        self.data.iter().position(|window| window.holds(address, size))
    }

    /// The aligned `SIZE` bytes at an address, the first lowest; `None` if they are out of reach.
    #[inline(always)]
    pub(super) fn load<const SIZE: usize>(&mut self, address: u64) -> Option<u64> {
        let window = self.window(address, SIZE as u64)?;
        if window.reverses_words {
            return self.load_reversed::<SIZE>(address);
        }
        let (lender, place) = window.locate(address);
        self.loans.get_mut(lender)?.load::<SIZE>(place as usize)
    }

    /// Stores aligned bytes, the lowest first.
    #[inline(always)]
    pub(super) fn store<const SIZE: usize>(&mut self, address: u64, data: u64) -> Option<()> {
        let window = self.window(address, SIZE as u64)?;
        if window.reverses_words {
            return self.store_reversed::<SIZE>(address, data);
        }
        let (lender, place) = window.locate(address);
        self.has_rewritten |= self.loans.get_mut(lender)?.store::<SIZE>(place as usize, data)?;
        Some(())
    }

    fn load_reversed<const SIZE: usize>(&mut self, address: u64) -> Option<u64> {
        let (lender, place) = self.locate_reversed::<SIZE>(address)?;
        self.loans
            .get_mut(lender)?
            .load::<SIZE>(place as usize)
            .map(|data| swapped(data.into(), SIZE as u8) as u64)
    }

    fn store_reversed<const SIZE: usize>(&mut self, address: u64, data: u64) -> Option<()> {
        let (lender, place) = self.locate_reversed::<SIZE>(address)?;
        let data = swapped(data.into(), SIZE as u8) as u64;
        self.has_rewritten |= self.loans.get_mut(lender)?.store::<SIZE>(place as usize, data)?;
        Some(())
    }

    // Data of less than a word lies at the other end of it.
    #[inline]
    fn locate_reversed<const SIZE: usize>(&mut self, address: u64) -> Option<(usize, u64)> {
        if SIZE > 4 {
            return None;
        }
        let window = self.window(address & !3, 4)?;
        Some(window.locate(address ^ (4 - SIZE as u64)))
    }

    /// Performs any reference; `None` if it has to go through the port.
    pub(super) fn perform(&mut self, reference: &Reference) -> Option<Response> {
        let size = reference.size;
        if !size.is_power_of_two() || size > 4 || !reference.address.is_multiple_of(u64::from(size)) {
            return None;
        }
        let window = self.window(reference.address & !3, 4)?;
        let reverses_words = window.reverses_words;
        let inner = if reverses_words { crossed(reference) } else { *reference };
        let (lender, place) = window.locate(inner.address);
        let loan = self.loans.get_mut(lender)?;
        // A memory looks at the address only to see whether it is a multiple of the size.
        let before = loan.storage.code().map(crate::memory::code_lines::CodeLines::version);
        let response = loan.perform(place, &inner)?;
        self.has_rewritten |=
            loan.storage.code().map(crate::memory::code_lines::CodeLines::version) != before;
        let bytes = if reverses_words { answered_bytes(reference) } else { 0 };
        Some(Response {
            data: if bytes > 0 { swapped(response.data, bytes) } else { response.data },
            ..response
        })
    }
}
