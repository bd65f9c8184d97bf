//! Reader of the journeys of frames in a timeline.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use prost::Message;

use super::JOURNEYS;
use super::messages::{PACKET_KEY, SLICE_BEGIN, SLICE_END, TracePacket};

/// Bytes of the largest packet that is read.
const LARGEST_PACKET: u64 = 1 << 24;

/// The journey of a frame, as a timeline has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadJourney {
    /// Name in the timeline.
    pub name: String,
    /// Begin, in nanoseconds.
    pub begin_ns: u64,
    /// Duration in nanoseconds.
    pub duration_ns: u64,
    /// Its stages: the last channel that the frame had moved through, and the time until it moved on.
    pub stages: Vec<(String, u64)>,
}

#[derive(Default)]
struct Lane {
    open: Vec<(String, u64)>,
    stages: Vec<(String, u64)>,
}

/// The journeys in the timeline `path`, in the order of their ends.
///
/// # Errors
/// If it cannot be read or is not a timeline.
pub fn journeys_of(path: &Path) -> io::Result<Vec<ReadJourney>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut reader = Reader::default();
    let mut bytes = Vec::new();
    while let Some(length) = next_length(&mut file)? {
        bytes.clear();
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        let packet = TracePacket::decode(bytes.as_slice()).map_err(|_| no_trace())?;
        reader.take(&packet);
    }
    Ok(reader.journeys)
}

/// Length of the next packet: a trace is a sequence of packets, each after its key and its length. Nothing at the end.
fn next_length(file: &mut impl BufRead) -> io::Result<Option<u64>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let key = varint(file)?;
    let length = varint(file)?;
    if key != u64::from(PACKET_KEY) || length > LARGEST_PACKET { Err(no_trace()) } else { Ok(Some(length)) }
}

fn varint(file: &mut impl BufRead) -> io::Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        file.read_exact(&mut byte).map_err(|_| no_trace())?;
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(no_trace())
}

fn no_trace() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not a trace of Perfetto")
}

#[derive(Default)]
struct Reader {
    names: HashMap<u64, String>,
    group: Option<u64>,
    lanes: HashMap<u64, Lane>,
    journeys: Vec<ReadJourney>,
}

impl Reader {
    fn take(&mut self, packet: &TracePacket) {
        if let Some(interned) = &packet.interned_data {
            let names = interned.event_names.iter().filter_map(|name| Some((name.iid?, name.name.clone()?)));
            self.names.extend(names);
        }
        if let Some(track) = &packet.track_descriptor
            && let Some(uuid) = track.uuid
        {
            let process = track.process.as_ref().and_then(|process| process.process_name.as_deref());
            if process == Some(JOURNEYS) {
                self.group = Some(uuid);
            } else if track.parent_uuid.is_some() && track.parent_uuid == self.group {
                self.lanes.insert(uuid, Lane::default());
            }
        }
        let Some(event) = &packet.track_event else { return };
        let (Some(track), Some(time)) = (event.track_uuid, packet.timestamp) else { return };
        let Some(lane) = self.lanes.get_mut(&track) else { return };
        match event.r#type {
            Some(SLICE_BEGIN) => {
                let name = event.name_iid.and_then(|iid| self.names.get(&iid)).cloned();
                lane.open.push((name.unwrap_or_default(), time));
            }
            Some(SLICE_END) => {
                let Some((name, begin_ns)) = lane.open.pop() else { return };
                let duration_ns = time.saturating_sub(begin_ns);
                if lane.open.is_empty() {
                    let stages = std::mem::take(&mut lane.stages);
                    self.journeys.push(ReadJourney { name, begin_ns, duration_ns, stages });
                } else {
                    lane.stages.push((name, duration_ns));
                }
            }
            _ => {}
        }
    }
}
