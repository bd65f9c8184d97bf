//! Possible content of a system's data caches, for any size: a line stays until firmware drops it.
//!
//! So firmware that owes its luck to a line that had to leave is found too.

use std::collections::{BTreeMap, BTreeSet};

use spinach_modules::values::{Access, Maintenance, Reference};

/// Kind of hazard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HazardKind {
    /// A device read bytes that firmware had changed in a cache: they were not written back.
    DeviceReadsChanged,
    /// A core read past its cache, or brought into it, bytes that firmware had changed in a cache.
    CoreReadsChanged,
    /// Firmware read bytes in a cache below which others had been written: they were not invalidated.
    ReadsStale,
    /// Memory was written below a line with changes, which will be written over it.
    WrittenBelowChanges,
}

/// Agent that accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agent {
    /// A core, by its number.
    Core(usize),
    /// A device, by its number.
    Device(usize),
}

/// An instruction that accessed memory, by the number of its access among those of its core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Site {
    /// The core.
    pub(super) core: usize,
    /// The access.
    pub(super) access: u64,
}

/// Hazard with the references that cause it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FoundHazard {
    /// Kind of hazard.
    pub(super) kind: HazardKind,
    /// The first byte that is wrong.
    pub(super) address: u64,
    /// The instruction at fault: that which changed the bytes, or read them.
    pub(super) site: Site,
    /// Agent of the conflicting access.
    pub(super) other: Agent,
}

/// The data cache of a core.
#[derive(Clone, Copy, Debug)]
pub struct CacheShape {
    /// Bytes of a line, a power of two up to 128.
    pub line_bytes: u64,
    /// Number of sets of lines.
    pub sets: u64,
    /// Initially cacheable regions, a bit for each 128 MB.
    pub cacheable: u32,
    /// Regions that are written through initially.
    pub write_through: u32,
    /// True if stores that miss bring the line.
    pub allocates: bool,
}

/// A line that a cache may hold.
#[derive(Clone, Copy, Debug)]
struct Line {
    // A bit for each byte that is newer in the cache, and one for each that is newer in memory.
    dirty: u128,
    stale: u128,
    // The last writer, and the last writer below it.
    writer: Site,
    below: Agent,
}

struct Cache {
    shape: CacheShape,
    lines: BTreeMap<u64, Line>,
}

/// The caches of all cores.
pub(super) struct Shadow {
    caches: Vec<Cache>,
    line_bytes: u64,
    // First address, bytes, and the first address by which caches know the same memory.
    aliases: Vec<(u64, u64, u64)>,
    found: Vec<FoundHazard>,
}

/// The region of 128 MB that an address is in.
fn region_bit(address: u64) -> u32 {
    1 << 31 >> (address >> 27 & 31)
}

impl Cache {
    fn is_cacheable(&self, address: u64) -> bool {
        address >> 32 == 0 && self.shape.cacheable & region_bit(address) != 0
    }

    fn goes_through(&self, address: u64) -> bool {
        self.shape.write_through & region_bit(address) != 0
    }
}

impl Shadow {
    /// Empty caches. All have lines of one size. `aliases` are ranges at which the same memory is reached past the caches: first
    /// address, bytes, and the first address by which caches know it.
    pub(super) fn new(shapes: &[CacheShape], aliases: Vec<(u64, u64, u64)>) -> Self {
        let caches = shapes.iter().map(|shape| Cache { shape: *shape, lines: BTreeMap::new() }).collect();
        let line_bytes = shapes.first().map_or(32, |shape| shape.line_bytes);
        Self { caches, line_bytes, aliases, found: Vec::new() }
    }

    /// Hazards found since the last call.
    pub(super) fn take_found(&mut self) -> Vec<FoundHazard> {
        std::mem::take(&mut self.found)
    }

    /// The accesses of a core that its lines were changed by, or brought by.
    pub(super) fn named(&self, core: usize) -> BTreeSet<u64> {
        self.caches[core].lines.values().map(|line| line.writer.access).collect()
    }

