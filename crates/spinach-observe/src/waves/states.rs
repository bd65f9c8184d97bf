//! The single values in the states of modules, as signals.

use fst_writer::{
    FstBodyWriter, FstHeaderWriter, FstScopeType, FstSignalId, FstSignalType, FstVarDirection, FstVarType,
    FstWriteError,
};
use spinach_engine::{Leaf, LeafVisitor, ModuleId, Observed, Simulation, Step};
use spinach_io::StreamFile;

/// The accounts of cores for profiles: they are not part of the hardware, and expensive to walk in every cycle.
pub(crate) const ACCOUNTS: Step = Step::Field("profile");
/// Width of initially absent values, whose width is unknown.
const UNKNOWN_BITS: u32 = 64;
/// Width of the number of a kind of value.
const CHOICE_BITS: u32 = 8;

/// A value in the state of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateName {
    /// The module.
    pub module: ModuleId,
    /// The way to the value.
    steps: Vec<Step>,
    /// The path of the module, and the way from there, as `processor[0].model.fetch.pc`.
    pub name: String,
    bits: Option<u32>,
}

/// All values in the states of all modules, in the order of the modules. What is absent now has one value; what is present, those
/// that it has now.
///
/// # Errors
/// If a state refuses to be walked over.
pub fn state_names(simulation: &mut Simulation) -> Result<Vec<StateName>, String> {
    let modules: Vec<(ModuleId, String)> =
        simulation.netlist().modules.iter().map(|(id, node)| (id, node.path.clone())).collect();
    let mut names = Vec::new();
    for (module, path) in modules {
        let mut lister = Lister { module, name: vec![path], steps: Vec::new(), found: Vec::new() };
        simulation.walk_state(module, &mut lister)?;
        names.append(&mut lister.found);
    }
    Ok(names)
}

struct Lister {
    module: ModuleId,
    name: Vec<String>,
    steps: Vec<Step>,
    found: Vec<StateName>,
}

impl LeafVisitor for Lister {
    fn enters(&mut self, step: Step) -> bool {
        if step == ACCOUNTS {
            return false;
        }
        let before = self.name.last().map_or("", String::as_str);
        let name = match step {
            Step::Field(field) => format!("{before}.{field}"),
            Step::Element(number) => format!("{before}[{number}]"),
        };
        self.name.push(name);
        self.steps.push(step);
        true
    }

    fn leaves(&mut self) {
        self.name.pop();
        self.steps.pop();
    }

    fn visit(&mut self, leaf: Leaf) {
        let bits = match leaf {
            Leaf::Bits(_, bits) => Some(bits),
            Leaf::Choice(..) => Some(CHOICE_BITS),
            Leaf::Real(_) => None,
            Leaf::Absent => Some(UNKNOWN_BITS),
        };
        let name = self.name.last().cloned().unwrap_or_default();
        self.found.push(StateName { module: self.module, steps: self.steps.clone(), name, bits });
    }
}

/// The chosen values of a module.
pub(super) struct ShownState {
    module: ModuleId,
    // The first is where the state begins.
    places: Vec<Place>,
    signals: Vec<Signal>,
}

#[derive(Default)]
struct Place {
    // In the order of the walk, with the places that they lead to.
    steps: Vec<(Step, usize)>,
    // The one that is expected next.
    next: usize,
    signal: Option<usize>,
}

impl Place {
    fn enter(&mut self, step: Step) -> Option<usize> {
        let (later, earlier) = (self.next..self.steps.len(), 0..self.next);
        let found = later.chain(earlier).find(|index| self.steps[*index].0 == step)?;
        self.next = found + 1;
        Some(self.steps[found].1)
    }
}

struct Signal {
    id: FstSignalId,
    bits: Option<u32>,
    written: Option<Leaf>,
}

