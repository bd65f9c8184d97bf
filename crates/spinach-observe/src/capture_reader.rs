//! Reader of captures: pcap and pcapng, also compressed with gzip.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use pcap_file::DataLink;
use pcap_file::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::input::Input;

/// The first four bytes of a pcapng file, in either byte order.
const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// The first two bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Maximum memory for the frames of a capture.
pub const FRAMES_MAXIMUM_BYTES: usize = 1 << 30;
/// Memory that a frame takes besides its bytes.
const FRAME_OVERHEAD_BYTES: usize = 64;

/// The Ethernet frames of a capture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capture {
    /// Each from the destination address on, without frame check sequence.
    pub frames: Vec<Vec<u8>>,
    /// Number of further frames of which the capture holds only the beginning.
    pub cut_off: u64,
    /// Number of further frames from interfaces other than Ethernet.
    pub not_ethernet: u64,
    /// True if the file ends in the middle of a record, as after a kill of the capture program. The frames before are here.
    pub is_cut_short: bool,
}

/// Reason why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    File(io::Error),
    /// The file is neither pcap nor pcapng, or damaged.
    #[error("after {frames} frames: {reason}")]
    Format {
        /// Number of frames before.
        frames: u64,
        /// Problem.
        reason: String,
    },
    /// Its frames take more memory than allowed.
    #[error("its frames take more than {maximum} bytes of memory")]
    TooLarge {
        /// The limit.
        maximum: usize,
    },
}

/// Reason why reading stops before the end.
enum Stop {
    Library(PcapError),
    /// The file begins otherwise than a capture.
    OtherFormat,
    TooLarge,
}

impl From<PcapError> for Stop {
    fn from(error: PcapError) -> Self {
        Self::Library(error)
    }
}

impl Capture {
    /// Reads a capture file to its end; `-` is standard input. Long reads call `go_on`, and end if it returns false.
    ///
    /// # Errors
    /// If the file cannot be read, is not a capture, or is damaged; after `go_on` returned false, [`CaptureError::File`].
    pub fn read(path: &Path, go_on: &mut dyn FnMut() -> bool) -> Result<Self, CaptureError> {
        let input = Input::open(path, go_on).map_err(CaptureError::File)?;
        let end = input.end();
        Self::read_from(input, FRAMES_MAXIMUM_BYTES, || end.get())
    }

    /// Reads the content of a capture file; its frames may take `maximum` bytes. `has_ended` says after a failure whether the
    /// input was read to its end.
    ///
    /// # Errors
    /// As [`Capture::read`].
    pub fn read_from(
        input: impl Read,
        maximum: usize,
        has_ended: impl Fn() -> bool,
    ) -> Result<Self, CaptureError> {
        let mut reader = Reader { capture: Self::default(), remaining: maximum, has_header: false };
        let outcome = reader.read_any(BufReader::new(input));
        let Reader { mut capture, has_header, .. } = reader;
        let frames = capture.frames.len() as u64 + capture.cut_off + capture.not_ethernet;
        match outcome {
            Ok(()) => Ok(capture),
            Err(Stop::TooLarge) => Err(CaptureError::TooLarge { maximum }),
            Err(Stop::OtherFormat) => {
                let reason = "it does not begin like a capture (pcap or pcapng)".to_owned();
                Err(CaptureError::Format { frames, reason })
            }
            Err(Stop::Library(PcapError::IoError(error))) if is_end(&error) => {
                if has_header && has_ended() {
                    capture.is_cut_short = true;
                    return Ok(capture);
                }
                let reason =
                    if has_header { "a record is longer than any frame" } else { "its header is not whole" };
                Err(CaptureError::Format { frames, reason: reason.to_owned() })
            }
            Err(Stop::Library(PcapError::IoError(error))) if is_damage(&error) => {
                Err(CaptureError::Format { frames, reason: error.to_string() })
            }
            Err(Stop::Library(PcapError::IoError(error))) => Err(CaptureError::File(error)),
            Err(Stop::Library(error)) => Err(CaptureError::Format { frames, reason: error.to_string() }),
        }
    }
}

/// True for the magic numbers of pcap: of both byte orders, with microseconds or nanoseconds.
fn is_pcap(start: &[u8]) -> bool {
    [0xa1b2_c3d4_u32, 0xa1b2_3c4d]
        .iter()
        .any(|magic| start == magic.to_be_bytes() || start == magic.to_le_bytes())
}

/// True if the input ended in the middle of a record.
fn is_end(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::UnexpectedEof
}

/// True if the compressed data is damaged.
fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData)
}

/// State of the reader.
struct Reader {
    capture: Capture,
    /// Remaining memory for frames, in bytes.
    remaining: usize,
    /// True if the file has begun like a capture.
    has_header: bool,
}

impl Reader {
    fn read_any(&mut self, mut input: impl Read) -> Result<(), Stop> {
        let start = read_start(&mut input)?;
        let is_compressed = start.starts_with(&GZIP_MAGIC);
        let input = Cursor::new(start).chain(input);
        if is_compressed {
            return self.read_plain(BufReader::new(MultiGzDecoder::new(input)));
        }
        self.read_plain(input)
    }

