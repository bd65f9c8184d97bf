//! Declaration of a module kind: documentation, ports, counters, processes.

use serde::Serialize;

use super::handle::{Input, Output};
use super::parameter::ParameterDeclaration;
use super::value::{Any, MAXIMUM_WORDS, Part, Value, ValueType};

/// The description of a kind of module, for people and for elaboration.
#[derive(Clone, Debug, Serialize)]
pub struct Declaration {
    /// The name of the kind, in snake case.
    pub kind: &'static str,
    /// The family of the library it belongs to, such as `interconnect`.
    pub family: &'static str,
    /// Summary line, an empty line, then details of the behaviour.
    pub documentation: &'static str,
    /// Timing of outputs relative to inputs, as text.
    pub timing: &'static str,
    /// Source of the model: paper and section, or standard.
    pub source: &'static str,
    /// The parameters it takes.
    pub parameters: Vec<ParameterDeclaration>,
    /// The ports it has.
    pub ports: Vec<PortDeclaration>,
    /// The counters it keeps: name and meaning.
    pub counters: &'static [(&'static str, &'static str)],
    /// The clocks it runs on; nearly always one, named `clock`. Crossings have two.
    pub clocks: &'static [&'static str],
}

/// Direction in which data moves through a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Data comes in, acknowledgements go out.
    Input,
    /// Data goes out, acknowledgements come in.
    Output,
}

/// Type of the values that a port carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PortType {
    /// One known type.
    Fixed(ValueType),
    /// Any type, decided by the connections; all ports of a module with the same letter carry the same type.
    Variable(char),
}

/// Number of channels that a port has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lanes {
    /// Exactly one, which must be connected.
    One,
    /// One, or none.
    Optional,
    /// One channel per connection, at least one connection.
    Many,
    /// One channel per connection, zero allowed.
    Any,
}

/// One port of a kind of module.
#[derive(Clone, Debug, Serialize)]
pub struct PortDeclaration {
    /// The name by which it is connected.
    pub name: &'static str,
    /// Purpose of the port.
    pub documentation: String,
    /// Direction of the data.
    pub direction: Direction,
    /// Type of the values.
    pub port_type: PortType,
    /// Number of channels.
    pub lanes: Lanes,
    /// Clock of the module that the port belongs to, as an index into [`Declaration::clocks`].
    pub clock: usize,
    /// The bundle of ports that are connected together, and the role in it: `memory.request` is the request of the bundle
    /// `memory`. Two bundles connect if their roles pair off, inputs to outputs.
    pub bundle: Option<&'static str>,
}

/// Assigns the slots of connected channels to a module that is being made.
pub trait PortBinder {
    /// First slot and number of words of each lane of port `name`; empty if nothing is connected.
    fn lanes(&self, name: &str) -> Vec<(u32, u32)>;
    /// A slot for an unconnected port: an input that never receives, or an output that is always acknowledged.
    fn unconnected(&mut self, words: u32) -> (u32, u32);
}

/// Field type allowed in a structure made by [`ports!`](crate::ports).
pub trait PortField: Sized {
    /// Direction, type and number of lanes.
    fn shape() -> (Direction, PortType, Lanes);
    /// Takes the slots of the port `name`.
    fn bind(name: &str, binder: &mut dyn PortBinder) -> Self;
}

/// Value type behind a handle: fixed, or decided by the connections.
pub trait PortValue {
    /// Type of the values.
    const PORT_TYPE: PortType;
    /// Number of words that an unconnected port of this type takes.
    const UNCONNECTED_WORDS: u32;
}

impl<T: Value> PortValue for T {
    const PORT_TYPE: PortType = PortType::Fixed(T::TYPE);
    const UNCONNECTED_WORDS: u32 = T::TYPE.words;
}

impl<const LETTER: char> PortValue for Any<LETTER> {
    const PORT_TYPE: PortType = PortType::Variable(LETTER);
    const UNCONNECTED_WORDS: u32 = 1;
}

