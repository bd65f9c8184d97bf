//! What a client of the protocol debugs: a system of modules, or a server.

use spinach_isa::debugging::{Going, Met, Watched};
use spinach_modules::processor::debugging::View;

/// A register that a client can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// By its number, as assembly language has it.
    General(u8),
    ProgramCounter,
}

/// What the cores stand for: breakpoints and watchpoints.
#[derive(Default)]
pub(super) struct Points {
    /// The addresses of breakpoints, in rising order; one that was set twice is there twice.
    pub instructions: Vec<u64>,
    pub data: Vec<Watched>,
}

/// Why the run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stand {
    /// A core met what it was watched for.
    Met { core: usize, met: Met },
    /// A person asked for it.
    Asked,
    /// There is nothing before this moment to go back to.
    AtTheStart,
}

/// How the run is to go on.
pub(super) enum Order {
    Forward(Vec<Going>),
    Back(Vec<Going>),
}

/// What the client asks for once it lets the run go on, or ends it.
#[derive(Default)]
pub(super) struct Orders {
    pub order: Option<Order>,
    pub is_killed: bool,
}

/// What the client is told while the run goes on.
pub(super) enum Told {
    Stand(Stand, Vec<Watched>),
    Ended(u8),
}

/// A run that stands, with cores and what they see. On an error nothing can go on; it is one sentence.
pub(super) trait Debugged {
    /// What a core holds between two instructions; `None` if there is no such core.
    fn view(&mut self, core: usize) -> Result<Option<View>, String>;

    /// Gives registers of a core other values. Says whether they all could be.
    fn set(&mut self, core: usize, changes: &[(Register, u64)]) -> Result<bool, String>;

    /// Bytes as a core sees them; `None` where it sees no memory.
    fn read(&mut self, core: usize, address: u64, bytes: &mut [u8]) -> Result<Option<()>, String>;

    /// Overwrites bytes as a core sees them; `None` where it sees no memory, or they cannot be written now.
    fn write(&mut self, core: usize, address: u64, bytes: &[u8]) -> Result<Option<()>, String>;

    /// Prepares for going on from where the run stands.
    fn begin(&mut self) -> Result<(), String>;

    /// What it stands for.
    fn points(&mut self) -> &mut Points;

    /// What a `monitor` command prints.
    fn answer(&mut self, command: &str) -> String;
}

/// Something to do with the system while the run stands.
pub(super) type Job = Box<dyn FnOnce(&mut dyn Debugged, &mut Orders) + Send>;
