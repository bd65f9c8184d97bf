//! Decoding and encoding are inverses, and so are disassembling and assembling, for every operation.

use proptest::prelude::*;
use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::disassemble::disassemble;
use spinach_isa::mips::encode::encode;
use spinach_isa::mips::tigon2::PriorityOrder;
use spinach_isa::mips::{Extensions, Operation, decode};

fn extensions() -> impl Strategy<Value = Extensions> {
    let order =
        prop::option::of(prop_oneof![Just(PriorityOrder::HighestFirst), Just(PriorityOrder::LowestFirst)]);
    (order, any::<bool>()).prop_map(|(tigon2, atomic_bit_array)| Extensions { tigon2, atomic_bit_array })
}

/// The extensions with which an operation exists.
fn extensions_for(operation: Operation) -> Extensions {
    let order = if operation == Operation::PriorityLowest {
        PriorityOrder::LowestFirst
    } else {
        PriorityOrder::HighestFirst
    };
    Extensions { tigon2: Some(order), atomic_bit_array: true }
}

fn has_one_encoding(operation: Operation) -> bool {
    !matches!(operation, Operation::Reserved | Operation::CoprocessorUnusable)
}

#[test]
fn every_operation_decodes_from_its_own_encoding() {
    for &operation in Operation::ALL.iter().filter(|&&operation| has_one_encoding(operation)) {
        let description = operation.description();
        for variable in [0, u32::MAX] {
            let word = description.fixed_bits | variable & description.format.variable_bits();
            assert_eq!(decode(word, extensions_for(operation)).operation, operation, "{word:#010x}");
        }
    }
}

#[test]
fn extensions_are_off_unless_asked_for() {
    for operation in
        [Operation::PriorityHighest, Operation::JumpOffset, Operation::SetBit, Operation::UpdateBits]
    {
        let word = operation.description().fixed_bits;
        assert_eq!(decode(word, Extensions::default()).operation, Operation::Reserved);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_word_decodes_and_encodes_back(word: u32, extensions in extensions()) {
        let instruction = decode(word, extensions);
        prop_assert_eq!(instruction.word, word);
        if has_one_encoding(instruction.operation) {
            prop_assert_eq!(encode(instruction.operation, instruction.operands()), Ok(word));
        }
    }

    #[test]
    fn any_word_disassembles_and_assembles_back(word: u32, address: u32, extensions in extensions()) {
        let address = address & !3;
        let text = disassemble(decode(word, extensions), address).to_string();
        prop_assert_eq!(assemble(&text, address), Ok(vec![word]), "{}", text);
    }

    #[test]
    fn variable_bits_never_change_the_operation(index in 2..Operation::ALL.len(), bits: u32) {
        let operation = Operation::ALL[index];
        let description = operation.description();
        let word = description.fixed_bits | bits & description.format.variable_bits();
        let instruction = decode(word, extensions_for(operation));
        prop_assert_eq!(instruction.operation, operation);
        prop_assert_eq!(encode(operation, instruction.operands()), Ok(word));
        let text = disassemble(instruction, 0x8000_4000).to_string();
        prop_assert_eq!(assemble(&text, 0x8000_4000), Ok(vec![word]), "{}", text);
    }

    #[test]
    fn a_bit_that_must_be_zero_makes_a_word_another_operation(index in 2..Operation::ALL.len(), bits: u32) {
        let operation = Operation::ALL[index];
        let description = operation.description();
        let strays = bits & !description.format.variable_bits();
        let word = description.fixed_bits ^ strays;
        prop_assert_eq!(decode(word, extensions_for(operation)).operation == operation, strays == 0);
    }
}
