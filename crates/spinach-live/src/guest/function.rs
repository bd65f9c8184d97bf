//! The PCI function of a card as other simulators see it: its windows and vectors, and the accesses that find and command them.

use spinach_modules::bus::guest_messages::{Access, INTERRUPT_ADDRESSES};

/// Bytes of configuration space.
pub(crate) const CONFIGURATION_BYTES: u64 = 256;
/// Number of base address registers.
pub(crate) const BARS: usize = 6;

/// Lowest address of the windows of the function: clients name offsets in a window, whatever its address.
const FIRST_WINDOW: u64 = 0x1000_0000;
const BASE_ADDRESS: u64 = 0x10;
const CAPABILITIES: u64 = 0x34;
const IN_64_BIT_SPACE: u32 = 2 << 1;
const PREFETCHABLE: u32 = 1 << 3;
const INTERRUPT_PIN: usize = 0x3d;
const MESSAGES: u8 = 0x11;
const ENABLE_MESSAGES: u32 = 0x8000;
const MASKED: u32 = 1;
/// Most capabilities that fit into configuration space.
const MOST_CAPABILITIES: usize = 48;

/// A window of memory space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Window {
    /// Its size; 0 for none.
    pub(crate) size: u64,
    // Its address in the simulation; bits 63 to 32 of that in the register after one of a 64-bit address.
    base: u64,
    // Base address register as the client sees it, and the bits of it that it can write.
    shown: u32,
    writable: u32,
}

impl Window {
    /// True if reads of it have no effect.
    pub(crate) fn is_prefetchable(&self) -> bool {
        self.shown & PREFETCHABLE != 0
    }

    /// True if its address has 64 bits.
    pub(crate) fn has_64_bits(&self) -> bool {
        self.shown & IN_64_BIT_SPACE != 0
    }
}

/// Message-signaled interrupts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Messages {
    pub(crate) vectors: u32,
    pub(crate) capability: u64,
    pub(crate) window: usize,
    pub(crate) table: u64,
    pub(crate) pending_window: usize,
    pub(crate) pending: u64,
}

/// Layout of a function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) windows: [Window; BARS],
    pub(crate) messages: Messages,
    pub(crate) has_line: bool,
}

/// The accesses that find the layout: all of configuration space, then the sizes of the windows.
pub(crate) fn exploration() -> Vec<Access> {
    let words =
        (0..CONFIGURATION_BYTES / 4).map(|word| Access::ReadConfiguration { address: 4 * word, size: 4 });
    let sizes = (0..BARS as u64).flat_map(|bar| {
        let address = BASE_ADDRESS + 4 * bar;
        let write = Access::WriteConfiguration { address, size: 4, value: u32::MAX };
        [write, Access::ReadConfiguration { address, size: 4 }]
    });
    words.chain(sizes).collect()
}

