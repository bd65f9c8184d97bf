//! Glue between modules that compute and modules that keep state.

mod demux;
mod fifo;
mod function;
mod gate;
mod mux;
mod pipe;
mod receiver;
mod sender;
mod tee;
mod word_ring;

pub use demux::Demux;
pub use fifo::Fifo;
pub use function::Function;
pub use mux::Mux;
pub use pipe::Pipe;
pub use receiver::Receiver;
pub use sender::Sender;
pub use tee::Tee;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<Demux>();
    registry.register::<Fifo>();
    registry.register::<Function>();
    registry.register::<Mux>();
    registry.register::<Pipe>();
    registry.register::<Receiver>();
    registry.register::<Sender>();
    registry.register::<Tee>();
}
