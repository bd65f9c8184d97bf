//! Expressions in the form in which they are evaluated.
//!
//! Compiling folds constants, merges common subexpressions, removes dead operations, and fuses pairs of
//! operations that are frequent in control logic: extract a field, compare it, select by it.

use std::collections::HashMap;

use super::operation::{Operand, Operation};

/// A value of an expression that is being compiled: the number of a node.
type Id = u32;

/// Node of the expression graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Constant(u64),
    Input(u32),
    State(u32),
    /// The bits of `mask` of a value shifted right.
    Field {
        of: Id,
        shift: u8,
        mask: u64,
    },
    /// True if a field has a value.
    FieldIs {
        of: Id,
        shift: u8,
        mask: u64,
        key: u64,
    },
    ShiftLeftBy(Id, u8),
    Select(Id, Id, Id),
    Unary(Code, Id),
    Binary(Code, Id, Id),
}

/// Operation of a step on the values in its slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Code {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    ExclusiveOr,
    ShiftLeft,
    ShiftRight,
    Equal,
    Less,
    LessSigned,
    TrailingZeros,
    CountOnes,
    /// `a >> shift & b`
    Field,
    /// `a >> shift & b == c`
    FieldIs,
    /// `a << shift`
    ShiftLeftBy,
    /// `c` if `a >> shift & b` is not 0, else `d`
    Select,
}

/// One step: it fills the slot after that of the step before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    code: Code,
    shift: u8,
    a: u16,
    b: u16,
    c: u16,
    d: u16,
}

/// Steps that compute some values of an expression. The slots hold first constants, then inputs, then state words, then results of
/// steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Compiled {
    constants: Vec<u64>,
    inputs: Vec<u32>,
    state: Vec<u32>,
    steps: Vec<Step>,
    results: Vec<u16>,
}

/// Maximum number of slots: one per operation and two per operation for constants.
const MAXIMUM_SLOTS: usize = 1024;

impl Compiled {
    /// Compiles the part of an expression that the `results` need.
    pub(super) fn new(operations: &[Operation], results: &[Operand]) -> Self {
        let mut builder = Builder::default();
        let mut ids = Vec::with_capacity(operations.len());
        for operation in operations {
            let id = builder.translate(*operation, &ids);
            ids.push(id);
        }
        let wanted: Vec<Id> = results.iter().map(|result| ids[*result as usize]).collect();
        builder.emit(&wanted)
    }

    /// The first of the results.
    #[inline]
    pub(super) fn evaluate(&self, input: impl Fn(u32) -> u64, state: &[u64]) -> u64 {
        // Clearing room for the longest expression would cost more than evaluating a short one.
        let result = usize::from(self.results[0]);
        match self.slots() {
            ..=16 => self.values::<16>(input, state)[result],
            17..=32 => self.values::<32>(input, state)[result],
            33..=64 => self.values::<64>(input, state)[result],
            65..=128 => self.values::<128>(input, state)[result],
            _ => self.values::<MAXIMUM_SLOTS>(input, state)[result],
        }
    }

    /// All results, into `state`.
    pub(super) fn advance(&self, input: impl Fn(u32) -> u64, state: &mut [u64]) {
        match self.slots() {
            ..=32 => self.replace(&self.values::<32>(input, state), state),
            33..=128 => self.replace(&self.values::<128>(input, state), state),
            _ => self.replace(&self.values::<MAXIMUM_SLOTS>(input, state), state),
        }
    }

    fn replace(&self, values: &[u64], state: &mut [u64]) {
        for (word, result) in state.iter_mut().zip(&self.results) {
            *word = values[usize::from(*result)];
        }
    }

    fn slots(&self) -> usize {
        self.constants.len() + self.inputs.len() + self.state.len() + self.steps.len()
    }

