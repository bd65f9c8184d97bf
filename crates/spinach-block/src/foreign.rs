//! The functions behind the interface in C.
#![allow(unsafe_code)] // The loader calls with pointers; it promises what each reason below states.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::ptr;
use std::slice;
use std::sync::Once;

use crate::Block;
use crate::description::Text;
use crate::interface::{Failure, Interface, VERSION};
use crate::ports::{Inputs, Ports};
use crate::state::State;

/// Words of the clock and the reset, before those of the ports.
const CLOCK: usize = 0;
const RESET: usize = 1;
const COMMON_INPUTS: usize = 2;

// SAFETY: the table and the text behind its pointer are constant.
unsafe impl Sync for Interface {}

impl Interface {
    /// The table of a block.
    pub const fn of<B: Block>(description: &'static Text) -> Self {
        Self {
            version: VERSION,
            description: description.bytes().as_ptr().cast(),
            create: create::<B>,
            destroy: destroy::<B>,
            evaluate: evaluate::<B>,
            trace,
            dump,
            inspect,
            save: save::<B>,
            restore: restore::<B>,
        }
    }
}

/// A block, its ports, and the words that its outputs have.
struct Instance<B: Block> {
    block: B,
    ports: B::Ports,
    was_high: bool,
    outputs: Vec<u64>,
    saved: Vec<u8>,
}

impl<B: Block> Instance<B> {
    fn new() -> Self {
        let (block, ports, outputs, saved) = <(B, B::Ports, _, _)>::default();
        let mut instance = Self { block, ports, was_high: false, outputs, saved };
        instance.settle();
        instance
    }

    fn evaluate(&mut self, inputs: &[u64]) {
        let is_high = inputs[CLOCK] & 1 != 0;
        if is_high && !self.was_high {
            self.ports.observe(&mut Inputs(&inputs[COMMON_INPUTS..]));
            if inputs[RESET] & 1 != 0 {
                self.block = B::default();
                self.ports = B::Ports::default();
            } else {
                self.block.commit(&self.ports);
            }
            self.settle();
        }
        self.was_high = is_high;
    }

    fn settle(&mut self) {
        self.ports.prepare();
        self.block.settle(&mut self.ports);
        self.outputs.clear();
        self.outputs.push(u64::from(self.block.is_idle()));
        self.ports.drive(&mut self.outputs);
    }

    fn save(&mut self) {
        self.saved.clear();
        self.block.save(&mut self.saved);
        self.ports.save(&mut self.saved);
        self.was_high.save(&mut self.saved);
        self.outputs.save(&mut self.saved);
    }

    fn restore(&mut self, mut bytes: &[u8]) -> Option<()> {
        let (block, ports) = State::restore(&mut bytes)?;
        let (was_high, outputs) = <(bool, Vec<u64>)>::restore(&mut bytes)?;
        (bytes.is_empty() && outputs.len() == self.outputs.len())
            .then(|| *self = Self { block, ports, was_high, outputs, saved: Vec::new() })
    }
}

thread_local! {
    static FAILURE: RefCell<CString> = RefCell::default();
}

/// Keeps a message until the next failure on this thread.
fn failed(message: &str) -> Failure {
    let text = CString::new(message.replace('\0', " ")).unwrap_or_default();
    FAILURE.with(|failure| {
        *failure.borrow_mut() = text;
        failure.borrow().as_ptr()
    })
}

/// Runs `act`; no panic may leave the library. Its message is kept by the hook, with its place.
fn guarded(act: impl FnOnce()) -> Failure {
    match panic::catch_unwind(AssertUnwindSafe(act)) {
        Ok(()) => ptr::null(),
        Err(_) => FAILURE.with(|failure| failure.borrow().as_ptr()),
    }
}

fn keep_message(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    failed(&format!("{place}: {text}"));
}

unsafe extern "C" fn create<B: Block>() -> *mut c_void {
    static HOOK: Once = Once::new();
    // The library has a separate copy of the standard library, so the hook sees no other panics.
    HOOK.call_once(|| panic::set_hook(Box::new(keep_message)));
    let mut made = ptr::null_mut();
    guarded(|| made = Box::into_raw(Box::new(Instance::<B>::new())).cast());
    made
}

unsafe extern "C" fn destroy<B: Block>(instance: *mut c_void) {
    // SAFETY: `create` made the instance, and the caller does not use it again.
    let instance = unsafe { Box::from_raw(instance.cast::<Instance<B>>()) };
    guarded(|| drop(instance));
}

unsafe extern "C" fn evaluate<B: Block>(
    instance: *mut c_void,
    inputs: *const u64,
    outputs: *mut u64,
) -> Failure {
    // SAFETY: `create` made the instance, and one thread at a time uses it.
    let instance = unsafe { &mut *instance.cast::<Instance<B>>() };
    let ports = <B::Ports as Ports>::DESCRIPTIONS.iter().flat_map(|port| port.signals);
    let words = ports.filter(|signal| signal.is_input).map(|signal| signal.width.div_ceil(64));
    // SAFETY: there are as many words as the description says.
    let inputs = unsafe { slice::from_raw_parts(inputs, COMMON_INPUTS + words.sum::<usize>()) };
    let failure = guarded(|| instance.evaluate(inputs));
    // SAFETY: as above; `drive` appends a word for each 64 bits of an output.
    unsafe { slice::from_raw_parts_mut(outputs, instance.outputs.len()) }.copy_from_slice(&instance.outputs);
    failure
}

unsafe extern "C" fn trace(_: *mut c_void, _: *const c_char) -> Failure {
    failed("a block in Rust writes no waveforms")
}

unsafe extern "C" fn dump(_: *mut c_void, _: u64) {}

unsafe extern "C" fn inspect(_: *mut c_void, _: *mut *const u8, size: *mut u64) -> Failure {
    // SAFETY: the place is valid for writing.
    unsafe { size.write(0) };
    ptr::null()
}

unsafe extern "C" fn save<B: Block>(instance: *mut c_void, bytes: *mut *const u8, size: *mut u64) -> Failure {
    // SAFETY: `create` made the instance, and one thread at a time uses it.
    let instance = unsafe { &mut *instance.cast::<Instance<B>>() };
    let failure = guarded(|| instance.save());
    // SAFETY: both places are valid for writing; the bytes stay until the next call with this instance.
    unsafe {
        bytes.write(instance.saved.as_ptr());
        size.write(instance.saved.len() as u64);
    }
    failure
}

unsafe extern "C" fn restore<B: Block>(instance: *mut c_void, bytes: *const u8, size: u64) -> Failure {
    // SAFETY: `create` made the instance, and one thread at a time uses it.
    let instance = unsafe { &mut *instance.cast::<Instance<B>>() };
    // SAFETY: the caller has `size` bytes there.
    let bytes = unsafe { slice::from_raw_parts(bytes, size as usize) };
    let mut restored = None;
    let failure = guarded(|| restored = instance.restore(bytes));
    if failure.is_null() && restored.is_none() {
        failed("the saved state is not of this block")
    } else {
        failure
    }
}
