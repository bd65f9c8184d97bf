//! The loader behind the interface in C: the only unsafe code, and the reasons why it is sound as far as the library keeps its promises.
#![allow(unsafe_code, reason = "calls into the library of a user")]

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_void};
use std::fs::{self, File};
use std::io::{self, Write};
use std::mem::{self, ManuallyDrop};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

use libloading::Library;
use rustix::fs::MemfdFlags;
use spinach_block::interface::{Failure, Interface, SYMBOL, VERSION};

use crate::description::Description;
use crate::inside::Inside;

struct Loaded {
    interface: NonNull<Interface>,
    description: Description,
}

/// Contents of the libraries that this process has loaded. None is unloaded: threads may have data of it that ends with them.
static LOADED: Mutex<Vec<(Vec<u8>, &'static Loaded)>> = Mutex::new(Vec::new());

/// One instance of a block, with the words of its inputs and outputs.
pub struct Block {
    instance: NonNull<c_void>,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    inside: RefCell<Inside>,
    loaded: &'static Loaded,
}

// SAFETY: the interface promises that an instance has no state of the thread that made it, and that different threads may use
// different instances. A block is not `Sync`, so one thread at a time uses an instance.
unsafe impl Send for Block {}

impl Loaded {
    /// The library at `path`, loaded once for its contents: a file that was compiled again is another library.
    fn of(path: &Path) -> Result<&'static Self, String> {
        if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Err(format!("{} is not a file", path.display()));
        }
        let contents = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = loaded.iter().find(|(known, _)| *known == contents) {
            return Ok(found);
        }
        let new: &'static Self = Box::leak(Box::new(Self::open(path, &contents)?));
        loaded.push((contents, new));
        Ok(new)
    }

    fn open(path: &Path, contents: &[u8]) -> Result<Self, String> {
        // The loader takes a path that it knows for the library that it has loaded from there, so each has a separate one.
        let copy = rustix::fs::memfd_create("spinach-block", MemfdFlags::CLOEXEC).map_err(io::Error::from);
        let copy = copy.map(File::from).and_then(|mut file| file.write_all(contents).map(|()| file));
        let copy = copy.map_err(|error| format!("{}: {error}", path.display()))?;
        let place = format!("/proc/self/fd/{}", copy.as_raw_fd());
        // The number of the descriptor is in the path, so it stays open.
        mem::forget(copy);
        let not_ours = |error: libloading::Error| {
            let reason = error.to_string().replace(&place, "it");
            format!("{} is not a block: {reason}", path.display())
        };
        // SAFETY: the library is code that the user chose to run; its initialisers are its own.
        let library = ManuallyDrop::new(unsafe { Library::new(&place) }.map_err(not_ours)?);
        // SAFETY: a library with this symbol keeps the interface; a table of another version is only read up to its version.
        let interface =
            unsafe { library.get::<*mut Interface>(SYMBOL.to_bytes_with_nul()) }.map_err(not_ours)?;
        let interface =
            NonNull::new(*interface).ok_or_else(|| format!("{} is not a block", path.display()))?;
        // SAFETY: every version of the table begins with its version; the library stays loaded.
        let version = unsafe { ptr::read(interface.as_ptr().cast::<u64>()) };
        if version != VERSION {
            return Err(format!(
                "{} has version {version} of the interface of blocks, not {VERSION}: compile it again",
                path.display()
            ));
        }
        // SAFETY: a table of this version has these fields, and its description ends with a zero byte.
        let text = unsafe { CStr::from_ptr((*interface.as_ptr()).description) };
        let description = text.to_str().map_err(|error| error.to_string()).and_then(Description::parse);
        let description = description
            .map_err(|reason| format!("the description in {} is invalid: {reason}", path.display()))?;
        Ok(Self { interface, description })
    }

    fn interface(&self) -> &Interface {
        // SAFETY: the table is constant, and the library is never unloaded.
        unsafe { self.interface.as_ref() }
    }
}

