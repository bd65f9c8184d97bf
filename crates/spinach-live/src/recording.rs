//! Recording of all input from outside, with the simulated instants of its arrival: a pcapng file that any capture tool can show.
//!
//! Each entrance is an interface, and its times count nanoseconds: Wireshark 4.0 misreads smaller units. A comment such as
//! `+123456 fs` adds the femtoseconds that remain, so that a replay has the exact instants. The comment of the section is the
//! configuration of the recording, as JSON. At the end is a block of statistics of the first interface: when the run ended, and in
//! its first comment how it ended.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::interface_statistics::{InterfaceStatisticsBlock, InterfaceStatisticsOption};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{Block, PcapNgBlock, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};
use spinach_engine::Time;
use spinach_io::StreamFile;

/// `if_tsresol`: times count nanoseconds.
const NANOSECONDS: u8 = 9;
const FEMTOSECONDS_PER_NANOSECOND: u64 = 1_000_000;
/// Longest time for which a message is only in memory.
const LATEST: Duration = Duration::from_millis(50);
/// Writer and format of the file.
const FORMAT: &str = "spinach-recording/2";
/// Maximum memory for the input of a replay.
const MAXIMUM_BYTES: usize = 1 << 30;

/// A message from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// Simulated time at which it was imported.
    pub time: Time,
    /// Entrance.
    pub entrance: usize,
    /// Content of the message.
    pub message: Vec<u8>,
}

/// Kind of input of an entrance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Ethernet frames.
    Frames,
    /// Messages in a form of this program.
    Messages,
}

/// A recording that is being written.
pub struct RecordingWriter {
    writer: PcapNgWriter<StreamFile>,
}

impl RecordingWriter {
    /// Begins a recording in the file `path`, which is replaced when the recording is finished; `made_with` is JSON.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, entrances: &[(&str, Sort)], made_with: &str) -> io::Result<Self> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![
                SectionHeaderOption::Comment(Cow::Owned(made_with.to_owned())),
                SectionHeaderOption::UserApplication(Cow::Borrowed(FORMAT)),
            ],
            ..SectionHeaderBlock::default()
        };
        let file = StreamFile::create(path)?.within(LATEST);
        let mut writer = PcapNgWriter::with_section_header(file, section).map_err(as_io)?;
        for (name, sort) in entrances {
            let interface = InterfaceDescriptionBlock {
                linktype: match sort {
                    Sort::Frames => DataLink::ETHERNET,
                    Sort::Messages => DataLink::USER0,
                },
                snaplen: 0,
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                    InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                ],
            };
            writer.write_block(&interface.into_block()).map_err(as_io)?;
        }
        writer.get_mut().end_record()?;
        Ok(Self { writer })
    }

    /// Adds a message that was imported at `time`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, time: Time, entrance: usize, message: &[u8]) -> io::Result<()> {
        let (nanoseconds, rest) = counted(time);
        let packet = EnhancedPacketBlock {
            interface_id: u32::try_from(entrance).map_err(io::Error::other)?,
            timestamp: Duration::from_nanos(nanoseconds),
            original_len: u32::try_from(message.len()).map_err(io::Error::other)?,
            data: Cow::Borrowed(message),
            options: vec![EnhancedPacketOption::Comment(rest)],
        };
        self.writer.write_pcapng_block(packet).map_err(as_io)?;
        self.writer.get_mut().end_record()
    }

    /// Writes data older than a tenth of a second, so that little is lost when the process is killed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn hand_over(&mut self) -> io::Result<()> {
        self.writer.get_mut().hand_over()
    }

    /// Ends the recording of a run that ended at `time`; `ending` is JSON.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(mut self, time: Time, ending: &str) -> io::Result<()> {
        let (nanoseconds, rest) = counted(time);
        let statistics = InterfaceStatisticsBlock {
            interface_id: 0,
            timestamp: nanoseconds,
            options: vec![
                InterfaceStatisticsOption::Comment(Cow::Borrowed(ending)),
                InterfaceStatisticsOption::Comment(rest),
            ],
        };
        self.writer.write_pcapng_block(statistics).map_err(as_io)?;
        self.writer.into_inner().complete()
    }
}

/// Whole nanoseconds, and the comment with the rest.
fn counted(time: Time) -> (u64, Cow<'static, str>) {
    let rest = time.femtoseconds() % FEMTOSECONDS_PER_NANOSECOND;
    (time.femtoseconds() / FEMTOSECONDS_PER_NANOSECOND, Cow::Owned(format!("+{rest} fs")))
}