    // Values of all slots, of which there are at most `ROOM`.
    #[inline]
    fn values<const ROOM: usize>(&self, input: impl Fn(u32) -> u64, state: &[u64]) -> [u64; ROOM] {
        let mut values = [0; ROOM];
        let mut next = 0;
        for constant in &self.constants {
            values[next % ROOM] = *constant;
            next += 1;
        }
        for number in &self.inputs {
            values[next % ROOM] = input(*number);
            next += 1;
        }
        for word in &self.state {
            values[next % ROOM] = state.get(*word as usize).copied().unwrap_or(0);
            next += 1;
        }
        for step in &self.steps {
            let at = |slot: u16| values[usize::from(slot) % ROOM];
            let (a, b) = (at(step.a), at(step.b));
            let field = a >> (step.shift & 63) & b;
            values[next % ROOM] = match step.code {
                Code::Field => field,
                Code::FieldIs => u64::from(field == at(step.c)),
                Code::Select => {
                    if field != 0 {
                        at(step.c)
                    } else {
                        at(step.d)
                    }
                }
                Code::ShiftLeftBy => a << (step.shift & 63),
                code => code.compute(a, b),
            };
            next += 1;
        }
        values
    }
}

impl Code {
    #[inline]
    fn compute(self, a: u64, b: u64) -> u64 {
        let shift = |operation: fn(u64, u32) -> Option<u64>| {
            u32::try_from(b).ok().and_then(|by| operation(a, by)).unwrap_or(0)
        };
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Multiply => a.wrapping_mul(b),
            Self::Divide => a.checked_div(b).unwrap_or(u64::MAX),
            Self::Remainder => a.checked_rem(b).unwrap_or(a),
            Self::And => a & b,
            Self::Or => a | b,
            Self::ExclusiveOr => a ^ b,
            Self::ShiftLeft => shift(u64::checked_shl),
            Self::ShiftRight => shift(u64::checked_shr),
            Self::Equal => u64::from(a == b),
            Self::Less => u64::from(a < b),
            Self::LessSigned => u64::from(a.cast_signed() < b.cast_signed()),
            Self::TrailingZeros => u64::from(a.trailing_zeros()),
            Self::CountOnes => u64::from(a.count_ones()),
            Self::Field | Self::FieldIs | Self::ShiftLeftBy | Self::Select => 0,
        }
    }
}

/// Nodes made so far; equal nodes are shared.
#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    // The bits that each can have.
    bits: Vec<u64>,
    known: HashMap<Node, Id>,
}

impl Builder {
    fn node(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = self.nodes.len() as Id;
        self.bits.push(self.possible_of(node));
        self.nodes.push(node);
        self.known.insert(node, id);
        id
    }

    fn constant(&mut self, value: u64) -> Id {
        self.node(Node::Constant(value))
    }

    fn value_of(&self, id: Id) -> Option<u64> {
        if let Node::Constant(value) = self.nodes[id as usize] { Some(value) } else { None }
    }

    /// Bits that the value can have; all others are 0.
    fn possible(&self, id: Id) -> u64 {
        self.bits[id as usize]
    }

    fn possible_of(&self, node: Node) -> u64 {
        let at = |id: Id| self.bits[id as usize];
        match node {
            Node::Constant(value) => value,
            Node::Field { of, shift, mask } => at(of) >> shift & mask,
            Node::FieldIs { .. } | Node::Binary(Code::Equal | Code::Less | Code::LessSigned, ..) => 1,
            Node::ShiftLeftBy(a, shift) => at(a) << shift,
            Node::Select(_, yes, no) => at(yes) | at(no),
            Node::Binary(Code::And, a, b) => at(a) & at(b),
            Node::Binary(Code::Or | Code::ExclusiveOr, a, b) => at(a) | at(b),
            _ => u64::MAX,
        }
    }

