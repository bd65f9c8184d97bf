//! Structures of 32-bit words that modules share with firmware: offsets for the module and a C structure from one declaration.

/// A structure, or a single word.
#[derive(Debug)]
pub struct Layout {
    /// Name in C: a type of words, or the name of the structure.
    pub name: &'static str,
    /// Meaning of the structure.
    pub about: &'static str,
    /// Its words in their order; none for a single word.
    pub fields: &'static [Field],
}

/// A part of a structure.
#[derive(Debug)]
pub struct Field {
    /// Name in capitals.
    pub name: &'static str,
    /// Words in their order; empty for a single word.
    pub layout: &'static Layout,
    /// Meaning of the field.
    pub meaning: &'static str,
}

/// A word that only its owner changes.
pub(crate) const WORD: Layout = Layout { name: "uint32_t", about: "", fields: &[] };
/// A word that the other side may change at any time.
pub(crate) const SHARED_WORD: Layout = Layout { name: "volatile uint32_t", about: "", fields: &[] };

impl Layout {
    /// Size in bytes.
    pub(crate) const fn bytes(&self) -> u32 {
        if self.fields.is_empty() { 4 } else { self.bytes_before(self.fields.len()) }
    }

    /// Offset of the field of this name; does not compile for an unknown name.
    pub(crate) const fn offset(&self, name: &str) -> u32 {
        let mut index = 0;
        while !is_equal(self.fields[index].name.as_bytes(), name.as_bytes()) {
            index += 1;
        }
        self.bytes_before(index)
    }

    const fn bytes_before(&self, index: usize) -> u32 {
        let (mut bytes, mut before) = (0, 0);
        while before < index {
            bytes += self.fields[before].layout.bytes();
            before += 1;
        }
        bytes
    }
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// A layout, and a module with the offset of each of its fields.
macro_rules! layout {
    (
        $(#[doc = $about:literal])*
        $visibility:vis $layout:ident, $offsets:ident: $name:literal {
            $($(#[doc = $meaning:literal])* $field:ident: $type:expr;)*
        }
    ) => {
        $(#[doc = $about])*
        pub(crate) const $layout: $crate::parts::layout::Layout = $crate::parts::layout::Layout {
            name: $name,
            about: concat!($($about),*),
            fields: &[$($crate::parts::layout::Field {
                name: stringify!($field),
                layout: &$type,
                meaning: concat!($($meaning),*),
            }),*],
        };

        $(#[doc = $about])*
        #[allow(dead_code, unreachable_pub, reason = "some words are for firmware alone, some modules for this crate")]
        $visibility mod $offsets {
            $($(#[doc = $meaning])* pub const $field: u32 = super::$layout.offset(stringify!($field));)*
        }
    };
}

pub(crate) use layout;

#[cfg(test)]
mod tests {
    use super::{SHARED_WORD, WORD};

    layout! {
        /// Two words.
        PAIR, pair: "pair" { /// One.
            FIRST: WORD; /// Other.
            SECOND: SHARED_WORD;
        }
    }
    layout! {
        /// Words and pairs.
        NESTED, nested: "nested" { /// A pair.
            PAIR_OF_WORDS: PAIR; /// A word.
            LAST: WORD;
        }
    }

    #[test]
    fn fields_lie_one_behind_the_other() {
        assert_eq!((pair::FIRST, pair::SECOND, PAIR.bytes()), (0, 4, 8));
        assert_eq!((nested::PAIR_OF_WORDS, nested::LAST, NESTED.bytes()), (0, 8, 12));
    }
}
