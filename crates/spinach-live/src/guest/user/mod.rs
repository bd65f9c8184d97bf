//! A client of vfio-user whose PCI device is simulated, such as QEMU from 10.1 on.
//!
//! Messages are processed one after the other: one that needs the card becomes a task, a list of accesses, and its answer waits until the
//! card has answered them all. Descriptors of shared memory serve the card's DMA.

mod lines;
mod protocol;

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use spinach_modules::bus::guest_messages::{ACCESS, Access, INTERRUPT_ADDRESSES, MEMORY, Said};

use self::lines::{LINE, Lines, MESSAGES, SET, Set};
use self::protocol::{Connection, LONGEST_TRANSFER, MOST_DESCRIPTORS, Message, odd};
use super::function::{BARS, CONFIGURATION_BYTES, Function, exploration};
use super::memory::{Memory, Region};
use super::{Guest, Inward, answer};

const VERSION: u16 = 1;
const MAP: u16 = 2;
const UNMAP: u16 = 3;
const GET_INFO: u16 = 4;
const GET_REGION_INFO: u16 = 5;
const GET_IRQ_INFO: u16 = 7;
const SET_IRQS: u16 = 8;
const READ: u16 = 9;
const WRITE: u16 = 10;
const RESET: u16 = 13;

/// Number of regions: base address registers, ROM, configuration space, VGA.
const REGIONS: u32 = 9;
const CONFIGURATION: u32 = 7;
const READABLE_WRITABLE: u32 = 3;
/// Kinds of interrupts: line, MSI, MSI-X, errors, requests.
const INTERRUPTS: u32 = 5;
const HAS_RESET: u32 = 1;
const IS_PCI: u32 = 2;
/// Bytes before the data of a transfer: offset, region, count.
const TRANSFER: usize = 16;

/// End of a task.
#[derive(Debug)]
enum Then {
    /// The layout of the function is known.
    Explored,
    /// Nothing.
    Nothing,
    /// The bytes that were read are sent behind the beginning of the answer.
    Send { message: Message, beginning: Vec<u8>, shows_bases_from: Option<u64> },
    /// The client gets an answer.
    Acknowledge { message: Message, payload: Vec<u8> },
}

/// Accesses to the card, and the action after them.
#[derive(Debug)]
struct Task {
    accesses: VecDeque<Access>,
    // An access was passed on and is not answered: the bytes that it reads.
    awaits: Option<usize>,
    bytes: Vec<u8>,
    then: Then,
}

/// The client's side of a simulated device.
pub struct UserGuest {
    connection: Connection,
    function: Function,
    lines: Lines,
    memory: Memory,
    task: Option<Task>,
    last_answer: Instant,
}

impl UserGuest {
    /// The first client that connects to the socket `path`, which is made.
    ///
    /// # Errors
    /// If there is a file of that name, or the socket cannot be made.
    pub fn listen(path: &Path) -> io::Result<Self> {
        let mut guest = Self {
            connection: Connection::listen(path)?,
            function: Function::default(),
            lines: Lines::default(),
            memory: Memory::default(),
            task: None,
            last_answer: Instant::now(),
        };
        guest.begin(exploration(), Then::Explored);
        Ok(guest)
    }

    fn begin(&mut self, accesses: Vec<Access>, then: Then) {
        let accesses = VecDeque::from(accesses);
        self.task = Some(Task { accesses, awaits: None, bytes: Vec::new(), then });
    }

    // The next access of the task, or its end.
    fn advance(&mut self) -> io::Result<Option<Inward>> {
        let Some(task) = &mut self.task else { return Ok(None) };
        if task.awaits.is_some() {
            return Ok(None);
        }
        if let Some(access) = task.accesses.pop_front() {
            task.awaits = Some(match access {
                Access::Read { size, .. } | Access::ReadConfiguration { size, .. } => usize::from(size),
                _ => 0,
            });
            return Ok(Some((ACCESS, access.to_bytes())));
        }
        let Some(Task { bytes, then, .. }) = self.task.take() else { return Ok(None) };
        match then {
            Then::Nothing => {}
            Then::Explored => {
                self.function = Function::explored(&bytes);
                self.lines = Lines::new(self.function.messages.vectors);
                self.begin(self.function.placement(), Then::Nothing);
            }
            Then::Send { message, mut beginning, shows_bases_from } => {
                let start = beginning.len();
                beginning.extend(bytes);
                if let Some(offset) = shows_bases_from {
                    self.function.show_bases(offset, &mut beginning[start..]);
                }
                self.reply(&message, Ok(&beginning))?;
            }
            Then::Acknowledge { message, payload } => self.reply(&message, Ok(&payload))?,
        }
        Ok(None)
    }

