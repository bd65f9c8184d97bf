//! The bus (PCI Express, with configuration space by ECAM): what a function on it is, and the host bridge that it stands behind.

pub mod bridge;
pub mod configuration;
pub mod function;
pub mod port;
mod slot;
