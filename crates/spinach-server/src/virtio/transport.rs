//! Registers and queue of a virtio device on the bus of the harts.

use serde::{Deserialize, Serialize};

use super::Device;
use crate::memory::Memory;

/// Maximum entries of the queue.
pub const QUEUE_MAXIMUM: u32 = 128;
/// Maximum bytes of a request and its answer, each.
pub const REQUEST_MAXIMUM_BYTES: usize = 4 << 20;

const MAGIC: u32 = u32::from_le_bytes(*b"virt");
const VERSION: u32 = 2;
const VENDOR: u32 = u32::from_le_bytes(*b"SPIN");
const VERSION_1: u64 = 1 << 32;
const CONFIGURATION: u64 = 0x100;
const USED_BUFFER: u32 = 1;
const CONFIGURATION_CHANGED: u32 = 2;
const NEEDS_RESET: u32 = 0x40;
const DRIVER_OK: u32 = 4;

const DESCRIPTOR_BYTES: u64 = 16;
const NEXT: u16 = 1;
const WRITABLE: u16 = 2;

/// The registers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registers {
    device_features_word: u32,
    driver_features_word: u32,
    driver_features: u64,
    queue: u32,
    entries: u32,
    is_ready: bool,
    interrupts: u32,
    status: u32,
    descriptors: u64,
    available: u64,
    used: u64,
    /// Requests taken from the queue, modulo 2^16.
    taken: u16,
}

/// A device with its registers.
#[derive(Debug)]
pub struct Transport<D> {
    registers: Registers,
    /// The device.
    pub device: D,
}

/// Part of a request in memory.
struct Buffer {
    address: u64,
    bytes: usize,
    is_writable: bool,
}

impl<D: Device> Transport<D> {
    /// A device after reset.
    pub fn new(device: D) -> Self {
        Self { registers: Registers::default(), device }
    }

    /// The registers, for a checkpoint.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// Restores the registers.
    pub fn restore(&mut self, registers: Registers) {
        self.registers = registers;
    }

    /// Level of the interrupt line.
    pub fn line(&self) -> bool {
        self.registers.interrupts != 0
    }

    /// Reads a register of up to 8 bytes; only those of the configuration space are not of 4 bytes. Unassigned offsets read as 0.
    pub fn read(&self, offset: u64, size: usize) -> u64 {
        if let Some(place) = offset.checked_sub(CONFIGURATION) {
            let configuration = self.device.configuration();
            let bytes = configuration.iter().skip(place as usize).take(size);
            return bytes.rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        }
        let registers = &self.registers;
        let is_first = registers.queue == 0;
        let value = match (offset, size) {
            (0x00, 4) => MAGIC,
            (0x04, 4) => VERSION,
            (0x08, 4) => D::NUMBER,
            (0x0c, 4) => VENDOR,
            (0x10, 4) => match registers.device_features_word {
                word @ 0..=1 => ((D::FEATURES | VERSION_1) >> (32 * word)) as u32,
                _ => 0,
            },
            (0x34, 4) if is_first => QUEUE_MAXIMUM,
            (0x44, 4) if is_first => registers.is_ready.into(),
            (0x60, 4) => registers.interrupts,
            (0x70, 4) => registers.status,
            _ => 0,
        };
        value.into()
    }

    /// Writes a register of 4 bytes. A notification serves all requests of the queue. Unassigned offsets take no effect.
    pub fn write(&mut self, offset: u64, value: u32, memory: &mut Memory) {
        let registers = &mut self.registers;
        let low = |register: &mut u64| *register = *register & !0xffff_ffff | u64::from(value);
        let high = |register: &mut u64| *register = *register & 0xffff_ffff | u64::from(value) << 32;
        let is_set_up = registers.queue == 0 && !registers.is_ready;
        match offset {
            0x14 => registers.device_features_word = value,
            0x20 => match registers.driver_features_word {
                0 => low(&mut registers.driver_features),
                1 => high(&mut registers.driver_features),
                _ => {}
            },
            0x24 => registers.driver_features_word = value,
            0x30 => registers.queue = value,
            0x38 if is_set_up => registers.entries = value,
            0x44 if registers.queue == 0 => {
                let is_valid = registers.entries.is_power_of_two() && registers.entries <= QUEUE_MAXIMUM;
                registers.is_ready = value & 1 != 0 && is_valid;
            }
            0x50 => self.serve(memory),
            0x64 => registers.interrupts &= !value,
            0x70 if value == 0 => *registers = Registers::default(),
            0x70 => registers.status = value,
            0x80 if is_set_up => low(&mut registers.descriptors),
            0x84 if is_set_up => high(&mut registers.descriptors),
            0x90 if is_set_up => low(&mut registers.available),
            0x94 if is_set_up => high(&mut registers.available),
            0xa0 if is_set_up => low(&mut registers.used),
            0xa4 if is_set_up => high(&mut registers.used),
            _ => {}
        }
    }

