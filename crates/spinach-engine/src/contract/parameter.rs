//! Parameter values, their types, and how a module reads them.

use std::fmt;

use serde::Serialize;

use super::expression::Policy;
use crate::time::{Frequency, Time};

/// Value type of a parameter; the unit is part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterType {
    /// `true` or `false`.
    Boolean,
    /// An integer without a unit.
    Integer,
    /// A span of simulated time.
    Time,
    /// A frequency.
    Frequency,
    /// An amount of memory in bytes.
    Size,
    /// A data rate in bits per second.
    Rate,
    /// A name or other text.
    Text,
    /// A list of integers.
    Integers,
    /// Raw bytes, such as the initial contents of a memory.
    Bytes,
    /// A policy: a name that the module knows, or a lifted function.
    Policy,
}

impl ParameterType {
    /// Name of the type for users, with an example of a value.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Boolean => "True or False",
            Self::Integer => "an integer",
            Self::Time => "a time, such as ns(20)",
            Self::Frequency => "a frequency, such as MHz(166)",
            Self::Size => "an amount of memory, such as KiB(256)",
            Self::Rate => "a data rate, such as Gbps(10)",
            Self::Text => "a text",
            Self::Integers => "a list of integers",
            Self::Bytes => "bytes",
            Self::Policy => "a policy: a name or a function",
        }
    }
}

/// The value of one parameter.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ParameterValue {
    /// See [`ParameterType::Boolean`].
    Boolean(bool),
    /// See [`ParameterType::Integer`].
    Integer(u64),
    /// See [`ParameterType::Time`].
    Time(Time),
    /// See [`ParameterType::Frequency`].
    Frequency(Frequency),
    /// See [`ParameterType::Size`].
    Size(u64),
    /// See [`ParameterType::Rate`].
    Rate(u64),
    /// See [`ParameterType::Text`].
    Text(String),
    /// See [`ParameterType::Integers`].
    Integers(Vec<u64>),
    /// See [`ParameterType::Bytes`].
    Bytes(Vec<u8>),
    /// See [`ParameterType::Policy`].
    Policy(Policy),
}

impl ParameterValue {
    /// The type of this value.
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::Boolean(_) => ParameterType::Boolean,
            Self::Integer(_) => ParameterType::Integer,
            Self::Time(_) => ParameterType::Time,
            Self::Frequency(_) => ParameterType::Frequency,
            Self::Size(_) => ParameterType::Size,
            Self::Rate(_) => ParameterType::Rate,
            Self::Text(_) => ParameterType::Text,
            Self::Integers(_) => ParameterType::Integers,
            Self::Bytes(_) => ParameterType::Bytes,
            Self::Policy(_) => ParameterType::Policy,
        }
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Time(value) => write!(formatter, "{value}"),
            Self::Frequency(value) => write!(formatter, "{value}"),
            Self::Size(bytes) => match bytes {
                0 => write!(formatter, "0 B"),
                bytes if bytes % (1 << 20) == 0 => write!(formatter, "{} MiB", bytes >> 20),
                bytes if bytes % (1 << 10) == 0 => write!(formatter, "{} KiB", bytes >> 10),
                bytes => write!(formatter, "{bytes} B"),
            },
            Self::Rate(rate) if *rate >= 1_000_000_000 => write!(formatter, "{} Gb/s", *rate as f64 / 1e9),
            Self::Rate(rate) => write!(formatter, "{} Mb/s", *rate as f64 / 1e6),
            Self::Text(value) => write!(formatter, "{value:?}"),
            Self::Integers(values) => write!(formatter, "{values:?}"),
            Self::Bytes(bytes) => write!(formatter, "{} bytes", bytes.len()),
            Self::Policy(policy) => write!(formatter, "{policy}"),
        }
    }
}

/// An amount of memory in bytes, as a parameter of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(pub u64);

/// A data rate in bits per second, as a parameter of a module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(pub u64);

