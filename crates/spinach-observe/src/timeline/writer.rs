//! Writer of Perfetto's trace format, packet by packet.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use prost::Message;
use spinach_engine::Time;
use spinach_io::StreamFile;

use super::messages::{
    COUNTER, CounterDescriptor, EventName, InternedData, NEEDS_STATE, PACKET_KEY, ProcessDescriptor,
    SLICE_BEGIN, SLICE_END, STATE_CLEARED, TracePacket, TrackDescriptor, TrackEvent,
};

const FEMTOSECONDS_PER_NANOSECOND: u64 = 1_000_000;
const SEQUENCE: u32 = 1;

/// A row of the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Track(u64);

/// A trace that is being written. After the first failure nothing more is written; [`Writer::complete`] returns the failure.
pub(super) struct Writer {
    file: StreamFile,
    /// The packet that is being written, encoded.
    encoded: Vec<u8>,
    names: HashMap<String, u64>,
    tracks: u64,
    failed: Option<io::Error>,
    has_begun: bool,
}

impl Writer {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = StreamFile::create(path)?;
        let (encoded, names) = (Vec::new(), HashMap::new());
        Ok(Self { file, encoded, names, tracks: 0, failed: None, has_begun: false })
    }

    /// A row that holds others.
    pub(super) fn group(&mut self, name: &str) -> Track {
        let pid = i32::try_from(self.tracks + 1).unwrap_or(i32::MAX);
        let process = ProcessDescriptor { pid: Some(pid), process_name: Some(name.to_owned()) };
        self.describe(TrackDescriptor { process: Some(process), ..TrackDescriptor::default() })
    }

    /// A row for slices.
    pub(super) fn track(&mut self, name: &str, parent: Track) -> Track {
        self.describe(TrackDescriptor {
            name: Some(name.to_owned()),
            parent_uuid: Some(parent.0),
            ..TrackDescriptor::default()
        })
    }

    /// A row for a number that changes.
    pub(super) fn counter(&mut self, name: &str, unit: &str, parent: Track) -> Track {
        self.describe(TrackDescriptor {
            name: Some(name.to_owned()),
            parent_uuid: Some(parent.0),
            counter: Some(CounterDescriptor { unit_name: Some(unit.to_owned()) }),
            ..TrackDescriptor::default()
        })
    }

    fn describe(&mut self, descriptor: TrackDescriptor) -> Track {
        self.tracks += 1;
        let track = Track(self.tracks);
        let descriptor = TrackDescriptor { uuid: Some(track.0), ..descriptor };
        self.write(TracePacket { track_descriptor: Some(descriptor), ..TracePacket::default() });
        track
    }

    /// Begins a slice inside of the one that is open, if one is; `flows` are numbers that it shares with others.
    pub(super) fn begin(&mut self, track: Track, time: Time, name: &str, flows: &[u64]) {
        let name = self.intern(name);
        let event = TrackEvent {
            r#type: Some(SLICE_BEGIN),
            name_iid: Some(name),
            track_uuid: Some(track.0),
            flow_ids: flows.to_vec(),
            ..TrackEvent::default()
        };
        self.event(time, event);
    }

    /// Ends the innermost slice that is open.
    pub(super) fn end(&mut self, track: Track, time: Time) {
        let event =
            TrackEvent { r#type: Some(SLICE_END), track_uuid: Some(track.0), ..TrackEvent::default() };
        self.event(time, event);
    }

    /// Sets a number.
    pub(super) fn count(&mut self, track: Track, time: Time, value: i64) {
        let event = TrackEvent {
            r#type: Some(COUNTER),
            track_uuid: Some(track.0),
            counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(time, event);
    }

    /// Sets a number that need not be whole.
    pub(super) fn measure(&mut self, track: Track, time: Time, value: f64) {
        let event = TrackEvent {
            r#type: Some(COUNTER),
            track_uuid: Some(track.0),
            double_counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(time, event);
    }

    fn event(&mut self, time: Time, event: TrackEvent) {
        self.write(TracePacket {
            timestamp: Some(time.femtoseconds() / FEMTOSECONDS_PER_NANOSECOND),
            track_event: Some(event),
            sequence_flags: Some(NEEDS_STATE),
            ..TracePacket::default()
        });
    }

    // Interns a name: it is written once, and has a number from then on.
    fn intern(&mut self, name: &str) -> u64 {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let iid = self.names.len() as u64 + 1;
        self.names.insert(name.to_owned(), iid);
        let event_names = vec![EventName { iid: Some(iid), name: Some(name.to_owned()) }];
        let interned_data = Some(InternedData { event_names });
        self.write(TracePacket {
            interned_data,
            sequence_flags: Some(NEEDS_STATE),
            ..TracePacket::default()
        });
        iid
    }

    fn write(&mut self, mut packet: TracePacket) {
        if self.failed.is_some() {
            return;
        }
        packet.trusted_packet_sequence_id = Some(SEQUENCE);
        if !std::mem::replace(&mut self.has_begun, true) {
            packet.sequence_flags = Some(STATE_CLEARED | packet.sequence_flags.unwrap_or(0));
        }
        self.encoded.clear();
        self.encoded.push(PACKET_KEY);
        self.failed = packet
            .encode_length_delimited(&mut self.encoded)
            .map_err(io::Error::from)
            .and_then(|()| self.file.write_all(&self.encoded))
            .and_then(|()| self.file.end_record())
            .err();
    }

    pub(super) fn complete(self) -> io::Result<()> {
        match self.failed {
            Some(error) => Err(error),
            None => self.file.complete(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::messages::Trace;
    use super::*;

    fn packet(packet: TracePacket) -> TracePacket {
        TracePacket { trusted_packet_sequence_id: Some(1), ..packet }
    }

    fn descriptor(uuid: u64, descriptor: TrackDescriptor) -> TracePacket {
        let track_descriptor = Some(TrackDescriptor { uuid: Some(uuid), ..descriptor });
        packet(TracePacket { track_descriptor, ..TracePacket::default() })
    }

    fn event(nanoseconds: u64, track_event: TrackEvent) -> TracePacket {
        let track_event = Some(track_event);
        let timestamp = Some(nanoseconds);
        packet(TracePacket { timestamp, track_event, sequence_flags: Some(2), ..TracePacket::default() })
    }

    fn at(nanoseconds: u64) -> Time {
        Time::from_femtoseconds(nanoseconds * FEMTOSECONDS_PER_NANOSECOND)
    }

    /// The numbers are those of Perfetto's definitions, not the constants of the writer.
    #[test]
    fn a_trace_has_every_field_of_its_packets() {
        let path = std::env::temp_dir().join(format!("spinach-packets-{}", std::process::id()));
        let mut writer = Writer::create(&path).expect("temporary files can be written");
        let group = writer.group("card");
        let slices = writer.track("core", group);
        let number = writer.counter("queue", "frames", group);
        writer.begin(slices, at(5), "receive", &[7, 9]);
        writer.count(number, at(6), -3);
        writer.measure(number, at(7), 0.5);
        writer.end(slices, at(8));
        writer.begin(slices, at(9), "receive", &[]);
        writer.complete().expect("temporary files can be written");
        let bytes = std::fs::read(&path).expect("it was written");
        std::fs::remove_file(&path).expect("it was written");

        let process = ProcessDescriptor { pid: Some(1), process_name: Some("card".to_owned()) };
        let described = |name: &str, counter| TrackDescriptor {
            uuid: None,
            name: Some(name.to_owned()),
            process: None,
            parent_uuid: Some(1),
            counter,
        };
        let begin = |flow_ids| TrackEvent {
            r#type: Some(1),
            name_iid: Some(1),
            track_uuid: Some(2),
            flow_ids,
            ..TrackEvent::default()
        };
        let end = TrackEvent { r#type: Some(2), track_uuid: Some(2), ..TrackEvent::default() };
        let count = TrackEvent {
            r#type: Some(4),
            track_uuid: Some(3),
            counter_value: Some(-3),
            ..TrackEvent::default()
        };
        let measured = TrackEvent { counter_value: None, double_counter_value: Some(0.5), ..count.clone() };
        let event_names = vec![EventName { iid: Some(1), name: Some("receive".to_owned()) }];
        let expected = vec![
            TracePacket {
                sequence_flags: Some(1),
                ..descriptor(1, TrackDescriptor { process: Some(process), ..TrackDescriptor::default() })
            },
            descriptor(2, described("core", None)),
            descriptor(
                3,
                described("queue", Some(CounterDescriptor { unit_name: Some("frames".to_owned()) })),
            ),
            packet(TracePacket {
                interned_data: Some(InternedData { event_names }),
                sequence_flags: Some(2),
                ..TracePacket::default()
            }),
            event(5, begin(vec![7, 9])),
            event(6, count),
            event(7, measured),
            event(8, end),
            event(9, begin(vec![])),
        ];
        assert_eq!(Trace::decode(bytes.as_slice()).expect("it is a trace").packet, expected);
    }
}
