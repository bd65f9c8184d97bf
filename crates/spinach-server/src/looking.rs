//! Inspection of a stopped machine, as by a debugger: through the page tables of a hart, and without side effects.

use std::ops::Range;

use spinach_isa::riscv::supervisor::Privilege;
use spinach_isa::riscv::translation::{Access, TableMemory, translate};

use crate::hart::Hart;
use crate::machine::Machine;
use crate::memory::{Memory, PAGE_BYTES};

const STATUS: u32 = 0x100;
/// The registers of the floating-point unit are those up to this one.
const LAST_OF_FLOAT: u32 = 3;
const MAY_ACCESS_USER_AND_READ_CODE: u64 = 3 << 18;

/// The control and status registers that a debugger shows, with their numbers. The first are of the floating-point unit.
pub const CONTROL_REGISTERS: [(&str, u32); 17] = [
    ("fflags", 0x001),
    ("frm", 0x002),
    ("fcsr", 0x003),
    ("sstatus", 0x100),
    ("sie", 0x104),
    ("stvec", 0x105),
    ("scounteren", 0x106),
    ("senvcfg", 0x10a),
    ("sscratch", 0x140),
    ("sepc", 0x141),
    ("scause", 0x142),
    ("stval", 0x143),
    ("sip", 0x144),
    ("stimecmp", 0x14d),
    ("satp", 0x180),
    ("time", 0xc01),
    ("instret", 0xc02),
];

/// Page tables that are walked without setting bits of accessed pages.
struct Untouched<'a>(&'a Memory);

impl TableMemory for Untouched<'_> {
    fn entry(&self, address: u64) -> Option<u64> {
        self.0.entry(address)
    }

    fn set_entry(&mut self, _: u64, _: u64) {}
}

impl Hart {
    /// The floating-point registers.
    pub fn float(&self) -> &[u64; 32] {
        &self.float
    }

    /// Value of a control and status register, by its number; `None` if the number is unassigned. Neither privilege nor the state
    /// of the floating-point unit matters.
    pub fn control_register(&self, number: u32) -> Option<u64> {
        let mut control = self.control.clone();
        control.privilege = Privilege::Supervisor;
        if number <= LAST_OF_FLOAT {
            control.note_float_change();
        }
        control.read(number, false, self.counters_for(number))
    }

    /// Physical address of an address of this hart, with any privilege.
    fn physical(&self, address: u64, memory: &Memory) -> Option<u64> {
        let mut control = self.control.clone();
        control.privilege = Privilege::Supervisor;
        control.write(STATUS, MAY_ACCESS_USER_AND_READ_CODE);
        translate(&control, address, Access::Load, &mut Untouched(memory)).ok()
    }
}

impl Machine {
    /// Bytes from an address on as a hart sees them, without a trace in page tables; `None` where it sees no memory. Devices are
    /// not read: reads change many of them.
    pub fn look(&self, hart: usize, address: u64, bytes: &mut [u8]) -> Option<()> {
        let memory = &self.board.memory;
        for (place, range) in self.places(hart, address, bytes.len())? {
            let length = range.len();
            bytes[range].copy_from_slice(&memory.bytes()[place..place + length]);
        }
        Some(())
    }

    /// Overwrites bytes from an address on as a hart sees them, without checks of permissions; `None` without a write if any of
    /// them is no memory.
    pub fn overwrite(&mut self, hart: usize, address: u64, bytes: &[u8]) -> Option<()> {
        for (place, range) in self.places(hart, address, bytes.len())? {
            let physical = self.board.memory.base() + place as u64;
            self.board.memory.store(physical, &bytes[range])?;
        }
        Some(())
    }

    /// Memory places of the parts of some bytes, page by page.
    fn places(&self, hart: usize, address: u64, length: usize) -> Option<Vec<(usize, Range<usize>)>> {
        let (hart, memory) = (self.harts.get(hart)?, &self.board.memory);
        let mut places = Vec::new();
        let mut done = 0;
        while done < length {
            let next = address.wrapping_add(done as u64);
            let part = (length - done).min(PAGE_BYTES - next as usize % PAGE_BYTES);
            places.push((memory.place(hart.physical(next, memory)?, part)?, done..done + part));
            done += part;
        }
        Some(places)
    }
}
