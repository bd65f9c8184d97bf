//! SINIC, the simple integrated network interface card (Binkert, Saidi and Reinhardt, section 3), and V-SINIC, which has many.
//!
//! It has no descriptors: software copies each packet out of and into the card's queues, by two copy engines that share one port to
//! memory. A register starts a copy, one says how it went, and one says the same but holds the load until the engine is free. With
//! several virtual cards (VNICs), each has these registers for itself: software posts buffers on many of them ahead, packets are bound to
//! them in order, and copies of a packet's rest can be deferred.
//!
//! The registers are those of the simulator M5, in its latest form. Where its public model differs from the paper, the paper holds:
//! `RxWait` and `TxWait` wait, and `CopyLen` is what was copied. `Packets` of `RxDone` counts the packets that no VNIC owns. What the model
//! stops at is refused here and counted: accesses of the wrong width, VNICs that do not exist, a copy on a VNIC that is busy.

mod chip;
mod function;
mod receiving;
mod registers;
mod sending;

pub use chip::{Parameters, Sinic};
