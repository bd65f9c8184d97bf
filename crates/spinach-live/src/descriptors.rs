//! Headers of messages that come with file descriptors.

use std::io::{self, ErrorKind, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// The first bytes of a header with the descriptors, for which `space` has room; nothing if there are none yet.
pub(crate) fn begin(
    stream: &UnixStream,
    header: &mut [u8],
    space: &mut [MaybeUninit<u8>],
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<Option<usize>> {
    let mut ancillary = RecvAncillaryBuffer::new(space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(stream, &mut [IoSliceMut::new(header)], &mut ancillary, flags);
    let length = match received.map_err(io::Error::from) {
        Ok(received) => received.bytes,
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if length == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    Ok(Some(length))
}
