//! Recordings: what was written is read back, and what is damaged is refused.

use std::path::PathBuf;
use std::time::Duration;

use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use spinach_engine::Time;
use spinach_live::recording::{Arrival, Recording, RecordingWriter, Sort};

fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spinach-recording-{name}-{}", std::process::id()))
}

fn written(name: &str, arrivals: &[Arrival]) -> Vec<u8> {
    let path = place(name);
    let entrances = [("wire", Sort::Frames), ("guest", Sort::Messages)];
    let mut recorder =
        RecordingWriter::create(&path, &entrances, "{\"nic\":\"any\"}").expect("the folder is there");
    for arrival in arrivals {
        recorder.add(arrival.time, arrival.entrance, &arrival.message).expect("there is room");
    }
    recorder.finish(Time::from_femtoseconds(u64::MAX), "{\"complete\":true}").expect("there is room");
    let bytes = std::fs::read(&path).expect("it was written");
    std::fs::remove_file(path).expect("it is there");
    bytes
}

fn arrivals() -> Vec<Arrival> {
    let time = |index: u64| Time::from_femtoseconds(index * index * 1_000_000_007);
    let arrival = |index: u64| Arrival {
        time: time(index),
        entrance: (index % 2) as usize,
        message: (0..index * 7).map(|byte| byte as u8).collect(),
    };
    (0..100).map(arrival).collect()
}

#[test]
fn a_recording_gives_every_message_and_moment_back() {
    let arrivals = arrivals();
    let read = Recording::read_from(&written("whole", &arrivals)[..]).expect("it is a recording");
    assert_eq!(read.arrivals, arrivals);
    assert_eq!(read.entrances, ["wire", "guest"]);
    assert_eq!(read.made_with, "{\"nic\":\"any\"}");
    assert_eq!(read.ending, Some((Time::MAX, "{\"complete\":true}".to_owned())));
}

#[test]
fn other_programs_read_the_times_in_nanoseconds() {
    let bytes = written("nanoseconds", &arrivals());
    let mut reader = PcapNgReader::new(&bytes[..]).expect("it is a capture");
    let mut times = Vec::new();
    while let Some(block) = reader.next_block() {
        match block.expect("it is whole") {
            Block::InterfaceDescription(interface) => {
                assert!(interface.options.contains(&InterfaceDescriptionOption::IfTsResol(9)));
            }
            Block::EnhancedPacket(packet) => times.push(packet.timestamp.as_nanos() as u64),
            _ => {}
        }
    }
    let expected =
        arrivals().iter().map(|arrival| arrival.time.femtoseconds() / 1_000_000).collect::<Vec<_>>();
    assert_eq!(times, expected);
}

#[test]
fn what_a_killed_process_leaves_is_read_as_far_as_it_goes() {
    let arrivals = arrivals();
    let bytes = written("cut", &arrivals);
    let mut most = 0;
    for length in (0..bytes.len()).step_by(131) {
        let Ok(read) = Recording::read_from(&bytes[..length]) else { continue };
        assert_eq!(read.arrivals, &arrivals[..read.arrivals.len()], "{length} bytes");
        assert_eq!(read.ending, None, "{length} bytes");
        assert!(read.arrivals.len() >= most, "{length} bytes");
        most = read.arrivals.len();
    }
    assert!(most >= 99, "{most}");
}

#[test]
fn messages_out_of_order_are_refused() {
    let mut arrivals = arrivals();
    arrivals.swap(10, 20);
    let refused = Recording::read_from(&written("order", &arrivals)[..]).expect_err("time goes back");
    assert!(refused.to_string().contains("order of time"), "{refused}");
}

#[test]
fn a_recording_is_readable_up_to_a_tenth_of_a_second_before() {
    let path = place("latest");
    let mut recorder =
        RecordingWriter::create(&path, &[("wire", Sort::Frames)], "{}").expect("the folder is there");
    recorder.add(Time::from_femtoseconds(1), 0, b"frame").expect("there is room");
    std::thread::sleep(Duration::from_millis(100));
    recorder.hand_over().expect("there is room");
    let mut partial = path.clone().into_os_string();
    partial.push(format!(".partial-{}", std::process::id()));
    // The process could be killed here.
    let read =
        Recording::read_from(&std::fs::read(&partial).expect("it was begun")[..]).expect("it is a recording");
    assert_eq!(read.arrivals.len(), 1);
    drop(recorder);
    std::fs::remove_file(partial).expect("it is there");
}
