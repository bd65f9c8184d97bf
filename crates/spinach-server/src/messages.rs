//! Controller of message interrupts: a card's write of 4 bytes raises a source of the platform's interrupt controller.
//!
//! It is the X-Gene's (`apm,xgene1-msi` in the kernel's bindings of device trees). Of the controllers whose driver Linux 6.1 builds for
//! RISC-V, this one lets software choose the hart: a vector moves to another group, and each group is a source with an affinity.

use serde::{Deserialize, Serialize};

/// Groups, each with a source of interrupts.
pub const GROUPS: usize = 16;
const REGISTERS: usize = 8;
const VECTORS: u32 = 16;
const STRIDE: u64 = 0x1_0000;

/// Pending vectors of each register of each group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MessageController {
    groups: [[u16; REGISTERS]; GROUPS],
}

impl MessageController {
    /// Takes a message, written to an offset. Returns its group, if there is such a vector.
    pub fn raise(&mut self, offset: u64, vector: u32) -> Option<usize> {
        let (group, register) = self.addressed(offset)?;
        let register = register.filter(|_| vector < VECTORS)?;
        self.groups[group][register] |= 1 << vector;
        Some(group)
    }

    /// Reads the register at an offset, and the group whose source may have changed: a register of vectors is cleared by reading.
    /// Unassigned offsets read as 0.
    pub fn read(&mut self, offset: u64) -> (u32, Option<usize>) {
        match self.addressed(offset) {
            Some((group, Some(register))) => {
                (std::mem::take(&mut self.groups[group][register]).into(), Some(group))
            }
            Some((group, None)) => {
                let pending = self.groups[group].iter().enumerate();
                (pending.map(|(number, vectors)| u32::from(*vectors != 0) << number).sum(), None)
            }
            None => (0, None),
        }
    }

    /// True if a vector of a group is pending.
    pub fn line(&self, group: usize) -> bool {
        self.groups[group].iter().any(|vectors| *vectors != 0)
    }

    /// Group at an offset, with the number of its register; without one it is the summary of the group.
    fn addressed(&self, offset: u64) -> Option<(usize, Option<usize>)> {
        let number = offset.is_multiple_of(STRIDE).then_some((offset / STRIDE) as usize)?;
        let summaries = GROUPS * REGISTERS;
        match number.checked_sub(summaries) {
            None => Some((number / REGISTERS, Some(number % REGISTERS))),
            Some(group) => (group < GROUPS).then_some((group, None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARIES: u64 = 0x80_0000;

    #[test]
    fn a_vector_is_pending_in_its_group_until_its_register_is_read() {
        let mut controller = MessageController::default();
        let offset = 0x8_0000 * 15 + STRIDE * 7;
        assert_eq!(controller.raise(offset, 3), Some(15));
        assert_eq!(controller.raise(offset, 15), Some(15));
        assert_eq!((controller.line(15), controller.line(14)), (true, false));
        assert_eq!(controller.read(SUMMARIES + 15 * STRIDE), (1 << 7, None));
        assert_eq!(controller.read(offset), (1 << 3 | 1 << 15, Some(15)));
        assert_eq!((controller.read(offset).0, controller.line(15)), (0, false));
    }

    #[test]
    fn other_vectors_and_offsets_raise_nothing() {
        let mut controller = MessageController::default();
        for (offset, vector) in [(0, 16), (4, 0), (SUMMARIES, 0), (SUMMARIES + 16 * STRIDE, 0)] {
            assert_eq!(controller.raise(offset, vector), None, "{offset:#x}");
        }
        assert!(!(0..GROUPS).any(|group| controller.line(group)));
        assert_eq!(controller.read(SUMMARIES + 16 * STRIDE), (0, None));
    }
}