/// Declares the signals of `chosen`, which are in the order of their modules.
pub(super) fn declare(
    header: &mut FstHeaderWriter<StreamFile>,
    chosen: &[StateName],
) -> Result<Vec<ShownState>, FstWriteError> {
    let mut shown: Vec<ShownState> = Vec::new();
    for one in chosen {
        if shown.last().is_none_or(|last| last.module != one.module) {
            shown.push(ShownState {
                module: one.module,
                places: vec![Place::default()],
                signals: Vec::new(),
            });
        }
        if let Some(state) = shown.last_mut() {
            let id = declare_signal(header, one)?;
            state.add(one, id);
        }
    }
    Ok(shown)
}

fn declare_signal(
    header: &mut FstHeaderWriter<StreamFile>,
    one: &StateName,
) -> Result<FstSignalId, FstWriteError> {
    let (scopes, name) = one.name.rsplit_once('.').unwrap_or(("", &one.name));
    let scopes: Vec<&str> = scopes.split('.').collect();
    for scope in &scopes {
        header.scope(scope, "", FstScopeType::Module)?;
    }
    let (kind, variable) = match one.bits {
        Some(bits) => (FstSignalType::bit_vec(bits), FstVarType::Reg),
        None => (FstSignalType::real(), FstVarType::Real),
    };
    let id = header.var(name, kind, variable, FstVarDirection::Implicit, None)?;
    for _ in &scopes {
        header.up_scope()?;
    }
    Ok(id)
}

impl ShownState {
    fn add(&mut self, one: &StateName, id: FstSignalId) {
        let mut place = 0;
        for step in &one.steps {
            let next = self.places.len();
            place = match self.places[place].enter(*step) {
                Some(known) => known,
                None => {
                    self.places[place].steps.push((*step, next));
                    self.places.push(Place::default());
                    next
                }
            };
        }
        self.places[place].signal = Some(self.signals.len());
        self.signals.push(Signal { id, bits: one.bits, written: None });
    }

    /// Writes what has changed.
    pub(super) fn write(
        &mut self,
        observed: &Observed<'_>,
        body: &mut FstBodyWriter<StreamFile>,
    ) -> Result<(), FstWriteError> {
        let ticks = &observed.netlist.modules[self.module].domains;
        if !observed.edges.iter().any(|(domain, _)| ticks.contains(domain)) {
            return Ok(());
        }
        let mut writer = Writer { shown: self, way: vec![0], body, failure: None };
        // States that refuse a walk were refused before.
        let module = writer.shown.module;
        let _ = observed.walk_state(module, &mut writer);
        writer.failure.map_or(Ok(()), Err)
    }
}

struct Writer<'a> {
    shown: &'a mut ShownState,
    // The places from the first to where the walk is.
    way: Vec<usize>,
    body: &'a mut FstBodyWriter<StreamFile>,
    failure: Option<FstWriteError>,
}

impl LeafVisitor for Writer<'_> {
    fn enters(&mut self, step: Step) -> bool {
        let place = self.way.last().and_then(|place| self.shown.places[*place].enter(step));
        place.map(|place| self.way.push(place)).is_some()
    }

    fn leaves(&mut self) {
        self.way.pop();
    }

    fn visit(&mut self, leaf: Leaf) {
        let place = self.way.last().and_then(|place| self.shown.places[*place].signal);
        let Some(signal) = place.map(|place| &mut self.shown.signals[place]) else { return };
        if signal.written == Some(leaf) {
            return;
        }
        signal.written = Some(leaf);
        let value = match (leaf, signal.bits) {
            (Leaf::Bits(value, _), Some(bits)) => digits(value, bits),
            (Leaf::Choice(number, _), Some(bits)) => digits(number.into(), bits),
            (Leaf::Real(value), None) => value.to_ne_bytes().to_vec(),
            (_, Some(bits)) => vec![b'x'; bits as usize],
            (_, None) => f64::NAN.to_ne_bytes().to_vec(),
        };
        if let Err(failure) = self.body.signal_change(signal.id, &value) {
            self.failure.get_or_insert(failure);
        }
    }
}

/// The lowest bits of a number, the highest of them first.
pub(super) fn digits(value: u128, bits: u32) -> Vec<u8> {
    (0..bits).rev().map(|bit| b'0' + (value >> bit & 1) as u8).collect()
}
