//! Policies: small functions over a module's signals that a user supplies.
//!
//! A policy is a name that the module knows, an [`Expression`] that the engine evaluates natively, or a [`Callable`], the
//! explicitly chosen slow path. Expressions work on unsigned 64-bit words with wrapping arithmetic and may keep a few words
//! of state that advance once per cycle.

mod compiled;
mod operation;

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use compiled::Compiled;
pub use operation::{Operand, Operation};

/// Maximum number of operations in an expression.
pub const MAXIMUM_OPERATIONS: usize = 256;

/// A function from input words and state words to a result and next state words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Expression {
    operations: Vec<Operation>,
    result: Operand,
    inputs: u32,
    initial_state: Vec<u64>,
    next_state: Vec<Operand>,
    #[serde(skip)]
    compiled: Compiled,
    #[serde(skip)]
    compiled_state: Compiled,
}

/// Why a list of operations is not an expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExpressionError {
    /// An operand does not name an earlier operation.
    #[error("operation {operation} uses the result of operation {operand}, which does not come before it")]
    NotEarlier {
        /// The operation that uses it.
        operation: usize,
        /// The operand it names.
        operand: Operand,
    },
    /// The result or a next state names no operation.
    #[error("operation {0} does not exist")]
    Missing(Operand),
    /// A state word is read that does not exist.
    #[error("state word {0} does not exist")]
    MissingState(u32),
    /// The initial and the next state have different lengths.
    #[error("there are {initial} initial state words but {next} next ones")]
    StateLength {
        /// Number of initial words.
        initial: usize,
        /// Number of next words.
        next: usize,
    },
    /// Too many operations to evaluate in every cycle.
    #[error("{0} operations are more than the {MAXIMUM_OPERATIONS} an expression may have")]
    TooLong(usize),
}

impl Expression {
    /// Checks the operations and makes an expression of them.
    ///
    /// # Errors
    /// If an operand, the result or a state word names something that does not exist, or if there is too much.
    pub fn new(
        operations: Vec<Operation>,
        result: Operand,
        initial_state: Vec<u64>,
        next_state: Vec<Operand>,
    ) -> Result<Self, ExpressionError> {
        if operations.len() > MAXIMUM_OPERATIONS {
            return Err(ExpressionError::TooLong(operations.len()));
        }
        if initial_state.len() != next_state.len() {
            return Err(ExpressionError::StateLength {
                initial: initial_state.len(),
                next: next_state.len(),
            });
        }
        let mut inputs = 0;
        for (index, operation) in operations.iter().enumerate() {
            if let Some(operand) = operation.operands().find(|operand| *operand as usize >= index) {
                return Err(ExpressionError::NotEarlier { operation: index, operand });
            }
            match *operation {
                Operation::Input(input) => inputs = inputs.max(input + 1),
                Operation::State(word) if word as usize >= initial_state.len() => {
                    return Err(ExpressionError::MissingState(word));
                }
                _ => {}
            }
        }
        if let Some(missing) =
            next_state.iter().chain([&result]).find(|operand| **operand as usize >= operations.len())
        {
            return Err(ExpressionError::Missing(*missing));
        }
        let compiled = Compiled::new(&operations, &[result]);
        let compiled_state = Compiled::new(&operations, &next_state);
        Ok(Self { operations, result, inputs, initial_state, next_state, compiled, compiled_state })
    }

    /// Number of inputs.
    pub const fn inputs(&self) -> u32 {
        self.inputs
    }

    /// The state words before the first cycle.
    pub fn initial_state(&self) -> &[u64] {
        &self.initial_state
    }

    /// The result for these inputs and this state. Inputs beyond those given are zero.
    pub fn evaluate(&self, inputs: &[u64], state: &[u64]) -> u64 {
        self.evaluate_with(|input| inputs.get(input as usize).copied().unwrap_or(0), state)
    }

    /// Evaluates with inputs that are requested by number, as far as they matter.
    #[inline]
    pub fn evaluate_with(&self, input: impl Fn(u32) -> u64, state: &[u64]) -> u64 {
        self.compiled.evaluate(input, state)
    }

    /// Replaces `state` by the state of the next cycle.
    pub fn advance(&self, inputs: &[u64], state: &mut [u64]) {
        if !self.next_state.is_empty() {
            self.compiled_state.advance(|input| inputs.get(input as usize).copied().unwrap_or(0), state);
        }
    }
}