    fn translate(&mut self, operation: Operation, ids: &[Id]) -> Id {
        let at = |operand: Operand| ids[operand as usize];
        match operation {
            Operation::Constant(value) => self.constant(value),
            Operation::Input(input) => self.node(Node::Input(input)),
            Operation::State(word) => self.node(Node::State(word)),
            Operation::Add(a, b) => self.binary(Code::Add, at(a), at(b)),
            Operation::Subtract(a, b) => self.binary(Code::Subtract, at(a), at(b)),
            Operation::Multiply(a, b) => self.binary(Code::Multiply, at(a), at(b)),
            Operation::Divide(a, b) => self.binary(Code::Divide, at(a), at(b)),
            Operation::Remainder(a, b) => self.binary(Code::Remainder, at(a), at(b)),
            Operation::And(a, b) => self.binary(Code::And, at(a), at(b)),
            Operation::Or(a, b) => self.binary(Code::Or, at(a), at(b)),
            Operation::ExclusiveOr(a, b) => self.binary(Code::ExclusiveOr, at(a), at(b)),
            Operation::ShiftLeft(a, b) => self.binary(Code::ShiftLeft, at(a), at(b)),
            Operation::ShiftRight(a, b) => self.binary(Code::ShiftRight, at(a), at(b)),
            Operation::Equal(a, b) => self.binary(Code::Equal, at(a), at(b)),
            Operation::Less(a, b) => self.binary(Code::Less, at(a), at(b)),
            Operation::LessSigned(a, b) => self.binary(Code::LessSigned, at(a), at(b)),
            Operation::Select(condition, yes, no) => self.select(at(condition), at(yes), at(no)),
            Operation::TrailingZeros(a) => self.unary(Code::TrailingZeros, at(a)),
            Operation::CountOnes(a) => self.unary(Code::CountOnes, at(a)),
        }
    }

    fn unary(&mut self, code: Code, a: Id) -> Id {
        match self.value_of(a) {
            Some(value) => self.constant(code.compute(value, 0)),
            None => self.node(Node::Unary(code, a)),
        }
    }

    fn binary(&mut self, code: Code, a: Id, b: Id) -> Id {
        let commutes = matches!(
            code,
            Code::Add | Code::Multiply | Code::And | Code::Or | Code::ExclusiveOr | Code::Equal
        );
        match (self.value_of(a), self.value_of(b)) {
            (Some(a), Some(b)) => self.constant(code.compute(a, b)),
            (Some(_), None) if commutes => self.binary(code, b, a),
            (None, Some(value)) => self.with_constant(code, a, b, value),
            (None, None) if a == b && matches!(code, Code::And | Code::Or) => a,
            (None, None) if a == b && code == Code::Equal => self.constant(1),
            (None, None) if commutes && a > b => self.node(Node::Binary(code, b, a)),
            _ => self.node(Node::Binary(code, a, b)),
        }
    }

    /// `value` is the value of `b`.
    fn with_constant(&mut self, code: Code, a: Id, b: Id, value: u64) -> Id {
        let is_short = u8::try_from(value).is_ok_and(|shift| shift < 64);
        match (code, value) {
            (
                Code::Add
                | Code::Subtract
                | Code::Or
                | Code::ExclusiveOr
                | Code::ShiftLeft
                | Code::ShiftRight,
                0,
            )
            | (Code::Multiply | Code::Divide, 1) => a,
            (Code::And | Code::Multiply, 0) => self.constant(0),
            (Code::ShiftLeft | Code::ShiftRight, _) if !is_short => self.constant(0),
            (Code::ShiftLeft, _) => self.node(Node::ShiftLeftBy(a, value as u8)),
            (Code::ShiftRight, _) => self.field(a, value as u8, u64::MAX),
            (Code::And, _) => self.field(a, 0, value),
            (Code::Equal, _) => self.field_is(a, value),
            _ => self.node(Node::Binary(code, a, b)),
        }
    }

    fn field(&mut self, of: Id, shift: u8, mask: u64) -> Id {
        if let Node::Field { of: inner, shift: first, mask: inner_mask } = self.nodes[of as usize] {
            let mask = inner_mask >> shift & mask;
            return if first + shift < 64 {
                self.field(inner, first + shift, mask)
            } else {
                self.constant(0)
            };
        }
        let possible = self.possible(of) >> shift;
        match possible & mask {
            0 => self.constant(0),
            kept if shift == 0 && kept == possible => of,
            _ => self.node(Node::Field { of, shift, mask }),
        }
    }