/// Rest that a comment has.
fn rest_in(comment: &str) -> Option<u64> {
    comment.strip_prefix('+')?.strip_suffix(" fs")?.parse().ok()
}

/// A recording that was read.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Names of the entrances.
    pub entrances: Vec<String>,
    /// Configuration of the run, as JSON.
    pub made_with: String,
    /// Arrivals in order.
    pub arrivals: VecDeque<Arrival>,
    /// Time and outcome (JSON) of the end of the run; absent if the recording is cut off, as after a kill.
    pub ending: Option<(Time, String)>,
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    File(io::Error),
    /// The file is not a recording, or damaged.
    #[error("{0}")]
    Format(String),
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// If the file cannot be read or is not a recording.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let file = File::open(path).map_err(RecordingError::File)?;
        Self::read_from(BufReader::new(file))
    }

    /// Reads the content of a recording.
    ///
    /// # Errors
    /// If it is not a recording, or damaged.
    pub fn read_from(input: impl io::Read) -> Result<Self, RecordingError> {
        let mut recording = Self::default();
        let mut reader = PcapNgReader::new(input).map_err(|error| match error {
            PcapError::IoError(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                RecordingError::File(error)
            }
            _ => RecordingError::Format(format!("it does not begin like a recording ({FORMAT})")),
        })?;
        let options = &reader.section().options;
        let is_format = |it: &_| matches!(it, SectionHeaderOption::UserApplication(name) if name == FORMAT);
        if !options.iter().any(is_format) {
            return Err(RecordingError::Format(format!("it is a capture, but no recording ({FORMAT})")));
        }
        for option in options {
            if let SectionHeaderOption::Comment(comment) = option {
                recording.made_with = comment.to_string();
            }
        }
        let mut remaining = MAXIMUM_BYTES;
        while let Some(block) = reader.next_block() {
            match block {
                Ok(block) => recording.add(block, &mut remaining)?,
                // A process that was killed leaves whole records, and perhaps a part of one.
                Err(PcapError::IncompleteBuffer) => break,
                Err(PcapError::IoError(error)) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(as_format(&error)),
            }
        }
        Ok(recording)
    }

    /// Adds a block of a file.
    fn add(&mut self, block: Block<'_>, remaining: &mut usize) -> Result<(), RecordingError> {
        let wrong = |what: &str| Err(RecordingError::Format(what.to_owned()));
        let time = |counted: u64, rest: u64| {
            let exact =
                counted.checked_mul(FEMTOSECONDS_PER_NANOSECOND).and_then(|whole| whole.checked_add(rest));
            exact.map(Time::from_femtoseconds).ok_or_else(|| {
                RecordingError::Format("it has a time that is later than the end of any run".to_owned())
            })
        };
        match block {
            Block::InterfaceDescription(interface) => {
                let name = interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                });
                self.entrances.push(name.unwrap_or_default());
            }
            Block::EnhancedPacket(packet) => {
                let entrance = packet.interface_id as usize;
                let rest = packet.options.iter().find_map(|option| match option {
                    EnhancedPacketOption::Comment(comment) => rest_in(comment),
                    _ => None,
                });
                // The library takes units for nanoseconds, whatever the interface says.
                let time = time(packet.timestamp.as_nanos() as u64, rest.unwrap_or_default())?;
                if entrance >= self.entrances.len() {
                    return wrong("a message came through an entrance that there is not");
                }
                if self.arrivals.back().is_some_and(|last| last.time > time) {
                    return wrong("its messages are not in the order of time");
                }
                let Some(left) = remaining.checked_sub(size_of::<Arrival>() + packet.data.len()) else {
                    return wrong("its messages take more than a gibibyte of memory");
                };
                *remaining = left;
                self.arrivals.push_back(Arrival { time, entrance, message: packet.data.into_owned() });
            }
            Block::InterfaceStatistics(statistics) => {
                let comment = statistics.options.iter().find_map(|option| match option {
                    InterfaceStatisticsOption::Comment(comment) => Some(comment.to_string()),
                    _ => None,
                });
                let rest = statistics.options.iter().find_map(|option| match option {
                    InterfaceStatisticsOption::Comment(comment) => rest_in(comment),
                    _ => None,
                });
                let time = time(statistics.timestamp, rest.unwrap_or_default())?;
                self.ending = Some((time, comment.unwrap_or_default()));
            }
            _ => {}
        }
        Ok(())
    }
}

fn as_io(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

fn as_format(error: &PcapError) -> RecordingError {
    RecordingError::Format(error.to_string())
}
