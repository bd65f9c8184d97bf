//! The registers of a VNIC's window, and their bits.

pub(crate) const WINDOW_BYTES: u64 = 0x100;
pub(crate) const VNICS_MAXIMUM: usize = 256;

pub(crate) mod register {
    pub(crate) const CONFIG: u64 = 0x00;
    pub(crate) const COMMAND: u64 = 0x04;
    pub(crate) const INTR_STATUS: u64 = 0x08;
    pub(crate) const INTR_MASK: u64 = 0x0c;
    pub(crate) const RX_MAX_COPY: u64 = 0x10;
    pub(crate) const TX_MAX_COPY: u64 = 0x14;
    pub(crate) const ZERO_COPY_SIZE: u64 = 0x18;
    pub(crate) const ZERO_COPY_MARK: u64 = 0x1c;
    pub(crate) const VIRTUAL_COUNT: u64 = 0x20;
    pub(crate) const RX_MAX_INTR: u64 = 0x24;
    pub(crate) const RX_FIFO_SIZE: u64 = 0x28;
    pub(crate) const TX_FIFO_SIZE: u64 = 0x2c;
    pub(crate) const RX_FIFO_LOW: u64 = 0x30;
    pub(crate) const TX_FIFO_LOW: u64 = 0x34;
    pub(crate) const RX_FIFO_HIGH: u64 = 0x38;
    pub(crate) const TX_FIFO_HIGH: u64 = 0x3c;
    /// From here on registers have 8 bytes.
    pub(crate) const RX_DATA: u64 = 0x40;
    pub(crate) const RX_DONE: u64 = 0x48;
    pub(crate) const RX_WAIT: u64 = 0x50;
    pub(crate) const TX_DATA: u64 = 0x58;
    pub(crate) const TX_DONE: u64 = 0x60;
    pub(crate) const TX_WAIT: u64 = 0x68;
    pub(crate) const HW_ADDR: u64 = 0x70;
    pub(crate) const RX_STATUS: u64 = 0x78;
    pub(crate) const END: u64 = 0x80;
}

pub(crate) mod config {
    pub(crate) const RX_EN: u32 = 1 << 0;
    pub(crate) const TX_EN: u32 = 1 << 1;
    pub(crate) const INT_EN: u32 = 1 << 2;
    pub(crate) const DELAY_COPY: u32 = 1 << 11;
    pub(crate) const ZERO_COPY: u32 = 1 << 12;
    /// Settings that act, and advice to software: polling, descriptors, threads, RSS. Virtual addresses, VLANs and the filter are not there.
    pub(crate) const WRITABLE: u32 = RX_EN | TX_EN | INT_EN | 0x718 | DELAY_COPY | ZERO_COPY;
}

pub(crate) mod command {
    pub(crate) const RESET: u32 = 1 << 0;
    pub(crate) const INTR: u32 = 1 << 1;
}

pub(crate) mod interrupt {
    pub(crate) const RX_PACKET: u32 = 1 << 0;
    pub(crate) const RX_DMA: u32 = 1 << 1;
    pub(crate) const RX_EMPTY: u32 = 1 << 2;
    pub(crate) const RX_HIGH: u32 = 1 << 3;
    pub(crate) const TX_PACKET: u32 = 1 << 4;
    pub(crate) const TX_DMA: u32 = 1 << 5;
    pub(crate) const TX_FULL: u32 = 1 << 6;
    pub(crate) const TX_LOW: u32 = 1 << 7;
    pub(crate) const SOFT: u32 = 1 << 8;
    pub(crate) const ALL: u32 = 0x1ff;
    pub(crate) const DELAYED: u32 = RX_PACKET | RX_DMA | TX_PACKET | TX_DMA;
    pub(crate) const MASK_AT_RESET: u32 = SOFT | RX_HIGH | RX_PACKET | TX_LOW;
}

/// Fields of RxData and TxData.
pub(crate) mod copy {
    pub(crate) const NO_DELAY: u64 = 1 << 61;
    pub(crate) const CHECKSUM: u64 = 1 << 62;
    pub(crate) const MORE: u64 = 1 << 63;
    /// Address of a copy that only removes the bytes from the queue.
    pub(crate) const NOWHERE: u64 = 1;

    pub(crate) const fn address(word: u64) -> u64 {
        word & ((1 << 40) - 1)
    }

    pub(crate) const fn length(word: u64) -> usize {
        (word >> 40) as usize & 0xf_ffff
    }
}

pub(crate) mod rx_done {
    pub(crate) const IP_PACKET: u64 = 1 << 20;
    pub(crate) const UDP_PACKET: u64 = 1 << 21;
    pub(crate) const TCP_PACKET: u64 = 1 << 22;
    pub(crate) const IP_ERROR: u64 = 1 << 23;
    pub(crate) const UDP_ERROR: u64 = 1 << 24;
    pub(crate) const TCP_ERROR: u64 = 1 << 25;
    pub(crate) const NOT_HIGH: u64 = 1 << 26;
    pub(crate) const HIGH: u64 = 1 << 27;
    pub(crate) const EMPTY: u64 = 1 << 28;
    pub(crate) const MORE: u64 = 1 << 29;
}

pub(crate) mod tx_done {
    pub(crate) const LOW: u64 = 1 << 28;
    pub(crate) const FULL: u64 = 1 << 29;
}

pub(crate) const COMPLETE: u64 = 1 << 30;
pub(crate) const BUSY: u64 = 1 << 31;
pub(crate) const PACKETS_SHIFT: u32 = 32;