    /// Serves all requests of the queue. After a damaged one the device needs a reset.
    fn serve(&mut self, memory: &mut Memory) {
        let Registers { is_ready, status, .. } = self.registers;
        if !is_ready || status & DRIVER_OK == 0 || status & NEEDS_RESET != 0 {
            return;
        }
        if self.serve_queue(memory).is_none() {
            self.registers.status |= NEEDS_RESET;
            self.registers.interrupts |= CONFIGURATION_CHANGED;
        }
    }

    fn serve_queue(&mut self, memory: &mut Memory) -> Option<()> {
        let Registers { entries, available, used, .. } = self.registers;
        let last: u16 = number::<2>(memory, available.checked_add(2)?)? as u16;
        if u32::from(last.wrapping_sub(self.registers.taken)) > entries {
            return None;
        }
        while self.registers.taken != last {
            let place = u64::from(u32::from(self.registers.taken) % entries);
            let head = number::<2>(memory, available.checked_add(4 + 2 * place)?)?;
            let written = self.serve_request(memory, head)?;
            let entry = [(head as u32).to_le_bytes(), written.to_le_bytes()].concat();
            memory.store(used.checked_add(4 + 8 * place)?, &entry)?;
            self.registers.taken = self.registers.taken.wrapping_add(1);
            memory.store(used.checked_add(2)?, &self.registers.taken.to_le_bytes())?;
            self.registers.interrupts |= USED_BUFFER;
        }
        Some(())
    }

    /// Serves the request of a descriptor; the bytes written.
    fn serve_request(&mut self, memory: &mut Memory, head: u64) -> Option<u32> {
        let buffers = self.buffers(memory, head)?;
        let mut request = Vec::new();
        for buffer in buffers.iter().filter(|buffer| !buffer.is_writable) {
            let place = memory.place(buffer.address, buffer.bytes)?;
            request.extend_from_slice(&memory.bytes()[place..place + buffer.bytes]);
        }
        let room = buffers.iter().filter(|buffer| buffer.is_writable).map(|buffer| buffer.bytes).sum();
        let answer = self.device.serve(&request, room);
        let mut rest = answer.as_slice();
        for buffer in buffers.iter().filter(|buffer| buffer.is_writable) {
            let (part, others) = rest.split_at(buffer.bytes.min(rest.len()));
            memory.store(buffer.address, part)?;
            rest = others;
        }
        Some(answer.len() as u32)
    }

    /// The parts of a request. All lie in memory, and each side has at most [`REQUEST_MAXIMUM_BYTES`].
    fn buffers(&self, memory: &Memory, head: u64) -> Option<Vec<Buffer>> {
        let Registers { entries, descriptors, .. } = self.registers;
        let mut buffers = Vec::new();
        let mut totals = [0, 0];
        let mut next = head;
        loop {
            // A chain longer than the queue is a loop.
            if next >= entries.into() || buffers.len() >= entries as usize {
                return None;
            }
            let at = descriptors.checked_add(next * DESCRIPTOR_BYTES)?;
            let address = number::<8>(memory, at)?;
            let bytes = number::<4>(memory, at.checked_add(8)?)? as usize;
            let flags = number::<2>(memory, at.checked_add(12)?)? as u16;
            let is_writable = flags & WRITABLE != 0;
            memory.place(address, bytes)?;
            let total = &mut totals[usize::from(is_writable)];
            *total += bytes;
            if *total > REQUEST_MAXIMUM_BYTES {
                return None;
            }
            buffers.push(Buffer { address, bytes, is_writable });
            if flags & NEXT == 0 {
                return Some(buffers);
            }
            next = number::<2>(memory, at.checked_add(14)?)?;
        }
    }
}

/// A number of the queue.
fn number<const SIZE: usize>(memory: &Memory, address: u64) -> Option<u64> {
    memory.read::<SIZE>(memory.place(address, SIZE)?)
}