macro_rules! port_fields {
    ($handle:ident, $direction:ident) => {
        impl<T: PortValue> PortField for $handle<T> {
            fn shape() -> (Direction, PortType, Lanes) {
                const { assert!(T::UNCONNECTED_WORDS <= MAXIMUM_WORDS, "a value takes too many words") };
                (Direction::$direction, T::PORT_TYPE, Lanes::One)
            }
            fn bind(name: &str, binder: &mut dyn PortBinder) -> Self {
                let lane = binder.lanes(name).first().copied();
                let (slot, words) = lane.unwrap_or_else(|| binder.unconnected(T::UNCONNECTED_WORDS));
                $handle::new(slot, words)
            }
        }

        impl<T: PortValue> PortField for OrUnconnected<$handle<T>> {
            fn shape() -> (Direction, PortType, Lanes) {
                (Direction::$direction, T::PORT_TYPE, Lanes::Optional)
            }
            fn bind(name: &str, binder: &mut dyn PortBinder) -> Self {
                let is_connected = !binder.lanes(name).is_empty();
                Self { port: PortField::bind(name, binder), is_connected }
            }
        }

        impl<T: PortValue> PortField for Many<$handle<T>> {
            fn shape() -> (Direction, PortType, Lanes) {
                (Direction::$direction, T::PORT_TYPE, Lanes::Many)
            }
            fn bind(name: &str, binder: &mut dyn PortBinder) -> Self {
                Many(binder.lanes(name).into_iter().map(|(slot, words)| $handle::new(slot, words)).collect())
            }
        }

        impl<T: PortValue> PortField for AnyNumber<$handle<T>> {
            fn shape() -> (Direction, PortType, Lanes) {
                (Direction::$direction, T::PORT_TYPE, Lanes::Any)
            }
            fn bind(name: &str, binder: &mut dyn PortBinder) -> Self {
                AnyNumber(
                    binder.lanes(name).into_iter().map(|(slot, words)| $handle::new(slot, words)).collect(),
                )
            }
        }
    };
}

/// A port that may stay unconnected. Unconnected, an input never receives and an output is always acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct OrUnconnected<H> {
    /// The port; usable whether connected or not.
    pub port: H,
    /// True if something is connected.
    pub is_connected: bool,
}

/// A port with as many lanes as are connected, at least one.
#[derive(Clone, Debug)]
pub struct Many<H>(pub Box<[H]>);

/// A port with as many lanes as are connected, possibly none.
#[derive(Clone, Debug)]
pub struct AnyNumber<H>(pub Box<[H]>);

impl<H> std::ops::Deref for Many<H> {
    type Target = [H];
    #[inline]
    fn deref(&self) -> &[H] {
        &self.0
    }
}

impl<H> std::ops::Deref for AnyNumber<H> {
    type Target = [H];
    #[inline]
    fn deref(&self) -> &[H] {
        &self.0
    }
}

port_fields!(Input, Input);
port_fields!(Output, Output);

/// The ports of a module as a Rust structure; made by [`ports!`](crate::ports).
pub trait Ports: Sized {
    /// Declaration of each port, in the order of the fields.
    fn declare() -> Vec<PortDeclaration>;
    /// Takes the slots of every port.
    fn bind(binder: &mut dyn PortBinder) -> Self;
}

