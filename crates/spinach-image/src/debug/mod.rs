//! What DWARF says: source lines of instructions, and functions inlined around them.

mod inlining;
mod lines;
mod problems;
mod sections;
mod units;

use std::fmt;
use std::sync::Arc;

use self::inlining::Inlining;
use self::lines::Lines;
use self::problems::Problems;
use crate::executable::Executable;

/// How many steps of reading a file may cost, for each of its bytes.
const STEPS_PER_BYTE: usize = 32;
/// Calls inlined deeper into each other are counted to the last one.
const DEPTH_MAXIMUM: usize = 64;

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// What can be read of a file's debug information.
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

    /// Where the source line changes, by rising address, and the line from each address on.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Option<SourceLine>)> {
        self.lines.iter()
    }

    /// The functions inlined into the function at `address` that the instruction there belongs to, the outermost first.
    pub fn inlined_at(&self, address: u64) -> Vec<Arc<str>> {
        self.inlining.at(address)
    }

    /// What is damaged: one sentence each, with the file, the section and the offset.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
