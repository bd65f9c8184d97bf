//! The registers of an instruction set as gdb numbers them.

use std::fmt::Write;

use spinach_isa::architecture::{Architecture, ByteOrder};
use spinach_isa::registered::{Visitor, visit};
use spinach_modules::processor::debugging::View;

/// How gdb knows the registers of the cores.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The target description that gdb reads.
    pub xml: String,
    byte_order: ByteOrder,
    word_bytes: usize,
    registers: Vec<Shown>,
}

/// What is shown as a register.
#[derive(Clone, Copy, Debug)]
enum Shown {
    General(usize),
    ProgramCounter,
    Further(&'static str),
    /// What the cores do not have.
    Nothing,
}

struct Describe;

impl Visitor for Describe {
    type Output = Layout;

    fn visit<A: Architecture>(self) -> Layout {
        let bits = A::ELF.bits as usize;
        let described = A::DEBUGGER;
        let mut registers: Vec<_> = (0..32).map(Shown::General).collect();
        let mut xml = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
             <target version=\"1.0\"><architecture>{}</architecture><osabi>none</osabi>",
            described.architecture
        );
        for (index, (feature, names)) in described.features.iter().enumerate() {
            let _ = write!(xml, "<feature name=\"{feature}\">");
            let general = (0..32).map(|number| format!("{}{number}", described.general));
            let general = general.filter(|_| index == 0);
            for name in general.chain(names.iter().map(|name| (*name).to_owned())) {
                let _ = write!(xml, "<reg name=\"{name}\" bitsize=\"{bits}\"/>");
            }
            registers.extend(names.iter().map(|name| shown::<A>(name)));
            xml.push_str("</feature>");
        }
        xml.push_str("</target>");
        Layout { xml, byte_order: A::ELF.byte_order, word_bytes: bits / 8, registers }
    }
}

fn shown<A: Architecture>(name: &'static str) -> Shown {
    if name == "pc" {
        return Shown::ProgramCounter;
    }
    let known = A::FURTHER_REGISTERS.iter().any(|(further, _)| *further == name);
    if known { Shown::Further(name) } else { Shown::Nothing }
}

impl Layout {
    /// Of the instruction set called `name`, if there is one.
    pub(super) fn of(name: &str) -> Option<Self> {
        visit(name, Describe)
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

    /// Which general registers of a core get which values when all registers are written; nothing if another register is to change.
    pub(super) fn changes(&self, view: &View, bytes: &[Option<u8>]) -> Option<Vec<(u8, u64)>> {
        let known = self.bytes(view);
        let mut changes = Vec::new();
        let words = bytes.chunks(self.word_bytes).zip(known.chunks(self.word_bytes)).zip(&self.registers);
        for ((written, known), register) in words {
            if written == known || matches!(register, Shown::Nothing) || known.contains(&None) {
                continue;
            }
            let Shown::General(number) = register else { return None };
            let written: Vec<u8> = written.iter().map(|byte| byte.unwrap_or_default()).collect();
            changes.push((*number as u8, self.value(&written)));
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
