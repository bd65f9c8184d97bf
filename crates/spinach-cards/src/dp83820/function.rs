//! The chip as a function on the bus: its registers and events.

use serde_json::Value;
use spinach_server::pci::configuration::ConfigurationSpace;
use spinach_server::pci::function::{Description, Function, Sent, Transfer, bytes_text};

use super::chip::{Dp83820, State};
use super::registers::{cause, command, config, filter, mib, mib_control, register, ten_bit, test_control};
use super::{receiver, sender};
use crate::descriptions::{delay_text, mac_text, rate_text};
use crate::halves::Direction;
use spinach_net::ethernet::shortest_duration;

/// The silicon's revision.
const REVISION: u32 = 0x103;
/// First offset at which the window shows configuration space.
const CONFIGURATION: u64 = 0x200;
const REGISTERS_END: u64 = 0x100;
const ALIGNED: u64 = !7;

impl Dp83820 {
    fn read_register(&mut self, register: u64) -> u32 {
        let state = &mut self.state;
        match register {
            register::CR => {
                let sends = state.sender.step != sender::Step::Idle;
                let receives = state.receiver.step != receiver::Step::Idle;
                let bit = |is_active: bool, bit: u32| if is_active { bit } else { 0 };
                bit(sends, command::TXE) | bit(receives, command::RXE)
            }
            register::CFG => state.config,
            register::PTSCR => state.test_control,
            register::ISR => state.interrupts.take(),
            register::IMR => state.interrupts.mask,
            register::IER => state.interrupts.is_enabled.into(),
            register::TXDP => state.sender.pointer as u32,
            register::TXDP_HI => (state.sender.pointer >> 32) as u32,
            register::RXDP => state.receiver.pointer as u32,
            register::RXDP_HI => (state.receiver.pointer >> 32) as u32,
            register::RFDR => {
                let place = (self.held(register::RFCR) & filter::ADDRESS) as usize / 2;
                self.state.filter_memory[place].into()
            }
            register::SRR => REVISION,
            register::MIB..register::MIB_END => {
                // Reads clear the counter, since the driver adds up its reads.
                let counter = &mut state.mib[(register - register::MIB) as usize / 4];
                std::mem::take(counter)
            }
            register::TBISR => {
                let is_negotiating = self.held(register::TBICR) & ten_bit::AN_ENABLE != 0;
                let complete = if is_negotiating { ten_bit::AN_COMPLETE } else { 0 };
                if self.state.is_linked { ten_bit::LINK_STATUS | complete } else { 0 }
            }
            // The partner has our abilities.
            register::TANLPAR if self.state.is_linked => self.held(register::TANAR),
            register::TANLPAR => 0,
            _ => self.held(register),
        }
    }

    fn write_register(&mut self, register: u64, value: u32, time: u64) {
        let state = &mut self.state;
        let low = |pointer: u64| pointer & !0xffff_ffff | u64::from(value) & ALIGNED;
        let high = |pointer: u64| pointer & 0xffff_ffff | u64::from(value) << 32;
        match register {
            register::CR => self.obey(value, time),
            register::CFG => state.config = state.config & config::READ_ONLY | value & !config::READ_ONLY,
            register::PTSCR => self.test(value),
            register::IMR => {
                state.interrupts.mask = value & cause::ALL;
                state.interrupts.follow(time);
            }
            register::IER => {
                state.interrupts.is_enabled = value & 1 != 0;
                state.interrupts.follow(time);
            }
            register::TXDP => state.sender.set_pointer(low(state.sender.pointer)),
            register::TXDP_HI => state.sender.set_pointer(high(state.sender.pointer)),
            register::RXDP => state.receiver.set_pointer(low(state.receiver.pointer)),
            register::RXDP_HI => state.receiver.set_pointer(high(state.receiver.pointer)),
            register::RFDR => {
                let place = (self.held(register::RFCR) & filter::ADDRESS) as usize / 2;
                self.state.filter_memory[place] = value as u16;
            }
            register::MIBC => {
                state.is_mib_frozen = value & mib_control::FRZ != 0;
                if value & mib_control::ACLR != 0 {
                    state.mib = [0; mib::COUNT];
                }
                state.held.insert(register, value & mib_control::FRZ);
            }
            register::TBICR => {
                state.held.insert(register, value & !ten_bit::RESTART_AN);
            }
            register::ISR | register::SRR | register::TBISR | register::TANLPAR => {}
            register::MIB..register::MIB_END => {}
            _ => {
                state.held.insert(register, value);
            }
        }
    }

    /// The command register.
    fn obey(&mut self, value: u32, time: u64) {
        let is_set = |bit: u32| value & bit != 0;
        if is_set(command::RST) {
            self.reset();
            return;
        }
        if is_set(command::TXR) {
            let pointer = self.state.sender.pointer;
            self.state.sender = sender::Sender::at(pointer);
            self.state.turns.forget_of(Direction::Sends);
            self.state.transmitter.clear();
            self.post(cause::TXRCMP, time);
        } else if is_set(command::TXD) {
            self.state.sender.stop();
        } else if is_set(command::TXE) {
            self.state.sender.start();
        }
        if is_set(command::RXR) {
            let pointer = self.state.receiver.pointer;
            self.state.receiver = receiver::Receiver::at(pointer);
            self.state.turns.forget_of(Direction::Receives);
            self.post(cause::RXRCMP, time);
        } else if is_set(command::RXD) {
            self.state.receiver.stop();
        } else if is_set(command::RXE) {
            self.state.receiver.start();
        }
        if is_set(command::SWI) {
            self.post(cause::SWI, time);
        }
    }

