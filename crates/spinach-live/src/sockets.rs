//! Sockets in the file system.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// Listener at a path. A socket that a killed process has left there is replaced.
pub(crate) fn listen(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == ErrorKind::AddrInUse && is_abandoned(path) => {
            fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        bound => bound,
    }
}

/// True for a socket without a listener.
fn is_abandoned(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    is_socket && UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_socket_of_a_killed_process_is_replaced() {
        let path = std::env::temp_dir().join(format!("spinach-stale-{}", std::process::id()));
        drop(UnixListener::bind(&path).expect("nothing is there")); // leaves the socket, as a kill does
        let listener = listen(&path).expect("no listener is there");
        assert!(listen(&path).is_err(), "another process listens");
        drop(listener);
        fs::remove_file(&path).expect("the socket is there");
        fs::write(&path, "a person's file").expect("nothing is there");
        assert!(listen(&path).is_err());
        assert_eq!(fs::read(&path).expect("it is there"), b"a person's file");
        fs::remove_file(path).expect("it is there");
    }
}
