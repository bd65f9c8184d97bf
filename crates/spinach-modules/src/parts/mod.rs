//! Parts that modules of several families are made of. None of them is a module.

pub(crate) mod alarm;
pub(crate) mod bytes;
pub(crate) mod core_command;
pub(crate) mod divisor;
pub(crate) mod histogram;
pub mod layout;
pub(crate) mod line_port;
pub(crate) mod mover;
pub mod numbers;
pub(crate) mod queue;
pub mod queue_control;
pub(crate) mod random;
pub(crate) mod register_message;
pub mod registers;
pub(crate) mod ring_master;
pub(crate) mod sparse;
pub(crate) mod steady;
