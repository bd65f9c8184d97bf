//! Going through the compilation units of DWARF.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use gimli::constants as dw;
use gimli::{
    Abbreviations, Attribute, AttributeValue, DebugInfoOffset, DebugLineOffset, Error, Section, SectionId,
    UnitHeader, UnitOffset,
};

use super::failure::Failure;
use super::inlining::Inlining;
use super::lines::{Lines, LinesBuilder};
use super::problems::Problems;
use super::sections::{Dwarf, Reader, Sections};
use crate::budget::Budget;
use crate::executable::Executable;

type Unit<'data> = gimli::Unit<Reader<'data>>;

/// Maximum number of reading steps per byte of the file.
const STEPS_PER_BYTE: usize = 32;
/// Calls inlined deeper into each other are counted to the last one.
const DEPTH_MAXIMUM: usize = 64;
/// Maximum number of entries followed in search of a name.
const ORIGINS_MAXIMUM: usize = 16;
/// The longest header of a line program; gimli keeps some hundred bytes for each of its files.
const LINE_HEADER_MAXIMUM_BYTES: usize = 4 << 20;

/// Reads the lines and the inlined calls of all units.
pub(super) fn read(
    executable: &Executable,
    sections: &Sections<'_>,
    problems: &mut Problems,
) -> (Lines, Inlining) {
    let dwarf = sections.dwarf();
    let bytes = executable.content().len() + sections.decompressed_bytes();
    let mut walk = Walk {
        executable,
        dwarf: &dwarf,
        budget: Budget::new(bytes, STEPS_PER_BYTE),
        abbreviations: None,
        names: HashMap::new(),
        programs: BTreeSet::new(),
        lines: LinesBuilder::default(),
        inlining: Inlining::default(),
    };
    let mut headers = dwarf.units();
    loop {
        let header = match headers.next() {
            Ok(Some(header)) => header,
            Ok(None) => break,
            Err(error) => {
                // Without its length there is no finding the next one.
                note(&dwarf, problems, SectionId::DebugInfo, 0, error);
                break;
            }
        };
        let offset = header.debug_info_offset().map_or(0, |offset| offset.0);
        match walk.read_unit(header, problems) {
            Ok(()) => {}
            Err(Failure::Damaged(error)) => note(&dwarf, problems, SectionId::DebugInfo, offset, error),
            Err(Failure::Exceeded) => {
                problems.add(
                    SectionId::DebugInfo.name(),
                    offset,
                    "too much refers to the same; the rest is left out",
                );
                break;
            }
        }
    }
    (walk.lines.finish(), walk.inlining)
}

/// Notes a damage, where gimli knows it, or else at the thing that was being read.
fn note(dwarf: &Dwarf<'_>, problems: &mut Problems, section: SectionId, offset: usize, error: Error) {
    let known = match error {
        Error::UnexpectedEof(id) => dwarf.lookup_offset_id(id).map(|(_, section, offset)| (section, offset)),
        _ => None,
    };
    let (section, offset) = known.unwrap_or((section, offset));
    problems.add(section.name(), offset, &error.to_string());
}

/// All that is known on the way through the units.
struct Walk<'walk, 'data> {
    executable: &'walk Executable,
    dwarf: &'walk Dwarf<'data>,
    budget: Budget,
    /// The last table that was read, and where it begins: units that share one follow each other.
    abbreviations: Option<(usize, Arc<Abbreviations>)>,
    /// Names of functions by the places of their entries in `.debug_info`.
    names: HashMap<usize, Arc<str>>,
    /// Line programs that were read; several units may share one.
    programs: BTreeSet<usize>,
    lines: LinesBuilder,
    inlining: Inlining,
}

/// Context of an entry.
#[derive(Clone, Copy)]
enum Context {
    /// Outside of functions, or in something that cannot hold inlined calls.
    Outside,
    /// Position in a function, and in inlined calls if any.
    Inside(Option<u32>),
}

