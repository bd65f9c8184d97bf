//! What harts refer to: memory, and devices by their registers.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::interrupts::InterruptController;
use crate::map;
use crate::memory::Memory;
use crate::pci::HostBridge;

/// Characters to and from a terminal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Console {
    /// Typed and not read yet.
    pub input: VecDeque<u8>,
    /// Printed and not shown yet.
    pub output: Vec<u8>,
}

/// Memory and devices.
#[derive(Debug)]
pub struct Board {
    /// The memory.
    pub memory: Memory,
    /// The interrupt controller.
    pub interrupts: InterruptController,
    /// The bus.
    pub bus: HostBridge,
    /// The terminal.
    pub console: Console,
    is_touched: bool,
}

impl Board {
    /// Devices around a memory.
    pub fn new(memory: Memory, harts: usize) -> Self {
        Self {
            memory,
            interrupts: InterruptController::new(harts),
            bus: HostBridge,
            console: Console::default(),
            is_touched: false,
        }
    }

    /// A load of up to 8 bytes within a page, at a time; `None` where nothing answers.
    pub fn read(&mut self, address: u64, size: usize, time: u64) -> Option<u64> {
        if let Some(place) = self.memory.place(address, size) {
            let mut number = [0; 8];
            number[..size].copy_from_slice(&self.memory.bytes()[place..place + size]);
            return Some(u64::from_le_bytes(number));
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            return Some(self.interrupts.read(address - map::INTERRUPTS.start).into());
        }
        self.bus.read(address, size, time)
    }

    /// A store of up to 8 bytes within a page, at a time; `None` where nothing answers.
    pub fn write(&mut self, address: u64, size: usize, value: u64, time: u64) -> Option<()> {
        let bytes = value.to_le_bytes();
        if self.memory.store(address, &bytes[..size]).is_some() {
            return Some(());
        }
        self.is_touched = true;
        if map::INTERRUPTS.contains(&address) && size == 4 && address & 3 == 0 {
            self.interrupts.write(address - map::INTERRUPTS.start, value as u32);
            return Some(());
        }
        self.bus.write(address, &bytes[..size], &mut self.memory, time)
    }

    /// Whether a device was referred to since it was last asked, whose interrupts may have changed with that.
    pub(crate) fn take_touched(&mut self) -> bool {
        std::mem::take(&mut self.is_touched)
    }

    /// Whether something has changed that a hart must look at before its next instruction.
    #[inline(always)]
    pub(crate) fn needs_attention(&self) -> bool {
        self.is_touched || self.memory.is_code_rewritten()
    }
}
