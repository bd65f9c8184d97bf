//! `alu`: arithmetic, logic, shifts, comparisons, products and quotients.

use spinach_engine::declaration::Ports;
use spinach_engine::{Declaration, Input, Module, Output, Process, Signals, data, ports};
use spinach_isa::registered::classic::Operation;
use spinach_isa::registered::classic::operation::{AluFunction, Condition};
use spinach_isa::registered::classic::semantics::{alu, condition_holds, multiply_divide};

use super::control_word::opcode;

ports! {
    /// Ports of an ALU.
    pub struct AluPorts {
        /// The first operand, 32 bits.
        pub a: Input<u64>,
        /// The second operand, 32 bits.
        pub b: Input<u64>,
        /// Operation, as in the control word of `instruction_decoder`: 0 to 14 arithmetic, logic and shifts, 16 to 23
        /// comparisons, 24 to 27 products and quotients.
        pub opcode: Input<u64>,
        /// The result. Of sums and differences that trap on overflow, bit 32 tells whether they did. Of products and quotients
        /// the upper 32 bits are HI.
        pub result: Output<u64>,
    }
}

/// Computes within a cycle. See its declaration.
pub struct Alu(AluPorts);

const FUNCTIONS: [AluFunction; 15] = [
    AluFunction::Add,
    AluFunction::AddTrapping,
    AluFunction::Subtract,
    AluFunction::SubtractTrapping,
    AluFunction::And,
    AluFunction::Or,
    AluFunction::Xor,
    AluFunction::Nor,
    AluFunction::SetLessThanSigned,
    AluFunction::SetLessThanUnsigned,
    AluFunction::ShiftLeft,
    AluFunction::ShiftRightLogical,
    AluFunction::ShiftRightArithmetic,
    AluFunction::PriorityHighest,
    AluFunction::PriorityLowest,
];

const CONDITIONS: [Condition; 8] = [
    Condition::Equal,
    Condition::NotEqual,
    Condition::LessSigned,
    Condition::LessOrEqualSigned,
    Condition::GreaterSigned,
    Condition::GreaterOrEqualSigned,
    Condition::LessUnsigned,
    Condition::GreaterOrEqualUnsigned,
];

const OVERFLOW: u64 = 1 << 32;

fn compute(code: u32, a: u32, b: u32) -> u64 {
    if let Some(function) = FUNCTIONS.get(code as usize) {
        return alu(*function, a, b).map_or(OVERFLOW, u64::from);
    }
    if let Some(condition) = CONDITIONS.get(code.wrapping_sub(opcode::CONDITIONS) as usize) {
        return u64::from(condition_holds(*condition, a, b));
    }
    let operation = match code {
        opcode::MULTIPLY => Operation::Mult,
        opcode::MULTIPLY_UNSIGNED => Operation::Multu,
        opcode::DIVIDE => Operation::Div,
        opcode::DIVIDE_UNSIGNED => Operation::Divu,
        _ => return 0,
    };
    let product = multiply_divide(operation, a, b);
    u64::from(product.hi) << 32 | u64::from(product.lo)
}

impl Module for Alu {
    type Parameters = ();
    type Ports = AluPorts;
    type State = ();

    const COMMITS: bool = false;

    fn declaration() -> Declaration {
        Declaration {
            kind: "alu",
            family: "processor",
            documentation: "Computes a result from two operands.\n\nIt takes one cycle whatever it does; further latency is the \
                            business of what surrounds it. Absent operands count as 0, and without an opcode there is no \
                            result.",
            timing: "Combinational. Inputs are always acknowledged.",
            source: "Spinach thesis, section 3.2.4, table 3.4 (ALU)",
            parameters: Vec::new(),
            ports: AluPorts::declare(),
            counters: &[],
            clocks: &["clock"],
        }
    }

    fn new((): (), ports: AluPorts) -> Result<Self, String> {
        Ok(Self(ports))
    }

    fn processes(&self) -> Vec<Process> {
        type P = AluPorts;
        let inputs = [P::A, P::B, P::OPCODE];
        vec![Process::new(0).drives([data(P::RESULT)]).reads(inputs.map(data)).accepts(inputs)]
    }

    fn evaluate(&self, _: u16, _: u32, signals: &mut Signals) {
        let Self(ports) = self;
        let operand = |input| signals.read(input).unwrap_or(0) as u32;
        let (a, b) = (operand(ports.a), operand(ports.b));
        let result = signals.read(ports.opcode).map(|code| compute(code as u32, a, b));
        signals.write(ports.result, result);
    }

    fn state(&self) -> &() {
        &()
    }

    fn restore(&mut self, (): ()) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_are_the_numbers_of_functions_and_conditions() {
        for (code, function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(code, *function as usize);
        }
        for (code, condition) in CONDITIONS.iter().enumerate() {
            assert_eq!(code, *condition as usize);
        }
    }

    #[test]
    fn results() {
        assert_eq!(compute(0, u32::MAX, 1), 0);
        assert_eq!(compute(1, i32::MAX as u32, 1), OVERFLOW);
        assert_eq!(compute(16, 5, 5), 1);
        assert_eq!(compute(25, u32::MAX, u32::MAX), 0xffff_fffe_0000_0001);
        assert_eq!(compute(27, 17, 5), 2 << 32 | 3);
        assert_eq!(compute(31, 1, 1), 0);
    }
}
