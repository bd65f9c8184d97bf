//! Joints: values that leave one module and arrive at another a latency later, without a channel.
//!
//! Ports of the type [`Joint`] are connected as others, but without a channel. The sender passes values to
//! [`Edge::send_through_joint`](super::Edge::send_through_joint), the receiver gets them by [`Module::arrive`](super::Module::arrive), at any moment before its
//! [lookahead](super::Module::lookahead) ends. So what modules at both ends do meanwhile may be simulated in any order, or on two threads.

use super::value::{Value, ValueType};
use crate::time::Time;

/// Type of the ports at both ends of a joint. A module has at most one such output, and at most one such input.
#[derive(Clone, Copy, Debug)]
pub struct Joint;

impl Value for Joint {
    const TYPE: ValueType = ValueType { name: "joint", words: 1 };

    fn load(_: impl Fn(u32) -> u64) -> Self {
        Self
    }

    fn store(self, _: impl FnMut(u32, u64)) {}
}

/// A value on its way through a joint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JointValue {
    /// Time of the edge at which it left.
    pub time: Time,
    /// Its words, without handles to payloads.
    pub words: Vec<u64>,
    /// Bytes of its payload. Stores of payloads are separate.
    pub payload: Option<Box<[u8]>>,
}
