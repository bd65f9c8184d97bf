//! Captures of frames: reading files, and writing what passes through a simulation.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_engine::ChannelId;
use spinach_observe::capture_reader::{Capture, CaptureError};
use spinach_observe::capture_writer;

use crate::errors::spinach_error;

type Frames<'py> = (Vec<Bound<'py, PyBytes>>, u64, u64);

/// The Ethernet frames of a pcap or pcapng file; how many more are cut off; how many more are not Ethernet.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts paths as owned values")]
pub(crate) fn read_capture(py: Python<'_>, path: PathBuf) -> PyResult<Frames<'_>> {
    let capture = py.detach(|| Capture::read(&path)).map_err(|error| {
        let help = match error {
            CaptureError::File(_) => "give a capture file that can be read",
            CaptureError::Format { .. } => "give a pcap or pcapng file, as tcpdump and Wireshark write them",
        };
        spinach_error(py, format!("cannot read {}: {error}", path.display()), help)
    })?;
    let frames = capture.frames.iter().map(|frame| PyBytes::new(py, frame)).collect();
    Ok((frames, capture.cut_off, capture.not_ethernet))
}

/// A capture that is being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct CaptureWriter {
    pub(crate) native: capture_writer::CaptureWriter,
    path: PathBuf,
}

impl CaptureWriter {
    pub(crate) fn create(
        py: Python<'_>,
        path: PathBuf,
        interfaces: &[(String, ChannelId)],
    ) -> PyResult<Self> {
        let native = capture_writer::CaptureWriter::create(&path, interfaces);
        Ok(Self { native: native.map_err(|error| cannot_write(py, &path, &error))?, path })
    }
}

fn cannot_write(py: Python<'_>, path: &Path, error: &std::io::Error) -> PyErr {
    spinach_error(py, format!("cannot write {}: {error}", path.display()), "name a file that can be written")
}

#[pymethods]
impl CaptureWriter {
    /// Ends the capture; returns how many frames of each interface it holds. A second call returns nothing.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.native.finish().map_err(|error| cannot_write(py, &self.path, &error))
    }
}
