//! Checkpoints of a simulation, which continues elsewhere bit for bit.
//!
//! A checkpoint is an identifying text header of one line, then the states in a compact binary form. Channels are not part of it:
//! in the next cycle they all evaluate again from the states.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::model::{fingerprint, hexadecimal, listed, model, model_differences};
use super::{Island, Simulation};
use crate::contract::{Joint, Payloads, Value};
use crate::time::Time;

/// The version of the format; a checkpoint of another version is refused, except for version 3, which has no model.
pub const CHECKPOINT_VERSION: u32 = 4;
/// The version without a model.
const WITHOUT_MODEL: u32 = 3;

const MAGIC: &str = "spinach-checkpoint";

/// Why a checkpoint cannot be restored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It does not begin like a checkpoint.
    #[error(
        "this is not a checkpoint of Spinach\n  help: give a file that a simulation's checkpoint was saved to"
    )]
    NotACheckpoint,
    /// It was written by another version of the format.
    #[error(
        "this checkpoint has format version {found}; this version of Spinach reads version {CHECKPOINT_VERSION}\n  \
         help: restore it with the version of Spinach that saved it, or run the simulation again"
    )]
    OtherVersion {
        /// The version it has.
        found: String,
    },
    /// It was taken of another design.
    #[error(
        "this checkpoint was taken of another model: {differences}\n  \
         help: restore it into a model with the same modules, connections, clocks and parameters but for the variable ones"
    )]
    OtherModel {
        /// Differences of the present design, with both values.
        differences: String,
    },
    /// It ends early or contains something that cannot be.
    #[error("this checkpoint is damaged: {0}\n  help: copy it again, or run the simulation again")]
    Damaged(String),
    /// A module does not accept its state.
    #[error(
        "this checkpoint has a state that does not fit {path}: {reason}\n  \
         help: copy it again, restore it with the same files, or run the simulation again"
    )]
    State {
        /// The module.
        path: String,
        /// Why.
        reason: String,
    },
    /// A state could not be written.
    #[error("the state of {path} cannot be saved: {reason}\n  help: run the simulation without checkpoints")]
    CannotSave {
        /// The module.
        path: String,
        /// Why.
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
pub(super) struct Body {
    now: Time,
    counters: Vec<u64>,
    payloads: Payloads,
    states: Vec<Vec<u8>>,
}

impl Simulation {
    /// Properties that a checkpoint's model must share with this one, as names and values.
    pub fn model(&self) -> Vec<(String, String)> {
        let mut model = model(self.netlist());
        model.extend(self.joint_names().map(|joint| (joint, Joint::TYPE.to_string())));
        model
    }

    /// Everything needed to continue this simulation in another process.
    ///
    /// # Errors
    /// If a module's state cannot be saved.
    pub fn checkpoint(&mut self) -> Result<Vec<u8>, CheckpointError> {
        let bodies: Vec<Body> = self.islands_mut().map(Island::body).collect::<Result<_, _>>()?;
        let model = self.model();
        let mut contents = postcard::to_stdvec(&model).map_err(|error| damaged(&error))?;
        for body in &bodies {
            contents.extend(postcard::to_stdvec(body).map_err(|error| damaged(&error))?);
        }
        let (fingerprint, digest) = (fingerprint(&model), hexadecimal(&Sha256::digest(&contents)));
        let mut checkpoint = format!("{MAGIC} {CHECKPOINT_VERSION} {fingerprint} {digest}\n").into_bytes();
        checkpoint.extend(contents);
        Ok(checkpoint)
    }

    /// Puts a simulation of the same design into the state that was saved. On an error nothing is changed.
    ///
    /// # Errors
    /// If the checkpoint is of another format version or another design, or damaged.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<(), CheckpointError> {
        let bodies = read(checkpoint, &self.model(), self.islands())?;
        for (island, body) in self.islands_mut().zip(&bodies) {
            island.check(body)?;
        }
        // An island undoes what it did itself.
        let others = self.islands() - 1;
        let replaced = self.islands_mut().take(others).map(Island::body).collect::<Result<Vec<_>, _>>()?;
        let mut failure = None;
        let mut changed = 0;
        for (island, body) in self.islands_mut().zip(bodies) {
            if let Err(error) = island.put(body) {
                failure = Some(error);
                break;
            }
            changed += 1;
        }
        let Some(failure) = failure else { return Ok(()) };
        for (island, before) in self.islands_mut().zip(replaced).take(changed) {
            // It was saved from this very island an instant ago; should it not load, the first failure is still the one to tell.
            let _ = island.put(before);
        }
        Err(failure)
    }
}

impl Island {
    // Everything that a run changes.
    fn body(&mut self) -> Result<Body, CheckpointError> {
        self.account();
        let mut states = Vec::with_capacity(self.netlist.modules.len());
        for node in self.netlist.modules.values() {
            let saved = self.kinds[node.kind as usize].save(node.instance);
            states.push(
                saved.map_err(|reason| CheckpointError::CannotSave { path: node.path.clone(), reason })?,
            );
        }
        Ok(Body {
            now: self.now,
            counters: self.counters().collect(),
            payloads: self.world.context.payloads.clone(),
            states,
        })
    }

