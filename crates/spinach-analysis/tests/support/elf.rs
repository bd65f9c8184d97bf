//! Small ELF executables from assembly text.

use spinach_isa::mips::assemble::assemble;

/// First address of the code of a small executable.
pub(crate) const CODE: u32 = 0x1000;

const HEADER_BYTES: u32 = 52;
const PROGRAM_HEADER_BYTES: u32 = 32;
const SECTION_HEADER_BYTES: u32 = 40;

/// Executable with optional faults.
#[derive(Clone, Copy)]
pub(crate) struct Executable<'text> {
    /// The code, from [`CODE`] on.
    pub assembly: &'text str,
    /// Functions: name, first instruction, number of instructions.
    pub functions: &'text [(&'text str, u32, u32)],
    /// Machine number, 8 for MIPS.
    pub machine: u16,
    /// 2 for big-endian.
    pub byte_order: u8,
}

impl<'text> Executable<'text> {
    /// A sound one.
    pub(crate) fn new(assembly: &'text str, functions: &'text [(&'text str, u32, u32)]) -> Self {
        Self { assembly, functions, machine: 8, byte_order: 2 }
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let code: Vec<u8> =
            assemble(self.assembly, CODE).unwrap().into_iter().flat_map(u32::to_be_bytes).collect();
        let section_names = b"\0.text\0.symtab\0.strtab\0";
        let mut names = vec![0];
        let mut symbols = vec![0; 16];
        for (name, first, count) in self.functions {
            symbols.extend((names.len() as u32).to_be_bytes());
            symbols.extend((CODE + 4 * first).to_be_bytes());
            symbols.extend((4 * count).to_be_bytes());
            symbols.extend([0x12, 0, 0, 1]); // global function in section 1
            names.extend(name.bytes().chain([0]));
        }
        let code_at = HEADER_BYTES + PROGRAM_HEADER_BYTES;
        let symbols_at = code_at + code.len() as u32;
        let names_at = symbols_at + symbols.len() as u32;
        let section_names_at = names_at + names.len() as u32;
        let sections_at = section_names_at + section_names.len() as u32;
        let mut file = vec![0x7f, b'E', b'L', b'F', 1, self.byte_order, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let words =
            |file: &mut Vec<u8>, words: &[u32]| file.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        file.extend([0, 2].into_iter().chain(self.machine.to_be_bytes()));
        words(&mut file, &[1, CODE, HEADER_BYTES, sections_at, 0x1000_0100]);
        let halves = [HEADER_BYTES, PROGRAM_HEADER_BYTES, 1, SECTION_HEADER_BYTES, 5, 4];
        file.extend(halves.iter().flat_map(|half| (*half as u16).to_be_bytes()));
        let code_bytes = code.len() as u32;
        words(&mut file, &[1, code_at, CODE, CODE, code_bytes, code_bytes, 7, 4]);
        file.extend(&code);
        file.extend(&symbols);
        file.extend(&names);
        file.extend(section_names);
        words(&mut file, &[0; 10]);
        words(&mut file, &[1, 1, 6, CODE, code_at, code_bytes, 0, 0, 4, 0]);
        words(&mut file, &[7, 2, 0, 0, symbols_at, symbols.len() as u32, 3, 1, 4, 16]);
        words(&mut file, &[15, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0]);
        words(&mut file, &[15, 3, 0, 0, section_names_at, section_names.len() as u32, 0, 0, 1, 0]);
        file
    }
}
