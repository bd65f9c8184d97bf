//! State of a block as bytes, for checkpoints.

use std::collections::{BTreeMap, VecDeque};

/// Values that a checkpoint can hold.
///
/// [`state!`](crate::state!) implements it for a structure. Hash maps are left out: their order differs from run to run; use a `BTreeMap`.
pub trait State: Sized {
    /// Append the value to `bytes`.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Take a value from the beginning of `bytes`; `None` if they hold none.
    fn restore(bytes: &mut &[u8]) -> Option<Self>;
}

/// Declares the state of a block: a structure whose fields are all part of a checkpoint.
///
/// The structure is `Clone`, `Debug` and `Default`.
#[macro_export]
macro_rules! state {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident {
        $($(#[$of_field:meta])* $of:vis $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default)]
        $visibility struct $name { $($(#[$of_field])* $of $field: $type),* }

        impl $crate::State for $name {
            #[allow(unused_variables)]
            fn save(&self, bytes: &mut Vec<u8>) {
                $($crate::State::save(&self.$field, bytes);)*
            }

            #[allow(unused_variables)]
            fn restore(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::State::restore(bytes)?),* })
            }
        }
    };
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl State for $type {
            fn save(&self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn restore(bytes: &mut &[u8]) -> Option<Self> {
                let (own, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*own))
            }
        }
    )*};
}
integers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, f64);

impl State for bool {
    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        u8::restore(bytes).and_then(|byte| (byte < 2).then_some(byte == 1))
    }
}

impl<T: State> State for Option<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.is_some().save(bytes);
        self.iter().for_each(|value| value.save(bytes));
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        if bool::restore(bytes)? { T::restore(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: State> State for Vec<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        self.iter().for_each(|value| value.save(bytes));
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        let count = usize::restore(bytes)?;
        // Each value takes a byte or more.
        (count <= bytes.len()).then(|| (0..count).map(|_| T::restore(bytes)).collect())?
    }
}

impl<T: State> State for VecDeque<T> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        self.iter().for_each(|value| value.save(bytes));
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        Vec::restore(bytes).map(Self::from)
    }
}

impl<K: State + Ord, V: State> State for BTreeMap<K, V> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        for (key, value) in self {
            key.save(bytes);
            value.save(bytes);
        }
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        Vec::restore(bytes).map(Self::from_iter)
    }
}

impl State for String {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.len().save(bytes);
        bytes.extend(self.as_bytes());
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        Vec::restore(bytes).and_then(|text| Self::from_utf8(text).ok())
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.save(bytes));
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::restore(bytes)).collect();
        values?.try_into().ok()
    }
}

impl<A: State, B: State> State for (A, B) {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.0.save(bytes);
        self.1.save(bytes);
    }

    fn restore(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::restore(bytes)?, B::restore(bytes)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::state! {
        struct Example {
            count: u16,
            names: BTreeMap<u8, String>,
            waiting: VecDeque<(Option<bool>, [i32; 2])>,
        }
    }

    #[test]
    fn a_value_returns_from_its_bytes_and_from_no_fewer() {
        let example = Example {
            count: 7,
            names: BTreeMap::from([(3, "three".to_owned())]),
            waiting: VecDeque::from([(None, [-1, 2]), (Some(true), [3, 4])]),
        };
        let mut saved = Vec::new();
        example.save(&mut saved);
        let mut rest = saved.as_slice();
        let restored = Example::restore(&mut rest).expect("the bytes are complete");
        assert_eq!((format!("{restored:?}"), rest.len()), (format!("{example:?}"), 0));
        assert!((0..saved.len()).all(|length| Example::restore(&mut &saved[..length]).is_none()));
        assert!(Vec::<u64>::restore(&mut [0xFF; 64].as_slice()).is_none());
    }
}