/// A Rust type that a parameter can have.
pub trait Parameter: Sized {
    /// The parameter type it corresponds to.
    const TYPE: ParameterType;
    /// Smallest and largest value that fit, in a parameter that declares no range itself.
    const RANGE: Option<(u64, u64)> = None;
    /// Takes the value; `None` if it has another type or does not fit.
    fn from_value(value: &ParameterValue) -> Option<Self>;
    /// The value of this parameter.
    fn into_value(self) -> ParameterValue;
}

/// 1000 s: an instant of a run and one such time together stay within simulated time.
const LONGEST_FEMTOSECONDS: u64 = 1_000_000_000_000_000_000;
/// 1 TiB.
const LARGEST_BYTES: u64 = 1 << 40;
/// 100 Tb/s.
const LARGEST_BITS_PER_SECOND: u64 = 100_000_000_000_000;

macro_rules! parameter {
    ($type:ty, $variant:ident, $from:expr, $into:expr $(, $range:expr)?) => {
        impl Parameter for $type {
            const TYPE: ParameterType = ParameterType::$variant;
            $( const RANGE: Option<(u64, u64)> = Some($range); )?
            fn from_value(value: &ParameterValue) -> Option<Self> {
                match value {
                    ParameterValue::$variant(value) => $from(value),
                    _ => None,
                }
            }
            fn into_value(self) -> ParameterValue {
                ParameterValue::$variant($into(self))
            }
        }
    };
}

parameter!(bool, Boolean, |value: &bool| Some(*value), |value| value);
parameter!(u64, Integer, |value: &u64| Some(*value), |value| value);
parameter!(u32, Integer, |value: &u64| u32::try_from(*value).ok(), u64::from, (0, u32::MAX as u64));
parameter!(Time, Time, |value: &Time| Some(*value), |value| value, (0, LONGEST_FEMTOSECONDS));
parameter!(Frequency, Frequency, |value: &Frequency| Some(*value), |value| value);
parameter!(Size, Size, |value: &u64| Some(Size(*value)), |Size(value)| value, (0, LARGEST_BYTES));
parameter!(Rate, Rate, |value: &u64| Some(Rate(*value)), |Rate(value)| value, (0, LARGEST_BITS_PER_SECOND));
parameter!(String, Text, |value: &String| Some(value.clone()), |value| value);
parameter!(Vec<u64>, Integers, |value: &Vec<u64>| Some(value.clone()), |value| value);
parameter!(Vec<u8>, Bytes, |value: &Vec<u8>| Some(value.clone()), |value| value);
parameter!(Policy, Policy, |value: &Policy| Some(value.clone()), |value| value);

impl From<&str> for ParameterValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

macro_rules! value_from {
    ($($type:ty),+) => {$(
        impl From<$type> for ParameterValue {
            fn from(value: $type) -> Self {
                value.into_value()
            }
        }
    )+};
}
value_from!(bool, u64, u32, Time, Frequency, Size, Rate, String, Vec<u64>, Vec<u8>, Policy);

/// One parameter of one kind of module, as it is documented and checked.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ParameterDeclaration {
    /// Name for users.
    pub name: &'static str,
    /// Meaning of the parameter, one sentence or more.
    pub documentation: String,
    /// Type and unit.
    pub parameter_type: ParameterType,
    /// The value it has when it is not set; `None` if it must be set.
    pub default: Option<ParameterValue>,
    /// The smallest and the largest integer, time in femtoseconds, size in bytes or rate in bits per second.
    pub range: Option<(u64, u64)>,
    /// True if only powers of two are allowed.
    pub is_power_of_two: bool,
    /// The texts, or names of policies, that are allowed; empty if any is.
    pub choices: Vec<&'static str>,
    /// True if a simulation may restore a checkpoint taken with another value: the state has the same meaning with every value.
    pub is_variable: bool,
}

