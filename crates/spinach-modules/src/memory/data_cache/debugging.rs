//! Debugger questions to a data cache, by [`spinach_engine::Simulation::ask`].

use super::{DataCache, Purpose};
use crate::values::Reference;

/// A question to a cache of data, and its answer.
#[derive(Clone, Copy, Debug)]
pub struct CacheRequest {
    /// Question.
    pub question: CacheQuestion,
    /// Answer; `None` if the module is not a data cache.
    pub answer: Option<CacheAnswer>,
}

/// Question of a debugger.
#[derive(Clone, Copy, Debug)]
pub enum CacheQuestion {
    /// Tests if no transfer to or from the memory is under way.
    IsAtRest,
    /// The byte that the initiator would read at this address.
    Load(u64),
    /// Replaces the byte at this address. The caller writes the memory separately.
    Store(u64, u8),
}

/// Answer of a data cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheAnswer {
    /// Answer to [`CacheQuestion::IsAtRest`].
    AtRest(bool),
    /// The byte is here: its value, or the one that it has now.
    Held(u8),
    /// The byte is not here: the memory's counts.
    NotHeld,
    /// The byte is on its way to the memory, where it would overwrite a present write.
    Leaving,
}

impl DataCache {
    pub(super) fn answer_debugger(&mut self, question: CacheQuestion) -> CacheAnswer {
        match question {
            CacheQuestion::IsAtRest => CacheAnswer::AtRest(self.is_calm() && self.state.answers.is_empty()),
            CacheQuestion::Load(address) => {
                self.held_byte(address).map_or(CacheAnswer::NotHeld, CacheAnswer::Held)
            }
            CacheQuestion::Store(address, _) if self.is_leaving(address) => CacheAnswer::Leaving,
            CacheQuestion::Store(address, value) => self.replace_byte(address, value),
        }
    }

    fn held_byte(&self, address: u64) -> Option<u8> {
        if !self.is_cacheable(address) {
            return None;
        }
        let offset = self.shape.offset_in_line(address);
        if let Some(slot) = self.state.lines.find(&self.shape, address) {
            return Some(self.state.lines.part(self.shape, slot, offset, 1) as u8);
        }
        let fill = &self.state.fills[self.fill_of(address)?];
        let is_here = (fill.known & !fill.missing) >> offset & 1 != 0;
        is_here.then(|| fill.bytes.load(offset, 1).unwrap_or_default() as u8)
    }

    fn replace_byte(&mut self, address: u64, value: u8) -> CacheAnswer {
        let offset = self.shape.offset_in_line(address);
        if let Some(slot) = self.state.lines.find(&self.shape, address) {
            self.state.lines.fill(self.shape, slot, offset, 1, value.into());
        } else if let Some(fill) = self.fill_of(address) {
            self.state.fills[fill].put(self.shape, &Reference::write(address, 1, value.into()));
        } else {
            return CacheAnswer::NotHeld;
        }
        CacheAnswer::Held(value)
    }

    fn fill_of(&self, address: u64) -> Option<usize> {
        let line = self.shape.line_address(address);
        self.state.fills.iter().position(|fill| fill.line == line)
    }

    fn is_leaving(&self, address: u64) -> bool {
        let line = self.shape.line_address(address);
        let queued = self.state.queue.iter().map(|query| &query.purpose);
        queued.chain(&self.state.asked).any(|purpose| match purpose {
            Purpose::Flush(start, _) | Purpose::Store(start) => self.shape.line_address(*start) == line,
            Purpose::Part(_) | Purpose::Answer(_) => false,
        })
    }
}
