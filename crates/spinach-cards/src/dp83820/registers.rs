//! Numbers of the chip, by the names of its data sheet.

#![allow(dead_code, reason = "a map is whole")]

pub(crate) mod register {
    pub(crate) const CR: u64 = 0x00;
    pub(crate) const CFG: u64 = 0x04;
    pub(crate) const MEAR: u64 = 0x08;
    pub(crate) const PTSCR: u64 = 0x0c;
    pub(crate) const ISR: u64 = 0x10;
    pub(crate) const IMR: u64 = 0x14;
    pub(crate) const IER: u64 = 0x18;
    pub(crate) const IHR: u64 = 0x1c;
    pub(crate) const TXDP: u64 = 0x20;
    pub(crate) const TXDP_HI: u64 = 0x24;
    pub(crate) const TXCFG: u64 = 0x28;
    pub(crate) const GPIOR: u64 = 0x2c;
    pub(crate) const RXDP: u64 = 0x30;
    pub(crate) const RXDP_HI: u64 = 0x34;
    pub(crate) const RXCFG: u64 = 0x38;
    pub(crate) const PQCR: u64 = 0x3c;
    pub(crate) const WCSR: u64 = 0x40;
    pub(crate) const PCR: u64 = 0x44;
    pub(crate) const RFCR: u64 = 0x48;
    pub(crate) const RFDR: u64 = 0x4c;
    pub(crate) const SRR: u64 = 0x58;
    pub(crate) const MIBC: u64 = 0x5c;
    pub(crate) const MIB: u64 = 0x60;
    pub(crate) const MIB_END: u64 = 0x8c;
    pub(crate) const VRCR: u64 = 0xbc;
    pub(crate) const VTCR: u64 = 0xc0;
    pub(crate) const VDR: u64 = 0xc4;
    pub(crate) const CCSR: u64 = 0xcc;
    pub(crate) const TBICR: u64 = 0xe0;
    pub(crate) const TBISR: u64 = 0xe4;
    pub(crate) const TANAR: u64 = 0xe8;
    pub(crate) const TANLPAR: u64 = 0xec;
    pub(crate) const TANER: u64 = 0xf0;
    pub(crate) const TESR: u64 = 0xf4;
}

pub(crate) mod command {
    pub(crate) const TXE: u32 = 1 << 0;
    pub(crate) const TXD: u32 = 1 << 1;
    pub(crate) const RXE: u32 = 1 << 2;
    pub(crate) const RXD: u32 = 1 << 3;
    pub(crate) const TXR: u32 = 1 << 4;
    pub(crate) const RXR: u32 = 1 << 5;
    pub(crate) const SWI: u32 = 1 << 7;
    pub(crate) const RST: u32 = 1 << 8;
}

pub(crate) mod config {
    pub(crate) const LNKSTS: u32 = 1 << 31;
    pub(crate) const SPDSTS: u32 = 3 << 29;
    pub(crate) const DUPSTS: u32 = 1 << 28;
    pub(crate) const TBI_EN: u32 = 1 << 24;
    pub(crate) const MODE_1000: u32 = 1 << 22;
    pub(crate) const PCI64_DET: u32 = 1 << 13;
    pub(crate) const M64ADDR: u32 = 1 << 11;
    pub(crate) const EXTSTS_EN: u32 = 1 << 8;
    pub(crate) const READ_ONLY: u32 = LNKSTS | SPDSTS | DUPSTS | PCI64_DET;
}

pub(crate) mod test_control {
    pub(crate) const EEBIST_EN: u32 = 1 << 1;
    pub(crate) const EELOAD_EN: u32 = 1 << 2;
    pub(crate) const RBIST_DONE: u32 = 1 << 9;
    pub(crate) const RBIST_EN: u32 = 1 << 10;
    pub(crate) const RBIST_RST: u32 = 1 << 13;
}

