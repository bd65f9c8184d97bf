//! Steps: the operations that the loop of execution tells apart.

use spinach_isa::riscv::Operation;

/// Passes the operations of the loop to a macro.
macro_rules! loop_operations {
    ($macro:ident) => {
        $macro! {
            registers {
                Add Add; Sub Subtract; Sll ShiftLeft; Slt Less;
                Sltu LessUnsigned; Xor ExclusiveOr; Srl ShiftRight; Sra ShiftRightSigned;
                Or Or; And And; Mul Multiply; Mulh MultiplyHigh;
                Mulhsu MultiplyHighSignedUnsigned; Mulhu MultiplyHighUnsigned; Div Divide; Divu DivideUnsigned;
                Rem Remainder; Remu RemainderUnsigned; Addw AddWord; Subw SubtractWord;
                Sllw ShiftLeftWord; Srlw ShiftRightWord; Sraw ShiftRightSignedWord; Mulw MultiplyWord;
                Divw DivideWord; Divuw DivideUnsignedWord; Remw RemainderWord; Remuw RemainderUnsignedWord;
            }
            immediates {
                Addi Add; Slti Less; Sltiu LessUnsigned; Xori ExclusiveOr;
                Ori Or; Andi And; Slli ShiftLeft; Srli ShiftRight;
                Srai ShiftRightSigned; Addiw AddWord; Slliw ShiftLeftWord; Srliw ShiftRightWord;
                Sraiw ShiftRightSignedWord;
            }
            branches {
                Beq Equal; Bne NotEqual; Blt Less; Bge GreaterOrEqual;
                Bltu LessUnsigned; Bgeu GreaterOrEqualUnsigned;
            }
            loads { Lbu 1; Lhu 2; Lwu 4; Ld 8; }
            signed_loads { Lb 1 i8; Lh 2 i16; Lw 4 i32; }
            stores { Sb 1; Sh 2; Sw 4; Sd 8; }
            others { Lui; Auipc; Jal; Jalr; }
        }
    };
}
pub(crate) use loop_operations;

macro_rules! declare {
    ($($kind:ident { $($name:ident $($first:ident)? $($number:literal $($second:ident)?)?;)* })*) => {
        /// Work of the loop for an operation.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Step {
            $($($name,)*)*
            /// Any other operation.
            Other,
        }

        impl Step {
            pub(crate) fn of(operation: Operation) -> Self {
                match operation {
                    $($(Operation::$name => Self::$name,)*)*
                    _ => Self::Other,
                }
            }
        }
    };
}
loop_operations! { declare }
