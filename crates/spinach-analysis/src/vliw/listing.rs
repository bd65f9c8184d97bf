//! Schedules to read: the source and the bundles side by side.

use std::fmt::Write;

use spinach_isa::mips::disassemble::disassemble;

use super::{Machine, WeightedBlock};
use crate::image::Image;

const SOURCE_WIDTH: usize = 34;
const OPERATION_WIDTH: usize = 26;

/// Writes blocks as text: per block a headline and a table whose left side is the source in order, and whose right side has a
/// line per bundle and a column per unit. `-` is a NOP that fills a bundle.
pub fn listing(image: &Image, blocks: &[WeightedBlock], machine: &Machine) -> String {
    let mut text = String::new();
    for weighted in blocks {
        list_block(&mut text, image, weighted, machine);
    }
    text
}

fn list_block(text: &mut String, image: &Image, weighted: &WeightedBlock, machine: &Machine) {
    let WeightedBlock { block, schedule, entries } = weighted;
    let place = image.function_at(block.address()).map_or_else(String::new, |function| {
        format!(" in {}+{:#x}", function.name, block.address() - function.address)
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
    let names = machine.units.iter().flat_map(|unit| (0..unit.count).map(move |_| unit.name.as_str()));
    let header: String = names.map(|name| format!(" {name:OPERATION_WIDTH$}")).collect();
    let _ = writeln!(text, "  {:SOURCE_WIDTH$} |{}", "source", header.trim_end());
    for line in 0..instructions.len().max(schedule.bundles.len()) {
        let source = block
            .instructions
            .get(line)
            .map_or_else(String::new, |source| format!("{:08x} {}", source.address, instructions[line]));
        let bundle = schedule.bundles.get(line).map_or_else(String::new, |bundle| {
            let cells = columns(bundle, weighted, machine);
            let cell = |index: &Option<usize>| index.map_or("-", |index| &instructions[index]);
            cells.iter().map(|index| format!(" {:OPERATION_WIDTH$}", cell(index))).collect()
        });
        let _ = writeln!(text, "{}", format!("  {source:SOURCE_WIDTH$} |{bundle}").trim_end());
    }
    text.push('\n');
}

/// The instructions of a bundle by unit, in the order of the machine's units.
fn columns(bundle: &[usize], weighted: &WeightedBlock, machine: &Machine) -> Vec<Option<usize>> {
    let mut columns = Vec::new();
    for (kind, unit) in machine.units.iter().enumerate() {
        let mut here = bundle
            .iter()
            .copied()
            .filter(|index| machine.unit(weighted.block.instructions[*index].operation.class) == Some(kind));
        columns.extend((0..unit.count).map(|_| here.next()));
    }
    columns
}
