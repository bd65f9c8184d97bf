//! The kinds of modules that designs can be made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{AnyKind, KindArena};
use crate::contract::Module;
use crate::contract::declaration::Declaration;
use crate::elaborating::Library;

// One registered kind.
struct Entry {
    declaration: Arc<Declaration>,
    new_arena: fn() -> Box<dyn AnyKind>,
}

/// A library of module kinds, by name.
#[derive(Default)]
pub struct Registry {
    kinds: BTreeMap<&'static str, Entry>,
}

impl Registry {
    /// A library without any kind.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a kind. The declared name must not be taken.
    ///
    /// # Panics
    /// If it is: two kinds of one name are a mistake in the library, not of a user.
    pub fn register<M: Module>(&mut self) {
        let declaration = M::declaration();
        let kind = declaration.kind;
        let entry =
            Entry { declaration: Arc::new(declaration), new_arena: || Box::new(KindArena::<M>::new()) };
        assert!(self.kinds.insert(kind, entry).is_none(), "two kinds of modules are called {kind:?}");
    }

    /// What each kind declares, by name.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.kinds.values().map(|entry| entry.declaration.as_ref())
    }

    /// The names of all kinds.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.kinds.keys().copied()
    }
}

impl Library for Registry {
    type Kind = dyn AnyKind;

    fn declaration(&self, name: &str) -> Option<&Arc<Declaration>> {
        self.kinds.get(name).map(|entry| &entry.declaration)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.keys().copied()
    }

    fn make(&self, name: &str) -> Option<Box<dyn AnyKind>> {
        self.kinds.get(name).map(|entry| (entry.new_arena)())
    }
}
