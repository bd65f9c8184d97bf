//! The interface in C between a block and its loader. `python/spinach_nic/blocks/block.cpp` declares the same table for RTL; a test
//! compares them.

use std::ffi::{CStr, c_char, c_void};

/// Version of the interface.
pub const VERSION: u64 = 2;

/// Symbol of a library that holds its table.
pub const SYMBOL: &CStr = c"spinach_block";

/// A message, valid until the next call on the same thread; null after a success.
pub type Failure = *const c_char;

/// Table of functions of a block. Every version of it begins with the version.
#[repr(C)]
pub struct Interface {
    /// Version of the table.
    pub version: u64,
    /// Description in JSON, which ends with a zero byte.
    pub description: *const c_char,
    /// Makes an instance in its initial state, with all inputs 0; null if it cannot.
    pub create: unsafe extern "C" fn() -> *mut c_void,
    /// Ends an instance.
    pub destroy: unsafe extern "C" fn(*mut c_void),
    /// Takes the words of the inputs, and writes those of the outputs.
    pub evaluate: unsafe extern "C" fn(*mut c_void, *const u64, *mut u64) -> Failure,
    /// Begins a file with waveforms.
    pub trace: unsafe extern "C" fn(*mut c_void, *const c_char) -> Failure,
    /// Adds the present signals to the file, at a time in femtoseconds.
    pub dump: unsafe extern "C" fn(*mut c_void, u64),
    /// Writes the place and the number of bytes of a text in the format VCD, which stay until the next call with the instance: first all
    /// signals inside and their values, then those that have changed. No bytes if the block shows none.
    pub inspect: unsafe extern "C" fn(*mut c_void, *mut *const u8, *mut u64) -> Failure,
    /// Writes the place and the number of bytes of the state, which stay until the next call with the instance.
    pub save: unsafe extern "C" fn(*mut c_void, *mut *const u8, *mut u64) -> Failure,
    /// Takes as many bytes of a saved state.
    pub restore: unsafe extern "C" fn(*mut c_void, *const u8, u64) -> Failure,
}
