//! The card as a function on the bus: its registers and events.

use serde_json::Value;
use spinach_server::pci::configuration::ConfigurationSpace;
use spinach_server::pci::function::{Description, Function, Sent, Transfer, bytes_text};

use super::chip::{HIGH, LOW, SIZE, Sinic, State};
use super::registers::{WINDOW_BYTES, command, config, interrupt, register};
use crate::descriptions::{delay_text, mac_text, rate_text};
use crate::halves::Direction;
use spinach_net::ethernet::shortest_duration;

/// Bytes of a register.
fn width(register: u64) -> u64 {
    if register < register::RX_DATA { 4 } else { 8 }
}

impl Sinic {
    /// The VNIC and the register of an access, if there are such and it has the register's width.
    fn addressed(&mut self, offset: u64, size: usize) -> Option<(usize, u64)> {
        let (vnic, register) = ((offset / WINDOW_BYTES) as usize, offset % WINDOW_BYTES);
        let width = width(register);
        let is_there = register < register::END
            && size as u64 == width
            && register.is_multiple_of(width)
            && vnic < self.parameters.virtual_count;
        self.state.counters.refused += u64::from(!is_there);
        is_there.then_some((vnic, register))
    }

    fn read_global(&mut self, register: u64) -> u32 {
        let p = &self.parameters;
        match register {
            register::CONFIG => self.state.config,
            register::INTR_STATUS => self.state.interrupts.take(),
            register::INTR_MASK => self.state.interrupts.mask,
            register::RX_MAX_COPY => p.rx_max_copy,
            register::TX_MAX_COPY => p.tx_max_copy,
            register::ZERO_COPY_SIZE => p.zero_copy_size,
            register::ZERO_COPY_MARK => p.zero_copy_mark,
            register::VIRTUAL_COUNT => p.virtual_count as u32,
            register::RX_MAX_INTR => p.rx_max_intr,
            register::RX_FIFO_SIZE => p.rx_fifo[SIZE],
            register::TX_FIFO_SIZE => p.tx_fifo[SIZE],
            register::RX_FIFO_LOW => p.rx_fifo[LOW],
            register::TX_FIFO_LOW => p.tx_fifo[LOW],
            register::RX_FIFO_HIGH => p.rx_fifo[HIGH],
            register::TX_FIFO_HIGH => p.tx_fifo[HIGH],
            _ => 0,
        }
    }

    fn write_global(&mut self, register: u64, value: u32, time: u64) {
        match register {
            register::CONFIG => {
                let both = config::ZERO_COPY | config::DELAY_COPY;
                // They exclude each other.
                let excluded = if value & both == both { config::DELAY_COPY } else { 0 };
                self.state.config = value & config::WRITABLE & !excluded;
                self.state.interrupts.is_enabled = value & config::INT_EN != 0;
                self.state.interrupts.follow(time);
                self.start_piece(time);
            }
            register::COMMAND => {
                if value & command::RESET != 0 {
                    self.reset();
                } else if value & command::INTR != 0 {
                    self.post(interrupt::SOFT, time);
                }
            }
            register::INTR_STATUS => self.state.interrupts.clear(value),
            register::INTR_MASK => {
                self.state.interrupts.mask = value & interrupt::ALL;
                self.state.interrupts.follow(time);
            }
            _ => {}
        }
    }
}

impl Function for Sinic {
    fn describe(&self) -> Description {
        let p = &self.parameters;
        let (address, delay) = (mac_text(p.address), delay_text(p.interrupt_delay));
        let rate = p.bits_per_s as f64 / 1e9;
        let numbers = [p.rx_max_copy, p.tx_max_copy, p.zero_copy_size, p.zero_copy_mark, p.rx_max_intr];
        let text = format!(
            "sinic {address} of {rate} Gb/s with {} VNICs, interrupts after {delay}, flow control {}, queues of {} and {} bytes, \
             {numbers:?}, {:?}, {:?}",
            p.virtual_count,
            p.flow_control,
            self.tx_fifo_bytes(),
            self.rx_fifo_bytes(),
            p.rx_fifo,
            p.tx_fifo
        );
        let queue = |[size, low, high]: [u32; 3]| {
            let [size, low, high] = [size, low, high].map(|bytes| bytes_text(bytes.into()));
            format!("{size} (low below {low}, high from {high})")
        };
        Description::new(
            text,
            "sinic",
            [
                ("mac_address", address),
                ("link_rate", rate_text(p.bits_per_s)),
                ("interrupt_delay", delay),
                ("vnics", p.virtual_count.to_string()),
                ("flow_control", u32::from(p.flow_control).to_string()),
                ("longest_received", bytes_text(p.rx_max_copy.into())),
                ("longest_sent", bytes_text(p.tx_max_copy.into())),
                ("header_bytes", p.zero_copy_size.to_string()),
                ("longest_whole", bytes_text(p.zero_copy_mark.into())),
                ("packets_per_interrupt", p.rx_max_intr.to_string()),
                ("receive_fifo", queue(p.rx_fifo)),
                ("transmit_fifo", queue(p.tx_fifo)),
            ],
        )
    }

