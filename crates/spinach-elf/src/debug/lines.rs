//! Translation of addresses into source lines.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gimli::IncompleteLineProgram;

use super::failure::Failure;
use super::sections::{Dwarf, Reader};
use crate::budget::Budget;
use crate::executable::Executable;

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

/// The line of an address: the number of its file, and the line in it. Nothing for code that comes from no line.
type Place = Option<(u32, u64)>;

/// Source lines by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    files: Vec<Arc<str>>,
    /// Line changes, by rising address.
    changes: Vec<(u64, Place)>,
}

impl Lines {
    pub(super) fn at(&self, address: u64) -> Option<SourceLine> {
        let index = self.changes.partition_point(|(start, _)| *start <= address).checked_sub(1)?;
        self.line(self.changes[index].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, Option<SourceLine>)> {
        self.changes.iter().map(|(address, place)| (*address, self.line(*place)))
    }

    fn line(&self, place: Place) -> Option<SourceLine> {
        place.map(|(file, line)| SourceLine { file: Arc::clone(&self.files[file as usize]), line })
    }
}

/// A run of contiguous code: the line from each address on, and the first address after it.
struct Sequence {
    rows: Vec<(u64, Place)>,
    end: u64,
}

/// Lines in the making.
#[derive(Default)]
pub(super) struct LinesBuilder {
    files: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, u32>,
    sequences: Vec<Sequence>,
}

impl LinesBuilder {
    /// Takes the sequences of a line program that begin in code.
    pub(super) fn add(
        &mut self,
        executable: &Executable,
        dwarf: &Dwarf<'_>,
        unit: &gimli::Unit<Reader<'_>>,
        program: IncompleteLineProgram<Reader<'_>>,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        budget.spend(program.header().raw_program_buf().len())?;
        let mut files: BTreeMap<u64, Option<u32>> = BTreeMap::new();
        let mut rows = program.rows();
        let mut sequence: Vec<(u64, Place)> = Vec::new();
        while let Some((header, row)) = rows.next_row()? {
            budget.spend(1)?;
            if row.end_sequence() {
                let rows = std::mem::take(&mut sequence);
                if rows.first().is_some_and(|(start, _)| executable.is_code(*start)) {
                    self.sequences.push(Sequence { rows, end: row.address() });
                }
                continue;
            }
            let place = match row.line() {
                None => None,
                Some(line) => {
                    let index = row.file_index();
                    let file = match files.get(&index) {
                        Some(file) => *file,
                        None => {
                            let name = file_name(dwarf, unit, header, index)?;
                            budget.spend(name.as_ref().map_or(0, String::len))?;
                            *files.entry(index).or_insert(name.map(|name| self.number(name)))
                        }
                    };
                    file.map(|file| (file, line.get()))
                }
            };
            sequence.push((row.address(), place));
        }
        Ok(())
    }

    fn number(&mut self, name: String) -> u32 {
        let name: Arc<str> = name.into();
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.files.push(Arc::clone(name));
            (self.files.len() - 1) as u32
        })
    }

    /// Linkers leave the lines of discarded functions behind, often at address 0. Where several sequences begin at one
    /// address, there is no telling which is alive, and none is taken.
    pub(super) fn finish(self) -> Lines {
        let mut claims: BTreeMap<u64, u32> = BTreeMap::new();
        let start = |sequence: &Sequence| sequence.rows[0].0;
        self.sequences.iter().for_each(|sequence| *claims.entry(start(sequence)).or_default() += 1);
        let alive = || self.sequences.iter().filter(|sequence| claims[&start(sequence)] == 1);
        // The end of one sequence never hides the start of the next at the same address.
        let mut changes: BTreeMap<u64, Place> = alive().map(|sequence| (sequence.end, None)).collect();
        alive().for_each(|sequence| changes.extend(sequence.rows.iter().copied()));
        Lines { files: self.files, changes: changes.into_iter().collect() }
    }
}

/// The file with its folder; nothing for a number that the program gives to no file.
fn file_name(
    dwarf: &Dwarf<'_>,
    unit: &gimli::Unit<Reader<'_>>,
    header: &gimli::LineProgramHeader<Reader<'_>>,
    index: u64,
) -> Result<Option<String>, gimli::Error> {
    let Some(file) = header.file(index) else { return Ok(None) };
    let name = dwarf.attr_string(unit, file.path_name())?.to_string_lossy().into_owned();
    // Before version 5, folder 0 is where the compiler ran, which is not part of the name.
    let folder = match file.directory_index() {
        0 if header.version() < 5 => None,
        index => header.directory(index),
    };
    let folder = folder.map(|folder| dwarf.attr_string(unit, folder)).transpose()?;
    Ok(Some(match folder.map(|folder| folder.to_string_lossy().into_owned()) {
        Some(folder) if !folder.is_empty() && folder != "." => format!("{folder}/{name}"),
        _ => name,
    }))
}