    fn check(&self, body: &Body) -> Result<(), CheckpointError> {
        if body.states.len() != self.netlist.modules.len() || body.counters.len() != self.counters().count() {
            return Err(CheckpointError::Damaged(
                "the number of modules or counters is not right".to_owned(),
            ));
        }
        if !body.payloads.is_consistent() {
            return Err(CheckpointError::Damaged("its store of payloads contradicts itself".to_owned()));
        }
        Ok(())
    }

    // Takes over what was saved. On an error nothing is changed.
    fn put(&mut self, body: Body) -> Result<(), CheckpointError> {
        self.wake_all();
        self.acting.fusions.iter_mut().for_each(|fusion| fusion.note_changes());
        self.restore_states(&body.states)?;
        (self.now, self.acting_since) = (body.now, body.now);
        let mut saved = body.counters.into_iter();
        for node in self.netlist.modules.values() {
            let counters = self.kinds[node.kind as usize].counters_mut(node.instance);
            counters.iter_mut().zip(&mut saved).for_each(|(counter, saved)| *counter = saved);
        }
        self.world.context.payloads = body.payloads;
        for (index, domain) in self.domains.iter_mut().enumerate() {
            let edge = domain.clock.frequency().first_edge_from(self.now);
            domain.clock.jump_to_edge(edge);
            self.agenda.set(index, domain.clock.next_time());
        }
        self.agenda.turn();
        Ok(())
    }

    // All of them, or none.
    fn restore_states(&mut self, states: &[Vec<u8>]) -> Result<(), CheckpointError> {
        let mut replaced = Vec::new();
        let mut failure = None;
        for (node, state) in self.netlist.modules.values().zip(states) {
            let kind = &mut self.kinds[node.kind as usize];
            let loaded = kind.save(node.instance).and_then(|old| {
                replaced.push(old);
                // A module may rely on invariants of its states, which a damaged file may violate.
                let loaded = catch_unwind(AssertUnwindSafe(|| kind.load(node.instance, state)));
                loaded.unwrap_or_else(|_| Err("its state contradicts itself".to_owned()))
            });
            if let Err(reason) = loaded {
                failure = Some(CheckpointError::State { path: node.path.clone(), reason });
                break;
            }
        }
        let Some(failure) = failure else { return Ok(()) };
        for (node, old) in self.netlist.modules.values().zip(&replaced) {
            // It was saved from this very module an instant ago; should it not load, the first failure is still the one to tell.
            let _ = self.kinds[node.kind as usize].load(node.instance, old);
        }
        Err(failure)
    }
}

fn damaged(error: &postcard::Error) -> CheckpointError {
    CheckpointError::Damaged(error.to_string())
}

// The bodies of the islands.
fn read(checkpoint: &[u8], now: &[(String, String)], islands: usize) -> Result<Vec<Body>, CheckpointError> {
    let end =
        checkpoint.iter().take(256).position(|byte| *byte == b'\n').ok_or(CheckpointError::NotACheckpoint)?;
    let header = std::str::from_utf8(&checkpoint[..end]).map_err(|_| CheckpointError::NotACheckpoint)?;
    let mut words = header.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(CheckpointError::NotACheckpoint);
    }
    let version = words.next().unwrap_or_default();
    let has_model = version != WITHOUT_MODEL.to_string();
    if has_model && version != CHECKPOINT_VERSION.to_string() {
        return Err(CheckpointError::OtherVersion { found: version.to_owned() });
    }
    let saved = words.next().unwrap_or_default();
    let contents = &checkpoint[end + 1..];
    if words.next() != Some(hexadecimal(&Sha256::digest(contents)).as_str()) {
        return Err(CheckpointError::Damaged("its contents do not match its digest".to_owned()));
    }
    let (then, mut rest) = match has_model {
        true => {
            postcard::take_from_bytes::<Vec<(String, String)>>(contents).map_err(|error| damaged(&error))?
        }
        false => (Vec::new(), contents),
    };
    let differences = if has_model { model_differences(&then, now) } else { Vec::new() };
    if !differences.is_empty() {
        return Err(CheckpointError::OtherModel { differences: listed(&differences) });
    }
    if saved != fingerprint(now) {
        return Err(match has_model {
            true => CheckpointError::Damaged("its model does not match its fingerprint".to_owned()),
            false => {
                CheckpointError::OtherModel { differences: "it does not name its parameters".to_owned() }
            }
        });
    }
    let mut bodies = Vec::with_capacity(islands);
    for _ in 0..islands {
        let body;
        (body, rest) = postcard::take_from_bytes(rest).map_err(|error| damaged(&error))?;
        bodies.push(body);
    }
    if !rest.is_empty() {
        return Err(CheckpointError::Damaged(format!("{} bytes too many", rest.len())));
    }
    Ok(bodies)
}
