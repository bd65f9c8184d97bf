//! Steps: the operations that the loop of execution tells apart, and pairs of them that it performs at once.

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
            // Frequent in Linux and in loops.
            pairs {
                AddiBeq Addi Beq; AddiBne Addi Bne; AddiBlt Addi Blt; AddiBge Addi Bge; AddiBltu Addi Bltu;
                AddiBgeu Addi Bgeu;
                AddBeq Add Beq; AddBne Add Bne; AddBlt Add Blt; AddBge Add Bge; AddBltu Add Bltu;
                AddBgeu Add Bgeu;
                AddiwBeq Addiw Beq; AddiwBne Addiw Bne;
                AndiBeq Andi Beq; AndiBne Andi Bne;
                LbuBeq Lbu Beq; LbuBne Lbu Bne;
                LdBeq Ld Beq; LdBne Ld Bne;
                AddiAddi Addi Addi; AddiAdd Addi Add; AddiSlli Addi Slli; AddiAndi Addi Andi;
                AddAddi Add Addi; AddAdd Add Add; AddSlli Add Slli; AddAndi Add Andi;
                SlliAddi Slli Addi; SlliAdd Slli Add; SlliSlli Slli Slli; SlliAndi Slli Andi;
                AndiAddi Andi Addi; AndiAdd Andi Add; AndiSlli Andi Slli; AndiAndi Andi Andi;
                AddSrli Add Srli; SlliSrli Slli Srli; SrliAdd Srli Add; AddiXor Addi Xor; XorXor Xor Xor;
                MulAdd Mul Add;
                AuipcAddi Auipc Addi; LuiAddi Lui Addi; SlliwOr Slliw Or; SubwAddiw Subw Addiw;
                AddwAddiw Addw Addiw;
                LbuLbu Lbu Lbu; LdLd Ld Ld; SdSd Sd Sd;
                AddLbu Add Lbu; AddLw Add Lw; AddLd Add Ld;
                LwAdd Lw Add; LdAdd Ld Add; LwAddi Lw Addi; LdAddi Ld Addi;
                SbAddi Sb Addi; SwAddi Sw Addi; SdAddi Sd Addi;
            }
        }
    };
}
pub(crate) use loop_operations;

macro_rules! declare {
    (
        registers { $($rr:ident $rr_function:ident;)* }
        immediates { $($ri:ident $ri_function:ident;)* }
        branches { $($branch:ident $condition:ident;)* }
        loads { $($load:ident $load_size:literal;)* }
        signed_loads { $($signed:ident $signed_size:literal $type:ident;)* }
        stores { $($store:ident $store_size:literal;)* }
        others { $($other:ident;)* }
        pairs { $($pair:ident $first:ident $second:ident;)* }
    ) => {
        /// Work of the loop for an operation, or for two that follow each other.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Step {
            $($rr,)* $($ri,)* $($branch,)* $($load,)* $($signed,)* $($store,)* $($other,)* $($pair,)*
            /// An operation of the floating-point unit.
            Float,
            /// Any other operation.
            Other,
        }

        impl Step {
            pub(crate) fn of(operation: Operation) -> Self {
                match operation {
                    $(Operation::$rr => Self::$rr,)*
                    $(Operation::$ri => Self::$ri,)*
                    $(Operation::$branch => Self::$branch,)*
                    $(Operation::$load => Self::$load,)*
                    $(Operation::$signed => Self::$signed,)*
                    $(Operation::$store => Self::$store,)*
                    $(Operation::$other => Self::$other,)*
                    Operation::Flw | Operation::Fld | Operation::Fsw | Operation::Fsd => Self::Other,
                    _ if operation.is_of_float_unit() => Self::Float,
                    _ => Self::Other,
                }
            }

            /// The step that performs both, if there is one.
            pub(crate) fn pair(first: Self, second: Self) -> Option<Self> {
                match (first, second) {
                    $((Self::$first, Self::$second) => Some(Self::$pair),)*
                    _ => None,
                }
            }
        }

        #[cfg(test)]
        #[test]
        fn pairs_are_named_after_their_operations() {
            $(assert_eq!(stringify!($pair), concat!(stringify!($first), stringify!($second)));)*
        }
    };
}
loop_operations! { declare }
