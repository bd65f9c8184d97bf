//! Frames of a wire as messages of SimBricks. Layouts are those of `lib/simbricks/network/proto.h`.

use spinach_engine::{ModuleId, Simulation, Time};
use spinach_modules::traffic::live_frames::{EXPECT, SEND};

use super::channel::Message;
use super::handshake::Upper;
use super::queue::Queue;
use super::upper::{Carrier, number};
use crate::live::{DELIVERED, Entrance, HEADER_BYTES, Passage, counter};

const PROTOCOL: u64 = 1;
const FRAME: u8 = 0x40;
/// Bytes of the longest frame.
const LONGEST_FRAME: u64 = 9216;
/// Maximum number of frames that wait for the link; more are dropped.
const MOST_WAITING: usize = 4096;

/// A wire.
pub(super) struct Wire {
    entrance: Entrance,
    passage: Passage,
    delivered: u64,
    capacity: usize,
}

impl Wire {
    pub(super) fn new(entrance: Entrance) -> Self {
        let passage = Passage { device: entrance.device.clone(), missed: Some(0), ..Passage::default() };
        Self { entrance, passage, delivered: 0, capacity: 0 }
    }
}

impl Carrier for Wire {
    fn upper(&mut self, _: &mut Simulation) -> Result<Option<Upper>, String> {
        Ok(Some(Upper { number: PROTOCOL, introduction: vec![0; 4], payload: LONGEST_FRAME }))
    }

    fn fit(&mut self, _: usize, outgoing: usize) {
        self.capacity = outgoing;
    }

    fn stops_at(&self) -> Option<(ModuleId, &'static str, u64)> {
        None
    }

    fn collect(
        &mut self,
        simulation: &mut Simulation,
        is_open: bool,
    ) -> Result<Vec<(Time, Message)>, String> {
        let delivered = counter(simulation, self.entrance.exit, DELIVERED);
        if delivered == self.delivered {
            return Ok(Vec::new());
        }
        self.delivered = delivered;
        let module = simulation.outside(self.entrance.exit);
        let module = module.ok_or("a module that hands frames out has no way to do it")?;
        let mut messages = Vec::new();
        while let Some(out) = module.export(0) {
            let length = u16::try_from(out.message.len()).ok();
            let length = length.filter(|length| usize::from(*length) <= self.capacity);
            match length {
                Some(length) if is_open => {
                    self.passage.sent += 1;
                    let fields = length.to_le_bytes().to_vec();
                    messages.push((out.time, Message { kind: FRAME, fields, payload: out.message }));
                }
                _ => {
                    let reason = if is_open { "oversize" } else { "no_peer" };
                    *self.passage.dropped_outward.entry(reason).or_default() += 1;
                }
            }
        }
        Ok(messages)
    }

    fn take(&mut self, simulation: &mut Simulation, kind: u8, queue: &Queue) -> Result<(), String> {
        if kind != FRAME {
            return Err(format!("a message of type {kind:#04x}, which is not of Ethernet"));
        }
        let length = number(&queue.fields(), 0, 2) as usize;
        let frame = queue.payload(length).ok_or(format!("a frame of {length} bytes in a smaller slot"))?;
        let source = self.entrance.source;
        let waiting = simulation.outside(source).map_or(0, |module| module.waiting(SEND));
        let reason = if length < HEADER_BYTES {
            "runt"
        } else if length > self.entrance.longest {
            "oversize"
        } else if waiting >= MOST_WAITING {
            "no_room"
        } else {
            self.passage.received += 1;
            for (module, lane) in [(self.entrance.sink, EXPECT), (source, SEND)] {
                let module = simulation.outside(module);
                module.ok_or("a module that takes frames in has no way to do it")?.inject(lane, &frame)?;
            }
            return Ok(());
        };
        *self.passage.dropped_inward.entry(reason).or_default() += 1;
        Ok(())
    }

    fn is_vital(&self) -> bool {
        false
    }

    fn is_awaited(&self) -> bool {
        false
    }

    fn passage(&self) -> Option<(&Entrance, &Passage)> {
        Some((&self.entrance, &self.passage))
    }
}
