//! Numbers of special registers: those that instructions work with, and those that concern caches.

pub(super) const EXCEPTIONS: u32 = 1;
pub(super) const LINK: u32 = 8;
pub(super) const COUNT: u32 = 9;
pub(super) const CACHE_CONTROL: u32 = 0x3b3;
pub(super) const DATA_WRITE_THROUGH: u32 = 0x3ba;
pub(super) const DATA_CACHEABLE: u32 = 0x3fa;
pub(super) const INSTRUCTIONS_CACHEABLE: u32 = 0x3fb;