// SAFETY: the table and the description are constant.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Block {
    /// Loads the library at `path` and makes an instance in its initial state, with all inputs 0.
    ///
    /// # Errors
    /// If the file is not a library of a block, or one of another version; one sentence that says so.
    pub fn open(path: &Path) -> Result<Self, String> {
        let loaded = Loaded::of(path)?;
        // SAFETY: `create` has no preconditions.
        let instance = NonNull::new(unsafe { (loaded.interface().create)() })
            .ok_or_else(|| format!("{}: the block cannot be made", path.display()))?;
        let words = |is_input| vec![0; loaded.description.words(is_input)];
        Ok(Self { instance, inputs: words(true), outputs: words(false), inside: RefCell::default(), loaded })
    }

    /// Description of the block.
    pub fn description(&self) -> &Description {
        &self.loaded.description
    }

    /// Words of the input with this index among the signals; empty if it is an output.
    pub fn input(&mut self, signal: usize) -> &mut [u64] {
        match &self.loaded.description.signals[signal] {
            signal if signal.is_input => &mut self.inputs[signal.word..signal.word + signal.words()],
            _ => &mut [],
        }
    }

    /// Sets an input of at most 64 bits.
    #[inline]
    pub fn set(&mut self, signal: usize, value: u64) {
        self.input(signal)[0] = value;
    }

    /// Words of the output with this index among the signals; empty if it is an input.
    pub fn output(&self, signal: usize) -> &[u64] {
        match &self.loaded.description.signals[signal] {
            signal if !signal.is_input => &self.outputs[signal.word..signal.word + signal.words()],
            _ => &[],
        }
    }

    /// First 64 bits of an output.
    #[inline]
    pub fn get(&self, signal: usize) -> u64 {
        self.output(signal)[0]
    }

    /// Passes the inputs to the block, settles it and takes its outputs. A clock that rises with them changes its state.
    ///
    /// # Errors
    /// If the RTL stops, as by `$stop`, `$finish`, `$fatal` or a failed assertion; says where.
    pub fn evaluate(&mut self) -> Result<(), String> {
        let (inputs, outputs) = (self.inputs.as_ptr(), self.outputs.as_mut_ptr());
        // SAFETY: the instance is alive; there are as many words as the description of the library says.
        let failure = unsafe { (self.loaded.interface().evaluate)(self.instance.as_ptr(), inputs, outputs) };
        outcome(failure)
    }

    /// Begins a file with waveforms of every signal inside.
    ///
    /// # Errors
    /// If the library writes no waveforms, or not to this file.
    pub fn trace(&mut self, path: &str) -> Result<(), String> {
        let path = CString::new(path).map_err(|_| "the name of the file contains a zero byte".to_owned())?;
        // SAFETY: the instance is alive, the path is a text that ends with a zero byte.
        outcome(unsafe { (self.loaded.interface().trace)(self.instance.as_ptr(), path.as_ptr()) })
    }

    /// Adds the present signals to the file with waveforms, if there is one.
    pub fn dump(&mut self, femtoseconds: u64) {
        // SAFETY: the instance is alive.
        unsafe { (self.loaded.interface().dump)(self.instance.as_ptr(), femtoseconds) };
    }

    /// Shows the signals inside to `see`, with the values that they have now; none if the library shows none, or while it writes a file
    /// with waveforms.
    ///
    /// # Errors
    /// If the block fails.
    pub fn inspect<T>(&self, see: impl FnOnce(&Inside) -> T) -> Result<T, String> {
        let (mut bytes, mut size) = (ptr::null(), 0);
        // SAFETY: the instance is alive; both places are valid for writing.
        outcome(unsafe {
            (self.loaded.interface().inspect)(self.instance.as_ptr(), &raw mut bytes, &raw mut size)
        })?;
        let mut inside = self.inside.borrow_mut();
        if size > 0 && !bytes.is_null() {
            // SAFETY: after a success `bytes` points to `size` bytes until the next call with the instance.
            let text = unsafe { std::slice::from_raw_parts(bytes, size as usize) };
            inside.read(&String::from_utf8_lossy(text));
        }
        Ok(see(&inside))
    }

    /// The state of the block.
    ///
    /// # Errors
    /// If the library cannot save it.
    pub fn save(&self) -> Result<Vec<u8>, String> {
        let (mut bytes, mut size) = (ptr::null(), 0);
        // SAFETY: the instance is alive; both places are valid for writing.
        outcome(unsafe {
            (self.loaded.interface().save)(self.instance.as_ptr(), &raw mut bytes, &raw mut size)
        })?;
        let size = usize::try_from(size).map_err(|error| error.to_string())?;
        if bytes.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: after a success `bytes` points to `size` bytes until the next call on this thread.
        Ok(unsafe { std::slice::from_raw_parts(bytes, size) }.to_vec())
    }

    /// Puts a saved state in place of the present one.
    ///
    /// # Errors
    /// If it is not a state of this block.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        // SAFETY: the instance is alive, the bytes are those of `state`.
        outcome(unsafe {
            (self.loaded.interface().restore)(self.instance.as_ptr(), state.as_ptr(), state.len() as u64)
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the instance is alive, and nothing uses it afterwards.
        unsafe { (self.loaded.interface().destroy)(self.instance.as_ptr()) };
    }
}

fn outcome(failure: Failure) -> Result<(), String> {
    if failure.is_null() {
        return Ok(());
    }
    // SAFETY: a failure is a text that ends with a zero byte and is valid until the next call on this thread.
    Err(unsafe { CStr::from_ptr(failure) }.to_string_lossy().into_owned())
}
