//! Writer of captures: the frames of channels, with simulated times.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};
use spinach_engine::{ChannelId, Observed, Observer, Value};
use spinach_io::StreamFile;
use spinach_modules::values::Frame;

/// `if_tsresol`: times count nanoseconds.
const NANOSECONDS: u8 = 9;
/// The bit of `epb_flags` that says that the frame check sequence was wrong.
const CHECK_SEQUENCE_WRONG: u32 = 1 << 24;

/// A capture that is being written: what moves through channels of frames, each channel an interface, in the order of simulated
/// time. Frames go to a [`StreamFile`] as they come, so that memory does not grow, and so that what a process leaves that was
/// killed is a capture too. Clones are handles to the same capture.
#[derive(Clone)]
pub struct CaptureWriter(Arc<Capturing>);

struct Capturing {
    channels: Vec<ChannelId>,
    file: Mutex<Option<Open>>,
}

struct Open {
    writer: PcapNgWriter<StreamFile>,
    frames: Vec<u64>,
    failed: Option<std::io::Error>,
}

impl CaptureWriter {
    /// Begins a capture in the file `path`, which is replaced when the capture is finished.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, interfaces: &[(String, ChannelId)]) -> std::io::Result<Self> {
        let channels = interfaces.iter().map(|(_, channel)| *channel).collect();
        Self::begin(path, interfaces.iter().map(|(name, _)| name.as_str()), channels)
    }

    /// The same for frames that come by [`Self::record`], of interfaces with these names.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create_for_records(path: &Path, interfaces: &[String]) -> std::io::Result<Self> {
        Self::begin(path, interfaces.iter().map(String::as_str), Vec::new())
    }

    /// Writes a frame that is intact, which passed at a time in nanoseconds.
    pub fn record(&self, interface: usize, bytes: &[u8], nanoseconds: u64) {
        if let Some(open) = self.file().as_mut() {
            open.write(interface, bytes, true, nanoseconds);
        }
    }

    fn begin<'a>(
        path: &Path,
        names: impl ExactSizeIterator<Item = &'a str>,
        channels: Vec<ChannelId>,
    ) -> std::io::Result<Self> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed("spinach"))],
            ..SectionHeaderBlock::default()
        };
        let file = StreamFile::create(path)?;
        let mut writer = PcapNgWriter::with_section_header(file, section).map_err(as_io)?;
        let count = names.len();
        for name in names {
            let interface = InterfaceDescriptionBlock {
                linktype: DataLink::ETHERNET,
                snaplen: 0,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ],
            };
            writer.write_block(&interface.into_block()).map_err(as_io)?;
        }
        let open = Open { writer, frames: vec![0; count], failed: None };
        Ok(Self(Arc::new(Capturing { channels, file: Mutex::new(Some(open)) })))
    }

    /// True if the capture has been finished: it records no more.
    pub fn is_finished(&self) -> bool {
        self.file().is_none()
    }

    /// Path of the frames while the capture is being written, unless the target is not an ordinary file.
    pub fn partial(&self) -> Option<PathBuf> {
        self.file().as_ref().and_then(|open| open.writer.get_ref().partial().map(Path::to_owned))
    }

    /// Ends the capture; returns how many frames of each interface it holds. A second call returns nothing.
    ///
    /// # Errors
    /// If anything could not be written; the part written before stays next to the file, as the error says.
    pub fn finish(&self) -> std::io::Result<Vec<u64>> {
        let Some(open) = self.file().take() else { return Ok(Vec::new()) };
        let file = open.writer.into_inner();
        match open.failed {
            Some(error) => Err(error),
            None => file.complete().map(|()| open.frames),
        }
    }

    fn file(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for CaptureWriter {
    fn channels(&self) -> Option<&[ChannelId]> {
        Some(&self.0.channels)
    }

    fn observe(&mut self, observed: &Observed<'_>) {
        for (interface, channel) in self.0.channels.iter().enumerate() {
            if !observed.moves(*channel) {
                continue;
            }
            let (Some(words), _) = observed.channel(*channel) else { continue };
            let frame = Frame::load(|word| words[word as usize]);
            let bytes = observed.payload(*channel, frame.bytes);
            if let Some(open) = self.file().as_mut() {
                open.write(interface, bytes, frame.is_intact, observed.time.femtoseconds() / 1_000_000);
            }
        }
    }
}

impl Open {
    // After the first failure nothing more is written; `finish` returns the failure.
    fn write(&mut self, interface: usize, bytes: &[u8], is_intact: bool, nanoseconds: u64) {
        if self.failed.is_some() {
            return;
        }
        let packet = EnhancedPacketBlock {
            interface_id: interface as u32,
            timestamp: Duration::from_nanos(nanoseconds),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(bytes),
            options: if is_intact { vec![] } else { vec![EnhancedPacketOption::Flags(CHECK_SEQUENCE_WRONG)] },
        };
        let written = self.writer.write_pcapng_block(packet).map_err(as_io);
        match written.and_then(|_| self.writer.get_mut().end_record()) {
            Ok(()) => self.frames[interface] += 1,
            Err(error) => self.failed = Some(error),
        }
    }
}

fn as_io(error: PcapError) -> std::io::Error {
    match error {
        PcapError::IoError(error) => error,
        error => std::io::Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use pcap_file::pcapng::{Block, PcapNgReader};

    use super::*;
    use crate::wire::{FRAMES, carry, temporary, wire};

    /// Numbers the edges at which a frame moves.
    struct Edges(ChannelId, u64, Arc<Mutex<Vec<u64>>>);

    impl Observer for Edges {
        fn observe(&mut self, observed: &Observed<'_>) {
            if observed.moves(self.0) {
                self.2.lock().expect("no thread panicked").push(self.1);
            }
            self.1 += 1;
        }
    }

    #[test]
    fn times_are_whole_nanoseconds_that_have_passed() {
        let mut simulation = wire();
        let channel = simulation.netlist().find_channel("far", "output", 0).expect("it is connected");
        let path = temporary("times");
        let capture = CaptureWriter::create(&path, &[("wire".to_owned(), channel)])
            .expect("temporary files can be written");
        let edges = Arc::new(Mutex::new(Vec::new()));
        simulation.add_observer(Box::new(Edges(channel, 0, Arc::clone(&edges))));
        simulation.add_observer(Box::new(capture.clone()));
        carry(&mut simulation);
        let mut unobserved = wire();
        carry(&mut unobserved);
        assert_eq!(simulation.checkpoint(), unobserved.checkpoint());
        assert_eq!(capture.finish().expect("it was written"), [FRAMES]);
        let edges = edges.lock().expect("no thread panicked").clone();
        let expected: Vec<u64> = edges.iter().map(|edge| 10 * edge / 3).collect();
        assert!(edges.iter().any(|edge| edge % 3 != 0), "some edges fall between nanoseconds: {edges:?}");
        let file = std::fs::File::open(&path).expect("it was written");
        let mut reader = PcapNgReader::new(file).expect("it is a capture");
        assert_eq!(reader.section().endianness, Endianness::Little);
        assert_eq!(reader.section().options, [SectionHeaderOption::UserApplication("spinach".into())]);
        let mut times = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.expect("it is a capture") {
                assert_eq!(packet.data.len(), 60);
                times.push(packet.timestamp.as_nanos() as u64);
            }
        }
        std::fs::remove_file(&path).expect("it was written");
        assert_eq!(times, expected);
    }
}
