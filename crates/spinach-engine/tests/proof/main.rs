//! What the engine promises, held against an independent interpreter and against itself.

#[path = "../support/mod.rs"]
mod support;

mod differential;
