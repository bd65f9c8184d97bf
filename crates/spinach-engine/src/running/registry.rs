//! The kinds of modules that designs can be made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{AnyKind, KindArena};
use super::fused::{AnyFusion, FusionArena};
use crate::contract::declaration::Declaration;
use crate::contract::parameter::ResolvedParameters;
use crate::contract::{Fusion, Module};
use crate::elaborating::Library;

// One registered kind.
struct Entry {
    declaration: Arc<Declaration>,
    /// The parameter that chooses among the implementations, if there are several.
    chooser: Option<&'static str>,
    /// Constructors of arenas, by the value of that parameter.
    implementations: BTreeMap<&'static str, fn() -> Box<dyn AnyKind>>,
}

/// A library of module kinds, by name.
#[derive(Default)]
pub struct Registry {
    kinds: BTreeMap<&'static str, Entry>,
    /// Constructor of the arena of each kind of fusion.
    fusions: Vec<fn() -> Box<dyn AnyFusion>>,
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
        let kind = M::declaration().kind;
        assert!(!self.kinds.contains_key(kind), "two kinds of modules are called {kind:?}");
        self.add::<M>(None, "");
    }

    /// Adds an implementation of a kind that has several, of which the text parameter `chooser` chooses one by its `name`. All of
    /// them declare the same.
    ///
    /// # Panics
    /// If an implementation of that name is there already, or another parameter chooses: a mistake in the library.
    pub fn register_choice<M: Module>(&mut self, chooser: &'static str, name: &'static str) {
        self.add::<M>(Some(chooser), name);
    }

    /// Registers a kind of fusion, applied wherever a design connects modules as it requires, unless an earlier kind takes them.
    pub fn register_fusion<F: Fusion>(&mut self) {
        self.fusions.push(|| Box::new(FusionArena::<F>::new()));
    }

    // Room for each sort of fusion.
    pub(super) fn fusions(&self) -> Vec<Box<dyn AnyFusion>> {
        self.fusions.iter().map(|new_arena| new_arena()).collect()
    }

    fn add<M: Module>(&mut self, chooser: Option<&'static str>, name: &'static str) {
        let declaration = M::declaration();
        let entry = self.kinds.entry(declaration.kind).or_insert_with(|| Entry {
            declaration: Arc::new(declaration),
            chooser,
            implementations: BTreeMap::new(),
        });
        assert_eq!(entry.chooser, chooser, "one parameter chooses the implementation");
        let previous = entry.implementations.insert(name, || Box::new(KindArena::<M>::new()));
        assert!(
            previous.is_none(),
            "two implementations of {:?} are called {name:?}",
            entry.declaration.kind
        );
    }

    /// Declaration of each kind, by name.
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

    fn implementation(&self, name: &str, parameters: &ResolvedParameters) -> Option<&'static str> {
        let entry = self.kinds.get(name)?;
        let chosen = match entry.chooser {
            Some(parameter) => parameters.text(parameter)?,
            None => "",
        };
        entry.implementations.get_key_value(chosen).map(|(name, _)| *name)
    }

    fn make(&self, name: &str, implementation: &str) -> Option<Box<dyn AnyKind>> {
        let implementations = &self.kinds.get(name)?.implementations;
        implementations.get(implementation).map(|new_arena| new_arena())
    }
}