    fn field_is(&mut self, a: Id, key: u64) -> Id {
        if key & !self.possible(a) != 0 {
            return self.constant(0);
        }
        if key == 1 && self.possible(a) == 1 {
            return a;
        }
        match self.nodes[a as usize] {
            // The negation of a one-bit field compares it with its other value.
            Node::FieldIs { of, shift, mask: 1, key: inner } if key == 0 => {
                self.node(Node::FieldIs { of, shift, mask: 1, key: 1 - inner })
            }
            Node::Field { of, shift, mask } => self.node(Node::FieldIs { of, shift, mask, key }),
            _ => self.node(Node::FieldIs { of: a, shift: 0, mask: u64::MAX, key }),
        }
    }

    fn select(&mut self, condition: Id, yes: Id, no: Id) -> Id {
        if yes == no {
            return yes;
        }
        match (self.nodes[condition as usize], self.value_of(yes), self.value_of(no)) {
            (Node::Constant(0), ..) => no,
            (Node::Constant(_), ..) => yes,
            (_, Some(1), Some(0)) if self.possible(condition) == 1 => condition,
            (_, Some(0), Some(1)) => self.field_is(condition, 0),
            (Node::FieldIs { of, shift, mask, key: 0 }, ..) => {
                let field = self.field(of, shift, mask);
                self.select(field, no, yes)
            }
            _ => self.node(Node::Select(condition, yes, no)),
        }
    }

    fn operands(&self, id: Id) -> Vec<Id> {
        match self.nodes[id as usize] {
            Node::Constant(_) | Node::Input(_) | Node::State(_) => Vec::new(),
            Node::Field { of, .. } | Node::FieldIs { of, .. } => vec![of],
            Node::ShiftLeftBy(a, _) | Node::Unary(_, a) => vec![a],
            Node::Binary(_, a, b) => vec![a, b],
            Node::Select(condition, yes, no) => match self.nodes[condition as usize] {
                // The condition is a part of the step.
                Node::Field { of, .. } => vec![of, yes, no],
                _ => vec![condition, yes, no],
            },
        }
    }

    fn emit(&self, results: &[Id]) -> Compiled {
        let mut is_needed = vec![false; self.nodes.len()];
        let mut pending = results.to_vec();
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut is_needed[id as usize], true) {
                pending.extend(self.operands(id));
            }
        }
        let mut emitter = Emitter::new(self, &is_needed);
        for id in (0..self.nodes.len()).filter(|id| is_needed[*id]) {
            emitter.emit(id as Id);
        }
        emitter.compiled.results = results.iter().map(|id| emitter.slots[*id as usize]).collect();
        emitter.compiled
    }
}

/// Gives every node that is needed a slot.
struct Emitter<'a> {
    nodes: &'a [Node],
    slots: Vec<u16>,
    constants: HashMap<u64, u16>,
    next: u16,
    compiled: Compiled,
}

impl<'a> Emitter<'a> {
    fn new(builder: &'a Builder, is_needed: &[bool]) -> Self {
        let nodes = &builder.nodes;
        let mut emitter = Self {
            nodes,
            slots: vec![0; nodes.len()],
            constants: HashMap::new(),
            next: 0,
            compiled: Compiled::default(),
        };
        let needed = || nodes.iter().enumerate().filter(|(id, _)| is_needed[*id]);
        for (id, node) in needed() {
            match *node {
                Node::Constant(value) => emitter.slots[id] = emitter.constant(value),
                Node::Field { mask, .. } => _ = emitter.constant(mask),
                Node::FieldIs { mask, key, .. } => _ = (emitter.constant(mask), emitter.constant(key)),
                Node::Select(condition, ..) => {
                    let mask = match nodes[condition as usize] {
                        Node::Field { mask, .. } => mask,
                        _ => u64::MAX,
                    };
                    emitter.constant(mask);
                }
                _ => {}
            }
        }
        for (id, node) in needed() {
            if let Node::Input(input) = *node {
                emitter.compiled.inputs.push(input);
                emitter.slots[id] = emitter.take();
            }
        }
        for (id, node) in needed() {
            if let Node::State(word) = *node {
                emitter.compiled.state.push(word);
                emitter.slots[id] = emitter.take();
            }
        }
        emitter
    }

