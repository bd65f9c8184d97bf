//! DWARF debug information: source lines of instructions, and functions inlined around them.

mod failure;
mod inlining;
mod lines;
mod problems;
mod sections;
mod units;

use std::sync::Arc;

use self::inlining::Inlining;
use self::lines::Lines;
pub use self::lines::SourceLine;
use self::problems::Problems;
use crate::executable::Executable;

/// Readable part of a file's debug information.
#[derive(Clone, Debug, Default)]
pub struct DebugInformation {
    lines: Lines,
    inlining: Inlining,
    notes: Vec<String>,
}

impl DebugInformation {
    /// Reads the debug information of a file; nothing if it has none.
    pub fn read(executable: &Executable) -> Self {
        let mut problems = Problems::default();
        let sections = sections::Sections::load(executable, &mut problems);
        let (lines, inlining) = units::read(executable, &sections, &mut problems);
        Self { lines, inlining, notes: problems.into_notes(executable.name()) }
    }

    /// The source line of the instruction at `address`, where it is known.
    pub fn line_at(&self, address: u64) -> Option<SourceLine> {
        self.lines.at(address)
    }

    /// Changes of the source line, by rising address, with the line from each address on.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Option<SourceLine>)> {
        self.lines.iter()
    }

    /// The functions inlined into the function at `address` that the instruction there belongs to, the outermost first.
    pub fn inlined_at(&self, address: u64) -> Vec<Arc<str>> {
        self.inlining.at(address)
    }

    /// Damaged parts: one sentence each, with the file, the section and the offset.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
