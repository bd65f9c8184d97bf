//! Explanation of a lack of memory. Native code cannot continue without a small allocation: its process ends.

#![allow(unsafe_code, reason = "an allocator promises memory")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;

use nix::libc;

/// Larger allocations may fail without harm: they are checked, and the process continues.
const SMALL_BYTES: usize = 64 << 20;

static EXPLANATION: OnceLock<(Vec<u8>, i32)> = OnceLock::new();

/// Ends this process with a text on standard error, and an exit code, when memory for a small allocation is refused. Otherwise the
/// process would abort.
pub fn explain(text: &str, exit_code: i32) {
    // The first explanation stays.
    let _ = EXPLANATION.set((text.as_bytes().to_vec(), exit_code));
}

/// The allocator of the system, which explains a lack of memory if [`explain`] was called.
pub struct Allocator;

// SAFETY: all memory is that of the system's allocator, which keeps the promises of an allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the conditions, which are those of the system's allocator.
        granted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory is of the system's allocator, and the caller keeps its conditions.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        granted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`.
        granted(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

#[inline]
fn granted(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        refuse(size);
    }
    memory
}

#[cold]
fn refuse(size: usize) {
    let Some((text, exit_code)) = EXPLANATION.get().filter(|_| size <= SMALL_BYTES) else { return };
    // SAFETY: the text is as long as is said. Nothing else of the process runs: what runs at an ordinary end may need memory, or a lock
    // that is held here. If standard error is closed, the exit code remains.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(*exit_code)
    }
}
