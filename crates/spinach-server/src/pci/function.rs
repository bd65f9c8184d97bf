//! Interface of a function on the bus to the machine, the same for all cards.
//!
//! A function is a state machine that moves when it is accessed, when one of its transfers is done, when a frame comes, and at
//! the times that it requests. It never touches memory directly: it requests one transfer at a time, and its runner reports when
//! that is done. So the same function works behind a bus that takes no time and behind one that does. Times are picoseconds since
//! the start of the machine.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pci::configuration::{ConfigurationSpace, Space};

/// A transfer between a function and memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Transfer {
    /// Transfer from memory.
    Read {
        /// First address.
        address: u64,
        /// Number of bytes.
        bytes: usize,
    },
    /// Transfer to memory.
    Write {
        /// First address.
        address: u64,
        /// Written bytes.
        data: Vec<u8>,
    },
}

/// A frame that a function put on its link, from the destination's address on, without preamble and check sequence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Sent {
    /// Time at which it was put on the link, in picoseconds.
    pub begins: u64,
    /// Departure of its last bit, in picoseconds.
    pub ends: u64,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// Description of a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Description {
    /// Text with all parameters.
    pub text: String,
    /// Its kind, as a user names it.
    pub kind: String,
    /// Its parameters by name, as a user sets them.
    pub parameters: BTreeMap<String, String>,
}

impl Description {
    /// The description of a function with these parameters.
    pub fn new<const N: usize>(text: String, kind: &str, parameters: [(&str, String); N]) -> Self {
        let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).into();
        Self { text, kind: kind.to_owned(), parameters }
    }
}

/// A number of bytes, in the largest unit of which it is a multiple.
pub fn bytes_text(bytes: u64) -> String {
    match bytes {
        0 => "0 B".to_owned(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

/// A function on the bus.
pub trait Function: Any + Debug + Send {
    /// Description: a checkpoint fits a function with an equal text.
    fn describe(&self) -> Description;

    /// Its configuration space.
    fn configuration(&self) -> &ConfigurationSpace;

    /// The same, to be written.
    fn configuration_mut(&mut self) -> &mut ConfigurationSpace;

    /// The window that an address is in, and the offset there.
    fn decode(&self, space: Space, address: u64) -> Option<(usize, u64)> {
        self.configuration().decode(space, address)
    }

    /// Bytes of the register at an offset in a window, which are accessed together.
    fn register_bytes(&self, window: usize, offset: u64) -> usize {
        let _ = (window, offset);
        4
    }

    /// A load from configuration space of 1, 2 or 4 bytes that does not cross a word; `None` as for [`Self::read`].
    fn read_configuration(&mut self, offset: u64, size: usize, time: u64) -> Option<u32> {
        let _ = time;
        Some(self.configuration().read(offset, size))
    }

    /// A store to configuration space of as many bytes.
    fn write_configuration(&mut self, offset: u64, size: usize, value: u32, time: u64) {
        let _ = time;
        self.configuration_mut().write(offset, size, value);
    }

    /// True if it accepts a store now; otherwise the storing hart waits, as for a load without an answer.
    fn takes_stores(&self) -> bool {
        true
    }

    /// True if a delayed reference cannot be cancelled, because it has left already.
    fn is_awaited(&self) -> bool {
        false
    }

    /// A load of 1 to 8 bytes at an offset in the window of a base address register; `None` as long as the function holds the answer
    /// back. Then it is asked again.
    fn read(&mut self, window: usize, offset: u64, size: usize, time: u64) -> Option<u64>;

    /// A store of 1 to 8 bytes.
    fn write(&mut self, window: usize, offset: u64, size: usize, value: u64, time: u64);

    /// Its next transfer, if it is not waiting for one. It waits for that then.
    fn transfer(&mut self) -> Option<Transfer>;

    /// Its transfer is done; with the bytes that were read, or none of a write. `None` if nothing answered at the address.
    fn transferred(&mut self, data: Option<&[u8]>, time: u64);

    /// Time of its next action without input.
    fn wakes_at(&self) -> Option<u64>;

    /// Advances by itself up to a time.
    fn advance(&mut self, time: u64);

    /// True if it asserts its interrupt.
    fn interrupts(&self) -> bool;

    /// True if it takes frames from the wire, rather than dropping all.
    fn is_receiving(&self) -> bool {
        true
    }

    /// Sets the link up or down.
    fn set_link(&mut self, is_up: bool, time: u64);

    /// Receives a frame, whose last bit has come.
    fn receive(&mut self, frame: Vec<u8>, time: u64);

    /// Takes the next frame that it put on the link.
    fn take_sent(&mut self) -> Option<Sent>;

    /// Minimum time from the beginning of a frame on the link until its last bit leaves.
    fn shortest_frame_time(&self) -> u64;

    /// Frame counters, by name, for users.
    fn counters(&self) -> Vec<(&'static str, u64)>;

    /// Its state, for a checkpoint.
    fn save(&self) -> Value;

    /// Restores a state; on an error, which is one line, it is as before.
    ///
    /// # Errors
    /// If the state is not one of such a function.
    fn restore(&mut self, state: Value) -> Result<(), String>;
}