    /// A reference of a core, and the number of the access among those of the core.
    pub(super) fn refer(&mut self, core: usize, reference: &Reference, access: u64) {
        let site = Site { core, access };
        let address = self.known_address(reference.address);
        let Some(cache) = self.caches.get(core) else { return };
        let is_past = !cache.is_cacheable(reference.address);
        let (line, offset) = (address & !(self.line_bytes - 1), address & (self.line_bytes - 1));
        let bytes = u128::from(reference.enables) << offset;
        match reference.access {
            Access::Maintain => self.maintain(core, reference, line, site),
            Access::Read if is_past => {
                self.leave(core, reference.address, line);
                self.see_changes(line, bytes, HazardKind::CoreReadsChanged, Agent::Core(core));
            }
            Access::Read => self.read(line, bytes, site),
            Access::Write if is_past => {
                self.leave(core, reference.address, line);
                self.write_below(line, bytes, Agent::Core(core));
            }
            Access::Write => self.write(reference.address, line, bytes, site),
            _ => {
                // Atomic operations are the memory's; the line goes first.
                self.caches[core].lines.remove(&line);
                self.see_changes(line, bytes, HazardKind::CoreReadsChanged, Agent::Core(core));
                self.write_below(line, bytes, Agent::Core(core));
            }
        }
    }

    /// A device reads or writes a run of bytes.
    pub(super) fn transfer(&mut self, device: usize, address: u64, length: u64, writes: bool) {
        let (mut at, end) = (address, address.saturating_add(length));
        while at < end {
            let known = self.known_address(at);
            let (line, offset) = (known & !(self.line_bytes - 1), known & (self.line_bytes - 1));
            let count = (self.line_bytes - offset).min(end - at);
            let bytes = bits(count) << offset;
            if writes {
                self.write_below(line, bytes, Agent::Device(device));
            } else {
                self.see_changes(line, bytes, HazardKind::DeviceReadsChanged, Agent::Device(device));
            }
            at += count;
        }
    }

    // The address by which caches know a byte.
    fn known_address(&self, address: u64) -> u64 {
        let alias = self.aliases.iter().find(|(base, bytes, _)| address.wrapping_sub(*base) < *bytes);
        alias.map_or(address, |(base, _, known)| known + (address - base))
    }

    // A reference past the cache takes a line out of it that is there under the same address.
    fn leave(&mut self, core: usize, address: u64, line: u64) {
        if address & !(self.line_bytes - 1) == line {
            self.caches[core].lines.remove(&line);
        }
    }

    fn meet(&mut self, kind: HazardKind, line: u64, bytes: u128, site: Site, other: Agent) {
        let address = line + u64::from(bytes.trailing_zeros());
        self.found.push(FoundHazard { kind, address, site, other });
    }

    // Memory is read: what is changed in a cache is missing there.
    fn see_changes(&mut self, line: u64, bytes: u128, kind: HazardKind, reader: Agent) {
        for cache in 0..self.caches.len() {
            let Some(found) = self.caches[cache].lines.get(&line) else { continue };
            let (changed, writer) = (found.dirty & bytes, found.writer);
            if changed != 0 {
                self.meet(kind, line, changed, writer, reader);
            }
        }
    }

    // Memory is written, which caches do not notice.
    fn write_below(&mut self, line: u64, bytes: u128, by: Agent) {
        for cache in 0..self.caches.len() {
            let Some(found) = self.caches[cache].lines.get_mut(&line) else { continue };
            found.stale |= bytes;
            found.below = by;
            let (dirty, writer) = (found.dirty, found.writer);
            if dirty != 0 {
                self.meet(HazardKind::WrittenBelowChanges, line, dirty, writer, by);
            }
        }
    }

    // Brings a line, if it is not there. What is changed in another cache is stale at once.
    fn bring(&mut self, core: usize, line: u64, site: Site) {
        if self.caches[core].lines.contains_key(&line) {
            return;
        }
        let others = self.caches.iter().enumerate().filter(|(number, _)| *number != core);
        let changed = others.filter_map(|(number, cache)| Some((number, cache.lines.get(&line)?.dirty)));
        let changed: Vec<(usize, u128)> = changed.filter(|(_, dirty)| *dirty != 0).collect();
        let stale = changed.iter().fold(0, |all, (_, dirty)| all | dirty);
        let below = Agent::Core(changed.first().map_or(core, |(number, _)| *number));
        self.caches[core].lines.insert(line, Line { dirty: 0, stale, writer: site, below });
    }

    fn read(&mut self, line: u64, bytes: u128, site: Site) {
        self.bring(site.core, line, site);
        let Some(found) = self.caches[site.core].lines.get(&line) else { return };
        let (stale, below) = (found.stale & !found.dirty & bytes, found.below);
        if stale != 0 {
            self.meet(HazardKind::ReadsStale, line, stale, site, below);
        }
    }