impl ParameterDeclaration {
    /// Reason to reject `value` for this parameter, if any.
    pub fn reject(&self, value: &ParameterValue) -> Option<String> {
        if value.parameter_type() != self.parameter_type {
            return Some(format!("{value} is not {}", self.parameter_type.description()));
        }
        let number = match value {
            ParameterValue::Integer(number) | ParameterValue::Size(number) | ParameterValue::Rate(number) => {
                Some(*number)
            }
            ParameterValue::Time(time) => Some(time.femtoseconds()),
            _ => None,
        };
        if let (Some(number), Some((smallest, largest))) = (number, self.range) {
            let shown = |bound: u64| match value {
                ParameterValue::Size(_) => ParameterValue::Size(bound).to_string(),
                ParameterValue::Rate(_) => ParameterValue::Rate(bound).to_string(),
                ParameterValue::Time(_) => Time::from_femtoseconds(bound).to_string(),
                _ => bound.to_string(),
            };
            if number < smallest {
                return Some(format!("{value} is below the smallest, {}", shown(smallest)));
            }
            if number > largest {
                return Some(format!("{value} is above the largest, {}", shown(largest)));
            }
            if self.is_power_of_two && !number.is_power_of_two() {
                return Some(format!("{value} is not a power of two"));
            }
        }
        let text = match value {
            ParameterValue::Text(text) => Some(text),
            ParameterValue::Policy(Policy::Named(name)) => Some(name),
            _ => None,
        };
        match text {
            Some(text) if !self.choices.is_empty() && !self.choices.contains(&text.as_str()) => {
                Some(format!("{text:?} is not one of: {}", self.choices.join(", ")))
            }
            _ => None,
        }
    }
}

/// The resolved parameters of one module, every one set and checked against its declaration.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct ResolvedParameters {
    /// Names and values in the order of the declaration.
    pub values: Vec<(&'static str, ParameterValue)>,
}

impl ResolvedParameters {
    /// The parameter `name` as a `P`.
    ///
    /// # Errors
    /// If the parameter does not exist or the value does not fit into `P`; names the parameter.
    pub fn get<P: Parameter>(&self, name: &str) -> Result<P, String> {
        let (_, value) = self
            .values
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("there is no parameter {name:?}"))?;
        P::from_value(value).ok_or_else(|| format!("{name} = {value} does not fit"))
    }

    /// The text of the parameter `name`, if there is such a parameter and it is a text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.iter().find_map(|(known, value)| match value {
            ParameterValue::Text(text) if *known == name => Some(text.as_str()),
            _ => None,
        })
    }
}

