//! Adapters between channels and the signals of a block under `valid` and `ready`.
//!
//! An adapter drives its signals from its state alone, so no combinational path leads through a block from one channel to another.

mod accesses;
mod axi;
mod bursts;
mod frames;
mod requests;
mod words;

pub(super) use accesses::{BlockInitiator, BlockTarget};
pub(super) use frames::{FrameSink, FrameSource};
pub(super) use words::{WordSink, WordSource};

use spinach_plugin::{Block, Stream};

use crate::values::{Access, Reference};

/// Number of values that an adapter holds: one that moves and one that waits, so that none waits for a handshake.
const HELD_VALUES: usize = 2;

/// Number of requests of a block that may wait for their responses.
const OUTSTANDING: usize = 8;

/// Sets an input that the block may not have.
fn set_if(block: &mut Block, signal: Option<usize>, value: u64) {
    if let Some(signal) = signal {
        block.set(signal, value);
    }
}

/// True if a bus with this width of data can express the reference.
fn is_supported(reference: &Reference, bytes: u8) -> bool {
    matches!(reference.access, Access::Read | Access::Write) && reference.size <= bytes
}

/// True if the block accepts in this cycle what is presented at `stream`.
fn is_accepted(block: &Block, stream: &Stream) -> bool {
    stream.ready.is_none_or(|ready| block.get(ready) != 0)
}

/// Signals that a block drives at `stream`, to be compared in the next cycle if they wait.
fn driven(block: &Block, stream: &Stream) -> Vec<u64> {
    let signals = [Some(stream.data), stream.keep, stream.last, stream.user];
    signals.into_iter().flatten().flat_map(|signal| block.output(signal).iter().copied()).collect()
}

/// Checks that the block still presents its value, if that was not accepted: `before` is the value, if there was one.
fn check_stable(block: &Block, stream: &Stream, before: Option<&[u64]>) -> Result<(), String> {
    let Some(before) = before else { return Ok(()) };
    if block.get(stream.valid) == 0 {
        return Err(format!("{} withdraws `valid` before `ready`", stream.name));
    }
    if driven(block, stream) != before {
        return Err(format!("{} changes before `ready`", stream.name));
    }
    Ok(())
}
