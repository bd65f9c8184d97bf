//! Bursts of AXI4, whose beats become references one after the other.

use serde::{Deserialize, Serialize};
use spinach_plugin::{AxiBurst, Block};

const FIXED: u64 = 0;
pub(super) const INCREMENTING: u64 = 1;
const WRAPPING: u64 = 2;
/// No burst crosses a multiple of this.
const PAGE_BYTES: u64 = 4096;

/// The beats of a burst that are not references yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::blocks) struct Burst {
    /// Address of the next beat.
    pub(super) address: u64,
    /// Bytes of a beat.
    pub(super) bytes: u8,
    pub(super) id: u64,
    beats_left: u64,
    // The range in which addresses stay; empty unless they wrap.
    first: u64,
    end: u64,
    is_fixed: bool,
}

impl Burst {
    /// The burst that the block presents with `address`; `signals` is `None` for AXI4-Lite.
    ///
    /// # Errors
    /// If AXI4 does not allow it, or if it is an exclusive access.
    pub(super) fn presented(
        block: &Block,
        address: u64,
        signals: Option<&AxiBurst>,
        bus_bytes: u8,
    ) -> Result<Self, String> {
        let single =
            Self { address, bytes: bus_bytes, id: 0, beats_left: 1, first: 0, end: 0, is_fixed: false };
        let Some(signals) = signals else { return Ok(single) };
        let get = |signal: Option<usize>, default| signal.map_or(default, |signal| block.get(signal));
        let (beats, kind) = (block.get(signals.length) + 1, get(signals.kind, INCREMENTING));
        let bytes = signals.size.map_or(u64::from(bus_bytes), |size| 1 << block.get(size));
        if get(signals.lock, 0) != 0 {
            return Err("requests an exclusive access, which is not supported".to_owned());
        }
        if bytes > u64::from(bus_bytes) {
            return Err(format!("has a burst with {bytes} bytes per beat on {bus_bytes} bytes of data"));
        }
        let (span, aligned) = (beats * bytes, address & !(bytes - 1));
        let first = match kind {
            FIXED => aligned,
            INCREMENTING if aligned / PAGE_BYTES == (aligned + span - 1) / PAGE_BYTES => aligned,
            INCREMENTING => return Err(format!("has a burst from {address:#x} on that crosses 4 KiB")),
            WRAPPING if [2, 4, 8, 16].contains(&beats) && aligned == address => address & !(span - 1),
            WRAPPING => return Err(format!("has a wrapping burst of {beats} beats from {address:#x} on")),
            _ => return Err(format!("has a burst of the reserved kind {kind}")),
        };
        let end = if kind == WRAPPING { first + span } else { 0 };
        let id = get(signals.id, 0);
        Ok(Self { bytes: bytes as u8, id, beats_left: beats, first, end, is_fixed: kind == FIXED, ..single })
    }

    pub(super) fn is_last(&self) -> bool {
        self.beats_left == 1
    }

    /// The rest after the next beat; `None` after the last.
    pub(super) fn rest(mut self) -> Option<Self> {
        self.beats_left -= 1;
        if !self.is_fixed {
            self.address = (self.address & !u64::from(self.bytes - 1)) + u64::from(self.bytes);
            if self.address == self.end {
                self.address = self.first;
            }
        }
        (self.beats_left > 0).then_some(self)
    }
}
