//! A wire that carries small frames, for tests of observers.

use std::path::PathBuf;

use spinach_engine::{Design, Frequency, Outcome, ParameterValue, Simulation, Time, elaborate};

/// Number of frames.
pub(crate) const FRAMES: u64 = 4;

/// A source, two links and a sink of frames, which takes their bytes out of sight; edge k falls at 10 k / 3 ns.
pub(crate) fn wire() -> Simulation {
    let mut design = Design::new();
    let clock = design.domain("clock", Frequency::from_hertz(300_000_000).expect("a frequency"));
    let traffic = r#"{"kind": "udp", "sizes": [18]}"#;
    let parameters = || [("traffic", ParameterValue::from(traffic.to_owned())), ("count", FRAMES.into())];
    let feeder = design.module("feeder", "traffic_source", clock, parameters());
    let none: [(&str, u64); 0] = [];
    let link = design.module("link", "link", clock, none);
    let far = design.module("far", "link", clock, none);
    let sink = design.module("sink", "packet_sink", clock, parameters());
    design.connect((feeder, "wire"), (link, "input"));
    design.connect((link, "output"), (far, "input"));
    design.connect((far, "output"), (sink, "wire"));
    Simulation::new(elaborate(&design, &spinach_modules::registry()).expect("the design is right"))
}

/// Runs until all frames have arrived.
pub(crate) fn carry(simulation: &mut Simulation) {
    assert_eq!(simulation.run_until(Time::from_femtoseconds(1_000_000_000)), Outcome::Reached);
}

/// Path of a file of this process.
pub(crate) fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spinach-{name}-{}", std::process::id()))
}
