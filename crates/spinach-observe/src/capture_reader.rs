//! Reading captures, pcap and pcapng.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use pcap_file::DataLink;
use pcap_file::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};

/// The first four bytes of a pcapng file, in either byte order.
const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// The Ethernet frames of a capture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Capture {
    /// Each from the destination address on, without frame check sequence.
    pub frames: Vec<Vec<u8>>,
    /// How many more there are of which the capture holds only the beginning.
    pub cut_off: u64,
    /// How many more there are from interfaces that are not Ethernet.
    pub not_ethernet: u64,
}

/// Why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be opened or read.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// The file is neither pcap nor pcapng, or damaged.
    #[error("after {frames} frames: {reason}")]
    Format {
        /// How many frames came before.
        frames: u64,
        /// What is wrong.
        reason: String,
    },
}

impl Capture {
    /// Reads a capture file.
    ///
    /// # Errors
    /// If the file cannot be read, is no capture, or is damaged.
    pub fn read(path: &Path) -> Result<Self, CaptureError> {
        let mut file = BufReader::new(File::open(path)?);
        let mut magic = [0; 4];
        let length = file.by_ref().take(4).read(&mut magic)?;
        file.rewind()?;
        let mut capture = Self::default();
        let outcome = if magic == PCAPNG_MAGIC && length == 4 {
            capture.read_pcapng(file)
        } else {
            capture.read_pcap(file)
        };
        match outcome {
            Ok(()) => Ok(capture),
            Err(PcapError::IoError(error)) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
                Err(error.into())
            }
            Err(error) => Err(CaptureError::Format { frames: capture.seen(), reason: error.to_string() }),
        }
    }

    fn seen(&self) -> u64 {
        self.frames.len() as u64 + self.cut_off + self.not_ethernet
    }

    fn read_pcap(&mut self, file: impl Read) -> Result<(), PcapError> {
        let mut reader = PcapReader::new(file)?;
        let link = reader.header().datalink;
        while let Some(packet) = reader.next_packet() {
            let packet = packet?;
            self.add(link, &packet.data, packet.orig_len);
        }
        Ok(())
    }

    fn read_pcapng(&mut self, file: impl Read) -> Result<(), PcapError> {
        let mut reader = PcapNgReader::new(file)?;
        let mut links = Vec::new();
        while let Some(block) = reader.next_block() {
            match block? {
                // Interfaces are numbered anew in every section.
                Block::SectionHeader(_) => links.clear(),
                Block::InterfaceDescription(interface) => links.push(interface.linktype),
                Block::EnhancedPacket(packet) => {
                    let link = links.get(packet.interface_id as usize).copied();
                    let link = link.ok_or(PcapError::InvalidInterfaceId(packet.interface_id))?;
                    self.add(link, &packet.data, packet.original_len);
                }
                Block::SimplePacket(packet) => {
                    let link = links.first().copied().ok_or(PcapError::InvalidInterfaceId(0))?;
                    // Blocks are padded to whole words.
                    let length = packet.data.len().min(packet.original_len as usize);
                    self.add(link, &packet.data[..length], packet.original_len);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, link: DataLink, bytes: &[u8], original_length: u32) {
        if link != DataLink::ETHERNET {
            self.not_ethernet += 1;
        } else if bytes.len() < original_length as usize {
            self.cut_off += 1;
        } else {
            self.frames.push(bytes.to_vec());
        }
    }
}