impl<'data> Walk<'_, 'data> {
    fn read_unit(
        &mut self,
        header: UnitHeader<Reader<'data>>,
        problems: &mut Problems,
    ) -> Result<(), Failure> {
        let abbreviations = self.abbreviations(&header)?;
        self.pay_for_root(&header, &abbreviations)?;
        let mut unit = Unit::new_with_abbreviations(self.dwarf, header, abbreviations)?;
        if let Some(program) = unit.line_program.take() {
            let offset = program.header().offset().0;
            if self.programs.insert(offset) {
                match self.lines.add(self.executable, self.dwarf, &unit, program, &mut self.budget) {
                    Err(Failure::Damaged(error)) => {
                        note(self.dwarf, problems, SectionId::DebugLine, offset, error);
                    }
                    other => other?,
                }
            }
        }
        self.read_entries(&unit)
    }

    fn abbreviations(&mut self, header: &UnitHeader<Reader<'data>>) -> Result<Arc<Abbreviations>, Failure> {
        let offset = header.debug_abbrev_offset().0;
        if let Some((known, table)) = &self.abbreviations
            && *known == offset
        {
            return Ok(Arc::clone(table));
        }
        self.budget.spend(abbreviation_bytes(self.dwarf.debug_abbrev.reader(), offset)?)?;
        let table = Arc::new(header.abbreviations(&self.dwarf.debug_abbrev)?);
        self.abbreviations = Some((offset, Arc::clone(&table)));
        Ok(table)
    }

    /// gimli reads the first entry of a unit and the header of its line program at once; both may be referred to often.
    fn pay_for_root(
        &mut self,
        header: &UnitHeader<Reader<'data>>,
        abbreviations: &Abbreviations,
    ) -> Result<(), Failure> {
        let mut entries = header.entries_raw(abbreviations, None)?;
        let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(()) };
        self.budget.spend(1 + abbreviation.attributes().len())?;
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            if attribute.name() == dw::DW_AT_stmt_list
                && let AttributeValue::DebugLineRef(offset) = attribute.value()
            {
                let bytes = self.line_header_bytes(offset);
                if bytes > LINE_HEADER_MAXIMUM_BYTES {
                    return Err(Failure::Exceeded);
                }
                self.budget.spend(bytes)?;
            }
        }
        Ok(())
    }

    /// Maximum length of a line program's header: its program, unless that is truncated.
    fn line_header_bytes(&self, offset: DebugLineOffset) -> usize {
        use gimli::Reader as _;
        let mut section = *self.dwarf.debug_line.reader();
        let whole = section.len();
        let length = section.skip(offset.0).and_then(|()| section.read_initial_length());
        length.map_or(0, |(length, _)| length.min(whole))
    }

    fn read_entries(&mut self, unit: &Unit<'data>) -> Result<(), Failure> {
        let mut entries = unit.entries_raw(None)?;
        let mut attributes = Vec::new();
        // The entries around the present one, by depth.
        let mut around: Vec<(isize, Context)> = Vec::new();
        while !entries.is_empty() {
            let (depth, offset) = (entries.next_depth(), entries.next_offset());
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            self.budget.spend(1 + abbreviation.attributes().len())?;
            while around.last().is_some_and(|(outer, _)| *outer >= depth) {
                around.pop();
            }
            let outer = around.last().map_or(Context::Outside, |(_, context)| *context);
            let context = match (abbreviation.tag(), outer) {
                (dw::DW_TAG_subprogram, _) => Context::Inside(None),
                (dw::DW_TAG_lexical_block, inside) => inside,
                (dw::DW_TAG_inlined_subroutine, Context::Inside(call)) => {
                    entries.read_attributes(abbreviation.attributes(), &mut attributes)?;
                    let call = self.read_call(unit, offset, &attributes, call)?;
                    around.push((depth, Context::Inside(Some(call))));
                    continue;
                }
                _ => Context::Outside,
            };
            entries.skip_attributes(abbreviation.attributes())?;
            if abbreviation.has_children() {
                around.push((depth, context));
            }
        }
        Ok(())
    }

    fn read_call(
        &mut self,
        unit: &Unit<'data>,
        offset: UnitOffset,
        attributes: &[Attribute<Reader<'data>>],
        around: Option<u32>,
    ) -> Result<u32, Failure> {
        if let Some(around) = around
            && self.inlining.depth(around) + 1 >= DEPTH_MAXIMUM
        {
            return Ok(around);
        }
        let place = unit.header.debug_info_offset().map_or(0, |base| base.0).saturating_add(offset.0);
        let name = self.name(unit, place, attributes)?;
        let call = self.inlining.add_call(name, around);
        let (mut low, mut high, mut size) = (None, None, None);
        for attribute in attributes {
            let value = attribute.value();
            match attribute.name() {
                dw::DW_AT_low_pc => low = self.dwarf.attr_address(unit, value)?,
                dw::DW_AT_high_pc => match value.udata_value() {
                    Some(bytes) => size = Some(bytes),
                    None => high = self.dwarf.attr_address(unit, value)?,
                },
                dw::DW_AT_ranges => {
                    if let Some(mut ranges) = self.dwarf.attr_ranges(unit, value)? {
                        while let Some(range) = ranges.next()? {
                            self.budget.spend(4)?;
                            self.inlining.paint(range.begin, range.end, call);
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(low) = low
            && let Some(high) = high.or_else(|| low.checked_add(size?))
        {
            self.inlining.paint(low, high, call);
        }
        Ok(call)
    }

    /// The name of the function that an inlined call comes from: of its entry, or of the one that it is an instance of.
    fn name(
        &mut self,
        unit: &Unit<'data>,
        place: usize,
        attributes: &[Attribute<Reader<'data>>],
    ) -> Result<Arc<str>, Failure> {
        let mut next = self.own_name(unit, attributes)?;
        let mut seen = vec![place];
        let name = loop {
            match next {
                Named::Name(name) => break name,
                Named::Nowhere => break Arc::from("?"),
                Named::Like(origin) => {
                    if let Some(known) = self.names.get(&origin) {
                        break Arc::clone(known);
                    }
                    if seen.len() > ORIGINS_MAXIMUM {
                        break Arc::from("?");
                    }
                    seen.push(origin);
                    next = self.name_at(unit, origin)?;
                }
            }
        };
        for place in seen.drain(1..) {
            self.names.insert(place, Arc::clone(&name));
        }
        Ok(name)
    }

    /// Name information of the entry at a place of `.debug_info`.
    fn name_at(&mut self, unit: &Unit<'data>, place: usize) -> Result<Named, Failure> {
        if let Some(offset) = DebugInfoOffset(place).to_unit_offset(&unit.header) {
            return self.entry_name(unit, offset);
        }
        // In another unit, which is found by going through their headers.
        let mut headers = self.dwarf.units();
        while let Some(header) = headers.next()? {
            self.budget.spend(1)?;
            if let Some(offset) = DebugInfoOffset(place).to_unit_offset(&header) {
                let abbreviations = self.abbreviations(&header)?;
                self.pay_for_root(&header, &abbreviations)?;
                let other = Unit::new_with_abbreviations(self.dwarf, header, abbreviations)?;
                return self.entry_name(&other, offset);
            }
        }
        Ok(Named::Nowhere)
    }

    fn entry_name(&mut self, unit: &Unit<'data>, offset: UnitOffset) -> Result<Named, Failure> {
        let mut entries = unit.entries_raw(Some(offset))?;
        let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(Named::Nowhere) };
        self.budget.spend(1 + abbreviation.attributes().len())?;
        let mut attributes = Vec::new();
        entries.read_attributes(abbreviation.attributes(), &mut attributes)?;
        self.own_name(unit, &attributes)
    }

    fn own_name(
        &mut self,
        unit: &Unit<'data>,
        attributes: &[Attribute<Reader<'data>>],
    ) -> Result<Named, Failure> {
        let find = |name| attributes.iter().find(|attribute| attribute.name() == name).map(Attribute::value);
        if let Some(name) = find(dw::DW_AT_name) {
            let name = self.dwarf.attr_string(unit, name)?;
            self.budget.spend(name.len())?;
            return Ok(Named::Name(name.to_string_lossy().into()));
        }
        let base = unit.header.debug_info_offset().map_or(0, |base| base.0);
        Ok(match find(dw::DW_AT_abstract_origin).or_else(|| find(dw::DW_AT_specification)) {
            Some(AttributeValue::UnitRef(offset)) => Named::Like(base.saturating_add(offset.0)),
            Some(AttributeValue::DebugInfoRef(offset)) => Named::Like(offset.0),
            _ => Named::Nowhere,
        })
    }
}

/// Length of the table of abbreviations at `offset`.
fn abbreviation_bytes(section: &Reader<'_>, offset: usize) -> Result<usize, Error> {
    use gimli::Reader as _;
    let mut rest = *section;
    rest.skip(offset)?;
    let start = rest.len();
    while rest.read_uleb128()? != 0 {
        rest.read_uleb128()?;
        rest.read_u8()?;
        loop {
            let (name, form) = (rest.read_uleb128()?, rest.read_uleb128()?);
            if form == u64::from(dw::DW_FORM_implicit_const.0) {
                rest.read_sleb128()?;
            }
            if (name, form) == (0, 0) {
                break;
            }
        }
    }
    Ok(start - rest.len())
}

/// Name information of an entry.
enum Named {
    /// This is it.
    Name(Arc<str>),
    /// The same as that of the entry at this place of `.debug_info`.
    Like(usize),
    /// Nothing.
    Nowhere,
}