pub(crate) mod cause {
    pub(crate) const RXOK: u32 = 1 << 0;
    pub(crate) const RXDESC: u32 = 1 << 1;
    pub(crate) const RXIDLE: u32 = 1 << 4;
    pub(crate) const RXORN: u32 = 1 << 5;
    pub(crate) const TXOK: u32 = 1 << 6;
    pub(crate) const TXDESC: u32 = 1 << 7;
    pub(crate) const TXIDLE: u32 = 1 << 9;
    pub(crate) const MIB: u32 = 1 << 11;
    pub(crate) const SWI: u32 = 1 << 12;
    pub(crate) const PHY: u32 = 1 << 14;
    pub(crate) const RMABT: u32 = 1 << 18;
    pub(crate) const RXRCMP: u32 = 1 << 21;
    pub(crate) const TXRCMP: u32 = 1 << 22;
    pub(crate) const ALL: u32 = 0x7fff_ffff;
    /// Causes that wait for the delay of interrupts; all others interrupt at once.
    pub(crate) const DELAYED: u32 = RXOK | RXDESC | RXIDLE | TXOK | TXDESC | TXIDLE;
}

pub(crate) mod receive_config {
    pub(crate) const STRIPCRC: u32 = 1 << 29;
}

pub(crate) mod filter {
    pub(crate) const RFEN: u32 = 1 << 31;
    pub(crate) const AAB: u32 = 1 << 30;
    pub(crate) const AAM: u32 = 1 << 29;
    pub(crate) const AAU: u32 = 1 << 28;
    pub(crate) const APM: u32 = 1 << 27;
    pub(crate) const AARP: u32 = 1 << 22;
    pub(crate) const ADDRESS: u32 = 0x3ff;
}

pub(crate) mod mib_control {
    pub(crate) const WRN: u32 = 1 << 0;
    pub(crate) const FRZ: u32 = 1 << 1;
    pub(crate) const ACLR: u32 = 1 << 2;
}

/// Counters, by number from register MIB on.
pub(crate) mod mib {
    pub(crate) const COUNT: usize = 11;
    /// Frames for which there was no room.
    pub(crate) const MISSED: usize = 2;
    /// Value at which a counter warns.
    pub(crate) const NEARLY_FULL: u32 = 0x8000;
    pub(crate) const MASK: u32 = 0xffff;
}

pub(crate) mod vlan_receive {
    pub(crate) const VTDEN: u32 = 1 << 0;
    pub(crate) const VTREN: u32 = 1 << 1;
    pub(crate) const DVTF: u32 = 1 << 2;
    pub(crate) const DUTF: u32 = 1 << 3;
    pub(crate) const IPEN: u32 = 1 << 4;
    pub(crate) const RIPE: u32 = 1 << 5;
    pub(crate) const RTCPE: u32 = 1 << 6;
    pub(crate) const RUDPE: u32 = 1 << 7;
}

pub(crate) mod vlan_transmit {
    pub(crate) const VGTI: u32 = 1 << 0;
    pub(crate) const VPPTI: u32 = 1 << 1;
    pub(crate) const GCHK: u32 = 1 << 2;
    pub(crate) const PPCHK: u32 = 1 << 3;
}

pub(crate) mod ten_bit {
    pub(crate) const AN_ENABLE: u32 = 1 << 12;
    pub(crate) const RESTART_AN: u32 = 1 << 9;
    pub(crate) const LINK_STATUS: u32 = 1 << 5;
    pub(crate) const AN_COMPLETE: u32 = 1 << 2;
    pub(crate) const FULL_DUPLEX: u32 = 1 << 5;
    pub(crate) const HALF_DUPLEX: u32 = 1 << 6;
}

/// Command and status of a descriptor.
pub(crate) mod status {
    pub(crate) const OWN: u32 = 1 << 31;
    pub(crate) const MORE: u32 = 1 << 30;
    pub(crate) const INTR: u32 = 1 << 29;
    pub(crate) const OK: u32 = 1 << 27;
    pub(crate) const DEST_SELF: u32 = 1 << 23;
    pub(crate) const DEST_MULTI: u32 = 1 << 24;
    pub(crate) const DEST_BROADCAST: u32 = DEST_SELF | DEST_MULTI;
    pub(crate) const SIZE: u32 = 0xffff;
}

/// Extended status of a descriptor.
pub(crate) mod extended {
    pub(crate) const UDPERR: u32 = 1 << 22;
    pub(crate) const UDPPKT: u32 = 1 << 21;
    pub(crate) const TCPERR: u32 = 1 << 20;
    pub(crate) const TCPPKT: u32 = 1 << 19;
    pub(crate) const IPERR: u32 = 1 << 18;
    pub(crate) const IPPKT: u32 = 1 << 17;
    pub(crate) const VPKT: u32 = 1 << 16;
    pub(crate) const TAG: u32 = 0xffff;
}