    fn write(&mut self, address: u64, line: u64, bytes: u128, site: Site) {
        let goes_through = self.caches[site.core].goes_through(address);
        if !goes_through && self.caches[site.core].shape.allocates {
            self.bring(site.core, line, site);
        }
        let mut stays = false;
        if let Some(found) = self.caches[site.core].lines.get_mut(&line) {
            found.stale &= !bytes;
            if !goes_through {
                found.dirty |= bytes;
                found.writer = site;
                stays = true;
            }
        }
        for number in 0..self.caches.len() {
            if number == site.core {
                continue;
            }
            let Some(found) = self.caches[number].lines.get_mut(&line) else { continue };
            found.stale |= bytes;
            found.below = Agent::Core(site.core);
            let (dirty, writer) = (found.dirty, found.writer);
            if dirty != 0 && !stays {
                self.meet(HazardKind::WrittenBelowChanges, line, dirty, writer, Agent::Core(site.core));
            }
        }
    }

    fn maintain(&mut self, core: usize, reference: &Reference, line: u64, site: Site) {
        let value = reference.data as u32;
        let Some(maintenance) = reference.maintenance() else { return };
        match maintenance {
            Maintenance::StoreLine => self.write_back(core, line, false),
            Maintenance::FlushLine => self.write_back(core, line, true),
            Maintenance::InvalidateLine => drop(self.caches[core].lines.remove(&line)),
            Maintenance::InvalidateSet => {
                let (sets, size) = (self.caches[core].shape.sets, self.line_bytes);
                let set = line / size % sets;
                self.caches[core].lines.retain(|line, _| line / size % sets != set);
            }
            Maintenance::TouchLine if self.caches[core].is_cacheable(reference.address) => {
                self.bring(core, line, site);
            }
            Maintenance::ZeroLine => {
                self.bring(core, line, site);
                let all = bits(self.line_bytes);
                self.write(reference.address, line, all, site);
            }
            Maintenance::SetCacheable => self.caches[core].shape.cacheable = value,
            Maintenance::SetWriteThrough => self.caches[core].shape.write_through = value,
            Maintenance::SetAllocation => self.caches[core].shape.allocates = value & 1 == 0,
            _ => {}
        }
    }

    // Writes a line back, over changes that another cache has of it.
    fn write_back(&mut self, core: usize, line: u64, drops: bool) {
        let Some(found) = self.caches[core].lines.get_mut(&line) else { return };
        let changed = std::mem::take(&mut found.dirty);
        if drops {
            self.caches[core].lines.remove(&line);
        }
        if changed == 0 {
            return;
        }
        let others = (0..self.caches.len()).filter(|number| *number != core);
        let others: Vec<(u128, Site)> = others
            .filter_map(|number| self.caches[number].lines.get(&line))
            .filter(|found| found.dirty != 0)
            .map(|found| (found.dirty, found.writer))
            .collect();
        for (dirty, writer) in others {
            self.meet(HazardKind::WrittenBelowChanges, line, dirty, writer, Agent::Core(core));
        }
    }
}

