//! Values in channels, field by field.

use spinach_engine::{Payload, Value};
use spinach_modules::values::{Block, BlockResponse, Frame, Reference, Response};

/// Type of the values of a channel.
#[derive(Clone, Copy)]
pub(crate) enum Carries {
    Reference,
    Response,
    Block,
    BlockResponse,
    Frame,
    Words(u32),
}

impl Carries {
    /// The type called `name`.
    pub(crate) fn of(name: &str, words: u32) -> Self {
        match name {
            "reference" => Self::Reference,
            "response" => Self::Response,
            "block" => Self::Block,
            "block_response" => Self::BlockResponse,
            "frame" => Self::Frame,
            _ => Self::Words(words),
        }
    }

    /// The fields of a value with their bits.
    pub(crate) fn fields(self) -> Vec<(String, u32)> {
        let fields: &[(&str, u32)] = match self {
            Self::Reference => &[("address", 64), ("access", 4), ("size", 8), ("source", 16), ("data", 128)],
            Self::Response => &[("data", 128), ("is_fault", 1)],
            Self::Block => &[("address", 64), ("length", 32), ("source", 16), ("writes", 1)],
            Self::BlockResponse => &[("length", 32), ("is_fault", 1)],
            Self::Frame => &[("length", 32), ("is_intact", 1)],
            Self::Words(words) => {
                return (0..words).map(|word| (format!("word{word}"), 64)).collect();
            }
        };
        fields.iter().map(|(name, bits)| ((*name).to_owned(), *bits)).collect()
    }

    /// Values of the words; `bytes_of` are the bytes of a payload.
    pub(crate) fn values<'a>(self, words: &[u64], bytes_of: impl Fn(Payload) -> &'a [u8]) -> Vec<u128> {
        let word = |index: u32| words[index as usize];
        match self {
            Self::Reference => {
                let it = Reference::load(word);
                vec![it.address.into(), it.access as u128, it.size.into(), it.source.into(), it.data]
            }
            Self::Response => {
                let it = Response::load(word);
                vec![it.data, it.is_fault.into()]
            }
            Self::Block => {
                let it = Block::load(word);
                vec![it.address.into(), it.length.into(), it.source.into(), it.write.is_some().into()]
            }
            Self::BlockResponse => {
                let it = BlockResponse::load(word);
                let length = it.read.map_or(0, |read| bytes_of(read).len());
                vec![length as u128, it.is_fault.into()]
            }
            Self::Frame => {
                let it = Frame::load(word);
                vec![bytes_of(it.bytes).len() as u128, it.is_intact.into()]
            }
            Self::Words(_) => words.iter().copied().map(u128::from).collect(),
        }
    }
}
