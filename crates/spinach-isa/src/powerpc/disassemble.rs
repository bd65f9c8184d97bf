//! Instructions as assembly text, in the syntax of the GNU tools without aliases.

use super::instruction::{Instruction, target};
use super::operation::{Format, Operation};
use crate::instruction_set::DecodedInstruction;

impl Instruction {
    /// Assembly text at an address.
    pub(super) fn text(&self, address: u32) -> String {
        if self.operation == Operation::Reserved {
            return format!(".long 0x{:x}", self.word);
        }
        let operands = self.operands(address);
        let mnemonic = self.jumping_mnemonic();
        if operands.is_empty() { mnemonic } else { format!("{mnemonic} {operands}") }
    }

    /// The mnemonic with its suffixes for the return address and an absolute target.
    fn jumping_mnemonic(&self) -> String {
        let is_direct = matches!(self.format(), Format::Jump | Format::Branch);
        let absolute = if is_direct && self.word & 2 != 0 { "a" } else { "" };
        let links = if self.links() { "l" } else { "" };
        format!("{}{links}{absolute}", self.mnemonic())
    }

    fn operands(&self, address: u32) -> String {
        let (first, second, third) = (self.first(), self.second(), self.third());
        let (signed, unsigned) = (self.signed() as i32, self.word & 0xffff);
        let (from, to) = (self.word >> 6 & 31, self.word >> 1 & 31);
        let or_zero = if second == 0 { "0".to_owned() } else { format!("r{second}") };
        match self.format() {
            Format::Signed => format!("r{first},r{second},{signed}"),
            Format::SignedOrZero => format!("r{first},{or_zero},{signed}"),
            Format::Unsigned => format!("r{second},r{first},{unsigned}"),
            Format::Arithmetic | Format::IndexedUpdate => format!("r{first},r{second},r{third}"),
            Format::ArithmeticUnary => format!("r{first},r{second}"),
            Format::Logic => format!("r{second},r{first},r{third}"),
            Format::LogicUnary => format!("r{second},r{first}"),
            Format::ShiftAmount => format!("r{second},r{first},{third}"),
            Format::Rotate => format!("r{second},r{first},{third},{from},{to}"),
            Format::RotateByRegister => format!("r{second},r{first},r{third},{from},{to}"),
            Format::Compare => format!("cr{},r{second},r{third}", first >> 2),
            Format::CompareSigned => format!("cr{},r{second},{signed}", first >> 2),
            Format::CompareUnsigned => format!("cr{},r{second},{unsigned}", first >> 2),
            Format::Offset => format!("r{first},{signed}({or_zero})"),
            Format::OffsetUpdate => format!("r{first},{signed}(r{second})"),
            Format::Indexed => format!("r{first},{or_zero},r{third}"),
            Format::Address => format!("{or_zero},r{third}"),
            Format::Jump => format!("{:#x}", target(address, self.displacement())),
            Format::Branch => {
                format!("{first},{},{:#x}", condition_bit(second), target(address, self.displacement()))
            }
            Format::BranchToRegister => format!("{first},{}", condition_bit(second)),
            Format::ConditionBits => {
                let [first, second, third] = [first, second, third].map(condition_bit);
                format!("{first},{second},{third}")
            }
            Format::ConditionFields => format!("cr{},cr{}", first >> 2, second >> 2),
            Format::ConditionField => format!("cr{}", first >> 2),
            Format::ToConditions => format!("{},r{first}", self.word >> 12 & 0xff),
            Format::Destination | Format::Source => format!("r{first}"),
            Format::FromSpecial => format!("r{first},{}", self.special()),
            Format::ToSpecial => format!("{},r{first}", self.special()),
            Format::Trap => format!("{first},r{second},r{third}"),
            Format::TrapSigned => format!("{first},r{second},{signed}"),
            Format::Bit => format!("{}", self.word >> 15 & 1),
            Format::Plain => String::new(),
        }
    }
}

/// A bit of the condition register, as `4*cr7+gt`.
fn condition_bit(number: u8) -> String {
    let name = ["lt", "gt", "eq", "so"][usize::from(number & 3)];
    if number < 4 { name.to_owned() } else { format!("4*cr{}+{name}", number >> 2) }
}
