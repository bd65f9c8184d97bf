//! The memories of a system as its cores address them.

use spinach_engine::{Contents, ModuleId, Simulation};

/// A memory, and where the cores see it.
#[derive(Clone, Debug)]
pub struct MappedMemory {
    /// Its name, for users.
    pub name: String,
    /// Its first address; `None` for one that no core addresses.
    pub base: Option<u64>,
    /// The modules that hold its contents; consecutive pieces of `interleave` bytes lie in consecutive banks.
    pub banks: Vec<ModuleId>,
    /// Number of consecutive bytes in one bank.
    pub interleave: u64,
    /// True if the bytes of each 32-bit word lie in it in reverse order, as behind a word bridge.
    pub reverses_words: bool,
    /// The only core that sees it there, as an index; `None` for all cores.
    pub core: Option<usize>,
    /// Offset of its first byte in the contents of the modules.
    pub start: u64,
    /// Size in bytes; `None` for the rest of the contents.
    pub size: Option<u64>,
}

impl MappedMemory {
    /// Size in bytes.
    pub(super) fn size(&self, simulation: &mut Simulation) -> u64 {
        let sizes = self.banks.iter().filter_map(|bank| simulation.read_contents(*bank).map(Contents::size));
        let rest = sizes.sum::<u64>().saturating_sub(self.start);
        self.size.map_or(rest, |size| size.min(rest))
    }

    // True if a run of bytes is inside.
    fn contains(&self, simulation: &mut Simulation, offset: u64, length: usize) -> bool {
        offset.checked_add(length as u64).is_some_and(|end| end <= self.size(simulation))
    }

    /// Copies bytes out, from an offset on; `false` if they are not all inside.
    pub(super) fn read(&self, simulation: &mut Simulation, offset: u64, bytes: &mut [u8]) -> bool {
        self.contains(simulation, offset, bytes.len())
            && (offset..).zip(bytes).all(|(offset, byte)| {
                let (bank, place) = self.place(offset);
                let contents = self.banks.get(bank).and_then(|bank| simulation.read_contents(*bank));
                contents.is_some_and(|contents| contents.read(place, std::slice::from_mut(byte)))
            })
    }

    /// Copies bytes in, from an offset on; `false` if they are not all inside.
    pub(super) fn write(&self, simulation: &mut Simulation, offset: u64, bytes: &[u8]) -> bool {
        self.contains(simulation, offset, bytes.len())
            && (offset..).zip(bytes).all(|(offset, byte)| {
                let (bank, place) = self.place(offset);
                let contents = self.banks.get(bank).and_then(|bank| simulation.contents(*bank));
                contents.is_some_and(|contents| contents.write(place, std::slice::from_ref(byte)))
            })
    }

    // The bank that holds a byte, and where in it.
    fn place(&self, offset: u64) -> (usize, u64) {
        let offset = self.start + offset;
        let offset = if self.reverses_words { offset ^ 3 } else { offset };
        let (piece, banks) = (self.interleave.max(1), self.banks.len().max(1) as u64);
        let index = offset / piece;
        ((index % banks) as usize, index / banks * piece + offset % piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lie_in_consecutive_banks() {
        let memory = |start, reverses_words| MappedMemory {
            name: "memory".to_owned(),
            base: None,
            banks: [1, 2, 3].map(spinach_engine::Id::from_index).into(),
            interleave: 8,
            reverses_words,
            core: None,
            start,
            size: None,
        };
        let places = |start, reverses_words, offsets: [u64; 5]| {
            offsets.map(|offset| memory(start, reverses_words).place(offset))
        };
        assert_eq!(places(0, false, [0, 7, 8, 23, 29]), [(0, 0), (0, 7), (1, 0), (2, 7), (0, 13)]);
        assert_eq!(places(0, true, [0, 7, 8, 23, 29]), [(0, 3), (0, 4), (1, 3), (2, 4), (0, 14)]);
        assert_eq!(places(16, false, [0, 7, 8, 23, 29]), [(2, 0), (2, 7), (0, 8), (1, 15), (2, 13)]);
    }
}
