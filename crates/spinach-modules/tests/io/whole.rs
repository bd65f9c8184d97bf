//! Frames through a whole NIC.

use spinach_engine::{Outcome, Simulation, Time, elaborate};

use super::nic::{Settings, count, rig, traffic};

pub fn start(settings: &Settings) -> Simulation {
    match elaborate(&rig(settings).design, &super::registry()) {
        Ok(elaborated) => Simulation::new(elaborated),
        Err(error) => panic!("{error}"),
    }
}

pub fn run_us(simulation: &mut Simulation, microseconds: u64) {
    let outcome = simulation.run_until(Time::from_femtoseconds(microseconds * 1_000_000_000));
    assert_eq!(outcome, Outcome::Reached);
}

/// Every frame is accounted for, and none is damaged, out of order or seen twice.
pub fn assert_accounted(simulation: &mut Simulation) {
    for (path, offered) in [("sink", ("host", "offered")), ("host", ("feeder", "offered"))] {
        for fault in ["corrupted", "reordered", "duplicated"] {
            assert_eq!(count(simulation, path, fault), 0, "{path}.{fault}");
        }
        let dropped: u64 = if path == "host" {
            let all = simulation.statistics().iter().collect::<Vec<_>>();
            all.iter().filter(|(name, _)| name.starts_with("receive.dropped")).map(|(_, value)| value).sum()
        } else {
            0
        };
        let delivered = count(simulation, path, "delivered");
        assert_eq!(delivered + dropped, count(simulation, offered.0, offered.1), "{path}");
    }
}

#[test]
fn one_frame_each_way_arrives_byte_for_byte() {
    let mut simulation = start(&traffic(&[1472], 1, 1));
    run_us(&mut simulation, 20);
    assert_eq!(count(&mut simulation, "sink", "delivered"), 1);
    assert_eq!(count(&mut simulation, "host", "delivered"), 1);
    assert_eq!(count(&mut simulation, "host", "completed"), 1);
    assert_accounted(&mut simulation);
    assert!(simulation.payloads().is_empty());
}

#[test]
fn frames_of_all_sizes_pass_both_ways() {
    let sizes: Vec<u64> = (18..=1472).step_by(97).chain([18, 1472]).collect();
    let mut simulation = start(&traffic(&sizes, 300, 300));
    simulation.set_check_dependencies(false);
    run_us(&mut simulation, 600);
    assert_eq!(count(&mut simulation, "sink", "delivered"), 300);
    assert_eq!(count(&mut simulation, "feeder", "offered"), 300);
    assert_accounted(&mut simulation);
    assert!(simulation.payloads().is_empty());
}