    fn configuration(&self) -> &ConfigurationSpace {
        &self.state.space
    }

    fn configuration_mut(&mut self) -> &mut ConfigurationSpace {
        &mut self.state.space
    }

    fn register_bytes(&self, _window: usize, offset: u64) -> usize {
        width(offset % WINDOW_BYTES) as usize
    }

    fn read(&mut self, _window: usize, offset: u64, size: usize, _time: u64) -> Option<u64> {
        let Some((vnic, register)) = self.addressed(offset, size) else { return Some(0) };
        match register {
            register::RX_DATA => Some(self.state.rx[vnic].word),
            register::TX_DATA => Some(self.state.tx[vnic].word),
            register::RX_WAIT if self.holds_rx(vnic) => None,
            register::TX_WAIT if self.holds_tx(vnic) => None,
            register::RX_DONE | register::RX_WAIT => Some(self.rx_done(vnic)),
            register::TX_DONE | register::TX_WAIT => Some(self.tx_done(vnic)),
            register::HW_ADDR => {
                let address = self.parameters.address;
                Some(address.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
            }
            register::RX_STATUS => Some(self.rx_status()),
            _ => Some(self.read_global(register).into()),
        }
    }

    fn write(&mut self, _window: usize, offset: u64, size: usize, value: u64, time: u64) {
        let Some((vnic, register)) = self.addressed(offset, size) else { return };
        match register {
            register::RX_DATA => self.post_buffer(vnic, value, time),
            register::TX_DATA => self.post_piece(vnic, value, time),
            _ => self.write_global(register, value as u32, time),
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
            Some(Direction::Receives) => self.receive_transferred(data.is_some(), time),
            None => {}
        }
    }

    fn wakes_at(&self) -> Option<u64> {
        let times = [self.state.interrupts.wakes_at(), self.state.transmitter.wakes_at()];
        times.into_iter().flatten().min()
    }

    fn advance(&mut self, time: u64) {
        self.state.interrupts.advance(time);
        match self.state.transmitter.leave(time) {
            Some(left) => self.follow_wire(left, time),
            None => self.put_on_wire(time),
        }
    }

    fn interrupts(&self) -> bool {
        self.state.interrupts.is_asserted()
    }

    fn is_receiving(&self) -> bool {
        self.state.config & config::RX_EN != 0
    }

    fn set_link(&mut self, is_up: bool, _time: u64) {
        self.state.is_linked = is_up;
    }

    fn receive(&mut self, frame: Vec<u8>, time: u64) {
        self.take_packet(frame, time);
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
            ("dropped: too long", c.too_long),
            ("dropped: not enabled", c.disabled),
            ("dropped: pause", c.obeyed),
            ("not sent: too long", c.too_long_to_send),
            ("deferred copies", c.deferred),
            ("pauses", c.pauses),
            ("interrupts", self.state.interrupts.count),
            ("refused accesses", c.refused),
            ("aborted transfers", c.aborts),
        ]
    }

    fn save(&self) -> Value {
        // Numbers, lists and names only, which JSON can always express.
        serde_json::to_value(&self.state).unwrap_or_default()
    }

    fn restore(&mut self, state: Value) -> Result<(), String> {
        let state: State = serde_json::from_value(state).map_err(|error| error.to_string())?;
        if !self.fits(&state) {
            return Err("it has the state of another card".to_owned());
        }
        self.state = state;
        Ok(())
    }
}
