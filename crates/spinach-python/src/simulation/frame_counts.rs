//! Counts of frames in a simulation.

use pyo3::prelude::*;
use spinach_engine::Time;
pub(super) use spinach_observe::frame_counts::FrameCounts as NativeCounts;
use spinach_python_macros::guarded;

/// Frames and bytes that have moved through channels since counting began.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct FrameCounts(pub(super) Vec<NativeCounts>);

#[guarded]
#[pymethods]
impl FrameCounts {
    /// Frames, and their bytes without frame check sequence, of each channel; until an instant in femtoseconds, if given.
    #[pyo3(signature = (until=None))]
    fn counts(&self, until: Option<u64>) -> Vec<(u64, u64)> {
        let until = until.map_or(Time::MAX, Time::from_femtoseconds);
        self.0.iter().flat_map(|counts| counts.counts(until)).collect()
    }
}
