//! Virtio devices of the host machine's files, under the kernel's own drivers (Virtual I/O Device specification 1.1).
//!
//! [`transport`] has the registers of each (section 4.2, without the legacy interface) and its one split queue (section 2.6);
//! [`disk`] is a block device over an image, and [`share`] a 9P server for a folder. Requests are served at the store that notifies of
//! them: transfers take no simulated time, and caches of timed cores are not updated.

pub mod disk;
mod nine;
pub mod share;
pub mod transport;

/// A device: answers a request of bytes with at most `room` bytes.
pub trait Device {
    /// Its number in chapter 5 of the specification.
    const NUMBER: u32;
    /// Offered features besides those of the transport.
    const FEATURES: u64;

    /// Its configuration space.
    fn configuration(&self) -> Vec<u8>;

    /// Serves a request.
    fn serve(&mut self, request: &[u8], room: usize) -> Vec<u8>;
}
