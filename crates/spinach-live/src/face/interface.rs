//! A raw socket on a network interface: frames that arrive there come in, and those that go out leave there.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::libc::PACKET_OUTGOING;
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, recvfrom, send, socket,
};

use super::device::{Face, FaceError, Sent, check_name, is_later, refusal};

pub(super) struct Interface {
    socket: OwnedFd,
}

impl Interface {
    pub(super) fn open(name: &str) -> Result<Self, FaceError> {
        check_name(name)?;
        let explained = |error: Errno| explained(name, error);
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll);
        let socket = socket.map_err(explained)?;
        let mut addresses = getifaddrs().map_err(explained)?;
        let address = addresses.find_map(|found| {
            let address = found.address.filter(|_| found.interface_name == name)?;
            address.as_link_addr().copied()
        });
        // Until it is bound the socket hears all interfaces; nothing of that is read.
        bind(socket.as_raw_fd(), &address.ok_or(Errno::ENODEV).map_err(explained)?).map_err(explained)?;
        let mut interface = Self { socket };
        let mut heard = [0; 1];
        while let Ok(Some(_)) = interface.receive(&mut heard) {}
        Ok(interface)
    }
}

fn explained(name: &str, error: Errno) -> FaceError {
    let message = format!("cannot open a raw socket on the interface {name}: {}", error.desc());
    let help = match error {
        Errno::EPERM | Errno::EACCES => "run as root, or give the process CAP_NET_RAW",
        Errno::ENODEV | Errno::ENXIO => "name an interface that `ip link` lists",
        _ => "name an interface of Ethernet frames that is up",
    };
    FaceError::new(message, help)
}

impl Face for Interface {
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match recvfrom::<LinkAddr>(self.socket.as_raw_fd(), buffer) {
                // What others on this machine send through the interface is not meant for the wire's other end.
                Ok((_, Some(from))) if from.pkttype() == PACKET_OUTGOING => {}
                Ok((length, _)) => return Ok(Some(length)),
                Err(error) => {
                    let error = io::Error::from(error);
                    let is_passing = is_later(&error) || refusal(&error).is_some();
                    return if is_passing { Ok(None) } else { Err(error) };
                }
            }
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<Sent> {
        match send(self.socket.as_raw_fd(), frame, MsgFlags::empty()).map_err(io::Error::from) {
            Ok(_) => Ok(Sent::Taken),
            Err(error) if is_later(&error) => Ok(Sent::Later),
            Err(error) => refusal(&error).map(Sent::Refused).ok_or(error),
        }
    }

    fn readiness(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
