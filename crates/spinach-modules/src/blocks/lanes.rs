//! Lanes of a block: their names in the library, and their adapters.

use serde::{Deserialize, Serialize};
use spinach_engine::Payloads;
use spinach_plugin::{Block, Description, Memory, Stream};

use super::adapters::{BlockInitiator, BlockTarget, FrameSink, FrameSource, WordSink, WordSource};

/// Streams and memory ports of a library, in the order of the lanes of each port.
pub(super) struct Bindings {
    pub(super) frames_in: Vec<Stream>,
    pub(super) frames_out: Vec<Stream>,
    pub(super) words_in: Vec<Stream>,
    pub(super) words_out: Vec<Stream>,
    pub(super) initiators: Vec<Memory>,
    pub(super) targets: Vec<Memory>,
}

impl Bindings {
    pub(super) fn new(description: &Description) -> Self {
        let streams = |carries_frames: bool, is_input: bool| {
            let all = description.streams.iter();
            all.filter(|stream| stream.carries_frames == carries_frames && stream.is_input == is_input)
                .cloned()
                .collect()
        };
        let memories = |is_initiator: bool| {
            description
                .memories
                .iter()
                .filter(|memory| memory.is_initiator == is_initiator)
                .cloned()
                .collect()
        };
        Self {
            frames_in: streams(true, true),
            frames_out: streams(true, false),
            words_in: streams(false, true),
            words_out: streams(false, false),
            initiators: memories(true),
            targets: memories(false),
        }
    }

    /// Checks that each has a lane; `lanes` are those of the ports, in the order of the fields.
    ///
    /// # Errors
    /// If one is not connected, or if there are more lanes.
    pub(super) fn check(&self, lanes: [usize; 6]) -> Result<(), String> {
        let streams =
            |streams: &[Stream]| streams.iter().map(|stream| stream.name.clone()).collect::<Vec<_>>();
        let memories =
            |memories: &[Memory]| memories.iter().map(|memory| memory.name.clone()).collect::<Vec<_>>();
        let expected = [
            ("frame_in", streams(&self.frames_in)),
            ("frame_out", streams(&self.frames_out)),
            ("word_in", streams(&self.words_in)),
            ("word_out", streams(&self.words_out)),
            ("memory", memories(&self.initiators)),
            ("registers", memories(&self.targets)),
        ];
        for ((port, names), lanes) in expected.into_iter().zip(lanes) {
            if let Some(missing) = names.get(lanes) {
                return Err(format!("{missing} is not connected ({port}[{lanes}])"));
            }
            if lanes > names.len() {
                return Err(format!("{port} has {} lanes, not {lanes}", names.len()));
            }
        }
        Ok(())
    }
}

/// State of all lanes with handshake.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Adapters {
    pub(super) frame_sources: Vec<FrameSource>,
    pub(super) frame_sinks: Vec<FrameSink>,
    pub(super) word_sources: Vec<WordSource>,
    pub(super) word_sinks: Vec<WordSink>,
    pub(super) initiators: Vec<BlockInitiator>,
    pub(super) targets: Vec<BlockTarget>,
}

impl Adapters {
    pub(super) fn new(bindings: &Bindings) -> Self {
        Self {
            frame_sources: vec![FrameSource::default(); bindings.frames_in.len()],
            frame_sinks: vec![FrameSink::default(); bindings.frames_out.len()],
            word_sources: vec![WordSource::default(); bindings.words_in.len()],
            word_sinks: vec![WordSink::default(); bindings.words_out.len()],
            initiators: bindings.initiators.iter().map(BlockInitiator::new).collect(),
            targets: bindings.targets.iter().map(BlockTarget::new).collect(),
        }
    }

    pub(super) fn sizes(&self) -> [usize; 6] {
        [
            self.frame_sources.len(),
            self.frame_sinks.len(),
            self.word_sources.len(),
            self.word_sinks.len(),
            self.initiators.len(),
            self.targets.len(),
        ]
    }

    /// True if nothing is on its way into the block or out of it.
    pub(super) fn is_empty(&self) -> bool {
        self.frame_sources.iter().all(FrameSource::is_empty)
            && self.frame_sinks.iter().all(FrameSink::is_empty)
            && self.word_sources.iter().all(WordSource::is_empty)
            && self.word_sinks.iter().all(|sink| sink.front().is_none())
            && self.initiators.iter().all(BlockInitiator::is_empty)
            && self.targets.iter().all(BlockTarget::is_empty)
    }

    /// Sets the inputs of the block.
    pub(super) fn drive(&self, block: &mut Block, bindings: &Bindings, payloads: &Payloads) {
        for (source, stream) in self.frame_sources.iter().zip(&bindings.frames_in) {
            source.drive(block, stream, payloads);
        }
        self.frame_sinks
            .iter()
            .zip(&bindings.frames_out)
            .for_each(|(sink, stream)| sink.drive(block, stream));
        self.word_sources
            .iter()
            .zip(&bindings.words_in)
            .for_each(|(source, stream)| source.drive(block, stream));
        self.word_sinks.iter().zip(&bindings.words_out).for_each(|(sink, stream)| sink.drive(block, stream));
        for (initiator, memory) in self.initiators.iter().zip(&bindings.initiators) {
            initiator.drive(block, memory);
        }
        self.targets.iter().zip(&bindings.targets).for_each(|(target, memory)| target.drive(block, memory));
    }

    /// Moves the values that the settled block accepts and presents.
    ///
    /// # Errors
    /// If the block breaks a protocol.
    pub(super) fn advance(
        &mut self,
        block: &Block,
        bindings: &Bindings,
        payloads: &mut Payloads,
    ) -> Result<(), String> {
        for (source, stream) in self.frame_sources.iter_mut().zip(&bindings.frames_in) {
            source.advance(block, stream, payloads);
        }
        for (sink, stream) in self.frame_sinks.iter_mut().zip(&bindings.frames_out) {
            sink.advance(block, stream, payloads)?;
        }
        for (source, stream) in self.word_sources.iter_mut().zip(&bindings.words_in) {
            source.advance(block, stream);
        }
        for (sink, stream) in self.word_sinks.iter_mut().zip(&bindings.words_out) {
            sink.advance(block, stream)?;
        }
        for (initiator, memory) in self.initiators.iter_mut().zip(&bindings.initiators) {
            initiator.advance(block, memory)?;
        }
        for (target, memory) in self.targets.iter_mut().zip(&bindings.targets) {
            target.advance(block, memory);
        }
        Ok(())
    }
}
