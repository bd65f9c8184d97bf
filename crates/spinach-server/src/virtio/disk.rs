//! A block device over an image (section 5.2). The image is never written: writes of the server are kept in memory and in
//! checkpoints.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Device;

/// Bytes of a kept page.
pub const PAGE_BYTES: usize = 4096;
const SECTOR_BYTES: u64 = 512;
const HEADER_BYTES: usize = 16;
const SEGMENTS_MAXIMUM: u32 = 126;
const IDENTITY_BYTES: usize = 20;
/// Bytes at the start of an image that identify it, together with its length.
const IDENTIFYING_BYTES: u64 = 64 << 10;

const SEGMENTS: u64 = 1 << 2;
const FLUSH: u64 = 1 << 9;

const READ: u32 = 0;
const WRITE: u32 = 1;
const FLUSH_REQUEST: u32 = 4;
const IDENTIFY: u32 = 8;
const DONE: u8 = 0;
const FAILED: u8 = 1;
const UNSUPPORTED: u8 = 2;

/// An image: its file and its identity.
#[derive(Debug)]
pub struct Image {
    file: File,
    identity: Identity,
}

/// Length of an image, and a hash of its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    bytes: u64,
    hash: u64,
}

impl Image {
    /// Opens an image.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut start = vec![0; bytes.min(IDENTIFYING_BYTES) as usize];
        file.read_exact_at(&mut start, 0)?;
        // FNV-1a.
        let hash = start.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        Ok(Self { file, identity: Identity { bytes, hash } })
    }

    /// Its identity.
    pub fn identity(&self) -> Identity {
        self.identity
    }
}

/// The device. Without an image it has no sectors.
#[derive(Debug, Default)]
pub struct Disk {
    image: Option<Image>,
    /// Image of the restored checkpoint, or none; `None` if it was not restored.
    expected: Option<Option<Identity>>,
    written: BTreeMap<u64, Box<[u8; PAGE_BYTES]>>,
}

impl Disk {
    /// Inserts an image; false if a restored checkpoint has another, or none.
    pub fn insert(&mut self, image: Image) -> bool {
        let identity = image.identity;
        self.image = Some(image);
        self.expected.is_none_or(|expected| expected == Some(identity))
    }

    /// Restores the disk of a checkpoint, whose image is still missing.
    pub fn expect(&mut self, identity: Option<Identity>) {
        self.expected = Some(identity);
    }

    /// True if it is that of a restored checkpoint without an image.
    pub fn is_restored_empty(&self) -> bool {
        self.expected == Some(None)
    }

    /// True if the image of a restored checkpoint is missing.
    pub fn lacks_image(&self) -> bool {
        self.expected.flatten().is_some() && self.image.is_none()
    }

    /// Identity of the image, if there is one.
    pub fn identity(&self) -> Option<Identity> {
        self.image.as_ref().map(Image::identity).or(self.expected.flatten())
    }

    /// Written pages, by number.
    pub fn written(&self) -> impl Iterator<Item = (u64, &[u8; PAGE_BYTES])> {
        self.written.iter().map(|(number, page)| (*number, page.as_ref()))
    }

    /// Restores a written page.
    pub fn set_written(&mut self, number: u64, page: [u8; PAGE_BYTES]) {
        self.written.insert(number, Box::new(page));
    }

    /// Bytes of all whole sectors.
    fn bytes(&self) -> u64 {
        self.identity().map_or(0, |identity| identity.bytes / SECTOR_BYTES * SECTOR_BYTES)
    }

    /// Position of the first byte of a request, if all of it lies on the disk.
    fn position(&self, sector: u64, bytes: usize) -> Option<u64> {
        let position = sector.checked_mul(SECTOR_BYTES)?;
        let end = position.checked_add(bytes as u64)?;
        (end <= self.bytes() && (bytes as u64).is_multiple_of(SECTOR_BYTES)).then_some(position)
    }

    fn page(&self, number: u64) -> Option<[u8; PAGE_BYTES]> {
        if let Some(page) = self.written.get(&number) {
            return Some(**page);
        }
        let image = self.image.as_ref()?;
        let mut page = [0; PAGE_BYTES];
        let start = number * PAGE_BYTES as u64;
        let bytes = image.identity.bytes.saturating_sub(start).min(PAGE_BYTES as u64) as usize;
        image.file.read_exact_at(&mut page[..bytes], start).ok()?;
        Some(page)
    }

    fn read(&self, sector: u64, bytes: usize) -> Option<Vec<u8>> {
        let mut position = self.position(sector, bytes)?;
        let end = position + bytes as u64;
        let mut read = Vec::with_capacity(bytes + 1);
        while position < end {
            let place = (position % PAGE_BYTES as u64) as usize;
            let count = (PAGE_BYTES - place).min((end - position) as usize);
            let page = self.page(position / PAGE_BYTES as u64)?;
            read.extend_from_slice(&page[place..place + count]);
            position += count as u64;
        }
        Some(read)
    }

    fn write(&mut self, sector: u64, mut bytes: &[u8]) -> Option<()> {
        let mut position = self.position(sector, bytes.len())?;
        while !bytes.is_empty() {
            let (number, place) = (position / PAGE_BYTES as u64, (position % PAGE_BYTES as u64) as usize);
            let (part, rest) = bytes.split_at((PAGE_BYTES - place).min(bytes.len()));
            let mut page = self.page(number)?;
            page[place..place + part.len()].copy_from_slice(part);
            self.written.insert(number, Box::new(page));
            (bytes, position) = (rest, position + part.len() as u64);
        }
        Some(())
    }
}

impl Device for Disk {
    const NUMBER: u32 = 2;
    const FEATURES: u64 = SEGMENTS | FLUSH;

    fn configuration(&self) -> Vec<u8> {
        // Capacity in sectors, largest segment, most segments.
        let sectors = self.bytes() / SECTOR_BYTES;
        [&sectors.to_le_bytes()[..], &[0; 4], &SEGMENTS_MAXIMUM.to_le_bytes()].concat()
    }

    /// A header with kind and sector, and data; the answer is data and a status.
    fn serve(&mut self, request: &[u8], room: usize) -> Vec<u8> {
        let Some((header, data)) = request.split_at_checked(HEADER_BYTES).filter(|_| room > 0) else {
            return if room > 0 { vec![FAILED] } else { Vec::new() };
        };
        let kind = u32::from_le_bytes(header[..4].try_into().unwrap_or_default());
        let sector = u64::from_le_bytes(header[8..].try_into().unwrap_or_default());
        let answered = |data: Option<Vec<u8>>| match data {
            Some(mut data) => {
                data.resize(room - 1, 0);
                data.push(DONE);
                data
            }
            None => {
                let mut failed = vec![0; room];
                failed[room - 1] = FAILED;
                failed
            }
        };
        match kind {
            READ => answered(self.read(sector, room - 1)),
            WRITE => answered(self.write(sector, data).map(|()| Vec::new())),
            FLUSH_REQUEST => answered(Some(Vec::new())),
            IDENTIFY => {
                let mut name = b"spinach".to_vec();
                name.resize(IDENTITY_BYTES, 0);
                answered(Some(name))
            }
            _ => {
                let mut refused = vec![0; room];
                refused[room - 1] = UNSUPPORTED;
                refused
            }
        }
    }
}
