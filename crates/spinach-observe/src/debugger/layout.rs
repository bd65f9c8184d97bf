//! The registers of an instruction set as gdb numbers them.

use std::fmt::Write;

use spinach_isa::architecture::{Architecture, ByteOrder};
use spinach_isa::registered::{Visitor, visit};
use spinach_isa::riscv::RiscV;
use spinach_modules::processor::debugging::View;

use super::debugged::Register;

/// gdb's names of the floating-point registers of RISC-V.
pub(super) const FLOAT_REGISTERS: [&str; 32] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15",
    "f16", "f17", "f18", "f19", "f20", "f21", "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", "f30",
    "f31",
];
/// gdb's name of the privilege of a hart: 0 is user mode, 1 supervisor mode.
pub(super) const PRIVILEGE: &str = "priv";
/// Number of control and status registers that gdb has among those of the floating-point unit, the first ones.
const CONTROL_OF_FLOAT: usize = 3;

/// gdb's layout of the registers of the cores.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The target description that gdb reads.
    pub xml: String,
    byte_order: ByteOrder,
    word_bytes: usize,
    registers: Vec<Shown>,
}

/// Content shown as a register.
#[derive(Clone, Copy, Debug)]
enum Shown {
    General(usize),
    ProgramCounter,
    Further(&'static str),
    /// Register that the cores do not have.
    Nothing,
}

/// Features with the names of their registers. General registers come first, in the first feature.
type Features<'a> = &'a [(&'static str, &'a [&'static str])];

struct Describe;

impl Visitor for Describe {
    type Output = Layout;

    fn visit<A: Architecture>(self) -> Layout {
        described::<A>(A::DEBUGGER.features, |name| {
            A::FURTHER_REGISTERS.iter().chain(A::DEBUGGER.exceptions).any(|(known, _)| known == name)
        })
    }
}

/// The layout of an instruction set with these features, of whose registers cores have some.
fn described<A: Architecture>(features: Features<'_>, is_there: impl Fn(&&'static str) -> bool) -> Layout {
    let bits = A::ELF.bits as usize;
    let described = A::DEBUGGER;
    let mut registers: Vec<_> = (0..32).map(Shown::General).collect();
    let mut xml = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
         <target version=\"1.0\"><architecture>{}</architecture><osabi>none</osabi>",
        described.architecture
    );
    for (index, (feature, names)) in features.iter().enumerate() {
        let _ = write!(xml, "<feature name=\"{feature}\">");
        let general = (0..32).map(|number| format!("{}{number}", described.general));
        let general = general.filter(|_| index == 0);
        for name in general.chain(names.iter().map(|name| (*name).to_owned())) {
            let _ = write!(xml, "<reg name=\"{name}\" bitsize=\"{bits}\"/>");
        }
        registers.extend(names.iter().map(|name| match *name {
            "pc" => Shown::ProgramCounter,
            name if is_there(&name) => Shown::Further(name),
            _ => Shown::Nothing,
        }));
        xml.push_str("</feature>");
    }
    xml.push_str("</target>");
    Layout { xml, byte_order: A::ELF.byte_order, word_bytes: bits / 8, registers }
}

impl Layout {
    /// Layout of the instruction set called `name`, if it exists.
    pub(super) fn of(name: &str) -> Option<Self> {
        visit(name, Describe)
    }

    /// Layout of the harts of a server: registers of RV64 with those of the floating-point unit, control and status registers of
    /// these names, and the privilege.
    pub(super) fn of_server(control: &[&'static str]) -> Self {
        let (of_float, others) = control.split_at(CONTROL_OF_FLOAT);
        let float = [&FLOAT_REGISTERS[..], of_float].concat();
        let features: Features<'_> = &[
            ("org.gnu.gdb.riscv.cpu", &["pc"]),
            ("org.gnu.gdb.riscv.fpu", &float),
            ("org.gnu.gdb.riscv.csr", others),
            ("org.gnu.gdb.riscv.virtual", &[PRIVILEGE]),
        ];
        described::<RiscV<u64>>(features, |_| true)
    }

    /// The registers of a core as the protocol carries them, their bytes one after the other.
    pub(super) fn bytes(&self, view: &View) -> Vec<Option<u8>> {
        let mut bytes = Vec::new();
        for register in &self.registers {
            let value = match register {
                Shown::General(number) => view.general.get(*number).copied(),
                Shown::ProgramCounter => Some(view.pc),
                Shown::Further(name) => {
                    view.further.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
                }
                Shown::Nothing => None,
            };
            match value {
                None => bytes.extend(std::iter::repeat_n(None, self.word_bytes)),
                Some(value) => bytes.extend(self.word(value).into_iter().map(Some)),
            }
        }
        bytes
    }

    /// Register writes of a core when all are written; `None` if a read-only one is to change.
    pub(super) fn changes(&self, view: &View, bytes: &[Option<u8>]) -> Option<Vec<(Register, u64)>> {
        let known = self.bytes(view);
        let mut changes = Vec::new();
        let words = bytes.chunks(self.word_bytes).zip(known.chunks(self.word_bytes)).zip(&self.registers);
        for ((written, known), register) in words {
            if written == known || matches!(register, Shown::Nothing) || known.contains(&None) {
                continue;
            }
            let register = match register {
                Shown::General(number) => Register::General(*number as u8),
                Shown::ProgramCounter => Register::ProgramCounter,
                Shown::Further(_) | Shown::Nothing => return None,
            };
            let written: Vec<u8> = written.iter().map(|byte| byte.unwrap_or_default()).collect();
            changes.push((register, self.value(&written)));
        }
        Some(changes)
    }

    fn value(&self, bytes: &[u8]) -> u64 {
        let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        match self.byte_order {
            ByteOrder::Big => bytes.iter().fold(0, add),
            ByteOrder::Little => bytes.iter().rev().fold(0, add),
        }
    }

    fn word(&self, value: u64) -> Vec<u8> {
        match self.byte_order {
            ByteOrder::Big => value.to_be_bytes()[8 - self.word_bytes..].to_vec(),
            ByteOrder::Little => value.to_le_bytes()[..self.word_bytes].to_vec(),
        }
    }
}
