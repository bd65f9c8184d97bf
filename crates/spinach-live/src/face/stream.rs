//! The socket of a QEMU netdev of the kind `stream`: frames, each after its length as a big-endian 32-bit word.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::sockets;

use super::device::{Face, FaceError, LONGEST_MESSAGE, Sent, is_later};

/// Bytes that wait for a peer that does not read; beyond them a frame must wait.
const MOST_UNSENT: usize = 1 << 20;
const LENGTH_BYTES: usize = 4;

pub(super) struct Stream {
    end: End,
    received: VecDeque<u8>,
    unsent: VecDeque<u8>,
}

enum End {
    /// The peer was there first.
    Connected(UnixStream),
    /// This side made the socket, and peers come and go.
    Listening { listener: UnixListener, path: PathBuf, peer: Option<UnixStream> },
}

impl Stream {
    /// Connects to the socket at `path`, or makes it and waits for a peer.
    pub(super) fn open(path: &Path) -> Result<Self, FaceError> {
        let explained = |error: io::Error| {
            let message = format!("cannot use the socket {}: {error}", path.display());
            FaceError::new(message, "name a socket on which a peer listens, or a path where nothing is yet")
        };
        let connected = match UnixStream::connect(path) {
            Ok(peer) => Some(peer),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => None,
            Err(error) => return Err(explained(error)),
        };
        let end = if let Some(peer) = connected {
            peer.set_nonblocking(true).map_err(explained)?;
            End::Connected(peer)
        } else {
            let listener = sockets::listen(path).map_err(explained)?;
            listener.set_nonblocking(true).map_err(explained)?;
            End::Listening { listener, path: path.to_owned(), peer: None }
        };
        Ok(Self { end, received: VecDeque::new(), unsent: VecDeque::new() })
    }

    // The peer, if there is one now.
    fn peer(&mut self) -> Option<&mut UnixStream> {
        match &mut self.end {
            End::Connected(peer) => Some(peer),
            End::Listening { listener, peer, .. } => {
                if peer.is_none() {
                    let accepted = listener.accept().ok().map(|(peer, _)| peer);
                    *peer = accepted.filter(|peer| peer.set_nonblocking(true).is_ok());
                }
                peer.as_mut()
            }
        }
    }

    // A peer that closes its end may be followed by another, where this side listens.
    fn lose_peer(&mut self) -> io::Result<()> {
        self.received.clear();
        self.unsent.clear();
        match &mut self.end {
            End::Connected(_) => Err(ErrorKind::ConnectionAborted.into()),
            End::Listening { peer, .. } => {
                *peer = None;
                Ok(())
            }
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        while self.received.len() < LENGTH_BYTES + LONGEST_MESSAGE {
            let Some(peer) = self.peer() else { return Ok(()) };
            match peer.read(&mut buffer) {
                Ok(0) => return self.lose_peer(),
                Ok(length) => self.received.extend(&buffer[..length]),
                Err(error) if is_later(&error) => return Ok(()),
                Err(_) => return self.lose_peer(),
            }
        }
        Ok(())
    }

    fn drain(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let unsent = self.unsent.as_slices().0.to_vec();
            let Some(peer) = self.peer() else { return Ok(()) };
            match peer.write(&unsent) {
                Ok(length) => drop(self.unsent.drain(..length)),
                Err(error) if is_later(&error) => return Ok(()),
                Err(_) => return self.lose_peer(),
            }
        }
        Ok(())
    }
}

impl Face for Stream {
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.drain()?;
        self.fill()?;
        if self.received.len() < LENGTH_BYTES {
            return Ok(None);
        }
        let announced =
            self.received.iter().take(LENGTH_BYTES).fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        if announced > LONGEST_MESSAGE {
            let reason = format!("the peer announces a frame of {announced} bytes, so it is not a netdev");
            return Err(io::Error::new(ErrorKind::InvalidData, reason));
        }
        if self.received.len() < LENGTH_BYTES + announced {
            return Ok(None);
        }
        self.received.drain(..LENGTH_BYTES);
        let length = announced.min(buffer.len());
        for (place, byte) in buffer.iter_mut().zip(self.received.drain(..announced)) {
            *place = byte;
        }
        Ok(Some(length))
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<Sent> {
        self.drain()?;
        if self.peer().is_none() {
            return Ok(Sent::Refused("no_peer"));
        }
        if self.unsent.len() > MOST_UNSENT {
            return Ok(Sent::Later);
        }
        let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
        self.unsent.extend(length.to_be_bytes());
        self.unsent.extend(frame);
        self.drain()?;
        Ok(Sent::Taken)
    }

    fn readiness(&self) -> BorrowedFd<'_> {
        match &self.end {
            End::Connected(peer) | End::Listening { peer: Some(peer), .. } => peer.as_fd(),
            End::Listening { listener, .. } => listener.as_fd(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let End::Listening { path, .. } = &self.end {
            let _ = fs::remove_file(path);
        }
    }
}
