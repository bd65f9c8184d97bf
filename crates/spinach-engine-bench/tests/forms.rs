//! The three forms of the network do the same.

use spinach_engine::{Simulation, bare::Bare};
use spinach_engine_bench::{design, network::Network, straight_line, worklist::WorkList};

straight_line!("/straight_line_50.rs");

#[test]
fn the_three_forms_agree() {
    let network = Network::random(50);
    let mut simulation = Simulation::new(design::elaborate(&network));
    design::run_cycles(&mut simulation, 500);
    let expected = design::checksum(&mut simulation);
    let mut worklist = WorkList::new(Bare::new(design::elaborate(&network)));
    (0..500).for_each(|_| worklist.cycle());
    assert_eq!(worklist.checksum(), expected);
    let mut straight_line = straight_line::Network50::new();
    (0..500).for_each(|_| straight_line.cycle());
    assert_eq!(straight_line.checksum(), expected);
}