/// A field of a structure made by [`parameters!`](crate::parameters): one parameter, or a group of parameters.
pub trait ParameterField: Sized {
    /// The declaration of the parameter `name`, or those of the group.
    fn declare(name: &'static str, documentation: String) -> Vec<ParameterDeclaration>;
    /// Takes the value of the parameter `name`, or those of the group, out of resolved parameters.
    ///
    /// # Errors
    /// If a value does not fit into the Rust type; says which.
    fn resolve(values: &ResolvedParameters, name: &str) -> Result<Self, String>;
}

impl<P: Parameter> ParameterField for P {
    fn declare(name: &'static str, documentation: String) -> Vec<ParameterDeclaration> {
        vec![ParameterDeclaration {
            name,
            documentation,
            parameter_type: P::TYPE,
            default: None,
            range: P::RANGE,
            is_power_of_two: false,
            choices: Vec::new(),
            is_variable: false,
        }]
    }
    fn resolve(values: &ResolvedParameters, name: &str) -> Result<Self, String> {
        values.get(name)
    }
}

/// A set of parameters as a Rust structure; made by [`parameters!`](crate::parameters).
pub trait Parameters: Sized {
    /// Declaration of each parameter.
    fn declare() -> Vec<ParameterDeclaration>;
    /// Takes the values out of resolved parameters.
    ///
    /// # Errors
    /// If a value does not fit into the Rust type; says which.
    fn resolve(values: &ResolvedParameters) -> Result<Self, String>;
}

impl Parameters for () {
    fn declare() -> Vec<ParameterDeclaration> {
        Vec::new()
    }
    fn resolve(_: &ResolvedParameters) -> Result<Self, String> {
        Ok(())
    }
}

/// Declares the parameters of a module once: Rust structure, documentation, defaults and limits.
///
/// Each field has its documentation, a type that implements [`Parameter`], and optionally `= default`, then
/// `in lowest..=highest` (numbers, times in femtoseconds, sizes in bytes, rates in bits per second), `power_of_two lowest..=highest`
/// or `of [choices]`, then `; variable` if a checkpoint may be restored with another value. A field whose type is a structure of parameters is a group:
/// its parameters are declared in its place.
///
/// ```
/// spinach_engine::parameters! {
///     /// The parameters of a first-in first-out buffer.
///     pub struct Settings {
///         /// How many values fit in.
///         pub depth: u64 = 4 => in 1..=1024,
///         /// The behaviour when full.
///         pub when_full: String = "refuse".to_owned() => of ["refuse", "drop"],
///     }
/// }
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$outer:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $documentation:literal])+
                $field_visibility:vis $field:ident : $type:ty $(= $default:expr)? $(=> $limit:ident $bounds:expr)? $(; $freedom:ident)?
            ),* $(,)?
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $( $(#[doc = $documentation])+ $field_visibility $field: $type, )*
        }

        impl $crate::parameter::Parameters for $name {
            fn declare() -> Vec<$crate::parameter::ParameterDeclaration> {
                let mut declared = Vec::new();
                $(
                    let documentation = $crate::documentation::paragraph(&[$($documentation),+]);
                    declared.extend(<$type as $crate::parameter::ParameterField>::declare(stringify!($field), documentation));
                    $( $crate::parameters!(@last declared $type).default =
                        Some($crate::parameter::Parameter::into_value({ let value: $type = $default; value })); )?
                    $( $crate::parameters!(@limit declared $type, $limit $bounds); )?
                    $( $crate::parameters!(@freedom declared $type, $freedom); )?
                )*
                declared
            }

            fn resolve(values: &$crate::parameter::ResolvedParameters) -> Result<Self, String> {
                Ok(Self { $( $field: $crate::parameter::ParameterField::resolve(values, stringify!($field))?, )* })
            }
        }

        impl $crate::parameter::ParameterField for $name {
            fn declare(_: &'static str, _: String) -> Vec<$crate::parameter::ParameterDeclaration> {
                <Self as $crate::parameter::Parameters>::declare()
            }
            fn resolve(values: &$crate::parameter::ResolvedParameters, _: &str) -> Result<Self, String> {
                $crate::parameter::Parameters::resolve(values)
            }
        }
    };
    // The declaration of the parameter just added; a group has no separate one.
    (@last $declared:ident $type:ty) => {
        $crate::parameter::last::<$type>(&mut $declared)
    };
    (@limit $declared:ident $type:ty, in $bounds:expr) => {{
        let bounds: std::ops::RangeInclusive<u64> = $bounds;
        $crate::parameters!(@last $declared $type).range = Some((*bounds.start(), *bounds.end()));
    }};
    (@limit $declared:ident $type:ty, power_of_two $bounds:expr) => {{
        $crate::parameters!(@limit $declared $type, in $bounds);
        $crate::parameters!(@last $declared $type).is_power_of_two = true;
    }};
    (@limit $declared:ident $type:ty, of $choices:expr) => {
        $crate::parameters!(@last $declared $type).choices = $choices.to_vec();
    };
    (@freedom $declared:ident $type:ty, variable) => {
        $crate::parameters!(@last $declared $type).is_variable = true;
    };
}

/// The last declaration, which is that of a single parameter of type `P`.
#[doc(hidden)]
pub fn last<P: Parameter>(declared: &mut [ParameterDeclaration]) -> &mut ParameterDeclaration {
    declared.last_mut().expect("the parameter was just declared")
}