impl Function {
    /// The layout, from the bytes that [`exploration`] read.
    pub(crate) fn explored(found: &[u8]) -> Self {
        let mut function = Self::default();
        let (space, sizes) = found.split_at(CONFIGURATION_BYTES as usize);
        let mut next = FIRST_WINDOW;
        let masks: Vec<u32> = sizes.as_chunks().0.iter().map(|mask| u32::from_le_bytes(*mask)).collect();
        for (bar, mask) in masks.iter().enumerate() {
            let (flags, lower) = (mask & 0xf, mask & !0xf);
            let upper = masks.get(bar + 1).copied().filter(|_| flags & IN_64_BIT_SPACE != 0);
            let is_unused = lower == 0 || function.windows[bar].writable != 0;
            if is_unused || flags & !(PREFETCHABLE | IN_64_BIT_SPACE) != 0 {
                continue;
            }
            let size = !(u64::from(upper.unwrap_or(u32::MAX)) << 32 | u64::from(lower)) + 1;
            let Some(base) = next.checked_next_multiple_of(size) else { continue };
            next = base.saturating_add(size);
            function.windows[bar] = Window { size, base, shown: flags, writable: lower };
            if let Some(writable) = upper {
                function.windows[bar + 1] = Window { size: 0, base: base >> 32, shown: 0, writable };
            }
        }
        function.has_line = space[INTERRUPT_PIN] != 0;
        let mut at = usize::from(space[CAPABILITIES as usize]);
        for _ in 0..MOST_CAPABILITIES {
            let Some(capability) = space.get(at..at + 12).filter(|_| at >= 0x40) else { break };
            if capability[0] == MESSAGES {
                let word =
                    |at: usize| capability[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                function.messages = Messages {
                    vectors: (word(0) >> 16 & 0x7ff) + 1,
                    capability: at as u64,
                    window: (word(4) & 7) as usize,
                    table: u64::from(word(4) & !7),
                    pending_window: (word(8) & 7) as usize,
                    pending: u64::from(word(8) & !7),
                };
            }
            at = usize::from(capability[1]);
        }
        function
    }

    /// The accesses that put the windows at their addresses.
    pub(crate) fn placement(&self) -> Vec<Access> {
        let at = |(bar, window): (usize, &Window)| Access::WriteConfiguration {
            address: BASE_ADDRESS + 4 * bar as u64,
            size: 4,
            value: window.base as u32,
        };
        self.windows.iter().enumerate().filter(|(_, window)| window.writable != 0).map(at).collect()
    }

    /// The accesses that read or write bytes of a window or of configuration space; `None` if they are not inside.
    pub(crate) fn accesses(
        &self,
        region: u32,
        offset: u64,
        count: u64,
        written: Option<&[u8]>,
    ) -> Option<Vec<Access>> {
        let end = offset.checked_add(count)?;
        let window = self.windows.get(region as usize);
        let is_configuration = window.is_none();
        let (base, size) = window.map_or((0, CONFIGURATION_BYTES), |window| (window.base, window.size));
        if end > size {
            return None;
        }
        let mut accesses = Vec::new();
        let mut at = offset;
        while at < end {
            let fits = |size: &u64| at.is_multiple_of(*size) && at + size <= end;
            let size = [4, 2, 1].into_iter().find(fits).unwrap_or(1);
            let address = base + at;
            let value = written.map(|bytes| {
                let bytes = &bytes[(at - offset) as usize..][..size as usize];
                bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
            });
            let bytes = size as u8;
            accesses.push(match (is_configuration, value) {
                (true, None) => Access::ReadConfiguration { address, size: bytes },
                (true, Some(value)) => Access::WriteConfiguration { address, size: bytes, value },
                (false, None) => Access::Read { address, size: bytes },
                (false, Some(value)) => Access::Write { address, size: bytes, value },
            });
            at += size;
        }
        Some(accesses)
    }

    /// Writes of the client to configuration space that reach the card: all but those to base address registers, which are kept here.
    pub(crate) fn keep_bases(&mut self, accesses: Vec<Access>) -> Vec<Access> {
        let mut others = Vec::new();
        for access in accesses {
            let Access::WriteConfiguration { address, size, value } = access else { continue };
            let Some(window) = self.window_at(address) else {
                others.push(access);
                continue;
            };
            let shift = 8 * (address % 4) as u32;
            let mask = u32::MAX >> (32 - 8 * u32::from(size)) << shift;
            let writable = window.writable & mask;
            window.shown = window.shown & !writable | value << shift & writable;
        }
        others
    }

    /// Replaces base address registers by those that the client wrote, in bytes of configuration space from `offset` on.
    pub(crate) fn show_bases(&self, offset: u64, bytes: &mut [u8]) {
        let shown = self.windows.iter().flat_map(|window| window.shown.to_le_bytes());
        for (at, byte) in (BASE_ADDRESS..).zip(shown) {
            let place = at.checked_sub(offset).and_then(|place| bytes.get_mut(place as usize));
            place.into_iter().for_each(|place| *place = byte);
        }
    }

    fn window_at(&mut self, address: u64) -> Option<&mut Window> {
        self.windows.get_mut((address.checked_sub(BASE_ADDRESS)? / 4) as usize)
    }

    /// The accesses that let vectors send messages that name them, or mask them.
    pub(crate) fn arm(&self, vectors: std::ops::Range<u32>, is_armed: bool) -> Vec<Access> {
        let Messages { window, table, .. } = self.messages;
        let base = self.windows.get(window).map_or(0, |window| window.base) + table;
        let entry = |vector: u32| {
            let control = if is_armed { 0 } else { MASKED };
            let words = [INTERRUPT_ADDRESSES.start as u32, 0, vector, control];
            (0..4).zip(words).map(move |(word, value)| Access::Write {
                address: base + 16 * u64::from(vector) + 4 * word,
                size: 4,
                value,
            })
        };
        vectors.flat_map(entry).collect()
    }

    /// The access that enables messages, or disables them.
    pub(crate) fn enable(&self, is_enabled: bool) -> Access {
        let value = if is_enabled { ENABLE_MESSAGES } else { 0 };
        Access::WriteConfiguration { address: self.messages.capability + 2, size: 2, value }
    }
}
