//! Text file tests: every file in `tests/netlists` is a netlist, what to do with it, and what must come out.
//!
//! `SPINACH_BLESS=1 cargo test -p spinach-engine --test proof netlists` writes what comes out into the files. The format:
//!
//! ```text
//! # What this shows.
//! clock core 166 MHz
//! module a.source source core seed=1
//! module a.crossing crossing write=core read=other
//! connect a.source.output -> a.crossing.input
//!
//! pass: schedule          (or any other pass: what it did)
//! error                   (why the netlist is refused)
//! run: 10 cycles of core  (what each channel holds: a line for each instant, a column for each channel)
//! ---
//! the output
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use spinach_engine::{
    ConnectionDescription, Design, DomainDescription, DomainId, End, Frequency, Limit, Location,
    ModuleDescription, ModuleId, ParameterValue, Simulation, Size, Time, elaborate,
};

use crate::support::registry;

// One file taken apart.
#[derive(Default)]
struct Case {
    design: Design,
    modules: BTreeMap<String, ModuleId>,
    directive: String,
}

fn unit<'a>(text: &'a str, units: &[(&'a str, u64)]) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let scale = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    number.parse::<u64>().ok()?.checked_mul(scale)
}

fn frequency(text: &str) -> Result<Frequency, String> {
    let hertz = unit(text, &[("Hz", 1), ("kHz", 1000), ("MHz", 1_000_000), ("GHz", 1_000_000_000)]);
    let hertz = hertz.ok_or_else(|| format!("{text:?} is not a frequency"))?;
    Frequency::from_hertz(hertz).map_err(|error| error.to_string())
}

fn value(text: &str) -> ParameterValue {
    let times = [("fs", 1), ("ps", 1000), ("ns", 1_000_000), ("us", 1_000_000_000)];
    if let Ok(number) = text.parse::<u64>() {
        number.into()
    } else if let Some(span) = unit(text, &times) {
        Time::from_femtoseconds(span).into()
    } else if let Some(bytes) = unit(text, &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20)]) {
        Size(bytes).into()
    } else if let Ok(truth) = text.parse::<bool>() {
        truth.into()
    } else {
        text.into()
    }
}

impl Case {
    fn line(&mut self, location: Location, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let location = Some(location);
        match words[..] {
            ["clock", name, number, unit] => {
                let (name, frequency) = (name.to_owned(), frequency(&format!("{number}{unit}"))?);
                self.design.domains.push(DomainDescription { name, frequency, location });
            }
            ["module", path, kind, ref rest @ ..] => {
                let mut module = ModuleDescription {
                    path: path.to_owned(),
                    kind: kind.to_owned(),
                    location,
                    ..ModuleDescription::default()
                };
                for word in rest {
                    match word.split_once('=') {
                        None => module.domain = Some(self.domain(word)?),
                        Some((clock, domain)) if self.domain(domain).is_ok() => {
                            module.clocks.insert(clock.to_owned(), self.domain(domain)?);
                        }
                        Some((name, text)) => module.parameters.push((name.to_owned(), value(text))),
                    }
                }
                self.modules.insert(path.to_owned(), self.design.modules.push(module));
            }
            ["connect", from, "->", to] => {
                let (from, to) = (self.end(from)?, self.end(to)?);
                self.design.connections.push(ConnectionDescription { from, to, location });
            }
            _ => self.directive = line.to_owned(),
        }
        Ok(())
    }

    fn domain(&self, name: &str) -> Result<DomainId, String> {
        let found = self.design.domains.iter().find(|(_, domain)| domain.name == name);
        found.map(|(id, _)| id).ok_or_else(|| format!("no clock {name:?} above"))
    }

    fn end(&self, text: &str) -> Result<End, String> {
        let (path, port) = text.rsplit_once('.').ok_or_else(|| format!("{text:?} is not path.port"))?;
        let module = *self.modules.get(path).ok_or_else(|| format!("no module {path:?} above"))?;
        let (port, lane) = match port.trim_end_matches(']').split_once('[') {
            Some((port, lane)) => (port, lane.parse().map_err(|_| format!("{lane:?} is not a lane"))?),
            None => (port, 0),
        };
        Ok(End { module, port: port.to_owned(), lane })
    }
}

fn outcome(input: &str, file: &str) -> String {
    let mut case = Case::default();
    for (line, number) in input.lines().zip(1..) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let location = Location { file: file.to_owned(), line: number };
        if let Err(reason) = case.line(location, line) {
            return format!("{file}:{number}: {reason}\n");
        }
    }
    let elaborated = match elaborate(&case.design, &registry()) {
        Ok(elaborated) => elaborated,
        Err(error) => return format!("{error}\n"),
    };
    match case.directive.split_once(": ") {
        Some(("pass", pass)) => elaborated.dump(pass).unwrap_or_else(|problem| format!("{problem}\n")),
        Some(("run", span)) => trace(Simulation::new(elaborated), span),
        _ => "it is accepted\n".to_owned(),
    }
}

// One line per instant; `value>` moves, `value|` is refused, `.` is nothing.
fn trace(mut simulation: Simulation, span: &str) -> String {
    let (cycles, domain) = span.split_once(" cycles of ").expect("a run lasts a number of cycles of a clock");
    let domain = simulation.netlist().find_domain(domain).expect("the clock exists");
    let cycles = cycles.parse().expect("the number of cycles is a number");
    let end = Limit::cycles(&simulation, domain, cycles).expect("it is soon").time;
    let channels: Vec<_> = simulation.netlist().channels.ids().collect();
    let mut text = String::new();
    for (index, channel) in channels.iter().enumerate() {
        let _ = writeln!(text, "{}: {}", index + 1, simulation.netlist().channel_name(*channel));
    }
    loop {
        let frequencies = simulation.netlist().domains.values().map(|domain| domain.frequency);
        let next =
            frequencies.filter_map(|clock| clock.edge_time(clock.first_edge_from(simulation.now()))).min();
        let Some(next) = next.filter(|next| *next < end) else { return text };
        simulation.run_until(next.saturating_add(Time::from_femtoseconds(1)));
        let _ = write!(text, "{:>12}", next.to_string());
        for channel in &channels {
            let netlist = simulation.netlist();
            let clock = netlist.domains[netlist.channels[*channel].domain].frequency;
            let ticks = clock.edge_time(clock.first_edge_from(next)) == Some(next);
            let shown = match simulation.channel(*channel) {
                _ if !ticks => String::new(),
                (None, _) => ".".to_owned(),
                (Some(words), accepted) => {
                    let digits = words.iter().map(|word| format!("{:03x}", word & 0xfff)).collect::<Vec<_>>();
                    digits.join(",") + if accepted { ">" } else { "|" }
                }
            };
            let _ = write!(text, " {shown:>5}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/netlists");
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_says_what_comes_out() {
    let bless = std::env::var_os("SPINACH_BLESS").is_some();
    let mut failures = Vec::new();
    for path in files() {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let (input, expected) = text.split_once("---\n").unwrap_or((&text, ""));
        let seen = outcome(input, &file);
        if seen == expected {
            continue;
        }
        if bless {
            std::fs::write(&path, format!("{input}---\n{seen}")).expect("it can be written");
        } else {
            failures.push(format!("{file}: expected\n{expected}\nbut this came out\n{seen}"));
        }
    }
    assert!(failures.is_empty(), "{}\nSPINACH_BLESS=1 accepts what came out", failures.join("\n"));
}
