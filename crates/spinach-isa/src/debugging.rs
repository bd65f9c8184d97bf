//! What a debugger has executing stand for, whoever executes.

/// Bytes that are watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Watched {
    /// The first.
    pub address: u64,
    /// How many.
    pub bytes: u64,
    /// Whether loads count.
    pub reads: bool,
    /// Whether stores and atomic operations count.
    pub writes: bool,
}

/// What a core or a hart stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    /// Its step is done.
    Step,
    /// The instruction at this address, which is watched.
    Instruction(u64),
    /// A reference to bytes that are watched.
    Data {
        /// Which, as an index into what is watched.
        index: usize,
        /// The first byte that the instruction refers to.
        address: u64,
    },
}

/// What a core or a hart is to do when a run goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Going {
    /// Whatever it does.
    On,
    /// The same, only because time passes for all while another takes a step. Breakpoints may be away for that step: those of before
    /// still count here.
    Aside,
    /// Up to the next instruction outside of a range of addresses; an empty one holds none.
    Step(u64, u64),
}
