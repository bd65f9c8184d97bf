//! Captures of frames: reading files, and writing frames of a simulation.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spinach_engine::ChannelId;
use spinach_observe::capture_reader::{Capture, CaptureError};
use spinach_observe::capture_writer;
use spinach_python_macros::guarded;

use crate::errors::spinach_error;

type Frames<'py> = (Vec<Bound<'py, PyBytes>>, u64, u64, bool);

/// The Ethernet frames of a pcap or pcapng file; how many more are cut off; how many more are not Ethernet; whether the file
/// ends in the middle of one. `-` is standard input. A signal whose handler raises ends the reading.
#[guarded]
#[pyfunction]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method takes one lifetime, `attach` any")]
pub(crate) fn read_capture(py: Python<'_>, path: PathBuf) -> PyResult<Frames<'_>> {
    let mut raised = None;
    let read = py.detach(|| {
        Capture::read(&path, &mut || {
            raised = Python::attach(|py| py.check_signals()).err();
            raised.is_none()
        })
    });
    if let Some(raised) = raised {
        return Err(raised);
    }
    let capture = read.map_err(|error| {
        let help = match error {
            CaptureError::File(_) => "give a capture file that can be read",
            CaptureError::Format { .. } => {
                "give a pcap or pcapng file, as tcpdump and Wireshark write them, also compressed with gzip"
            }
            CaptureError::TooLarge { .. } => "take a part of it, as `editcap -r` does",
        };
        spinach_error(py, format!("cannot read {}: {error}", path.display()), help)
    })?;
    let frames = capture.frames.iter().map(|frame| PyBytes::new(py, frame)).collect();
    Ok((frames, capture.cut_off, capture.not_ethernet, capture.is_cut_short))
}

/// A capture that is being written.
#[pyclass(frozen, module = "spinach_nic._native")]
pub(crate) struct CaptureWriter {
    pub(crate) native: capture_writer::CaptureWriter,
    path: PathBuf,
    partial: Option<PathBuf>,
}

impl CaptureWriter {
    /// A capture of single frames, not of channels.
    pub(crate) fn create_for_records(py: Python<'_>, path: PathBuf, interfaces: &[String]) -> PyResult<Self> {
        let native = capture_writer::CaptureWriter::create_for_records(&path, interfaces)
            .map_err(|error| cannot_write(py, &path, None, &error))?;
        let partial = native.partial();
        Ok(Self { native, path, partial })
    }

    pub(crate) fn create(
        py: Python<'_>,
        path: PathBuf,
        interfaces: &[(String, ChannelId)],
    ) -> PyResult<Self> {
        let native = capture_writer::CaptureWriter::create(&path, interfaces)
            .map_err(|error| cannot_write(py, &path, None, &error))?;
        let partial = native.partial();
        Ok(Self { native, path, partial })
    }
}

/// The error names the file with the frames that were written before.
fn cannot_write(py: Python<'_>, path: &Path, partial: Option<&Path>, error: &std::io::Error) -> PyErr {
    let help = match partial.filter(|partial| partial.exists()) {
        Some(partial) => {
            format!("free some space, or name another file; what came before is in {}", partial.display())
        }
        None => "name a file that can be written".to_owned(),
    };
    spinach_error(py, format!("cannot write {}: {error}", path.display()), help)
}

#[guarded]
#[pymethods]
impl CaptureWriter {
    /// Ends the capture; returns how many frames of each interface it holds. A second call returns nothing.
    fn finish(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        let finished = self.native.finish();
        finished.map_err(|error| cannot_write(py, &self.path, self.partial.as_deref(), &error))
    }
}
