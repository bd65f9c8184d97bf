//! Observers: state and text of a module, cycle by cycle.

use std::sync::{Arc, Mutex};

use spinach_engine::{Design, Leaf, LeafVisitor, ModuleId, Observed, Observer, Outcome, Step, Time};

use super::{megahertz, simulate};

/// The values of a state, without their names.
#[derive(Default)]
struct Leaves(Vec<Leaf>);

impl LeafVisitor for Leaves {
    fn enters(&mut self, _: Step) -> bool {
        true
    }
    fn leaves(&mut self) {}
    fn visit(&mut self, leaf: Leaf) {
        self.0.push(leaf);
    }
}

/// State and text of a module in each cycle.
type Seen = Arc<Mutex<Vec<(Vec<Leaf>, Option<String>)>>>;

struct Watcher {
    module: ModuleId,
    seen: Seen,
}

impl Observer for Watcher {
    fn observe(&mut self, observed: &Observed<'_>) {
        let mut leaves = Leaves::default();
        assert_eq!(observed.walk_state(self.module, &mut leaves), Ok(()));
        let line = observed.line(self.module);
        self.seen.lock().expect("no thread panicked").push((leaves.0, line));
    }
}

#[test]
fn an_observer_reads_state_and_text_of_a_module_in_every_cycle() {
    const CYCLES: u64 = 200;
    let mut design = Design::new();
    let clock = design.domain("clock", megahertz(1000));
    let source = design.module("source", "source", clock, [("seed", 7_u64), ("percent", 50)]);
    let pipe = design.module("pipe", "pipe", clock, [("", 0_u64); 0]);
    let sink = design.module("sink", "sink", clock, [("percent", 100_u64)]);
    design.connect((source, "output"), (pipe, "input"));
    design.connect((pipe, "outputs"), (sink, "input"));
    let mut simulation = simulate(&design);
    let module = simulation.netlist().find_module("pipe").expect("it exists");
    let seen = Seen::default();
    simulation.add_observer(Box::new(Watcher { module, seen: Arc::clone(&seen) }));
    assert_eq!(simulation.run_until(Time::from_femtoseconds(CYCLES * 1_000_000)), Outcome::Reached);
    let seen = seen.lock().expect("no thread panicked");
    assert_eq!(seen.len() as u64, CYCLES);
    let mut texts = 0;
    for (leaves, line) in seen.iter() {
        let [Leaf::Bits(is_full, 1), Leaf::Bits(value, 64)] = leaves[..] else { panic!("{leaves:?}") };
        assert_eq!(*line, (is_full == 1).then(|| value.to_string()));
        texts += u64::from(line.is_some());
    }
    assert!((1..CYCLES).contains(&texts), "{texts}");
}
