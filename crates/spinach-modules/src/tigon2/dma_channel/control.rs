//! The bits of the control word of a DMA channel.

/// Abort the transfer under way.
pub(super) const RESET: u32 = 0x1;
/// Swap the bytes within 32-bit words.
pub(super) const SWAP: u32 = 0x2;
/// Written: start. Read: busy.
pub(super) const START: u32 = 0x4;
/// Sum up the data.
pub(super) const CHECKSUM: u32 = 0x200;
/// Begin the sum with 0.
pub(super) const CHECKSUM_RESTART: u32 = 0x400;
/// Store the sum through the descriptor's pointer.
pub(super) const CHECKSUM_STORE: u32 = 0x800;
/// No answer on the bus.
pub(super) const MASTER_ABORT: u32 = 0x0200_0000;
/// The data would cross a multiple of 4 GiB in host memory.
pub(super) const CROSSING: u32 = 0x0800_0000;
/// All errors.
pub(super) const ERRORS: u32 = 0x7f00_0000;
