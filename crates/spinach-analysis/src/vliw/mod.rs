//! Scheduling for very long instruction words: the parallelism in basic blocks of firmware compiled for a scalar core.
//!
//! This is the study of the VLIW paper, sections 3.2 and 4: an offline scheduler takes an image compiled for one
//! instruction at a time, packs the instructions of each basic block into bundles for a described [`Machine`], and weights each
//! block by how often a profile says it executes. Nothing moves from block to block. All register dependences of the
//! original stay, also those that only the reuse of a register makes, and so does the branch delay slot.
//!
//! [`blocks`] finds the blocks of an image, [`DependenceGraph`] says what must wait for what, [`schedule`] packs a block,
//! [`verify`] checks a schedule without knowing how it was made, [`evaluate`] weights, [`listing`] shows, [`execute`] runs
//! scheduled blocks, for results to compare, and [`mod@layout`] puts them into memory for a core to run.
//!
//! Beyond the study, [`Machine::register_renaming`] and [`Paths`] bound what it leaves: dependences that only the reuse of
//! a register makes, and parallelism between blocks.
//!
//! # What a bundle means
//! - All its operations read registers before any writes one. Loads read memory before stores write it.
//! - A result of latency 1 can be read from the next bundle on.
//! - A branch takes effect after its delay slots, each of which is a whole bundle.
//! - Likely branches annul their delay slot when they are not taken, so such a bundle holds nothing else than what was in
//!   the slot.
//! - A block is left when all its results have arrived.
//!
//! A block keeps its address: calls, returns and jump tables name blocks as they did in the image.

pub mod blocks;
pub mod dependences;
pub mod evaluate;
pub mod execute;
pub mod layout;
pub mod listing;
pub mod machine;
pub mod paths;
pub mod schedule;
pub mod verify;

pub use blocks::{Block, Source, blocks};
pub use dependences::{Dependence, DependenceGraph};
pub use evaluate::{Evaluation, WeightedBlock, evaluate};
pub use execute::{ExecuteError, Program, execute_block};
pub use layout::{Layout, LayoutError, layout, slices};
pub use listing::listing;
pub use machine::{Machine, MachineError, MemoryOrder, Unit};
pub use paths::Paths;
pub use schedule::{Schedule, schedule};
pub use verify::{Violation, verify};
