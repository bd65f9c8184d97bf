//! Messages of vfio-user: a header of 16 bytes (identity, command, bytes of the message, flags, error) and a payload, little-endian;
//! descriptors come with the header. Layouts are those of the protocol's description in QEMU (docs/interop/vfio-user.rst).

use std::io::{self, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::io::Errno;

use crate::descriptors::begin;
use crate::door::Door;

/// Bytes of a header.
const HEADER: usize = 16;
/// Maximum number of file descriptors with a message; QEMU takes no larger one.
pub(super) const MOST_DESCRIPTORS: usize = 16;
/// Maximum bytes of a transfer.
pub(super) const LONGEST_TRANSFER: usize = 1 << 20;
/// Maximum bytes of a payload: a transfer and its description.
const LONGEST_PAYLOAD: usize = LONGEST_TRANSFER + 4096;

const TYPE: u32 = 0xf;
const REPLY: u32 = 1;
const NO_REPLY: u32 = 0x10;
const ERROR: u32 = 0x20;

/// Message of the client.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) identity: u16,
    pub(super) command: u16,
    pub(super) wants_reply: bool,
    pub(super) payload: Vec<u8>,
    pub(super) descriptors: Vec<OwnedFd>,
}

impl Message {
    /// The 32-bit word at an offset of the payload.
    pub(super) fn word(&self, at: usize) -> Result<u32, Errno> {
        let bytes = self.payload.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map(|word| u32::from_le_bytes(*word)).ok_or(Errno::INVAL)
    }

    /// The 64-bit word at an offset of the payload.
    pub(super) fn double(&self, at: usize) -> Result<u64, Errno> {
        let bytes = self.payload.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map(|double| u64::from_le_bytes(*double)).ok_or(Errno::INVAL)
    }
}

/// The connection to a client.
pub(super) enum Connection {
    Awaited(Door),
    Open(UnixStream),
}

impl Connection {
    /// A connection to the first client that comes to the socket `path`.
    pub(super) fn listen(path: &Path) -> io::Result<Self> {
        Ok(Self::Awaited(Door::listen(path)?))
    }

    // The stream of the client, if it has come.
    fn stream(&mut self) -> io::Result<Option<&mut UnixStream>> {
        if let Self::Awaited(door) = self
            && let Some(stream) = door.accept()?
        {
            *self = Self::Open(stream);
        }
        match self {
            Self::Open(stream) => Ok(Some(stream)),
            Self::Awaited(_) => Ok(None),
        }
    }

    /// Readable when the client comes, or asks something.
    pub(super) fn readiness(&self) -> BorrowedFd<'_> {
        match self {
            Self::Open(stream) => stream.as_fd(),
            Self::Awaited(door) => door.readiness(),
        }
    }

    /// Next message, if any. Waits for the rest of a message that has begun.
    pub(super) fn take(&mut self) -> io::Result<Option<Message>> {
        let mut header = [0; HEADER];
        let mut descriptors = Vec::new();
        let Some(stream) = self.stream()? else { return Ok(None) };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let Some(length) = begin(stream, &mut header, &mut space, &mut descriptors)? else {
            return Ok(None);
        };
        stream.read_exact(&mut header[length..])?;
        let field = |at: usize| header[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
        let (first, size, flags) = (field(0), field(4) as usize, field(8));
        if !(HEADER..=HEADER + LONGEST_PAYLOAD).contains(&size) {
            return Err(odd(&format!("a message of {size} bytes")));
        }
        if flags & TYPE != 0 {
            return Err(odd("a reply that nothing asked for"));
        }
        let mut payload = vec![0; size - HEADER];
        stream.read_exact(&mut payload)?;
        Ok(Some(Message {
            identity: first as u16,
            command: (first >> 16) as u16,
            wants_reply: flags & NO_REPLY == 0,
            payload,
            descriptors,
        }))
    }

    /// Answers a command: a payload, or an error.
    pub(super) fn reply(
        &mut self,
        identity: u16,
        command: u16,
        answer: Result<&[u8], Errno>,
    ) -> io::Result<()> {
        let (payload, flags, error) = match answer {
            Ok(payload) => (payload, REPLY, 0),
            Err(error) => (&[][..], REPLY | ERROR, error.raw_os_error() as u32),
        };
        let size = (HEADER + payload.len()) as u32;
        let first = u32::from(identity) | u32::from(command) << 16;
        let mut message: Vec<u8> =
            [first, size, flags, error].iter().flat_map(|it| it.to_le_bytes()).collect();
        message.extend(payload);
        self.stream()?.map_or(Ok(()), |stream| stream.write_all(&message))
    }
}

/// An error that ends the connection.
pub(super) fn odd(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("unexpected message to a vfio-user device: {what}"))
}
