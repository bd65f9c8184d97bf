//! A socket at which one peer is awaited.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::sockets;

/// A socket for one peer, removed when the peer has come.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

impl Door {
    /// Makes the socket `path`.
    pub(crate) fn listen(path: &Path) -> io::Result<Self> {
        let listener = sockets::listen(path)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path: path.to_owned() })
    }

    /// The peer, if it has come.
    pub(crate) fn accept(&self) -> io::Result<Option<UnixStream>> {
        match self.listener.accept() {
            Ok((stream, _)) => Ok(Some(stream)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Readable when the peer comes.
    pub(crate) fn readiness(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // Another process may have removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}
