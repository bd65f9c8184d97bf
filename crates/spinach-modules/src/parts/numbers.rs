//! Constants that are declared with their names, so that other languages are generated from the same declaration.

/// Numbers by name.
pub type Numbers = &'static [(&'static str, u64)];

/// Constants, and a list of all of them.
macro_rules! numbers {
    (
        $(#[$about:meta])* $list:ident: $type:ty {
            $($(#[$meaning:meta])* $visibility:vis $name:ident = $value:expr;)*
        }
    ) => {
        $($(#[$meaning])* $visibility const $name: $type = $value;)*
        $(#[$about])*
        pub(crate) const $list: $crate::parts::numbers::Numbers = &[$((stringify!($name), $value as u64)),*];
    };
}

pub(crate) use numbers;
