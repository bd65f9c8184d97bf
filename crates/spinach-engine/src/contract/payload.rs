//! Values too long to copy through channels, such as frames: stored once, passed by handle.

use serde::{Deserialize, Serialize};

/// Names a stored value; travels through channels in place of the bytes. The number itself means nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Payload(u32);

impl Payload {
    /// The handle as a number, to be packed into a channel's word.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The handle that [`Payload::to_bits`] packed.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// The store of all payloads. A payload never changes; its last holder removes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Payloads {
    entries: Vec<Option<Box<[u8]>>>,
    free: Vec<u32>,
    /// Copies of payloads removed at the present instant, for observers that look at it afterwards. Handles are reused at once, with
    /// or without observers.
    #[serde(skip)]
    removed: Vec<(Payload, Box<[u8]>)>,
    #[serde(skip)]
    keeps_removed: bool,
}

impl Payloads {
    /// Stores `bytes` and names them.
    pub fn insert(&mut self, bytes: impl Into<Box<[u8]>>) -> Payload {
        let bytes = Some(bytes.into());
        if let Some(index) = self.free.pop() {
            self.entries[index as usize] = bytes;
            return Payload(index);
        }
        self.entries.push(bytes);
        Payload(u32::try_from(self.entries.len() - 1).expect("fewer than 2^32 payloads are in flight"))
    }

    /// The bytes of a payload; empty if it was taken out already.
    pub fn get(&self, payload: Payload) -> &[u8] {
        self.entries.get(payload.0 as usize).and_then(Option::as_deref).unwrap_or_default()
    }

    /// Takes a payload out of the store; its handle may be given to another from now on.
    pub fn remove(&mut self, payload: Payload) -> Option<Box<[u8]>> {
        let bytes = self.entries.get_mut(payload.0 as usize)?.take()?;
        self.free.push(payload.0);
        if self.keeps_removed {
            self.removed.push((payload, bytes.clone()));
        }
        Some(bytes)
    }

    /// Begins an instant. Payloads that it removes stay readable if it is observed.
    pub(crate) fn begin_instant(&mut self, is_observed: bool) {
        self.removed.clear();
        self.keeps_removed = is_observed;
    }

    /// Ends an instant that was observed.
    pub(crate) fn end_instant(&mut self) {
        self.keeps_removed = false;
    }

    /// The bytes that a payload had when the present instant began: those that its handle means in the channels of this instant.
    pub(crate) fn at_beginning(&self, payload: Payload) -> &[u8] {
        // A handle that was removed twice was given to another payload in between.
        let first = self.removed.iter().find(|(removed, _)| *removed == payload);
        first.map_or_else(|| self.get(payload), |(_, bytes)| bytes)
    }

    /// True if insertions and removals can have produced this store: exactly the empty entries are free, each once. Untrusted
    /// files may contain other stores.
    pub(crate) fn is_consistent(&self) -> bool {
        let mut is_free = vec![false; self.entries.len()];
        let all_known = self
            .free
            .iter()
            .all(|index| is_free.get_mut(*index as usize).is_some_and(|free| !std::mem::replace(free, true)));
        all_known && self.entries.iter().zip(is_free).all(|(entry, free)| entry.is_none() == free)
    }

    /// Number of stored payloads.
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// True if the store is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observers_read_what_an_instant_removes_and_change_no_handle() {
        let mut observed = Payloads::default();
        let mut plain = Payloads::default();
        for (payloads, is_observed) in [(&mut observed, true), (&mut plain, false)] {
            let first = payloads.insert([1]);
            payloads.begin_instant(is_observed);
            payloads.remove(first);
            assert_eq!(payloads.insert([2]), first);
            payloads.remove(first);
            assert_eq!(payloads.insert([3]), first);
        }
        let handle = Payload::from_bits(0);
        assert_eq!((observed.at_beginning(handle), observed.get(handle)), (&[1][..], &[3][..]));
        assert_eq!(postcard::to_stdvec(&observed), postcard::to_stdvec(&plain));
        observed.begin_instant(true);
        assert_eq!(observed.at_beginning(handle), [3]);
    }

    #[test]
    fn a_store_out_of_a_file_is_consistent_only_if_insertions_and_removals_can_have_made_it() {
        let mut payloads = Payloads::default();
        let first = payloads.insert([1, 2, 3]);
        payloads.insert([4]);
        payloads.remove(first);
        assert!(payloads.is_consistent());
        let held = || Some(Box::from([4]));
        for (entries, free) in [
            (vec![held()], vec![1]),          // beyond the end
            (vec![held()], vec![0]),          // free and held
            (vec![None], vec![]),             // neither
            (vec![None, held()], vec![0, 0]), // free twice
        ] {
            assert!(!Payloads { entries, free, ..Payloads::default() }.is_consistent());
        }
    }
}
