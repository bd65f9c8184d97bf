//! Counts of frames in a simulation.

use pyo3::prelude::*;
pub(super) use spinach_observe::frame_counts::FrameCounts as NativeCounts;
use spinach_python_macros::guarded;

/// Frames and bytes that have moved through channels since counting began.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct FrameCounts(pub(super) Vec<NativeCounts>);

#[guarded]
#[pymethods]
impl FrameCounts {
    /// Frames, and their bytes without frame check sequence, of each channel.
    fn counts(&self) -> Vec<(u64, u64)> {
        self.0.iter().flat_map(NativeCounts::counts).collect()
    }
}
