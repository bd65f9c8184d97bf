//! Interrupts of a device, its line and its messages, by the test socket of QEMU: a guest without a kernel's help has no other way.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// Maximum time for an answer of QEMU.
const PATIENCE: Duration = Duration::from_secs(10);

/// A pin of an interrupt controller of a guest, and its address for messages.
pub struct InterruptLine {
    reader: BufReader<UnixStream>,
    controller: String,
    pin: u32,
    is_asserted: bool,
}

impl InterruptLine {
    /// Connects to the test socket at `socket`; `controller` is the path of the controller among QEMU's objects.
    ///
    /// # Errors
    /// If nothing listens there.
    pub fn connect(socket: &Path, controller: &str, pin: u32) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let reader = BufReader::new(stream);
        Ok(Self { reader, controller: controller.to_owned(), pin, is_asserted: false })
    }

    /// Asserts or releases the line. Waits for the answer: QEMU stops once a few hundred of them are unread.
    ///
    /// # Errors
    /// If QEMU is gone or refuses.
    pub fn set(&mut self, is_asserted: bool) -> io::Result<()> {
        if self.is_asserted == is_asserted {
            return Ok(());
        }
        self.is_asserted = is_asserted;
        let Self { controller, pin, .. } = &*self;
        let level = u8::from(is_asserted);
        self.request(&format!("set_irq_in {controller} unnamed-gpio-in {pin} {level}\n"))
    }

    /// Sends a message-signaled interrupt: a store of the guest's machine, which reaches its interrupt controller.
    ///
    /// # Errors
    /// If QEMU is gone or refuses.
    pub fn send(&mut self, address: u64, value: u32) -> io::Result<()> {
        self.request(&format!("writel {address:#x} {value:#x}\n"))
    }

    fn request(&mut self, request: &str) -> io::Result<()> {
        self.reader.get_mut().write_all(request.as_bytes())?;
        let mut answer = String::new();
        if self.reader.read_line(&mut answer)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if answer.trim_end() == "OK" {
            Ok(())
        } else {
            Err(io::Error::other(format!("its test socket says {:?}", answer.trim_end())))
        }
    }
}
