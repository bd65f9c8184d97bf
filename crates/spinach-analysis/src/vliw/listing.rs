//! Schedules to read: the source and the bundles side by side.

use std::fmt::Write;

use spinach_isa::registered::classic::disassemble::disassemble;

use super::{Machine, WeightedBlock};
use crate::image::Image;

const SOURCE_WIDTH: usize = 34;
const OPERATION_WIDTH: usize = 26;

/// Writes blocks as text: per block a headline and a table whose left side is the source in order, and whose right side has a
/// line per bundle and a column for each unit that any bundle uses, at least one of each kind. `-` is a NOP that fills a bundle.
pub fn listing(image: &Image, blocks: &[WeightedBlock], machine: &Machine) -> String {
    let mut text = String::new();
    for weighted in blocks {
        list_block(&mut text, image, weighted, machine);
    }
    text
}

fn list_block(text: &mut String, image: &Image, weighted: &WeightedBlock, machine: &Machine) {
    let WeightedBlock { block, schedule, entries } = weighted;
    let place = image.function_at(block.address().into()).map_or_else(String::new, |function| {
        format!(" in {}+{:#x}", function.name, u64::from(block.address()) - function.address)
    });
    let instructions: Vec<String> = block
        .instructions
        .iter()
        .map(|source| disassemble(source.instruction, source.address).to_string())
        .collect();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{:#010x}{place}: entered {entries} times, {} instructions in {} bundles",
        block.address(),
        instructions.len(),
        schedule.bundles.len()
    );
    let used: Vec<usize> =
        (0..machine.units.len()).map(|kind| used_units(weighted, machine, kind).max(1)).collect();
    let names = machine.units.iter().zip(&used).flat_map(|(unit, used)| vec![unit.name.as_str(); *used]);
    let header: String = names.map(|name| format!(" {name:OPERATION_WIDTH$}")).collect();
    let _ = writeln!(text, "  {:SOURCE_WIDTH$} |{}", "source", header.trim_end());
    for line in 0..instructions.len().max(schedule.bundles.len()) {
        let source = block
            .instructions
            .get(line)
            .map_or_else(String::new, |source| format!("{:08x} {}", source.address, instructions[line]));
        let bundle = schedule.bundles.get(line).map_or_else(String::new, |bundle| {
            let cells = columns(bundle, weighted, machine, &used);
            let cell = |index: &Option<usize>| index.map_or("-", |index| &instructions[index]);
            cells.iter().map(|index| format!(" {:OPERATION_WIDTH$}", cell(index))).collect()
        });
        let _ = writeln!(text, "{}", format!("  {source:SOURCE_WIDTH$} |{bundle}").trim_end());
    }
    text.push('\n');
}

/// The instructions of a bundle that units of a kind execute.
fn on_units<'a>(
    bundle: &'a [usize],
    weighted: &'a WeightedBlock,
    machine: &'a Machine,
    kind: usize,
) -> impl Iterator<Item = usize> + 'a {
    let class = |index: usize| weighted.block.instructions[index].operation.class;
    bundle.iter().copied().filter(move |index| machine.unit(class(*index)) == Some(kind))
}

/// Number of units of a kind that the fullest bundle uses.
fn used_units(weighted: &WeightedBlock, machine: &Machine, kind: usize) -> usize {
    let bundles = weighted.schedule.bundles.iter();
    bundles.map(|bundle| on_units(bundle, weighted, machine, kind).count()).max().unwrap_or(0)
}

/// The instructions of a bundle by unit, in the order of the machine's units, `used` of each kind.
fn columns(
    bundle: &[usize],
    weighted: &WeightedBlock,
    machine: &Machine,
    used: &[usize],
) -> Vec<Option<usize>> {
    let mut columns = Vec::new();
    for (kind, used) in used.iter().enumerate() {
        let mut here = on_units(bundle, weighted, machine, kind);
        columns.extend((0..*used).map(|_| here.next()));
    }
    columns
}
