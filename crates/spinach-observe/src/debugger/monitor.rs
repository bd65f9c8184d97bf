//! Answers to `monitor` commands, for features without gdb commands.

use std::fmt::Write;

use spinach_engine::Simulation;

use super::machine::Machine;

const HELP: &str = "monitor time: simulated time\n\
    monitor cores: where each core is\n\
    monitor memories: all memories, those too that no core addresses\n\
    monitor read MEMORY OFFSET BYTES: bytes of a memory by its name";
/// Maximum bytes that are read at once.
pub(super) const LONGEST: u64 = 65536;

pub(super) fn answer(command: &str, machine: &mut Machine, simulation: &mut Simulation) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["time"] => format!("{}", machine.now(simulation)),
        ["cores"] => cores(machine, simulation),
        ["memories"] => memories(machine, simulation),
        ["read", name, offset, bytes] => read(machine, simulation, name, offset, bytes),
        _ => HELP.to_owned(),
    }
}

fn cores(machine: &mut Machine, simulation: &mut Simulation) -> String {
    let views = match machine.views(simulation) {
        Ok(views) => views.to_vec(),
        Err(reason) => return reason,
    };
    let mut text = String::new();
    for (core, view) in views.iter().enumerate() {
        let path = &simulation.netlist().modules[machine.cores[core]].path;
        let end = view.end.as_deref().unwrap_or("runs");
        let _ = writeln!(text, "{} {path}: {:#010x} {end}", core + 1, view.pc);
    }
    text
}

fn memories(machine: &Machine, simulation: &mut Simulation) -> String {
    let mut text = String::new();
    for memory in &machine.memories {
        let place = memory.base.map_or("not addressed by cores".to_owned(), |base| format!("{base:#010x}"));
        let only = memory.core.map_or_else(String::new, |core| format!(", of core {} alone", core + 1));
        let _ = writeln!(text, "{}: {} bytes, {place}{only}", memory.name, memory.size(simulation));
    }
    text
}

fn read(machine: &mut Machine, simulation: &mut Simulation, name: &str, offset: &str, bytes: &str) -> String {
    let (Some(offset), Some(length)) = (number(offset), number(bytes).filter(|length| *length <= LONGEST))
    else {
        return format!("offset and bytes are numbers, the latter at most {LONGEST}");
    };
    if let Err(reason) = machine.views(simulation) {
        return reason;
    }
    let Some(memory) = machine.memories.iter().find(|memory| memory.name == name) else {
        return format!("there is no memory {name}; `monitor memories` lists them");
    };
    let mut bytes = vec![0; length as usize];
    if !memory.read(simulation, offset, &mut bytes) {
        return format!("not all of these bytes are inside {name}");
    }
    dump(offset, &bytes)
}

/// Bytes from an offset on, sixteen on a line.
pub(super) fn dump(offset: u64, bytes: &[u8]) -> String {
    let mut text = String::new();
    for (line, bytes) in bytes.chunks(16).enumerate() {
        let _ = write!(text, "{:08x}:", offset + 16 * line as u64);
        for byte in bytes {
            let _ = write!(text, " {byte:02x}");
        }
        text.push('\n');
    }
    text
}

/// A number, decimal or in hexadecimal digits after `0x`.
pub(super) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
