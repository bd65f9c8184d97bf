//! The bus (PCI Express, with configuration space by ECAM): its functions, and the host bridge in front of them.

pub mod bridge;
pub mod configuration;
pub mod function;
pub mod port;
mod slot;