    fn reply(&mut self, message: &Message, payload: Result<&[u8], Errno>) -> io::Result<()> {
        self.last_answer = Instant::now();
        if !message.wants_reply {
            return Ok(());
        }
        self.connection.reply(message.identity, message.command, payload)
    }

    // Processes a message: answers it at once, or begins a task that does.
    fn process(&mut self, mut message: Message) -> io::Result<()> {
        let answered = match message.command {
            VERSION => version(&message),
            MAP => self.map(&mut message),
            UNMAP => self.unmap(&message),
            GET_INFO => Ok(words(&[16, HAS_RESET | IS_PCI, REGIONS, INTERRUPTS])),
            GET_REGION_INFO => self.region_info(&message),
            GET_IRQ_INFO => self.interrupt_info(&message),
            SET_IRQS => return self.set_interrupts(message),
            READ | WRITE => return self.transfer(message),
            RESET => {
                let accesses = [vec![Access::Reset], self.function.placement()].concat();
                self.begin(accesses, Then::Acknowledge { message, payload: Vec::new() });
                return Ok(());
            }
            _ => Err(Errno::NOTSUP),
        };
        if message.command == VERSION && answered.is_err() {
            return Err(odd("a version other than 0"));
        }
        self.reply(&message, answered.as_deref().map_err(|error| *error))
    }

    fn map(&mut self, message: &mut Message) -> Result<Vec<u8>, Errno> {
        let (offset, start, size) = (message.double(8)?, message.double(16)?, message.double(24)?);
        // Without a descriptor the memory is not shared, and DMA to it fails: the ROM of a PC is such memory.
        if let Some(descriptor) = message.descriptors.pop() {
            let region = Region { start, size, offset, file: descriptor.into() };
            self.memory.add(region).ok_or(Errno::EXIST)?;
        }
        Ok(Vec::new())
    }

    fn unmap(&mut self, message: &Message) -> Result<Vec<u8>, Errno> {
        self.memory.remove(message.double(8)?, message.double(16)?);
        Ok(message.payload[..24].to_vec())
    }

    fn region_info(&self, message: &Message) -> Result<Vec<u8>, Errno> {
        let region = message.word(8)?;
        let size = match region {
            CONFIGURATION => CONFIGURATION_BYTES,
            _ if region >= REGIONS => return Err(Errno::INVAL),
            _ => self.function.windows.get(region as usize).map_or(0, |window| window.size),
        };
        let flags = if size == 0 { 0 } else { READABLE_WRITABLE };
        Ok(words(&[32, flags, region, 0, size as u32, (size >> 32) as u32, 0, 0]))
    }

    fn interrupt_info(&self, message: &Message) -> Result<Vec<u8>, Errno> {
        const EVENT: u32 = 1;
        const MASKABLE_AND_MASKED_BY_ITSELF: u32 = 6;
        const FIXED: u32 = 8;
        let kind = message.word(8)?;
        let (flags, count) = match kind {
            LINE => (EVENT | MASKABLE_AND_MASKED_BY_ITSELF, u32::from(self.function.has_line)),
            MESSAGES => (EVENT | FIXED, self.function.messages.vectors),
            _ if kind >= INTERRUPTS => return Err(Errno::INVAL),
            _ => (EVENT, 0),
        };
        Ok(words(&[16, flags, kind, count]))
    }

    fn set_interrupts(&mut self, mut message: Message) -> io::Result<()> {
        let set = match Set::of(&mut message) {
            Ok(set) => set,
            Err(error) => return self.reply(&message, Err(error)),
        };
        let (kind, vectors) = (set.kind, set.start..set.start.saturating_add(set.count));
        if let Err(error) = self.lines.set(set) {
            return self.reply(&message, Err(error));
        }
        let mut accesses = Vec::new();
        if kind == MESSAGES && message.word(4).is_ok_and(|flags| flags & SET != 0) {
            let is_off = vectors.is_empty();
            let armed = if is_off { 0..self.function.messages.vectors } else { vectors };
            accesses = self.function.arm(armed, !is_off);
            accesses.push(self.function.enable(!is_off));
        }
        self.begin(accesses, Then::Acknowledge { message, payload: Vec::new() });
        Ok(())
    }

