//! Line traces: for each cycle of a module one line of text.
//!
//! A line has the time, the cycle of the module's first clock, the module, its state, and the values at its ports: `port=value`
//! moved, `port!value` was refused. The state is text of the module's own, or the values that changed: `ring.consumer:5`. A cycle
//! without any of these has no line.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spinach_engine::{
    ChannelId, Id, Leaf, LeafVisitor, ModuleId, Netlist, Observed, Observer, Payload, Step, Time,
};

use crate::carried::Carries;
use crate::waves::ACCOUNTS;

/// A line trace that is being written. Clones are handles to the same trace.
#[derive(Clone)]
pub struct LineTrace(Arc<Mutex<Option<Open>>>);

struct Open {
    output: Box<dyn Write + Send>,
    modules: Vec<Traced>,
    from: Time,
    failed: Option<io::Error>,
    line: String,
}

struct Traced {
    module: ModuleId,
    ports: Vec<TracedPort>,
    values: Values,
}

struct TracedPort {
    name: String,
    channel: ChannelId,
    carries: Carries,
}

impl LineTrace {
    /// A trace of `modules` from the instant `from` on, which is written to `output`.
    pub fn new(
        output: Box<dyn Write + Send>,
        modules: impl IntoIterator<Item = ModuleId>,
        from: Time,
        netlist: &Netlist,
    ) -> Self {
        let modules = modules.into_iter().map(|module| Traced::new(module, netlist)).collect();
        Self(Arc::new(Mutex::new(Some(Open { output, modules, from, failed: None, line: String::new() }))))
    }

    /// True if the trace is finished: no more is written.
    pub fn is_finished(&self) -> bool {
        self.open().is_none()
    }

    /// Ends the trace. A second call does nothing.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(&self) -> io::Result<()> {
        let Some(mut open) = self.open().take() else { return Ok(()) };
        match open.failed {
            Some(error) => Err(error),
            None => open.output.flush(),
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Traced {
    fn new(module: ModuleId, netlist: &Netlist) -> Self {
        let node = &netlist.modules[module];
        let ports = node.ports.ids().flat_map(|port| {
            let name = node.declaration.ports[port.index()].name;
            let channels = &node.ports[port];
            channels.iter().enumerate().map(move |(lane, channel)| {
                let value_type = netlist.channels[*channel].value_type;
                TracedPort {
                    name: if channels.len() > 1 { format!("{name}[{lane}]") } else { name.to_owned() },
                    channel: *channel,
                    carries: Carries::of(value_type.name, value_type.words),
                }
            })
        });
        Self { module, ports: ports.collect(), values: Values::default() }
    }

    /// Appends the activity of the module in this cycle.
    fn describe(&mut self, observed: &Observed<'_>, line: &mut String) {
        match observed.line(self.module) {
            Some(state) => line.push_str(&state),
            None => self.values.describe_changes(self.module, observed, line),
        }
        for port in self.ports.iter().filter(|port| observed.ticks(port.channel)) {
            let (Some(words), is_taken) = observed.channel(port.channel) else { continue };
            let separator = if line.is_empty() { "" } else { "  " };
            let sign = if is_taken { '=' } else { '!' };
            line.push_str(separator);
            line.push_str(&port.name);
            line.push(sign);
            let bytes_of = |payload| observed.payload(port.channel, payload);
            line.push_str(&port.carries.text(&words, bytes_of));
        }
    }
}

/// Fields that serve the simulation or its accounts, not the hardware.
const ASIDES: [Step; 4] =
    [ACCOUNTS, Step::Field("latency"), Step::Field("has_acted"), Step::Field("is_idle")];

/// The single values of a state as they were last seen, by the steps to them.
#[derive(Default)]
struct Values {
    is_known: bool,
    seen: HashMap<Vec<Step>, Leaf>,
}

struct Changes<'a> {
    values: &'a mut Values,
    way: Vec<Step>,
    line: &'a mut String,
}

impl Values {
    /// Appends the values that changed since the last call; none at the first.
    fn describe_changes(&mut self, module: ModuleId, observed: &Observed<'_>, line: &mut String) {
        let mut changes = Changes { values: self, way: Vec::new(), line };
        // The values before a refusal of the state are right.
        let _ = observed.walk_state(module, &mut changes);
        self.is_known = true;
    }
}

impl LeafVisitor for Changes<'_> {
    fn enters(&mut self, step: Step) -> bool {
        let enters = !ASIDES.contains(&step);
        if enters {
            self.way.push(step);
        }
        enters
    }

    fn leaves(&mut self) {
        self.way.pop();
    }

    fn visit(&mut self, leaf: Leaf) {
        match self.values.seen.get_mut(&self.way) {
            Some(seen) if *seen == leaf => return,
            Some(seen) => *seen = leaf,
            None => drop(self.values.seen.insert(self.way.clone(), leaf)),
        }
        if self.values.is_known {
            self.append(leaf);
        }
    }
}

impl Changes<'_> {
    fn append(&mut self, leaf: Leaf) {
        // The presence of the value says it.
        if leaf == Leaf::Absent {
            return;
        }
        let mut separator = if self.line.is_empty() { "" } else { " " };
        for step in &self.way {
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Field(name) => write!(self.line, "{separator}{name}"),
                Step::Element(number) => write!(self.line, "[{number}]"),
            };
            separator = ".";
        }
        let _ = match leaf {
            Leaf::Bits(value, _) => write!(self.line, ":{value:#x}"),
            Leaf::Choice(_, name) => write!(self.line, ":{name}"),
            Leaf::Real(value) => write!(self.line, ":{value}"),
            Leaf::Absent => Ok(()),
        };
    }
}

impl Open {
    fn write(&mut self, observed: &Observed<'_>) -> io::Result<()> {
        for traced in &mut self.modules {
            let node = &observed.netlist.modules[traced.module];
            let edge = observed.edges.iter().find(|(domain, _)| node.domains.first() == Some(domain));
            let Some((_, cycle)) = edge else { continue };
            self.line.clear();
            traced.describe(observed, &mut self.line);
            if !self.line.is_empty() {
                let nanoseconds = observed.time.femtoseconds() as f64 / 1e6;
                writeln!(self.output, "{nanoseconds:>12.3} ns {cycle:>8} {}: {}", node.path, self.line)?;
            }
        }
        Ok(())
    }
}

impl Observer for LineTrace {
    fn observe(&mut self, observed: &Observed<'_>) {
        if let Some(open) = self.open().as_mut()
            && observed.time >= open.from
            && open.failed.is_none()
        {
            // `finish` returns the first failure.
            open.failed = open.write(observed).err();
        }
    }
}

impl Carries {
    /// A value as text.
    fn text<'a>(self, words: &[u64], bytes_of: impl Fn(Payload) -> &'a [u8]) -> String {
        let mut text = String::new();
        for ((name, _), value) in self.fields().iter().zip(self.values(words, bytes_of)) {
            let separator = if text.is_empty() { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = match self {
                Self::Words(_) => write!(text, "{separator}{value:#x}"),
                _ if value == 0 && name != "address" => Ok(()),
                _ => write!(text, "{separator}{name}:{value:#x}"),
            };
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
