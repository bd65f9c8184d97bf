//! A function of a PCI bus as part of a module's state.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use spinach_server::pci::function::Function;

/// A function, or the state that it is restored from.
pub(super) enum KeptFunction {
    Running(Box<dyn Function>),
    Saved(Value),
}

impl KeptFunction {
    /// The function.
    ///
    /// # Panics
    /// If it is only saved: modules restore it before they run.
    pub(super) fn running_mut(&mut self) -> &mut dyn Function {
        match self {
            Self::Running(function) => function.as_mut(),
            Self::Saved(_) => unreachable!("a module runs with a function"),
        }
    }

    /// True if the function takes frames from the wire; false as long as it is only saved.
    pub(super) fn is_receiving(&self) -> bool {
        matches!(self, Self::Running(function) if function.is_receiving())
    }

    /// Restores a saved state into `function`.
    pub(super) fn restore_into(&mut self, mut function: Box<dyn Function>) -> Result<(), String> {
        let Self::Saved(state) = self else { return Err("the card is not of a checkpoint".to_owned()) };
        function.restore(std::mem::take(state))?;
        *self = Self::Running(function);
        Ok(())
    }
}

impl Serialize for KeptFunction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state = match self {
            Self::Running(function) => function.save(),
            Self::Saved(state) => state.clone(),
        };
        if serializer.is_human_readable() {
            return state.serialize(serializer);
        }
        // A format that does not name types cannot read a `Value`.
        state.to_string().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KeptFunction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Value::deserialize(deserializer).map(Self::Saved);
        }
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map(Self::Saved).map_err(D::Error::custom)
    }
}
