//! Translation cache of a hart: memory places of the pages that it may refer to.

use spinach_isa::riscv::supervisor::{Control, Exception, Privilege};
use spinach_isa::riscv::translation::{Access, translate};

use crate::board::Board;
use crate::memory::{Memory, PAGE_BYTES};

const ENTRIES: usize = 256;
const PAGE_MASK: u64 = !(PAGE_BYTES as u64 - 1);
const NONE: u64 = u64::MAX;

/// A page, and the difference between its addresses and their places in memory.
#[derive(Clone, Copy, Debug)]
struct Entry {
    page: u64,
    addend: u64,
}

const EMPTY: [Entry; ENTRIES] = [Entry { page: NONE, addend: 0 }; ENTRIES];

/// The pages that a hart may load from and store to in a mode. Those with code are not among the latter.
#[derive(Debug)]
struct Pages {
    load: [Entry; ENTRIES],
    store: [Entry; ENTRIES],
}

/// User mode; supervisor mode; supervisor mode that may refer to pages of user mode.
const MODES: usize = 3;

/// The translation cache.
#[derive(Debug)]
pub(crate) struct Mmu {
    /// Pages by mode; those of the current mode are the first.
    pages: [Box<Pages>; MODES],
    modes: [usize; MODES],
    code_generation: u64,
}

impl Mmu {
    pub(crate) fn new() -> Self {
        let pages = [(); MODES].map(|()| Box::new(Pages { load: EMPTY, store: EMPTY }));
        Self { pages, modes: std::array::from_fn(|mode| mode), code_generation: 0 }
    }

    /// Drops all translations, as after a change of page tables.
    pub(crate) fn flush(&mut self) {
        for pages in &mut self.pages {
            (pages.load, pages.store) = (EMPTY, EMPTY);
        }
    }

    /// Sets the mode of references to memory.
    pub(crate) fn set_mode(&mut self, control: &Control) {
        let mode = match control.privilege {
            Privilege::User => 0,
            Privilege::Supervisor => 1 + usize::from(control.may_access_user()),
        };
        if let Some(at) = self.modes.iter().position(|other| *other == mode) {
            self.pages.swap(0, at);
            self.modes.swap(0, at);
        }
    }

    /// Removes permissions to store to pages that have become code.
    pub(crate) fn follow(&mut self, memory: &Memory) {
        if self.code_generation != memory.code_generation() {
            self.code_generation = memory.code_generation();
            self.pages.iter_mut().for_each(|pages| pages.store = EMPTY);
        }
    }

    /// The place of an aligned unit that may be loaded, if its page is remembered.
    #[inline(always)]
    pub(crate) fn load_place<const SIZE: usize>(&self, address: u64) -> Option<usize> {
        place::<SIZE>(&self.pages[0].load, address)
    }

    /// The same for a store.
    #[inline(always)]
    pub(crate) fn store_place<const SIZE: usize>(&self, address: u64) -> Option<usize> {
        place::<SIZE>(&self.pages[0].store, address)
    }

    /// Translates a reference within one page and remembers the page if it is memory.
    pub(crate) fn translate(
        &mut self,
        control: &Control,
        address: u64,
        access: Access,
        memory: &mut Memory,
    ) -> Result<u64, Exception> {
        let physical = translate(control, address, access, memory)?;
        let entry =
            |place: usize| Entry { page: address & PAGE_MASK, addend: (place as u64).wrapping_sub(address) };
        let index = (address >> 12) as usize % ENTRIES;
        if let Some(place) = memory.place(physical, 1) {
            match access {
                Access::Load => self.pages[0].load[index] = entry(place),
                Access::Store if !memory.holds_code(place / PAGE_BYTES) => {
                    self.pages[0].store[index] = entry(place);
                }
                _ => {}
            }
        }
        Ok(physical)
    }

    /// A load of any alignment at any address.
    ///
    /// # Errors
    /// The exception that it raises.
    pub(crate) fn load(
        &mut self,
        control: &Control,
        board: &mut Board,
        (address, size): (u64, usize),
        time: u64,
    ) -> Result<u64, Exception> {
        let within = PAGE_BYTES - address as usize % PAGE_BYTES;
        if within < size {
            let low = self.load(control, board, (address, within), time)?;
            let high =
                self.load(control, board, (address.wrapping_add(within as u64), size - within), time)?;
            return Ok(low | high << (8 * within));
        }
        let physical = self.translate(control, address, Access::Load, &mut board.memory)?;
        board.read(physical, size, time).ok_or(Access::Load.access_fault(address))
    }

    /// A store of any alignment at any address.
    ///
    /// # Errors
    /// The exception that it raises; nothing was stored, unless its second page is of a device that does not answer.
    pub(crate) fn store(
        &mut self,
        control: &Control,
        board: &mut Board,
        (address, size): (u64, usize),
        value: u64,
        time: u64,
    ) -> Result<(), Exception> {
        let within = PAGE_BYTES - address as usize % PAGE_BYTES;
        let first = size.min(within);
        let physical = self.translate(control, address, Access::Store, &mut board.memory)?;
        let rest = if first < size {
            let second = address.wrapping_add(first as u64);
            Some((second, self.translate(control, second, Access::Store, &mut board.memory)?))
        } else {
            None
        };
        board.write(physical, first, value, time).ok_or(Access::Store.access_fault(address))?;
        if let Some((second, physical)) = rest {
            let value = value >> (8 * first);
            board.write(physical, size - first, value, time).ok_or(Access::Store.access_fault(second))?;
        }
        Ok(())
    }
}

#[inline(always)]
fn place<const SIZE: usize>(entries: &[Entry; ENTRIES], address: u64) -> Option<usize> {
    let entry = entries[(address >> 12) as usize % ENTRIES];
    // Of a misaligned address a low bit remains.
    (address & (PAGE_MASK | (SIZE as u64 - 1)) == entry.page)
        .then(|| address.wrapping_add(entry.addend) as usize)
}