    /// Self tests, which pass at once.
    fn test(&mut self, value: u32) {
        let state = &mut self.state;
        if value & test_control::RBIST_RST != 0 {
            state.test_control = 0;
        } else if value & test_control::RBIST_EN != 0 {
            state.test_control |= test_control::RBIST_DONE;
        }
        if value & test_control::EELOAD_EN != 0 {
            self.load_address();
        }
    }
}

impl Function for Dp83820 {
    fn describe(&self) -> Description {
        let p = &self.parameters;
        let (address, delay) = (mac_text(p.address), delay_text(p.interrupt_delay));
        let rate = p.bits_per_s as f64 / 1e9;
        let queues = [p.transmit_fifo_bytes, p.receive_fifo_bytes].map(|bytes| bytes >> 10);
        let text = format!(
            "dp83820 {address} of {rate} Gb/s, interrupts after {delay}, queues of {} and {} KiB",
            queues[0], queues[1]
        );
        Description::new(
            text,
            "dp83820",
            [
                ("mac_address", address),
                ("link_rate", rate_text(p.bits_per_s)),
                ("interrupt_delay", delay),
                ("transmit_fifo", bytes_text(p.transmit_fifo_bytes as u64)),
                ("receive_fifo", bytes_text(p.receive_fifo_bytes as u64)),
            ],
        )
    }

    fn configuration(&self) -> &ConfigurationSpace {
        &self.state.space
    }

    fn configuration_mut(&mut self) -> &mut ConfigurationSpace {
        &mut self.state.space
    }

    fn read(&mut self, _window: usize, offset: u64, size: usize, _time: u64) -> Option<u64> {
        // The chip knows words only.
        if size != 4 || !offset.is_multiple_of(4) {
            return Some(0);
        }
        let word = match offset {
            0..REGISTERS_END => self.read_register(offset),
            CONFIGURATION.. => self.state.space.word(offset % REGISTERS_END),
            _ => 0,
        };
        Some(word.into())
    }

    fn write(&mut self, _window: usize, offset: u64, size: usize, value: u64, time: u64) {
        if size != 4 || !offset.is_multiple_of(4) {
            return;
        }
        match offset {
            0..REGISTERS_END => self.write_register(offset, value as u32, time),
            CONFIGURATION.. => self.state.space.write(offset % REGISTERS_END, 4, value as u32),
            _ => {}
        }
    }

    fn transfer(&mut self) -> Option<Transfer> {
        self.state.turns.order().into_iter().flatten().find_map(|direction| {
            let transfer = match direction {
                Direction::Sends => self.send_transfer(),
                Direction::Receives => self.receive_transfer(),
            };
            self.state.turns.begin(direction, transfer)
        })
    }

    fn transferred(&mut self, data: Option<&[u8]>, time: u64) {
        match self.state.turns.end() {
            Some(Direction::Sends) => self.send_transferred(data, time),
            Some(Direction::Receives) => self.receive_transferred(data, time),
            None => {}
        }
    }

    fn wakes_at(&self) -> Option<u64> {
        let times = [self.state.interrupts.wakes_at(), self.state.transmitter.wakes_at()];
        times.into_iter().flatten().min()
    }

    fn advance(&mut self, time: u64) {
        self.state.interrupts.advance(time);
        if self.state.transmitter.leave(time).is_some() {
            self.put_on_wire(time);
            self.queue_frame(time);
        }
    }

    fn interrupts(&self) -> bool {
        self.state.interrupts.is_asserted()
    }

    fn is_receiving(&self) -> bool {
        self.state.receiver.is_enabled
    }

    fn set_link(&mut self, is_up: bool, time: u64) {
        self.state.is_linked = is_up;
        let bit = if is_up { config::LNKSTS } else { 0 };
        self.state.config = self.state.config & !config::LNKSTS | bit;
        self.post(cause::PHY, time);
    }

    fn receive(&mut self, frame: Vec<u8>, time: u64) {
        self.take_frame(frame, time);
    }

    fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    fn shortest_frame_time(&self) -> u64 {
        shortest_duration(self.parameters.bits_per_s)
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let c = &self.state.counters;
        vec![
            ("sent", self.state.transmitter.sent()),
            ("received", c.received),
            ("dropped: no room", c.overruns),
            ("dropped: not meant", c.filtered),
            ("dropped: rejected", c.rejected),
            ("dropped: not enabled", c.disabled),
            ("interrupts", self.state.interrupts.count),
            ("aborted transfers", c.aborts),
        ]
    }

    fn save(&self) -> Value {
        // Numbers, lists and names only, which JSON can always express.
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, state: Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| error.to_string())?;
        let is_whole = state.space.is_like(&self.state.space)
            && state.filter_memory.len() == self.state.filter_memory.len()
            && state.receiver.is_consistent()
            && state.transmitter.is_consistent();
        if !is_whole {
            return Err("it has the state of another card".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
