//! Debugged system of a client of the protocol: a system of modules, or a server.

use spinach_isa::debugging::{Hit, Resume, Watched};
use spinach_modules::processor::debugging::View;

/// A register that a client can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// General register, by its number in assembly language.
    General(u8),
    ProgramCounter,
}

/// Breakpoints and watchpoints of the cores.
#[derive(Default)]
pub(super) struct Points {
    /// The addresses of breakpoints, in rising order; one that was set twice is there twice.
    pub instructions: Vec<u64>,
    pub data: Vec<Watched>,
}

/// Stop reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopReason {
    /// A core hit a stop condition.
    Hit { core: usize, hit: Hit },
    /// The program of a core has ended with a fault, and the run with it.
    Fault { core: usize },
    /// The client requested it.
    Requested,
    /// Reverse execution has reached the start of the history.
    HistoryStart,
}

/// Resume order.
pub(super) enum Order {
    Forward(Vec<Resume>),
    Back(Vec<Resume>),
}

/// Requests of the client that take effect when it resumes the run, or ends it.
#[derive(Default)]
pub(super) struct Orders {
    pub order: Option<Order>,
    pub is_killed: bool,
}

/// Message to the client while the run continues.
pub(super) enum Report {
    /// The run has stopped, with these watchpoints.
    Stopped(StopReason, Vec<Watched>),
    /// The run has ended, with this exit code.
    Exited(u8),
}

/// Stopped run, with cores and their views. After an error it cannot continue; the error is one sentence.
pub(super) trait Debugged {
    /// State of a core between two instructions; `None` if the core does not exist.
    fn view(&mut self, core: usize) -> Result<Option<View>, String>;

    /// Gives registers of a core other values. Says whether they all could be.
    fn set(&mut self, core: usize, changes: &[(Register, u64)]) -> Result<bool, String>;

    /// Bytes as a core sees them; `None` where it sees no memory.
    fn read(&mut self, core: usize, address: u64, bytes: &mut [u8]) -> Result<Option<()>, String>;

    /// Overwrites bytes as a core sees them; `None` where it sees no memory, or they cannot be written now.
    fn write(&mut self, core: usize, address: u64, bytes: &[u8]) -> Result<Option<()>, String>;

    /// Prepares to continue from the stop.
    fn begin(&mut self) -> Result<(), String>;

    /// Breakpoints and watchpoints.
    fn points(&mut self) -> &mut Points;

    /// Output of a `monitor` command.
    fn answer(&mut self, command: &str) -> String;
}

/// Action on the system while the run is stopped.
pub(super) type Job = Box<dyn FnOnce(&mut dyn Debugged, &mut Orders) + Send>;
