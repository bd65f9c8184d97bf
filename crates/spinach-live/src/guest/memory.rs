//! The memory of a guest, as files that it shares.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// A piece of a guest's memory.
#[derive(Debug)]
pub struct Region {
    /// Its first address, as the guest's devices see it.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Holds it.
    pub file: File,
}

/// All memory of a guest that its devices reach.
#[derive(Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
}

impl Memory {
    /// Memory of these regions.
    pub fn new(regions: Vec<Region>) -> Self {
        Self { regions }
    }

    /// Adds a region; nothing if it overlaps with another.
    pub fn add(&mut self, region: Region) -> Option<()> {
        let end = region.start.checked_add(region.size)?;
        let overlaps =
            |other: &Region| other.start < end && region.start < other.start.saturating_add(other.size);
        if self.regions.iter().any(overlaps) {
            return None;
        }
        self.regions.push(region);
        Some(())
    }

    /// Removes the region with this address and size, if there is one.
    pub fn remove(&mut self, start: u64, size: u64) {
        self.regions.retain(|region| (region.start, region.size) != (start, size));
    }

    /// Bytes of it; nothing if they are not all inside one region.
    pub fn read(&self, address: u64, length: usize) -> Option<Vec<u8>> {
        let (file, offset) = self.find(address, length as u64)?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset).ok()?;
        Some(bytes)
    }

    /// Overwrites bytes; nothing if they are not all inside one region.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Option<()> {
        let (file, offset) = self.find(address, bytes.len() as u64)?;
        file.write_all_at(bytes, offset).ok()
    }

    fn find(&self, address: u64, length: u64) -> Option<(&File, u64)> {
        let end = address.checked_add(length)?;
        let is_inside =
            |region: &&Region| region.start <= address && end <= region.start.saturating_add(region.size);
        let region = self.regions.iter().find(is_inside)?;
        Some((&region.file, region.offset.checked_add(address - region.start)?))
    }
}
