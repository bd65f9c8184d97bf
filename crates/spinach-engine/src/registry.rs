//! The kinds of modules that designs can be made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::arena::{AnyKind, KindArena};
use crate::declaration::Declaration;
use crate::module::Module;

/// One registered kind.
pub(crate) struct Kind {
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) new_arena: fn() -> Box<dyn AnyKind>,
}

/// A library of module kinds, by name.
#[derive(Default)]
pub struct Registry {
    kinds: BTreeMap<&'static str, Kind>,
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
            Kind { declaration: Arc::new(declaration), new_arena: || Box::new(KindArena::<M>::new()) };
        assert!(self.kinds.insert(kind, entry).is_none(), "two kinds of modules are called {kind:?}");
    }

    /// What each kind declares, by name.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration> {
        self.kinds.values().map(|kind| kind.declaration.as_ref())
    }

    /// The names of all kinds.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.kinds.keys().copied()
    }

    pub(crate) fn get(&self, kind: &str) -> Option<&Kind> {
        self.kinds.get(kind)
    }
}
