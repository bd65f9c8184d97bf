//! Signals inside a block, out of the text that it writes in the format VCD (IEEE 1364-2005, chapter 18).

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use serde::ser::{SerializeStruct, SerializeTuple};
use serde::{Serialize, Serializer};

/// Names of signals and scopes: those of fields in serde last as long as the process. Each is kept once.
static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

fn kept(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    names.get(name).copied().unwrap_or_else(|| {
        let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
        names.insert(kept);
        kept
    })
}

/// The words of a signal.
#[derive(Clone, Copy)]
struct Place {
    first: usize,
    width: usize,
}

impl Place {
    fn words(self) -> usize {
        self.width.div_ceil(64)
    }
}

enum Node {
    Scope(&'static str, Vec<Self>),
    Signal(&'static str, Place),
}

/// Signals inside a block, with their values.
#[derive(Default)]
pub struct Inside {
    nodes: Vec<Node>,
    words: Vec<u64>,
    places: HashMap<String, Place>,
}

impl Inside {
    /// Takes more text: declarations, then changes of values.
    pub(crate) fn read(&mut self, text: &str) {
        let mut changes = text;
        if let Some((declarations, rest)) = text.split_once("$enddefinitions") {
            *self = Self::default();
            self.declare(declarations);
            changes = rest;
        }
        for line in changes.lines() {
            let line = line.trim();
            let (bits, code) = match line.strip_prefix('b') {
                Some(vector) => vector.split_once(' ').unwrap_or(("", "")),
                None if line.starts_with(['0', '1']) => line.split_at(1),
                None => continue,
            };
            if let Some(place) = self.places.get(code) {
                let words = &mut self.words[place.first..place.first + place.words()];
                words.fill(0);
                for (index, bit) in bits.bytes().rev().take(place.width).enumerate() {
                    words[index / 64] |= u64::from(bit == b'1') << (index % 64);
                }
            }
        }
    }

    fn declare(&mut self, text: &str) {
        let mut open: Vec<(&'static str, Vec<Node>)> = vec![("", Vec::new())];
        for declaration in text.split("$end") {
            let parts: Vec<&str> = declaration.split_whitespace().collect();
            match parts[..] {
                ["$scope", _, name] => open.push((kept(name), Vec::new())),
                ["$upscope"] if open.len() > 1 => {
                    if let Some((name, nodes)) = open.pop()
                        && let Some((_, around)) = open.last_mut()
                    {
                        around.push(Node::Scope(name, nodes));
                    }
                }
                ["$var", kind, width, code, name, ..] if kind != "real" => {
                    let width = width.parse().unwrap_or(0).max(1);
                    let place = *self.places.entry(code.to_owned()).or_insert_with(|| {
                        let first = self.words.len();
                        self.words.resize(first + usize::div_ceil(width, 64), 0);
                        Place { first, width }
                    });
                    if let Some((_, nodes)) = open.last_mut() {
                        nodes.push(Node::Signal(kept(name), place));
                    }
                }
                _ => {}
            }
        }
        // Verilator repeats the ports in a scope around that of the top module.
        let around = open.swap_remove(0).1.into_iter().flat_map(|node| match node {
            Node::Scope(_, nodes) => nodes,
            signal @ Node::Signal(..) => vec![signal],
        });
        self.nodes = around.filter(|node| matches!(node, Node::Scope(..))).collect();
    }
}

impl Serialize for Inside {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Scope { nodes: &self.nodes, words: &self.words }.serialize(serializer)
    }
}

struct Scope<'a> {
    nodes: &'a [Node],
    words: &'a [u64],
}

impl Serialize for Scope<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("scope", self.nodes.len())?;
        for node in self.nodes {
            match node {
                Node::Scope(name, nodes) => {
                    fields.serialize_field(name, &Scope { nodes, words: self.words })?;
                }
                Node::Signal(name, place) => {
                    let words = &self.words[place.first..place.first + place.words()];
                    fields.serialize_field(name, &Value { words, width: place.width })?;
                }
            }
        }
        fields.end()
    }
}

/// A value, in the smallest type that has its bits; words of 64 bits, the lowest first, if there is none.
struct Value<'a> {
    words: &'a [u64],
    width: usize,
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let low = self.words[0];
        match self.width {
            1 => serializer.serialize_bool(low != 0),
            2..=8 => serializer.serialize_u8(low as u8),
            9..=16 => serializer.serialize_u16(low as u16),
            17..=32 => serializer.serialize_u32(low as u32),
            33..=64 => serializer.serialize_u64(low),
            _ => {
                let mut words = serializer.serialize_tuple(self.words.len())?;
                self.words.iter().try_for_each(|word| words.serialize_element(word))?;
                words.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_reach_all_names_of_a_signal() {
        let mut inside = Inside::default();
        inside.read(
            "$timescale 1ps $end\n $scope module block $end\n $var wire 1 # clk $end\n $scope module top $end\n  $var wire 1 # clk $end\n  $scope module part $end\n\
             $var wire 1 # clk $end\n $var wire 65 $ wide [64:0] $end\n $upscope $end\n $upscope $end\n $upscope $end\n\
             $enddefinitions $end\n#1\n1#\nb1000 $\n",
        );
        let part = |clk: bool, words: [u64; 2]| serde_json::json!({"clk": clk, "wide": words});
        let shown = |inside: &Inside| serde_json::to_value(inside).expect("it has a readable form");
        let expected = serde_json::json!({"top": {"clk": true, "part": part(true, [8, 0])}});
        assert_eq!(shown(&inside), expected);
        inside.read(&format!("#2\n0#\nb1{} $\n", "0".repeat(64)));
        let expected = serde_json::json!({"top": {"clk": false, "part": part(false, [0, 1])}});
        assert_eq!(shown(&inside), expected);
    }
}
