//! Memories, and the modules in front of them.

#[path = "../support/mod.rs"]
mod support;

mod arbiter;
mod block_memory_transfer;
mod cache_controller;
mod contract;
mod data_cache;
mod initiator;
mod memories;
mod memory_controller;
mod other_shapes;
mod shared_memory;
mod write_watch;
