//! Frames through a whole NIC.

use spinach_engine::{Id, ModuleId, Outcome, ParameterValue, Rate, Simulation, Size, Time, elaborate};

use super::nic::{Settings, count, rig, traffic};

fn start(settings: &Settings) -> Simulation {
    match elaborate(&rig(settings).design, &super::registry()) {
        Ok(elaborated) => {
            let mut simulation = Simulation::new(elaborated);
            simulation.set_check_dependencies(false);
            simulation
        }
        Err(error) => panic!("{error}"),
    }
}

fn run_us(simulation: &mut Simulation, microseconds: u64) {
    let outcome = simulation.run_until(Time::from_femtoseconds(microseconds * 1_000_000_000));
    assert_eq!(outcome, Outcome::Reached);
}

fn dropped(simulation: &mut Simulation) -> u64 {
    let all = simulation.statistics().iter().collect::<Vec<_>>();
    all.iter().filter(|(name, _)| name.starts_with("receive.dropped")).map(|(_, value)| value).sum()
}

/// Every frame is accounted for, and none is damaged, out of order or seen twice.
fn assert_accounted(simulation: &mut Simulation) {
    for path in ["sink", "host"] {
        for fault in ["corrupted", "reordered", "duplicated"] {
            assert_eq!(count(simulation, path, fault), 0, "{path}.{fault}");
        }
    }
    assert_eq!(count(simulation, "sink", "delivered"), count(simulation, "host", "offered"));
    let arrived = count(simulation, "host", "delivered") + dropped(simulation);
    assert_eq!(arrived, count(simulation, "feeder", "offered"));
    assert_eq!(simulation.stored_payloads(), 0, "frames are left inside");
}

#[test]
fn one_frame_each_way_arrives_byte_for_byte() {
    let mut simulation = start(&traffic(&[1472], 1, 1));
    simulation.set_check_dependencies(true);
    run_us(&mut simulation, 10);
    assert_eq!(count(&mut simulation, "sink", "delivered"), 1);
    assert_eq!(count(&mut simulation, "host", "delivered"), 1);
    assert_eq!(count(&mut simulation, "host", "completed"), 1);
    assert_accounted(&mut simulation);
}

#[test]
fn frames_of_every_size_pass_both_ways() {
    let sizes: Vec<u64> = (18..=1472).collect();
    let mut simulation = start(&traffic(&sizes, 3000, 3000));
    run_us(&mut simulation, 4000);
    assert_eq!(count(&mut simulation, "host", "completed"), 3000);
    assert_eq!(count(&mut simulation, "feeder", "offered"), 3000);
    assert_accounted(&mut simulation);
    let latency =
        simulation.state(module(&simulation, "sink")).expect("it is plain")["checker"]["latency"].clone();
    assert_eq!(latency["count"], 3000);
}

fn module(simulation: &Simulation, path: &str) -> ModuleId {
    simulation.netlist().find_module(path).expect("it is in the rig")
}

#[test]
fn nothing_is_lost_or_mixed_up_when_every_channel_jams() {
    let mut settings = traffic(&[18, 300, 1472], 150, 150);
    settings.push(("jam", "percent", 60u64.into()));
    let mut simulation = start(&settings);
    let jams = simulation.netlist().modules.iter().filter(|(_, node)| node.path.starts_with("jam"));
    assert_eq!(jams.count(), 36);
    run_us(&mut simulation, 1500);
    assert_eq!(count(&mut simulation, "host", "completed"), 150);
    assert_accounted(&mut simulation);
}

#[test]
fn all_indices_wrap_around() {
    for first in [u32::MAX - 20, u32::MAX] {
        let mut settings = traffic(&[18, 1000], 200, 200);
        for path in ["host", "dma_read", "dma_write", "transmit", "receive"] {
            settings.push((path, "first_index", first.into()));
        }
        let mut simulation = start(&settings);
        run_us(&mut simulation, 400);
        assert_eq!(count(&mut simulation, "host", "completed"), 200);
        assert_eq!(count(&mut simulation, "feeder", "offered"), 200);
        assert_accounted(&mut simulation);
    }
}