// The lowest `count` bits.
fn bits(count: u64) -> u128 {
    if count >= 128 { u128::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: CacheShape =
        CacheShape { line_bytes: 32, sets: 256, cacheable: u32::MAX, write_through: 0, allocates: true };
    const LINE: u64 = 0x1000;

    fn shadow(cores: usize) -> Shadow {
        Shadow::new(&vec![SHAPE; cores], vec![(0xf000_0000, 0x8000, 0x1000)])
    }

    fn refer(shadow: &mut Shadow, core: usize, access: Access, address: u64) {
        let reference = Reference { access, ..Reference::read(address, 4) };
        shadow.refer(core, &reference, 0);
    }

    fn maintain(shadow: &mut Shadow, core: usize, maintenance: Maintenance, address: u64) {
        let reference = Reference {
            access: Access::Maintain,
            enables: maintenance as u16,
            ..Reference::read(address, 4)
        };
        shadow.refer(core, &reference, 0);
    }

    fn kinds(shadow: &mut Shadow) -> Vec<(HazardKind, u64)> {
        shadow.take_found().iter().map(|found| (found.kind, found.address)).collect()
    }

    #[test]
    fn a_device_must_not_read_what_is_changed_in_a_cache() {
        for (maintenance, is_right) in [
            (None, false),
            (Some(Maintenance::StoreLine), true),
            (Some(Maintenance::FlushLine), true),
            (Some(Maintenance::Drain), false),
        ] {
            let mut shadow = shadow(1);
            refer(&mut shadow, 0, Access::Write, LINE + 8);
            if let Some(maintenance) = maintenance {
                maintain(&mut shadow, 0, maintenance, LINE);
            }
            shadow.transfer(0, LINE + 12, 20, false);
            assert_eq!(kinds(&mut shadow), [], "the bytes next to them are right");
            shadow.transfer(0, LINE - 100, 120, false);
            let expected = [(HazardKind::DeviceReadsChanged, LINE + 8)];
            assert_eq!(kinds(&mut shadow), if is_right { &[][..] } else { &expected });
        }
    }

    #[test]
    fn firmware_must_not_read_what_was_there_before() {
        for is_right in [false, true] {
            let mut shadow = shadow(1);
            refer(&mut shadow, 0, Access::Read, LINE);
            shadow.transfer(0, LINE + 4, 4, true);
            if is_right {
                maintain(&mut shadow, 0, Maintenance::InvalidateLine, LINE + 31);
            }
            refer(&mut shadow, 0, Access::Read, LINE);
            assert_eq!(kinds(&mut shadow), [], "these bytes are not the device's");
            refer(&mut shadow, 0, Access::Read, LINE + 4);
            let expected = [(HazardKind::ReadsStale, LINE + 4)];
            assert_eq!(kinds(&mut shadow), if is_right { &[][..] } else { &expected });
        }
    }

    #[test]
    fn nothing_may_be_written_below_a_line_with_changes() {
        let mut shadow = shadow(1);
        refer(&mut shadow, 0, Access::Write, LINE);
        shadow.transfer(3, LINE + 16, 8, true);
        let found = shadow.take_found();
        assert_eq!((found[0].kind, found[0].address), (HazardKind::WrittenBelowChanges, LINE));
        assert_eq!(found[0].other, Agent::Device(3));
    }

    #[test]
    fn the_same_memory_has_several_addresses() {
        let mut shadow = shadow(1);
        refer(&mut shadow, 0, Access::Write, LINE + 4);
        let mut past = SHAPE;
        past.cacheable = region_bit(LINE);
        shadow.caches[0].shape = past;
        refer(&mut shadow, 0, Access::Read, 0xf000_0004);
        assert_eq!(kinds(&mut shadow), [(HazardKind::CoreReadsChanged, LINE + 4)]);
        shadow.transfer(0, 0xf000_0004, 4, false);
        assert_eq!(kinds(&mut shadow), [(HazardKind::DeviceReadsChanged, LINE + 4)]);
    }

    #[test]
    fn caches_know_nothing_of_each_other() {
        let mut shadow = shadow(2);
        refer(&mut shadow, 0, Access::Write, LINE);
        refer(&mut shadow, 1, Access::Read, LINE);
        assert_eq!(kinds(&mut shadow), [(HazardKind::ReadsStale, LINE)]);
        maintain(&mut shadow, 0, Maintenance::FlushLine, LINE);
        refer(&mut shadow, 1, Access::Read, LINE);
        assert_eq!(kinds(&mut shadow), [(HazardKind::ReadsStale, LINE)], "its own copy is from before");
        maintain(&mut shadow, 1, Maintenance::InvalidateLine, LINE);
        refer(&mut shadow, 1, Access::Read, LINE);
        assert_eq!(kinds(&mut shadow), []);
        // Two cores with changes on one line: the last write-back wins.
        refer(&mut shadow, 0, Access::Write, LINE);
        refer(&mut shadow, 1, Access::Write, LINE + 8);
        maintain(&mut shadow, 0, Maintenance::StoreLine, LINE);
        assert_eq!(kinds(&mut shadow), [(HazardKind::WrittenBelowChanges, LINE + 8)]);
    }

    #[test]
    fn what_is_not_cacheable_or_goes_through_is_never_changed_in_a_cache() {
        for (cacheable, write_through) in [(0, 0), (u32::MAX, u32::MAX)] {
            let shape = CacheShape { cacheable, write_through, ..SHAPE };
            let mut shadow = Shadow::new(&[shape], Vec::new());
            refer(&mut shadow, 0, Access::Read, LINE);
            refer(&mut shadow, 0, Access::Write, LINE);
            shadow.transfer(0, LINE, 32, false);
            assert_eq!(kinds(&mut shadow), []);
        }
    }
}
