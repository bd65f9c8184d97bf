//! References to the window through configuration space, for a host that cannot reach memory space (virtio 1.2, section 4.1.4.9).

use serde::{Deserialize, Serialize};

use crate::values::{Access, Reference};

/// Word of the capability whose references the function makes in the window.
pub(super) const DATA: usize = 4;

const REGISTER: usize = 0;
const OFFSET: usize = 1;
const LENGTH: usize = 2;

/// Words that the host has written to the capability, and its reference to the window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Indirect {
    // Words 1 to 3 of the capability: the number of a base address register, an offset and a length.
    words: [u32; 3],
    /// A reference that has not left, by its offset in the window.
    pub(super) asked: Option<Reference>,
    /// Bytes of the answer of configuration space to it, which is due; 0 if none is.
    pub(super) due: u8,
}

impl Indirect {
    /// A word of the capability, if the host can write it.
    pub(super) fn word(&self, index: usize) -> Option<u32> {
        self.words.get(index.checked_sub(1)?).copied()
    }

    /// Writes the bits of `mask` of a word.
    pub(super) fn write(&mut self, index: usize, word: u32, mask: u32) {
        let writable = if index == REGISTER + 1 { mask & 0xff } else { mask };
        if let Some(content) = index.checked_sub(1).and_then(|index| self.words.get_mut(index)) {
            *content = *content & !writable | word & writable;
        }
    }

    /// Restores the state after power-on; a reference under way is still answered.
    pub(super) fn reset(&mut self) {
        self.words = [0; 3];
    }

    /// Makes the reference that the words describe, on behalf of one of `size` bytes; false if the window has no such place.
    pub(super) fn ask(&mut self, access: Access, data: u32, size: u8, window: u64) -> bool {
        let (offset, length) = (self.words[OFFSET], self.words[LENGTH]);
        let is_there = self.words[REGISTER] == 0
            && matches!(length, 1 | 2 | 4)
            && offset.is_multiple_of(length)
            && u64::from(offset) < window;
        if is_there {
            self.asked = Some(Reference {
                address: offset.into(),
                access,
                size: length as u8,
                data: u128::from(data) & ((1 << (8 * length)) - 1),
                enables: (1 << length) - 1,
                ..Reference::default()
            });
            self.due = size;
        }
        is_there
    }
}
