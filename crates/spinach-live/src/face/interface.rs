//! A raw socket on a network interface: frames that arrive there come in, and those that go out leave there.

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::libc::PACKET_OUTGOING;
use nix::net::if_::if_nametoindex;
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, getsockopt, recvfrom, send,
    socket,
};

use self::statistics::PacketStatistics;
use super::device::{Face, FaceError, Sent, check_name, is_later, refusal};

pub(super) struct Interface {
    socket: OwnedFd,
    name: String,
    index: u32,
    /// True from an error of the kernel until the next frame: the device is down, or gone.
    is_down: bool,
    missed: Cell<u64>,
}

#[allow(unsafe_code, reason = "the macro of nix that reads a socket option contains it")]
mod statistics {
    use nix::libc;

    /// Counts of a packet socket since they were read last: frames for it, and those of them for which it had no room.
    #[derive(Clone, Copy)]
    pub(super) struct PacketStatistics;

    nix::getsockopt_impl!(
        PacketStatistics,
        libc::SOL_PACKET,
        libc::PACKET_STATISTICS,
        libc::tpacket_stats,
        nix::sys::socket::sockopt::GetStruct<libc::tpacket_stats>
    );
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
        // Until it is bound the socket receives from all interfaces; nothing of that is read.
        bind(socket.as_raw_fd(), &address.ok_or(Errno::ENODEV).map_err(explained)?).map_err(explained)?;
        let index = if_nametoindex(name).map_err(explained)?;
        let mut interface =
            Self { socket, name: name.to_owned(), index, is_down: false, missed: Cell::new(0) };
        let mut heard = [0; 1];
        while let Ok(Some(_)) = interface.receive(&mut heard) {}
        interface.missed();
        interface.missed.set(0);
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

impl Interface {
    /// Fails if the device was removed; a device of the same name is another one.
    fn check_present(&self) -> io::Result<()> {
        if !self.is_down || if_nametoindex(self.name.as_str()) == Ok(self.index) {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::NotFound, "it was removed"))
    }
}

impl Face for Interface {
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        self.check_present()?;
        loop {
            match recvfrom::<LinkAddr>(self.socket.as_raw_fd(), buffer) {
                // Frames that other processes send through the interface are not meant for the wire's other
                // end.
                Ok((_, Some(from))) if from.pkttype() == PACKET_OUTGOING => {}
                Ok((length, _)) => {
                    self.is_down = false;
                    return Ok(Some(length));
                }
                Err(error) => {
                    let error = io::Error::from(error);
                    if is_later(&error) {
                        return Ok(None);
                    }
                    self.is_down = true;
                    self.check_present()?;
                    return if refusal(&error).is_some() { Ok(None) } else { Err(error) };
                }
            }
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<Sent> {
        match send(self.socket.as_raw_fd(), frame, MsgFlags::empty()).map_err(io::Error::from) {
            Ok(_) => Ok(Sent::Taken),
            Err(error) if is_later(&error) => Ok(Sent::Later),
            Err(error) => {
                self.is_down = true;
                self.check_present()?;
                refusal(&error).map(Sent::Refused).ok_or(error)
            }
        }
    }

    fn missed(&self) -> Option<u64> {
        let since = getsockopt(&self.socket, PacketStatistics).ok()?.tp_drops;
        self.missed.set(self.missed.get() + u64::from(since));
        Some(self.missed.get())
    }

    fn readiness(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
