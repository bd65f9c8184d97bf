//! Debugger stop conditions, shared by all executors.

/// Bytes that are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// True if loads stop.
    pub reads: bool,
    /// True if stores and atomic operations stop.
    pub writes: bool,
}

/// Stop reason of a core or a hart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hit {
    /// Its step is done.
    Step,
    /// The instruction at this address, which is watched.
    Instruction(u64),
    /// A reference to bytes that are watched.
    Data {
        /// Index among the watchpoints.
        index: usize,
        /// The first byte that the instruction refers to.
        address: u64,
    },
}

/// Resume command of a debugger to a core or a hart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// Continue until a stop condition.
    Continue,
    /// Continue only because time passes for all while another takes a step. The debugger may remove breakpoints for that step; the
    /// earlier ones still apply here.
    Background,
    /// Continue up to the next instruction outside of a range of addresses; an empty one holds none.
    Step(u64, u64),
}