    fn read_plain(&mut self, mut input: impl Read) -> Result<(), Stop> {
        let start = read_start(&mut input)?;
        let is_pcapng = start == PCAPNG_MAGIC;
        let is_other = start.len() == PCAPNG_MAGIC.len() && !is_pcapng && !is_pcap(&start);
        if is_other {
            return Err(Stop::OtherFormat);
        }
        let input = Cursor::new(start).chain(input);
        if is_pcapng { self.read_pcapng(input) } else { self.read_pcap(input) }
    }

    fn read_pcap(&mut self, input: impl Read) -> Result<(), Stop> {
        let mut reader = PcapReader::new(input)?;
        self.has_header = true;
        let link = reader.header().datalink;
        // The checks of whole packets refuse frames that were cut off at the snapshot length.
        while let Some(packet) = reader.next_raw_packet() {
            let packet = packet?;
            self.add(link, &packet.data, packet.orig_len)?;
        }
        Ok(())
    }

    fn read_pcapng(&mut self, input: impl Read) -> Result<(), Stop> {
        let mut reader = PcapNgReader::new(input)?;
        self.has_header = true;
        let mut links = Vec::new();
        while let Some(block) = reader.next_block() {
            match block? {
                // Interfaces are numbered anew in every section.
                Block::SectionHeader(_) => links.clear(),
                Block::InterfaceDescription(interface) => links.push(interface.linktype),
                Block::EnhancedPacket(packet) => {
                    let link = links.get(packet.interface_id as usize).copied();
                    let link = link.ok_or(PcapError::InvalidInterfaceId(packet.interface_id))?;
                    self.add(link, &packet.data, packet.original_len)?;
                }
                Block::SimplePacket(packet) => {
                    let link = links.first().copied().ok_or(PcapError::InvalidInterfaceId(0))?;
                    // Blocks are padded to whole words.
                    let length = packet.data.len().min(packet.original_len as usize);
                    self.add(link, &packet.data[..length], packet.original_len)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, link: DataLink, bytes: &[u8], original_length: u32) -> Result<(), Stop> {
        if link != DataLink::ETHERNET {
            self.capture.not_ethernet += 1;
        } else if bytes.len() < original_length as usize {
            self.capture.cut_off += 1;
        } else {
            let cost = bytes.len() + FRAME_OVERHEAD_BYTES;
            self.remaining = self.remaining.checked_sub(cost).ok_or(Stop::TooLarge)?;
            self.capture.frames.push(bytes.to_vec());
        }
        Ok(())
    }
}

/// The first four bytes, or all if there are fewer.
fn read_start(input: &mut impl Read) -> Result<Vec<u8>, Stop> {
    let mut start = Vec::new();
    input.take(4).read_to_end(&mut start).map_err(PcapError::IoError)?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of pcapng in little-endian order.
    fn block(kind: u32, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes(), &length, body, &length].concat()
    }

    /// A capture of an Ethernet interface and one of raw IP, with one packet of each and one that is cut off.
    fn capture() -> Vec<u8> {
        let packet = |interface: u32, original: u32| {
            let words = [interface, 0, 0, 4, original].map(u32::to_le_bytes).concat();
            block(6, &[&words[..], &[1, 2, 3, 4]].concat())
        };
        let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
        let interface = |link: u8| block(1, &[link, 0, 0, 0, 0, 0, 0, 0]);
        let packets = [packet(0, 4), packet(1, 4), packet(0, 60)].concat();
        [block(0x0a0d_0d0a, &section), interface(1), interface(101), packets].concat()
    }

    fn read(bytes: &[u8], maximum: usize) -> Result<Capture, CaptureError> {
        Capture::read_from(bytes, maximum, || true)
    }

    #[test]
    fn every_packet_is_a_frame_or_counted() {
        let expected =
            Capture { frames: vec![vec![1, 2, 3, 4]], cut_off: 1, not_ethernet: 1, is_cut_short: false };
        assert_eq!(read(&capture(), 4 + FRAME_OVERHEAD_BYTES).expect("it is a capture"), expected);
        let refused = read(&capture(), 3 + FRAME_OVERHEAD_BYTES);
        assert!(matches!(refused, Err(CaptureError::TooLarge { maximum: 67 })), "{refused:?}");
        let part = [&capture()[..], &[6, 0, 0, 0, 40]].concat();
        let expected = Capture { is_cut_short: true, ..expected };
        assert_eq!(read(&part, 1000).expect("it is the part of a capture"), expected);
    }

    #[test]
    fn an_error_says_how_many_packets_came_before() {
        let unknown = block(6, &[[7, 0, 0, 0, 0].map(u32::to_le_bytes).concat()].concat());
        let refused = read(&[capture(), unknown].concat(), 1000);
        assert!(matches!(refused, Err(CaptureError::Format { frames: 3, .. })), "{refused:?}");
    }
}
