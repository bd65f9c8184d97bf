//! The Ethernet link, and the assists that move frames between it and frame memory.

mod flow_control;
mod flow_steering;
mod frame_fifo;
pub(crate) mod link;
mod link_signal;
mod mac_receive_assist;
mod mac_transmit_assist;
mod queue_receive;
mod queue_transmit;

pub use flow_control::FlowControl;
pub use flow_steering::FlowSteering;
pub use frame_fifo::FrameFifo;
pub use link::Link;
pub(crate) use mac_receive_assist::MAC_RECEIVE_REGISTERS;
pub use mac_receive_assist::MacReceiveAssist;
pub use mac_transmit_assist::MacTransmitAssist;
pub use queue_receive::QueueReceive;
pub use queue_transmit::QueueTransmit;

use spinach_engine::Registry;

pub(crate) fn register(registry: &mut Registry) {
    registry.register::<FlowControl>();
    registry.register::<FlowSteering>();
    registry.register::<FrameFifo>();
    registry.register::<Link>();
    registry.register::<MacReceiveAssist>();
    registry.register::<MacTransmitAssist>();
    registry.register::<QueueReceive>();
    registry.register::<QueueTransmit>();
}
