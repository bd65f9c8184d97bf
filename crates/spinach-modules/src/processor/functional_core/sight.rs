//! What a core reaches without its ports: ranges of addresses, and the memories that lend their bytes.

use spinach_engine::{Edge, Reach, Stretch};
use spinach_isa::word::Word;

use crate::interconnect::word_bridge::{answered_bytes, crossed, swapped};
use crate::memory::loan::Loan;
use crate::values::{Reference, Response};

/// Bytes of the longest instruction.
pub(super) const WORD_BYTES: usize = 4;

/// The memories that a core reaches directly, and at which addresses.
#[derive(Debug)]
pub(super) struct Sight {
    /// Where instructions are.
    fetch: Vec<Window>,
    /// Where data is, and the place there of the range that was reached last.
    data: Vec<Window>,
    last: usize,
    /// By the number of the lender; empty between edges.
    pub(super) loans: Vec<Loan>,
    /// Whether a store has changed what was decoded.
    pub(super) has_rewritten: bool,
}

/// A range of addresses.
#[derive(Debug)]
struct Window {
    first: u64,
    bytes: u64,
    /// Whether bytes lie in the order of their addresses, in a number of lenders that is a power of two.
    is_plain: bool,
    reverses_words: bool,
    /// How many bits of an offset say which byte of a turn it is; all that it may have if there is one lender.
    granule_bits: u8,
    /// How many of the bits above say whose turn it is, if that is plain.
    count_bits: u8,
    /// The lenders that take turns, and which of the bytes of each is the first.
    places: Box<[(usize, u64)]>,
}

impl Window {
    fn new(stretch: &Stretch) -> Option<Self> {
        let Stretch { first, bytes, reverses_words, granule, ref places } = *stretch;
        let is_spread = places.len() > 1;
        let is_unfit = is_spread && !(granule.is_power_of_two() && granule >= 4);
        if places.is_empty() || is_unfit || reverses_words && first % 4 != 0 {
            return None;
        }
        Some(Self {
            first,
            bytes,
            is_plain: places.len().is_power_of_two() && !reverses_words,
            reverses_words,
            granule_bits: if is_spread { granule.trailing_zeros() as u8 } else { u64::BITS as u8 - 1 },
            count_bits: places.len().trailing_zeros() as u8,
            places: places.as_slice().into(),
        })
    }

    #[inline(always)]
    fn holds(&self, address: u64, size: u64) -> bool {
        address.wrapping_sub(self.first) < self.bytes.saturating_sub(size - 1)
    }

    /// Where a byte of it is.
    #[inline]
    fn locate(&self, address: u64) -> Option<(usize, u64)> {
        let granule = address.wrapping_sub(self.first) >> self.granule_bits;
        let count = self.places.len() as u64;
        self.place_of(address, granule / count, granule % count)
    }

    /// The same of one that is plain.
    #[inline(always)]
    fn locate_plainly(&self, address: u64) -> Option<(usize, u64)> {
        let granule = address.wrapping_sub(self.first) >> self.granule_bits;
        self.place_of(address, granule >> self.count_bits, granule & !(u64::MAX << self.count_bits))
    }

    #[inline(always)]
    fn place_of(&self, address: u64, turn: u64, whose: u64) -> Option<(usize, u64)> {
        let (lender, place) = *self.places.get(whose as usize)?;
        let within = address.wrapping_sub(self.first) & !(u64::MAX << self.granule_bits);
        Some((lender, place.wrapping_add(turn << self.granule_bits | within)))
    }
}

impl Sight {
    /// What lies behind the ports; `None` if no instruction does.
    pub(super) fn new(reach: &Reach<'_>) -> Option<Self> {
        let windows =
            |output| reach.stretches(output).iter().filter_map(Window::new).collect::<Vec<Window>>();
        // Instructions have to lie side by side, as they are.
        let (mut fetch, data) = (windows(0), windows(1));
        fetch.retain(|window| window.places.len() == 1 && !window.reverses_words);
        let loans = (0..reach.lenders()).map(|_| Loan::default()).collect();
        (!fetch.is_empty()).then_some(Self { fetch, data, last: 0, loans, has_rewritten: false })
    }

    /// Takes everything on loan, or gives it back.
    pub(super) fn exchange(&mut self, edge: &mut Edge<'_>) {
        if let Some(mut reach) = edge.reach() {
            for (lender, loan) in self.loans.iter_mut().enumerate() {
                reach.lend(lender, loan);
            }
        }
    }

    /// Where the instruction at an address is, and how many bytes there are from there on; `None` if the longest instruction may not
    /// be within reach there.
    #[inline]
    pub(super) fn code_at<W: Word>(&self, pc: W) -> Option<(usize, usize, u64)> {
        let address = pc.to_u64();
        let window = self.fetch.iter().find(|window| window.holds(address, WORD_BYTES as u64))?;
        let (lender, place) = window.locate(address)?;
        Some((lender, usize::try_from(place).ok()?, window.bytes - (address - window.first)))
    }

    /// As [`Self::load`], of the range that was reached last if it is plain; `None` says nothing.
    #[inline(always)]
    pub(super) fn load_plainly<const SIZE: usize>(&mut self, address: u64) -> Option<u64> {
        let window = self.data.get(self.last)?;
        if !window.is_plain | !window.holds(address, SIZE as u64) {
            return None;
        }
        let (lender, place) = window.locate_plainly(address)?;
        self.loans.get_mut(lender)?.load::<SIZE>(place as usize)
    }

    /// Finds the range of data with `size` bytes from `address` on.
    #[inline]
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
    #[inline]
    pub(super) fn load<const SIZE: usize>(&mut self, address: u64) -> Option<u64> {
        let window = self.window(address, SIZE as u64)?;
        if window.reverses_words {
            return self.load_reversed::<SIZE>(address);
        }
        let (lender, place) = window.locate(address)?;
        self.loans.get_mut(lender)?.load::<SIZE>(place as usize)
    }

    /// Stores aligned bytes, the lowest first.
    #[inline(always)]
    pub(super) fn store<const SIZE: usize>(&mut self, address: u64, data: u64) -> Option<()> {
        let window = self.window(address, SIZE as u64)?;
        if window.reverses_words {
            return self.store_reversed::<SIZE>(address, data);
        }
        let (lender, place) = window.locate(address)?;
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

    // What is less than a word lies at the other end of it.
    #[inline]
    fn locate_reversed<const SIZE: usize>(&mut self, address: u64) -> Option<(usize, u64)> {
        if SIZE > 4 {
            return None;
        }
        let window = self.window(address & !3, 4)?;
        window.locate(address ^ (4 - SIZE as u64))
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
        let (lender, place) = window.locate(inner.address)?;
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
