//! Reading the journeys of frames back from a timeline.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use prost::Message;

use super::JOURNEYS;
use super::messages::{SLICE_BEGIN, SLICE_END, Trace, TracePacket};

/// The journey of a frame, as a timeline has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadJourney {
    /// Name in the timeline.
    pub name: String,
    /// When it begins, in nanoseconds.
    pub begin_ns: u64,
    /// Duration in nanoseconds.
    pub duration_ns: u64,
    /// Its stages: what the frame had moved through last, and for how long it then did not move on.
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
    let bytes = std::fs::read(path)?;
    let trace = Trace::decode(bytes.as_slice())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not a Perfetto trace"))?;
    let mut reader = Reader::default();
    for packet in &trace.packet {
        reader.take(packet);
    }
    Ok(reader.journeys)
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