/// A policy that is not native: called once per evaluation, with the inputs. Must depend on nothing else.
pub trait Callable: Send + Sync {
    /// The result for these inputs.
    fn call(&self, inputs: &[u64]) -> u64;
    /// The name for messages.
    fn name(&self) -> String;
}

/// Decision policy of a module: a name, a native expression, or a callback.
#[derive(Clone)]
pub enum Policy {
    /// One of the policies the module knows by name.
    Named(String),
    /// A native expression.
    Lifted(Arc<Expression>),
    /// The explicitly chosen slow path.
    Called(Arc<dyn Callable>),
}

impl Policy {
    /// The policy that a module knows as `name`.
    pub fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }

    /// The state words before the first cycle; only expressions have any.
    pub fn initial_state(&self) -> Vec<u64> {
        match self {
            Self::Lifted(expression) => expression.initial_state().to_vec(),
            Self::Named(_) | Self::Called(_) => Vec::new(),
        }
    }

    /// The result for these inputs and this state; 0 for a named policy, which its module evaluates itself.
    pub fn evaluate(&self, inputs: &[u64], state: &[u64]) -> u64 {
        match self {
            Self::Named(_) => 0,
            Self::Lifted(expression) => expression.evaluate(inputs, state),
            Self::Called(callable) => callable.call(inputs),
        }
    }

    /// Replaces `state` by the state of the next cycle.
    pub fn advance(&self, inputs: &[u64], state: &mut [u64]) {
        if let Self::Lifted(expression) = self {
            expression.advance(inputs, state);
        }
    }
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Named(a), Self::Named(b)) => a == b,
            (Self::Lifted(a), Self::Lifted(b)) => a == b,
            (Self::Called(a), Self::Called(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => write!(formatter, "{name:?}"),
            Self::Lifted(expression) => {
                write!(formatter, "an expression of {} operations", expression.operations.len())
            }
            Self::Called(callable) => write!(formatter, "the function {} (called)", callable.name()),
        }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lifted(expression) => write!(formatter, "{expression:?}"),
            Self::Named(_) | Self::Called(_) => write!(formatter, "{self}"),
        }
    }
}