/// Declares the ports of a module once: Rust structure, documentation, direction, type and number of lanes.
///
/// A field's type is [`Input`] or [`Output`] of a [`Value`] or [`Any`], alone or in [`OrUnconnected`], [`Many`] or [`AnyNumber`].
/// A bundle of ports has its roles in braces: `memory: { request: .., response: .. }` makes the fields `memory_request` and
/// `memory_response`. `=> clock N` may follow, for modules with several clocks. Each port has a constant in the structure, its
/// name in capitals: its index, for [`Process`].
///
/// ```
/// use spinach_engine::{Input, Output};
/// spinach_engine::ports! {
///     /// Ports of a doubling unit.
///     pub struct Ends {
///         /// Numbers to double; each is answered.
///         pub number: { request: Input<u64>, response: Output<u64> },
///         /// Number of answers.
///         pub count: Output<u64>,
///     }
/// }
/// assert_eq!((Ends::NUMBER_RESPONSE, Ends::COUNT), (1, 2));
/// ```
#[macro_export]
macro_rules! ports {
    ($(#[$outer:meta])* $visibility:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::ports! { @fields [[$(#[$outer])*] [$visibility] $name] [] $($fields)* }
    };
    // A bundle becomes one port for each role, then every port a row of `@struct`.
    (
        @fields $structure:tt [$($rows:tt)*]
        $(#[doc = $documentation:literal])+
        $visibility:vis $bundle:ident : { $($role:ident : $type:ty),+ $(,)? } $(=> clock $clock:expr)? $(, $($rest:tt)*)?
    ) => {
        $crate::ports! {
            @roles $structure [$($rows)*] [$($documentation)+] [$visibility] $bundle
            [$crate::ports!(@clock $($clock)?)] [$($role [$type])+] $($($rest)*)?
        }
    };
    (
        @roles $structure:tt [$($rows:tt)*] $documentation:tt $visibility:tt $bundle:ident
        $clock:tt [$($role:ident $type:tt)+] $($rest:tt)*
    ) => {
        $crate::pastey::paste! {
            $crate::ports! {
                @fields $structure
                [$($rows)* $({
                    $documentation $visibility [<$bundle _ $role>] $type $clock
                    [Some(concat!(stringify!($bundle), ".", stringify!($role)))]
                })+]
                $($rest)*
            }
        }
    };
    (
        @fields $structure:tt [$($rows:tt)*]
        $(#[doc = $documentation:literal])+
        $visibility:vis $field:ident : $type:ty $(=> clock $clock:expr)? $(, $($rest:tt)*)?
    ) => {
        $crate::ports! {
            @fields $structure
            [$($rows)* { [$($documentation)+] [$visibility] $field [$type] [$crate::ports!(@clock $($clock)?)] [None] }]
            $($($rest)*)?
        }
    };
    (
        @fields [[$($outer:tt)*] [$visibility:vis] $name:ident]
        [$({
            [$($documentation:literal)+] [$field_visibility:vis] $field:ident [$type:ty] [$clock:expr] [$bundle:expr]
        })*]
    ) => {
        $($outer)*
        #[derive(Clone, Debug)]
        $visibility struct $name {
            $( $(#[doc = $documentation])+ $field_visibility $field: $type, )*
        }

        $crate::port_indices! { $name 0usize; $($field)* }

        impl $crate::declaration::Ports for $name {
            fn declare() -> Vec<$crate::declaration::PortDeclaration> {
                vec![$({
                    let (direction, port_type, lanes) = <$type as $crate::declaration::PortField>::shape();
                    $crate::declaration::PortDeclaration {
                        name: stringify!($field),
                        documentation: $crate::documentation::paragraph(&[$($documentation),+]),
                        direction,
                        port_type,
                        lanes,
                        clock: $clock,
                        bundle: $bundle,
                    }
                }),*]
            }

            fn bind(binder: &mut dyn $crate::declaration::PortBinder) -> Self {
                Self { $( $field: $crate::declaration::PortField::bind(stringify!($field), binder), )* }
            }
        }
    };
    (@clock) => { 0 };
    (@clock $clock:expr) => { $clock };
}

/// Numbers the fields of [`ports!`](crate::ports).
#[doc(hidden)]
#[macro_export]
macro_rules! port_indices {
    ($name:ident $index:expr;) => {};
    ($name:ident $index:expr; $field:ident $($rest:ident)*) => {
        $crate::pastey::paste! {
            impl $name {
                #[doc = concat!("Index of the port `", stringify!($field), "`.")]
                #[allow(dead_code, reason = "not every port takes part in a process")]
                pub const [<$field:upper>]: usize = $index;
            }
        }
        $crate::port_indices! { $name $index + 1; $($rest)* }
    };
}

/// One signal at a port of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortSignal {
    /// The index of the port in the module's declaration.
    pub port: usize,
    /// Lane index; `None` for all lanes.
    pub lane: Option<usize>,
    /// Half of the channel: data or acknowledgement.
    pub part: Part,
}

/// The data of every lane of port `port`.
pub const fn data(port: usize) -> PortSignal {
    PortSignal { port, lane: None, part: Part::Data }
}

/// The acknowledgement of every lane of port `port`.
pub const fn ack(port: usize) -> PortSignal {
    PortSignal { port, lane: None, part: Part::Ack }
}

impl PortSignal {
    /// The same signal of lane `lane` only.
    #[must_use]
    pub const fn lane(mut self, lane: usize) -> Self {
        self.lane = Some(lane);
        self
    }
}

/// A group of outputs that a module evaluates together, and their dependencies within the same cycle.
///
/// Outputs are the data of output ports and the acknowledgements of input ports. A process that reads nothing has
/// registered outputs: they depend on the state alone. Undeclared inputs must not influence the outputs;
/// [`check_dependencies`](crate::Simulation::check_dependencies) verifies that.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// Passed to [`Module::evaluate`](crate::Module::evaluate) to identify the process.
    pub code: u16,
    /// Handed back to [`Module::evaluate`](crate::Module::evaluate): the lane, or another number of the module's choice.
    pub lane: u32,
    /// Signals that the process drives.
    pub drives: Vec<PortSignal>,
    /// Signals that the process reads.
    pub reads: Vec<PortSignal>,
    /// Inputs that it accepts in every cycle: their acknowledgements are never evaluated.
    pub accepts: Vec<PortSignal>,
}

impl Process {
    /// The process number `code`, driving and reading nothing yet.
    pub fn new(code: u16) -> Self {
        Self { code, ..Self::default() }
    }

    /// The same process for lane `lane`.
    #[must_use]
    pub fn lane(mut self, lane: usize) -> Self {
        self.lane = u32::try_from(lane).unwrap_or(u32::MAX);
        self
    }

    /// Adds driven outputs.
    #[must_use]
    pub fn drives(mut self, signals: impl IntoIterator<Item = PortSignal>) -> Self {
        self.drives.extend(signals);
        self
    }

    /// Adds input ports, by their numbers, that accept in every cycle. `evaluate` ignores them.
    #[must_use]
    pub fn accepts(mut self, ports: impl IntoIterator<Item = usize>) -> Self {
        self.accepts.extend(ports.into_iter().map(ack));
        self
    }

    /// Adds dependencies within the same cycle.
    #[must_use]
    pub fn reads(mut self, signals: impl IntoIterator<Item = PortSignal>) -> Self {
        self.reads.extend(signals);
        self
    }
}
