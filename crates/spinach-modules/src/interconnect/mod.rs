//! Glue between modules that compute and modules that keep state.

mod pipe;

pub use pipe::Pipe;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Pipe>();
}