    fn transfer(&mut self, message: Message) -> io::Result<()> {
        let is_write = message.command == WRITE;
        let planned = (|| {
            let (offset, region, count) = (message.double(0)?, message.word(8)?, message.word(12)?);
            let written = message.payload.get(TRANSFER..).filter(|_| is_write);
            let is_complete = written.is_none_or(|bytes| bytes.len() >= count as usize);
            if !is_complete
                || count as usize > LONGEST_TRANSFER
                || region as usize >= BARS && region != CONFIGURATION
            {
                return Err(Errno::INVAL);
            }
            let accesses = self.function.accesses(region, offset, u64::from(count), written);
            Ok((offset, region, accesses.ok_or(Errno::INVAL)?))
        })();
        let (offset, region, mut accesses) = match planned {
            Ok(planned) => planned,
            Err(error) => return self.reply(&message, Err(error)),
        };
        let beginning = message.payload[..TRANSFER].to_vec();
        let then = if is_write {
            if region == CONFIGURATION {
                accesses = self.function.keep_bases(accesses);
                // The write may reset the function, which clears the base addresses of the card.
                accesses.extend(self.function.placement());
            }
            Then::Acknowledge { message, payload: beginning }
        } else {
            let shows_bases_from = (region == CONFIGURATION).then_some(offset);
            Then::Send { message, beginning, shows_bases_from }
        };
        self.begin(accesses, then);
        Ok(())
    }
}

impl Guest for UserGuest {
    fn readiness(&self) -> BorrowedFd<'_> {
        self.connection.readiness()
    }

    fn is_waiting(&self) -> bool {
        self.task.is_some()
    }

    fn since_answer(&self) -> Duration {
        self.last_answer.elapsed()
    }

    fn take(&mut self) -> io::Result<Option<Inward>> {
        self.lines.see_unmasking()?;
        loop {
            while self.task.as_ref().is_some_and(|task| task.awaits.is_none()) {
                if let Some(inward) = self.advance()? {
                    return Ok(Some(inward));
                }
            }
            if self.task.is_some() {
                return Ok(None);
            }
            let Some(message) = self.connection.take()? else { return Ok(None) };
            self.process(message)?;
        }
    }

    fn tell(&mut self, message: &[u8]) -> io::Result<Option<Inward>> {
        match Said::from_bytes(message) {
            Some(Said::Done(value)) => {
                if let Some(task) = &mut self.task
                    && let Some(size) = task.awaits.take()
                {
                    task.bytes.extend(&value.to_le_bytes()[..size]);
                }
                Ok(None)
            }
            Some(Said::Read { address, length }) => {
                let read = self.memory.read(address, length as usize);
                Ok(Some((MEMORY, answer(read.as_deref()))))
            }
            Some(Said::Write { address, bytes }) if INTERRUPT_ADDRESSES.contains(&address) => {
                let vector: Option<[u8; 4]> = bytes.try_into().ok();
                if let Some(vector) = vector {
                    self.lines.message(u32::from_le_bytes(vector))?;
                }
                Ok(Some((MEMORY, answer(vector.map(|_| &[][..])))))
            }
            Some(Said::Write { address, bytes }) => {
                let written = self.memory.write(address, &bytes);
                Ok(Some((MEMORY, answer(written.map(|()| &[][..])))))
            }
            Some(Said::Interrupt(is_asserted)) => {
                self.lines.drive(is_asserted)?;
                Ok(None)
            }
            None => Err(io::Error::other("the device sent an unknown message")),
        }
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

// The capabilities are defaults of the protocol, except for the number of descriptors.
fn version(message: &Message) -> Result<Vec<u8>, Errno> {
    if message.word(0)? & 0xffff != 0 {
        return Err(Errno::INVAL);
    }
    let capabilities = format!(
        "{{\"capabilities\":{{\"max_msg_fds\":{MOST_DESCRIPTORS},\"max_data_xfer_size\":{LONGEST_TRANSFER}}}}}\0"
    );
    Ok([&words(&[0])[..], capabilities.as_bytes()].concat())
}
