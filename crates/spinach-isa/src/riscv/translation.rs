//! Translation of addresses by page tables: Sv39 (volume II, section 4.4).
//!
//! The accessed and dirty bits of a page are set by the walk, in one step with the check: the reference that finds them clear
//! raises no exception.

use super::supervisor::{Control, Exception, Privilege, cause};

/// Kind of reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Access {
    Fetch,
    Load,
    Store,
}

impl Access {
    /// The exception of a reference to a page that does not allow it.
    pub const fn page_fault(self, address: u64) -> Exception {
        let cause = match self {
            Self::Fetch => cause::FETCH_PAGE,
            Self::Load => cause::LOAD_PAGE,
            Self::Store => cause::STORE_PAGE,
        };
        Exception { cause, value: address }
    }

    /// The exception of a reference where nothing answers.
    pub const fn access_fault(self, address: u64) -> Exception {
        let cause = match self {
            Self::Fetch => cause::FETCH_ACCESS,
            Self::Load => cause::LOAD_ACCESS,
            Self::Store => cause::STORE_ACCESS,
        };
        Exception { cause, value: address }
    }
}

/// The memory that holds page tables.
pub trait TableMemory {
    /// An entry; `None` where there is no memory.
    fn entry(&self, address: u64) -> Option<u64>;
    /// Writes an entry that [`Self::entry`] has read.
    fn set_entry(&mut self, address: u64, entry: u64);
}

const VALID: u64 = 1;
const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 3;
const USER: u64 = 1 << 4;
const ACCESSED: u64 = 1 << 6;
const DIRTY: u64 = 1 << 7;
const RESERVED: u64 = !0 << 54;
const ADDRESS_BITS: u32 = 39;
const PAGE_BITS: u32 = 12;
const INDEX_BITS: u32 = 9;

/// The physical address of a reference.
///
/// # Errors
/// The exception that it raises.
pub fn translate(
    control: &Control,
    address: u64,
    access: Access,
    memory: &mut impl TableMemory,
) -> Result<u64, Exception> {
    let Some(mut table) = control.page_tables() else { return Ok(address) };
    let page_fault = access.page_fault(address);
    let unused = 64 - ADDRESS_BITS;
    if (address << unused) as i64 >> unused != address as i64 {
        return Err(page_fault);
    }
    for level in (0..3).rev() {
        let shift = PAGE_BITS + INDEX_BITS * level;
        let place = table + (address >> shift & ((1 << INDEX_BITS) - 1)) * 8;
        let entry = memory.entry(place).ok_or(access.access_fault(address))?;
        if entry & VALID == 0 || entry & (READ | WRITE) == WRITE || entry & RESERVED != 0 {
            return Err(page_fault);
        }
        let page = entry << 10 >> 20 << PAGE_BITS;
        if entry & (READ | EXECUTE) == 0 {
            if entry & (USER | ACCESSED | DIRTY) != 0 {
                return Err(page_fault);
            }
            table = page;
            continue;
        }
        let offset_mask = (1 << shift) - 1;
        if page & offset_mask != 0 || !is_allowed(control, entry, access) {
            return Err(page_fault);
        }
        let seen = entry | ACCESSED | if access == Access::Store { DIRTY } else { 0 };
        if seen != entry {
            memory.set_entry(place, seen);
        }
        return Ok(page | address & offset_mask);
    }
    Err(page_fault)
}

/// Log of the bytes of the page of an address under the tables at `table`; that of the smallest page where there is none.
pub fn page_bits(mut table: u64, address: u64, memory: &impl TableMemory) -> u32 {
    for level in (1..3).rev() {
        let shift = PAGE_BITS + INDEX_BITS * level;
        let place = table + (address >> shift & ((1 << INDEX_BITS) - 1)) * 8;
        match memory.entry(place) {
            Some(entry) if entry & VALID != 0 && entry & (READ | EXECUTE) != 0 => return shift,
            Some(entry) if entry & VALID != 0 => table = entry << 10 >> 20 << PAGE_BITS,
            _ => break,
        }
    }
    PAGE_BITS
}

fn is_allowed(control: &Control, entry: u64, access: Access) -> bool {
    let is_of_user = entry & USER != 0;
    let may_enter = match control.privilege {
        Privilege::User => is_of_user,
        Privilege::Supervisor => !is_of_user || access != Access::Fetch && control.may_access_user(),
    };
    let wanted = match access {
        Access::Fetch => EXECUTE,
        Access::Load if control.may_read_code() => READ | EXECUTE,
        Access::Load => READ,
        Access::Store => WRITE,
    };
    may_enter && entry & wanted != 0
}
