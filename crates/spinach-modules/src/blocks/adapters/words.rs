//! Streams of words.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use spinach_plugin::{Block, Stream};

use super::{HELD_VALUES, check_stable, driven, is_accepted};

/// Words on their way into a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct WordSource {
    words: VecDeque<u64>,
}

impl WordSource {
    pub(in crate::blocks) fn has_room(&self) -> bool {
        self.words.len() < HELD_VALUES
    }

    pub(in crate::blocks) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(in crate::blocks) fn take(&mut self, word: u64) {
        self.words.push_back(word);
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, stream: &Stream) {
        block.set(stream.valid, u64::from(!self.words.is_empty()));
        block.set(stream.data, self.words.front().copied().unwrap_or(0));
        if let Some(last) = stream.last {
            block.set(last, 1);
        }
    }

    pub(in crate::blocks) fn advance(&mut self, block: &Block, stream: &Stream) {
        if is_accepted(block, stream) {
            self.words.pop_front();
        }
    }
}

/// Words that have left a block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::blocks) struct WordSink {
    words: VecDeque<u64>,
    waiting: Option<Vec<u64>>,
}

impl WordSink {
    pub(in crate::blocks) fn front(&self) -> Option<u64> {
        self.words.front().copied()
    }

    pub(in crate::blocks) fn pop(&mut self) {
        self.words.pop_front();
    }

    pub(in crate::blocks) fn drive(&self, block: &mut Block, stream: &Stream) {
        if let Some(ready) = stream.ready {
            block.set(ready, u64::from(self.words.len() < HELD_VALUES));
        }
    }

    /// Takes what the block presents.
    ///
    /// # Errors
    /// If the block breaks the protocol, or does not wait although the receiver refuses.
    pub(in crate::blocks) fn advance(&mut self, block: &Block, stream: &Stream) -> Result<(), String> {
        check_stable(block, stream, self.waiting.take().as_deref())?;
        if block.get(stream.valid) == 0 {
            return Ok(());
        }
        if self.words.len() < HELD_VALUES {
            self.words.push_back(block.get(stream.data));
        } else if stream.ready.is_some() {
            self.waiting = Some(driven(block, stream));
        } else {
            return Err(format!("{} has no `ready`, and its receiver does not accept a word", stream.name));
        }
        Ok(())
    }
}
