//! `HostMemory`: the part of a host's memory that its network card can reach.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::parts::sparse;

/// Memory of a host, from an address on. As structured data only the number of its bytes appears.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct HostMemory {
    base: u64,
    #[serde(deserialize_with = "sparse::deserialize")]
    bytes: Vec<u8>,
}

/// The bytes as they are saved.
struct Saved<'a>(&'a [u8]);

impl Serialize for Saved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        sparse::serialize(self.0, serializer)
    }
}

impl HostMemory {
    pub(crate) fn new(base: u64, end: u64) -> Self {
        Self { base, bytes: vec![0; (end - base) as usize] }
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(crate) fn get(&self, address: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.base)?).ok()?;
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// Stores bytes; `false` if they are not all inside.
    pub(crate) fn set(&mut self, address: u64, bytes: &[u8]) -> bool {
        let Some(start) = address.checked_sub(self.base).and_then(|start| usize::try_from(start).ok()) else {
            return false;
        };
        let place = start.checked_add(bytes.len()).and_then(|end| self.bytes.get_mut(start..end));
        place.map(|place| place.copy_from_slice(bytes)).is_some()
    }
}

impl Serialize for HostMemory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_for_people = serializer.is_human_readable();
        let mut structure = serializer.serialize_struct("HostMemory", 2)?;
        structure.serialize_field("base", &self.base)?;
        if is_for_people {
            structure.serialize_field("bytes", &self.bytes.len())?;
        } else {
            structure.serialize_field("bytes", &Saved(&self.bytes))?;
        }
        structure.end()
    }
}