impl Serialize for Policy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(name) => serializer.serialize_str(name),
            Self::Lifted(expression) => expression.serialize(serializer),
            Self::Called(callable) => serializer.serialize_str(&format!("called:{}", callable.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_with_wrap_keeps_its_state() {
        let operations = vec![
            Operation::State(0),
            Operation::Constant(1),
            Operation::Add(0, 1),
            Operation::Input(0),
            Operation::Remainder(2, 3),
        ];
        let counter = Expression::new(operations, 0, vec![5], vec![4]).unwrap();
        let mut state = counter.initial_state().to_vec();
        let mut seen = Vec::new();
        for _ in 0..5 {
            seen.push(counter.evaluate(&[7], &state));
            counter.advance(&[7], &mut state);
        }
        assert_eq!(seen, [5, 6, 0, 1, 2]);
    }

    /// Results of the operations in order, as documented there.
    fn interpret(operations: &[Operation], inputs: &[u64], state: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        for operation in operations {
            let at = |operand: Operand| values[operand as usize];
            let shift = |by: u64| u32::try_from(by).ok().filter(|by| *by < 64);
            values.push(match *operation {
                Operation::Constant(value) => value,
                Operation::Input(input) => inputs.get(input as usize).copied().unwrap_or(0),
                Operation::State(word) => state[word as usize],
                Operation::Add(a, b) => at(a).wrapping_add(at(b)),
                Operation::Subtract(a, b) => at(a).wrapping_sub(at(b)),
                Operation::Multiply(a, b) => at(a).wrapping_mul(at(b)),
                Operation::Divide(a, b) => at(a).checked_div(at(b)).unwrap_or(u64::MAX),
                Operation::Remainder(a, b) => at(a).checked_rem(at(b)).unwrap_or(at(a)),
                Operation::And(a, b) => at(a) & at(b),
                Operation::Or(a, b) => at(a) | at(b),
                Operation::ExclusiveOr(a, b) => at(a) ^ at(b),
                Operation::ShiftLeft(a, b) => shift(at(b)).map_or(0, |by| at(a) << by),
                Operation::ShiftRight(a, b) => shift(at(b)).map_or(0, |by| at(a) >> by),
                Operation::Equal(a, b) => u64::from(at(a) == at(b)),
                Operation::Less(a, b) => u64::from(at(a) < at(b)),
                Operation::LessSigned(a, b) => u64::from(at(a).cast_signed() < at(b).cast_signed()),
                Operation::Select(condition, yes, no) => at(if at(condition) != 0 { yes } else { no }),
                Operation::TrailingZeros(a) => u64::from(at(a).trailing_zeros()),
                Operation::CountOnes(a) => u64::from(at(a).count_ones()),
            });
        }
        values
    }

    /// A generator of numbers that look random: SplitMix64.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        }

        fn below(&mut self, bound: usize) -> u32 {
            (self.next() % bound as u64) as u32
        }

        fn word(&mut self) -> u64 {
            match self.below(6) {
                0 => u64::from(self.below(3)),
                1 => u64::from(self.below(70)),
                2 => (1 << self.below(64)) - 1,
                3 => u64::MAX,
                4 => self.next() & 0xffff_ffff,
                _ => self.next(),
            }
        }

        fn operation(&mut self, earlier: usize) -> Operation {
            let choice = if earlier == 0 { self.below(3) } else { self.below(26) };
            match choice {
                0 => return Operation::Constant(self.word()),
                1 => return Operation::Input(self.below(5)),
                2 => return Operation::State(self.below(2)),
                _ => {}
            }
            let (a, b, c) = (self.below(earlier), self.below(earlier), self.below(earlier));
            match choice {
                3 => Operation::Add(a, b),
                4 => Operation::Subtract(a, b),
                5 => Operation::Multiply(a, b),
                6 => Operation::Divide(a, b),
                7 => Operation::Remainder(a, b),
                8..=10 => Operation::And(a, b),
                11 => Operation::Or(a, b),
                12 => Operation::ExclusiveOr(a, b),
                13 => Operation::ShiftLeft(a, b),
                14..=16 => Operation::ShiftRight(a, b),
                17..=19 => Operation::Equal(a, b),
                20 => Operation::Less(a, b),
                21 => Operation::LessSigned(a, b),
                22 => Operation::TrailingZeros(a),
                23 => Operation::CountOnes(a),
                _ => Operation::Select(a, b, c),
            }
        }
    }

    #[test]
    fn random_expressions_give_what_their_operations_give() {
        let mut random = Random(1);
        for round in 0..20_000 {
            let length = 1 + random.below(if round % 50 == 0 { 250 } else { 40 }) as usize;
            let operations: Vec<Operation> = (0..length).map(|earlier| random.operation(earlier)).collect();
            let result = length as u32 - 1;
            let next_state = vec![random.below(length), random.below(length)];
            let initial = vec![random.word(), random.word()];
            let expression =
                Expression::new(operations.clone(), result, initial, next_state.clone()).unwrap();
            for _ in 0..4 {
                let inputs: Vec<u64> = (0..5).map(|_| random.word()).collect();
                let mut state = vec![random.word(), random.word()];
                let values = interpret(&operations, &inputs, &state);
                assert_eq!(expression.evaluate(&inputs, &state), values[length - 1], "{operations:?}");
                expression.advance(&inputs, &mut state);
                let expected: Vec<u64> = next_state.iter().map(|next| values[*next as usize]).collect();
                assert_eq!(state, expected, "{operations:?}");
            }
        }
    }

    #[test]
    fn operations_out_of_order_are_refused() {
        let forward = Expression::new(vec![Operation::Add(0, 1), Operation::Constant(1)], 0, vec![], vec![]);
        assert_eq!(forward, Err(ExpressionError::NotEarlier { operation: 0, operand: 0 }));
        assert_eq!(Expression::new(vec![], 0, vec![], vec![]), Err(ExpressionError::Missing(0)));
        let state = Expression::new(vec![Operation::State(0)], 0, vec![], vec![]);
        assert_eq!(state, Err(ExpressionError::MissingState(0)));
    }

    #[test]
    fn division_and_shifts_have_a_result_for_every_operand() {
        let evaluate = |operation| {
            let operations = vec![Operation::Input(0), Operation::Input(1), operation];
            Expression::new(operations, 2, vec![], vec![]).unwrap().evaluate(&[9, 0], &[])
        };
        assert_eq!(evaluate(Operation::Divide(0, 1)), u64::MAX);
        assert_eq!(evaluate(Operation::Remainder(0, 1)), 9);
        assert_eq!(evaluate(Operation::ShiftLeft(0, 0)), 9 << 9);
        let wide = Expression::new(vec![Operation::Input(0), Operation::ShiftRight(0, 0)], 1, vec![], vec![])
            .unwrap();
        assert_eq!(wide.evaluate(&[1 << 40], &[]), 0);
    }
}
