//! The running block as part of a module's state.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spinach_plugin::Block;

/// A running block, or the state of one out of a checkpoint.
pub(super) enum Inside {
    Running(Box<Block>),
    Saved(Vec<u8>),
}

impl Serialize for Inside {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let failed = |block: &Block, reason: String| {
            S::Error::custom(format!("block {}: {reason}", block.description().name))
        };
        match self {
            // People look at the signals of the block, not at the bytes of its state.
            Self::Running(block) if serializer.is_human_readable() => block
                .inspect(|inside| inside.serialize(serializer))
                .map_err(|reason| failed(block, reason))?,
            Self::Running(block) => {
                serializer.serialize_bytes(&block.save().map_err(|reason| failed(block, reason))?)
            }
            Self::Saved(bytes) => serializer.serialize_bytes(bytes),
        }
    }
}

impl<'de> Deserialize<'de> for Inside {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            return Err(D::Error::custom("the state of a block has no readable form"));
        }
        serde_bytes::ByteBuf::deserialize(deserializer).map(|bytes| Self::Saved(bytes.into_vec()))
    }
}
