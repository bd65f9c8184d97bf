//! Notes of modules for a listener outside, such as the writer of an instruction trace.

use crate::ids::ModuleId;
use crate::time::Time;

/// Maximum number of notes that wait for their listener.
const PENDING: usize = 4096;

/// A note of a module. Module and listener agree on the meaning of its words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// Module that wrote the note.
    pub module: ModuleId,
    /// Cycle of the clock at whose edge it happens.
    pub cycle: u64,
    /// Time of the edge at which it was made: an earlier one if the module acts ahead of time.
    pub time: Time,
    /// Content of the note.
    pub words: [u64; 3],
}

/// Receives the notes of modules. Unlike an observer it keeps no module awake.
pub trait Listener: Send {
    /// Takes the next notes, in the order in which they were made.
    fn hear(&mut self, notes: &[Note]);
}

/// The notes on their way to a listener. Without one, nothing is kept.
#[derive(Default)]
pub(crate) struct Notes {
    listener: Option<Box<dyn Listener>>,
    pending: Vec<Note>,
}

impl Notes {
    pub(crate) fn listen(&mut self, listener: Option<Box<dyn Listener>>) -> Option<Box<dyn Listener>> {
        self.deliver();
        std::mem::replace(&mut self.listener, listener)
    }

    #[inline]
    pub(crate) fn is_heard(&self) -> bool {
        self.listener.is_some()
    }

    #[inline]
    pub(crate) fn push(&mut self, note: Note) {
        self.pending.push(note);
        if self.pending.len() >= PENDING {
            self.deliver();
        }
    }

    pub(crate) fn deliver(&mut self) {
        if let Some(listener) = &mut self.listener
            && !self.pending.is_empty()
        {
            listener.hear(&self.pending);
        }
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::ids::Id;

    struct Keeper(Arc<Mutex<Vec<u64>>>);

    impl Listener for Keeper {
        fn hear(&mut self, notes: &[Note]) {
            self.0.lock().unwrap().extend(notes.iter().map(|note| note.words[0]));
        }
    }

    fn note(word: u64) -> Note {
        Note { module: ModuleId::from_index(0), cycle: word, time: Time::ZERO, words: [word, 0, 0] }
    }

    #[test]
    fn notes_arrive_once_and_in_order() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut notes = Notes::default();
        assert!(!notes.is_heard());
        assert!(notes.listen(Some(Box::new(Keeper(Arc::clone(&heard))))).is_none());
        let count = 2 * PENDING as u64 + 5;
        (0..count).for_each(|word| notes.push(note(word)));
        assert_eq!(heard.lock().unwrap().len(), 2 * PENDING, "no more than that wait");
        assert!(notes.listen(None).is_some());
        assert_eq!(*heard.lock().unwrap(), (0..count).collect::<Vec<_>>());
        assert!(!notes.is_heard());
    }
}