#[test]
fn a_host_that_pauses_loses_frames_in_the_open_and_recovers() {
    let mut settings = traffic(&[1472], 400, 600);
    settings.push(("host", "pauses_us", vec![100u64, 300].into()));
    settings.push(("host", "service_latency", Time::from_femtoseconds(2_000_000_000).into()));
    settings.push(("firmware", "option", 0x4000u64.into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 1300);
    assert_eq!(count(&mut simulation, "feeder", "offered"), 600);
    assert_eq!(count(&mut simulation, "host", "completed"), 400);
    assert!(count(&mut simulation, "receive", "dropped_buffer_full") > 50);
    assert!(count(&mut simulation, "host", "delivered") > 300);
    assert_accounted(&mut simulation);
}

#[test]
fn a_full_descriptor_ring_drops_in_the_open() {
    let mut settings = traffic(&[18], 0, 2000);
    settings.push(("host", "pauses_us", vec![20u64, 100].into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 400);
    assert_eq!(count(&mut simulation, "feeder", "offered"), 2000);
    assert!(count(&mut simulation, "receive", "dropped_ring_full") > 100);
    assert_accounted(&mut simulation);
}

#[test]
fn slow_frame_memory_overflows_the_fifo_in_the_open() {
    let mut settings = traffic(&[18], 0, 1000);
    settings.push(("frame_jam", "percent", 99u64.into()));
    settings.push(("receive", "fifo", Size(300).into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 2000);
    let lost = count(&mut simulation, "receive", "dropped_fifo_full");
    assert!(lost > 10, "{lost}");
    assert_eq!(count(&mut simulation, "feeder", "offered"), 1000);
    assert_accounted(&mut simulation);
}

#[test]
fn faulty_frames_are_dropped_each_for_its_reason() {
    let mut settings = traffic(&[18, 1472], 0, 100);
    settings.push(("faults", "damaged", vec![3u64, 4, 50].into()));
    settings.push(("faults", "shortened", vec![0u64, 99].into()));
    settings.push(("faults", "lengthened", vec![7u64].into()));
    // Frames without a tag may not be longer.
    settings.push(("receive", "tag_bytes", 4u64.into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 200);
    for (counter, expected) in
        [("dropped_bad_check_sequence", 3), ("dropped_runt", 2), ("dropped_oversize", 1), ("frames", 94)]
    {
        assert_eq!(count(&mut simulation, "receive", counter), expected, "{counter}");
    }
    assert_eq!(count(&mut simulation, "host", "delivered"), 94);
    assert_eq!(count(&mut simulation, "faults", "faulty"), 6);
    assert_accounted(&mut simulation);
}

#[test]
fn jumbo_frames_pass() {
    let mut settings = traffic(&[8972], 60, 60);
    for path in ["dma_read", "dma_write", "transmit", "receive"] {
        settings.push((path, "fifo", Size(18_028).into()));
    }
    settings.push(("receive", "largest_frame", 9014u64.into()));
    settings.push(("host", "receive_buffer", Size(9216).into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 800);
    assert_eq!(count(&mut simulation, "host", "completed"), 60);
    assert_eq!(count(&mut simulation, "host", "delivered"), 60);
    assert_accounted(&mut simulation);
}

#[test]
fn given_frames_are_replayed_in_both_directions() {
    let frames: Vec<u8> = [60usize, 1514, 333, 61]
        .into_iter()
        .flat_map(|length| {
            let bytes = (0..length).map(move |byte| (byte * length) as u8);
            (length as u32).to_be_bytes().into_iter().chain(bytes)
        })
        .collect();
    let mut settings = traffic(&[], 50, 50);
    for (path, name) in
        [("host", "send_frames"), ("sink", "frames"), ("host", "receive_frames"), ("feeder", "frames")]
    {
        settings.push((path, name, frames.clone().into()));
    }
    let mut simulation = start(&settings);
    run_us(&mut simulation, 200);
    assert_eq!(count(&mut simulation, "host", "completed"), 50);
    assert_eq!(count(&mut simulation, "host", "delivered"), 50);
    assert_accounted(&mut simulation);
}

#[test]
fn rates_are_kept() {
    let mut settings = traffic(&[1472], u64::MAX, u64::MAX);
    // A frame with everything around it takes 12,304 bits: 100 frames in 123 us at 10 Gb/s.
    settings.push(("feeder", "rate", Rate(1_000_000_000).into()));
    settings.push(("host", "send_frame_rate", 100_000u64.into()));
    let mut simulation = start(&settings);
    run_us(&mut simulation, 1000);
    assert_eq!(count(&mut simulation, "host", "offered"), 100);
    let offered = count(&mut simulation, "feeder", "offered");
    assert!((80..=82).contains(&offered), "{offered}");
}

#[test]
fn a_known_bus_slows_the_nic_down_to_its_own_rate() {
    let mut delivered = Vec::new();
    for preset in ["pci_32_33", "pci_64_66", "pcie_x8", "unlimited"] {
        let mut settings = traffic(&[1472], u64::MAX, 0);
        settings.push(("bus", "preset", preset.into()));
        let mut simulation = start(&settings);
        run_us(&mut simulation, 300);
        delivered.push(count(&mut simulation, "sink", "payload_bytes") * 8 / 300);
    }
    // In Mb/s. PCI at 33 MHz moves 1067 Mb/s at most, overheads included; the link 8 Gb/s.
    assert!(delivered[0] < 950 && delivered[0] > 600, "{delivered:?}");
    assert!(delivered.is_sorted() && delivered[1] > 2 * delivered[0], "{delivered:?}");
}

#[test]
fn sleeping_changes_nothing() {
    for percent in [0u64, 30] {
        let mut settings = traffic(&[18, 700, 1472], 60, 60);
        settings.push(("feeder", "rate", Rate(2_000_000_000).into()));
        settings.push(("host", "service_latency", Time::from_femtoseconds(3_300_000_000).into()));
        settings.push(("host", "send_frame_rate", 300_000u64.into()));
        settings.push(("bus", "preset", "pcie_x4".into()));
        if percent > 0 {
            settings.push(("jam", "percent", ParameterValue::from(percent)));
        }
        let mut runs = [true, false].map(|sleeping| {
            let mut simulation = start(&settings);
            simulation.set_sleeping(sleeping);
            simulation
        });
        for stop_us in [7, 31, 100, 300, 900] {
            let [one, other] = [0, 1].map(|run| {
                let simulation = &mut runs[run];
                run_us(simulation, stop_us);
                let counters = simulation.statistics().snapshot();
                let modules: Vec<ModuleId> = simulation.netlist().modules.iter().map(|(id, _)| id).collect();
                let states =
                    modules.into_iter().map(|module| simulation.state(module).expect("states are plain"));
                (counters, states.collect::<Vec<_>>())
            });
            assert_eq!(one.0, other.0, "after {stop_us} us");
            for (index, (state, other)) in one.1.iter().zip(&other.1).enumerate() {
                let path = &runs[0].netlist().modules[ModuleId::from_index(index)].path;
                assert_eq!(state, other, "{path} after {stop_us} us");
            }
        }
        runs.iter_mut().for_each(assert_accounted);
    }
}
