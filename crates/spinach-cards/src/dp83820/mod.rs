//! National Semiconductor's DP83820, a controller for Gigabit Ethernet with rings of descriptors.
//!
//! It has what the driver `ns83820` of Linux 6.1 uses, unmodified, and what the model of the SINIC paper (Binkert and others, section
//! 4.2) had: the registers of the chip, descriptors with 32 and 64 bits of address, checksums both ways, detection, insertion and
//! removal of VLAN tags, filters by address, and interrupts after a fixed delay. As in the paper it is no longer a Gigabit controller: the
//! rate of its wire and the sizes of its queues are parameters. It starts transfers at any address, as the paper's did. Not there:
//! flow control, wake on LAN, the hash and pattern filters, priority queues, and reading the EEPROM bit by bit.

mod chip;
mod descriptor;
mod function;
mod receiver;
mod receiving;
mod registers;
mod sender;
mod sending;

pub use chip::{Dp83820, Parameters};
