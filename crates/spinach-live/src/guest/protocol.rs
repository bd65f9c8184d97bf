//! Messages of QEMU's `x-pci-proxy-dev` to the process that models the device.
//!
//! A message is a header of 16 bytes (command, padding, bytes of the payload) and the payload, little-endian; descriptors come with
//! the header. Layouts are those of `include/hw/remote/mpqemu-link.h` in QEMU 7.2.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use spinach_modules::bus::guest_messages::Access;

use super::memory::Region;
use crate::descriptors::begin;

/// Bytes of a header.
const HEADER: usize = 16;
/// Maximum number of file descriptors with a message.
const MOST_DESCRIPTORS: usize = 8;
/// Bytes of the longest payload.
const LONGEST_PAYLOAD: usize = 24 * MOST_DESCRIPTORS;

const MAP_MEMORY: i32 = 0;
const ANSWER: i32 = 1;
const WRITE_CONFIGURATION: i32 = 2;
const READ_CONFIGURATION: i32 = 3;
const WRITE: i32 = 4;
const READ: i32 = 5;
const SET_INTERRUPT: i32 = 6;
const RESET: i32 = 7;

/// Request of the guest's side.
#[derive(Debug)]
pub enum Request {
    /// Replaces the guest's memory.
    MapMemory(Vec<Region>),
    /// An access, to be answered.
    Access(Access),
    /// An access that the device has no answer for: it is answered with all ones.
    Impossible,
    /// Interrupt setup for a guest that runs in the kernel, which this one does not.
    SetInterrupt,
}

/// The connection to `x-pci-proxy-dev`.
pub struct Proxy {
    stream: UnixStream,
}

impl Proxy {
    /// Speaks over `stream`, which is the other end of the one that QEMU is given.
    pub fn new(stream: UnixStream) -> Self {
        Self { stream }
    }

    /// Readable when the guest asks something.
    pub fn readiness(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Next request of the guest, if any. Waits for the rest of a message that has begun.
    ///
    /// # Errors
    /// If the guest is gone or breaks the protocol.
    pub fn take(&mut self) -> io::Result<Option<Request>> {
        let mut header = [0; HEADER];
        let mut descriptors = Vec::new();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let Some(length) = begin(&self.stream, &mut header, &mut space, &mut descriptors)? else {
            return Ok(None);
        };
        self.stream.read_exact(&mut header[length..])?;
        let (command, size) = (word(&header, 0) as i32, double(&header, 8));
        if size > LONGEST_PAYLOAD as u64 {
            return Err(odd(&format!("a payload of {size} bytes")));
        }
        let mut payload = [0; LONGEST_PAYLOAD];
        self.stream.read_exact(&mut payload[..size as usize])?;
        understand(command, &payload, size as usize, descriptors).map(Some)
    }

    /// Answers the oldest access.
    ///
    /// # Errors
    /// If the guest is gone.
    pub fn answer(&mut self, value: u64) -> io::Result<()> {
        let mut message = [0; HEADER + 8];
        message[..4].copy_from_slice(&ANSWER.to_le_bytes());
        message[8..16].copy_from_slice(&8u64.to_le_bytes());
        message[16..].copy_from_slice(&value.to_le_bytes());
        self.stream.write_all(&message)
    }
}

fn understand(
    command: i32,
    payload: &[u8; LONGEST_PAYLOAD],
    size: usize,
    descriptors: Vec<OwnedFd>,
) -> io::Result<Request> {
    let needed = match command {
        MAP_MEMORY => LONGEST_PAYLOAD,
        WRITE_CONFIGURATION | READ_CONFIGURATION => 12,
        WRITE | READ => 21,
        _ => 0,
    };
    if size < needed {
        return Err(odd(&format!("command {command} with {size} bytes")));
    }
    let configuration = (u64::from(word(payload, 0)), word(payload, 4), u64::from(word(payload, 8)));
    let memory = (double(payload, 0), double(payload, 8) as u32, u64::from(word(payload, 16)));
    Ok(match command {
        MAP_MEMORY => Request::MapMemory(regions(payload, descriptors)),
        SET_INTERRUPT => Request::SetInterrupt,
        RESET => Request::Access(Access::Reset),
        WRITE_CONFIGURATION => possible(configuration, |address, value, size| Access::WriteConfiguration {
            address,
            size,
            value,
        }),
        READ_CONFIGURATION => {
            possible(configuration, |address, _, size| Access::ReadConfiguration { address, size })
        }
        WRITE => possible(memory, |address, value, size| Access::Write { address, size, value }),
        READ => possible(memory, |address, _, size| Access::Read { address, size }),
        command => return Err(odd(&format!("command {command}"))),
    })
}

fn possible((address, value, size): (u64, u32, u64), access: impl Fn(u64, u32, u8) -> Access) -> Request {
    if matches!(size, 1 | 2 | 4) && address.is_multiple_of(size) {
        Request::Access(access(address, value, size as u8))
    } else {
        Request::Impossible
    }
}

fn regions(payload: &[u8], descriptors: Vec<OwnedFd>) -> Vec<Region> {
    let column = 8 * MOST_DESCRIPTORS;
    let region = |(number, descriptor): (usize, OwnedFd)| Region {
        start: double(payload, 8 * number),
        size: double(payload, column + 8 * number),
        offset: double(payload, 2 * column + 8 * number),
        file: File::from(descriptor),
    };
    descriptors.into_iter().take(MOST_DESCRIPTORS).enumerate().map(region).collect()
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word))
}

fn double(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |double| u64::from_le_bytes(*double))
}

fn odd(what: &str) -> io::Error {
    let reason = format!("unexpected message to a PCI proxy of QEMU 7.2: {what}");
    io::Error::new(ErrorKind::InvalidData, reason)
}