    fn take(&mut self) -> u16 {
        self.next += 1;
        self.next - 1
    }

    fn constant(&mut self, value: u64) -> u16 {
        if let Some(slot) = self.constants.get(&value) {
            return *slot;
        }
        let slot = self.take();
        self.compiled.constants.push(value);
        self.constants.insert(value, slot);
        slot
    }

    fn emit(&mut self, id: Id) {
        let slot = |id: Id| self.slots[id as usize];
        let constant = |value: u64| self.constants.get(&value).copied().unwrap_or_default();
        let step = |code, a, b| Step { code, shift: 0, a, b, c: 0, d: 0 };
        let made = match self.nodes[id as usize] {
            Node::Constant(_) | Node::Input(_) | Node::State(_) => return,
            Node::Field { of, shift, mask } => Step { shift, ..step(Code::Field, slot(of), constant(mask)) },
            Node::FieldIs { of, shift, mask, key } => {
                Step { shift, c: constant(key), ..step(Code::FieldIs, slot(of), constant(mask)) }
            }
            Node::ShiftLeftBy(a, shift) => Step { shift, ..step(Code::ShiftLeftBy, slot(a), 0) },
            Node::Unary(code, a) => step(code, slot(a), 0),
            Node::Binary(code, a, b) => step(code, slot(a), slot(b)),
            Node::Select(condition, yes, no) => {
                let (of, shift, mask) = match self.nodes[condition as usize] {
                    Node::Field { of, shift, mask } => (of, shift, mask),
                    _ => (condition, 0, u64::MAX),
                };
                let chosen = step(Code::Select, slot(of), constant(mask));
                Step { shift, c: slot(yes), d: slot(no), ..chosen }
            }
        };
        self.compiled.steps.push(made);
        self.slots[id as usize] = self.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(operations: &[Operation]) -> usize {
        Compiled::new(operations, &[operations.len() as Operand - 1]).steps.len()
    }

    #[test]
    fn what_control_logic_is_full_of_is_one_step() {
        use Operation::{And, Constant, Equal, Input, Select, ShiftRight};
        let field = [Input(0), Constant(27), ShiftRight(0, 1), Constant(15), And(2, 3)];
        assert_eq!(steps(&field), 1);
        let is = [&field[..], &[Constant(4), Equal(4, 5)]].concat();
        assert_eq!(steps(&is), 1);
        let is_not = [&is[..], &[Constant(0), Equal(6, 7)]].concat();
        assert_eq!(steps(&is_not), 2);
        let chosen = [&field[..], &[Input(1), Input(2), Select(4, 5, 6)]].concat();
        assert_eq!(steps(&chosen), 1);
        // If it is 0, the other way round.
        let chosen = [&field[..], &[Constant(0), Equal(4, 5), Input(1), Input(2), Select(6, 7, 8)]].concat();
        assert_eq!(steps(&chosen), 1);
    }

    #[test]
    fn what_is_constant_or_unused_is_no_step() {
        use Operation::{Add, Constant, Divide, Input, Multiply, Select};
        assert_eq!(steps(&[Constant(3), Constant(4), Multiply(0, 1), Select(2, 0, 1)]), 0);
        assert_eq!(steps(&[Input(0), Divide(0, 0), Constant(0), Add(0, 2)]), 0);
        assert_eq!(steps(&[Input(0), Input(1), Add(0, 1), Add(1, 0), Add(2, 3)]), 2);
    }
}
