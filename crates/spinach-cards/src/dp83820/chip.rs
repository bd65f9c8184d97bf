//! Parts of the chip, its interrupts and its descriptors.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use spinach_server::pci::configuration::{ConfigurationSpace, Identity, Space, Window};
use spinach_server::pci::function::Sent;

use super::receiver::Receiver;
use super::registers::{cause, config, mib, mib_control, register};
use super::sender::Sender;
use crate::halves::Turns;
use crate::interrupts::Interrupts;
use crate::transmitter::Transmitter;

/// Parameters of a chip.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Parameters {
    /// Its address on the Ethernet, as its EEPROM has it.
    pub address: [u8; 6],
    /// Bit rate of the wire: 10 Gb/s in the paper.
    pub bits_per_s: u64,
    /// Delay of the interrupt of a deferrable event, in picoseconds: 10 us in the paper.
    pub interrupt_delay: u64,
    /// The queue of frames to be sent, 512 KiB in the paper's simulator.
    pub transmit_fifo_bytes: usize,
    /// The queue of received frames, of the same size there.
    pub receive_fifo_bytes: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            address: [2, 0, 0, 0, 0, 1],
            bits_per_s: 10_000_000_000,
            interrupt_delay: 10_000_000,
            transmit_fifo_bytes: 512 << 10,
            receive_fifo_bytes: 512 << 10,
        }
    }
}

const IDENTITY: Identity = Identity {
    vendor: 0x100b,
    device: 0x0022,
    class: 0x02_0000,
    revision: 0,
    subsystem_vendor: 0x100b,
    subsystem: 0x0022,
    status: 0x0290,
    minimum_grant: 0xb0,
    maximum_latency: 0x34,
};
const WINDOWS: [Window; 2] =
    [Window { space: Space::Ports, bytes: 256 }, Window { space: Space::Memory, bytes: 4096 }];

/// All that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) space: ConfigurationSpace,
    /// Registers that only hold the written value, by offset.
    pub(crate) held: BTreeMap<u64, u32>,
    pub(crate) config: u32,
    pub(crate) test_control: u32,
    /// Memory visible through RFDR, in half words.
    pub(crate) filter_memory: Vec<u16>,
    pub(crate) mib: [u32; mib::COUNT],
    pub(crate) is_mib_frozen: bool,
    pub(crate) interrupts: Interrupts,
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) transmitter: Transmitter,
    /// Owner of the transfer under way; the other half is served first next time.
    pub(crate) turns: Turns,
    pub(crate) is_linked: bool,
    pub(crate) counters: Counters,
}

/// Frame counters for users.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counters {
    pub(crate) received: u64,
    pub(crate) filtered: u64,
    pub(crate) rejected: u64,
    pub(crate) overruns: u64,
    pub(crate) disabled: u64,
    pub(crate) aborts: u64,
}

/// The chip.
#[derive(Debug)]
pub struct Dp83820 {
    pub(crate) parameters: Parameters,
    pub(crate) state: State,
    pub(crate) sent: VecDeque<Sent>,
}

/// Words of the filter's memory.
const FILTER_WORDS: usize = 512;

impl Dp83820 {
    /// One that was just switched on.
    pub fn new(parameters: &Parameters) -> Self {
        let state = State {
            space: ConfigurationSpace::new(&IDENTITY, &WINDOWS),
            held: BTreeMap::new(),
            config: 0,
            test_control: 0,
            filter_memory: vec![0; FILTER_WORDS],
            mib: [0; mib::COUNT],
            is_mib_frozen: false,
            interrupts: Interrupts::new(cause::DELAYED, parameters.interrupt_delay),
            sender: Sender::default(),
            receiver: Receiver::default(),
            transmitter: Transmitter::new(parameters.bits_per_s, parameters.transmit_fifo_bytes),
            turns: Turns::default(),
            is_linked: false,
            counters: Counters::default(),
        };
        let mut chip = Self { parameters: parameters.clone(), state, sent: VecDeque::new() };
        chip.reset();
        chip
    }

    /// Resets the chip, as the bit RST of CR does.
    pub(crate) fn reset(&mut self) {
        let link = if self.state.is_linked { config::LNKSTS } else { 0 };
        self.state.config = link | config::TBI_EN | config::MODE_1000;
        self.state.test_control = 0;
        self.state.is_mib_frozen = false;
        self.state.mib = [0; mib::COUNT];
        self.state.held = BTreeMap::from([
            (register::MEAR, 0x12),
            (register::TXCFG, 0x120),
            (register::RXCFG, 0x4),
            (register::VDR, 0x81),
            (register::TESR, 0xc000),
        ]);
        self.state.interrupts.reset();
        self.state.transmitter.clear();
        self.state.turns.forget();
        self.state.sender = Sender::default();
        self.state.receiver = Receiver::default();
        self.load_address();
    }

    /// Loads the address from the EEPROM to where the filter compares with it.
    pub(crate) fn load_address(&mut self) {
        for (word, pair) in self.state.filter_memory.iter_mut().zip(self.parameters.address.chunks(2)) {
            *word = u16::from_le_bytes([pair[0], pair[1]]);
        }
    }

    /// A register that only holds the written value.
    pub(crate) fn held(&self, register: u64) -> u32 {
        self.state.held.get(&register).copied().unwrap_or(0)
    }

    pub(crate) fn post(&mut self, causes: u32, time: u64) {
        self.state.interrupts.post(causes, time);
    }

    /// Counts an event in the MIB.
    pub(crate) fn count(&mut self, counter: usize, time: u64) {
        if self.state.is_mib_frozen {
            return;
        }
        let value = &mut self.state.mib[counter];
        *value = (*value + 1).min(mib::MASK);
        if *value == mib::NEARLY_FULL {
            self.state.held.entry(register::MIBC).and_modify(|held| *held |= mib_control::WRN);
            self.post(cause::MIB, time);
        }
    }

    pub(crate) fn is_long(&self) -> bool {
        self.state.config & config::M64ADDR != 0
    }
}
