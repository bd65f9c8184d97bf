//! Hosts that boot an operating system.

mod server;

pub use server::Server;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Server>();
}
