//! Typed integer ids and the arenas they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An integer that names one entry of one kind of [`Arena`].
pub trait Id: Copy + Eq + fmt::Debug {
    /// The id of entry `index`.
    fn from_index(index: usize) -> Self;
    /// The position of this entry in its arena.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident),+ $(,)?) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 entries"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// A module of a design.
    ModuleId,
    /// A clock domain of a design.
    DomainId,
    /// A connection between an output and an input.
    ChannelId,
    /// A group of outputs of one module that evaluate together.
    ProcessId,
    /// A port among the ports that one kind of module declares.
    PortId,
}

/// A growing list whose entries are named by ids of type `I`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arena<I, T> {
    entries: Vec<T>,
    ids: PhantomData<fn() -> I>,
}

impl<I: Id, T> Arena<I, T> {
    /// An arena without entries.
    pub fn new() -> Self {
        Self { entries: Vec::new(), ids: PhantomData }
    }

    /// Adds an entry and names it.
    pub fn push(&mut self, entry: T) -> I {
        let id = I::from_index(self.entries.len());
        self.entries.push(entry);
        id
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if the arena is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Every id with its entry, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, entry)| (I::from_index(index), entry))
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.entries.len()).map(I::from_index)
    }

    /// Every entry, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// Every entry, in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// The entry named `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }
}

impl<I: Id, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for Arena<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(entries: S) -> Self {
        Self { entries: entries.into_iter().collect(), ids: PhantomData }
    }
}
