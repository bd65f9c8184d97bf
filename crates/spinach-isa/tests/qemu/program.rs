//! Random programs that exercise every user-mode instruction and write their state to standard output.
//!
//! A program is a row of blocks, run repeatedly. Each block is random instructions followed by a dump of all registers; each
//! round ends by writing out the dumps, the data memory and the log of traps. A trap is logged by a signal handler, which then
//! continues at the block's dump, whose address register `k0` holds.

use spinach_isa::instruction_set::{Class, Direction, Part};
use spinach_isa::mips::assemble::assemble;
use spinach_isa::mips::encode::{Operands, encode};
use spinach_isa::mips::operation::{Destination, Extension, Format};
use spinach_isa::mips::{GENERAL_NAMES, Operation};

use crate::support::Random;

/// First address of the program.
pub(crate) const CODE: u32 = 0x0040_0000;
/// Target of random loads and stores: the window that 10-bit offsets from `k1` reach.
pub(crate) const DATA: u32 = 0x0048_0000;
pub(crate) const DATA_BYTES: u32 = 0x400;
/// The traps of the current round: the size in bytes, then signal and address of each.
pub(crate) const TRAP_LOG: u32 = 0x0048_1000;
/// The register dumps of the current round.
const DUMPS: u32 = 0x0049_0000;
/// Rounds left.
const COUNTER: u32 = 0x0048_0800;
/// One past the last byte used.
pub(crate) const END: u32 = 0x0050_0000;

/// Registers in a dump: all general ones but `zero` and `sp`, then HI and LO.
pub(crate) const DUMP_WORDS: usize = 32;
/// Names of the dump's words.
pub(crate) fn dump_names() -> impl Iterator<Item = &'static str> {
    dumped_registers().map(|number| GENERAL_NAMES[number]).chain(["hi", "lo"])
}

fn dumped_registers() -> impl Iterator<Item = usize> {
    (1..32).filter(|&number| number != STACK_POINTER)
}

const STACK_POINTER: usize = 29;
const RECOVERY: u8 = 26;
const DATA_BASE: u8 = 27;

/// Signals that run the handler: illegal instruction, trap, arithmetic, bus, segment.
const SIGNALS: [u32; 5] = [4, 5, 8, 10, 11];

/// Values at which arithmetic changes its mind.
const CORNERS: [u32; 14] = [
    0,
    1,
    2,
    3,
    31,
    32,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// A random program.
pub(crate) struct Program {
    /// The instructions from [`CODE`] on.
    pub words: Vec<u32>,
    /// First words of each block's random part and of its dump.
    pub blocks: Vec<(usize, usize)>,
    /// Initial content of the data memory.
    pub data: Vec<u32>,
}

impl Program {
    /// Makes a program of `blocks` blocks that runs `rounds` rounds.
    pub(crate) fn random(seed: u64, blocks: usize, rounds: u32) -> Self {
        let mut random = Random(seed);
        let data = (0..DATA_BYTES / 4).map(|_| value(&mut random)).collect();
        let mut generator = Generator { random, words: prologue(rounds) };
        let round_start = generator.address();
        generator.assemble(&format!("lui gp,{:#x}\nori gp,gp,{:#x}", DUMPS >> 16, DUMPS & 0xffff));
        let blocks = (0..blocks).map(|_| generator.block()).collect();
        generator.assemble(&epilogue(round_start));
        Self { words: generator.words, blocks, data }
    }
}

fn load_address(register: &str, address: u32) -> String {
    format!("lui {register},{:#x}\nori {register},{register},{:#x}\n", address >> 16, address & 0xffff)
}

/// Installs the handler, clears what the rounds use, and jumps over the handler.
fn prologue(rounds: u32) -> Vec<u32> {
    // Offsets in the o32 frame: the saved program counter and register k0, low words of 64-bit slots.
    const SAVED_PC: u32 = 24 + 12;
    const SAVED_RECOVERY: u32 = 24 + 16 + 8 * RECOVERY as u32 + 4;
    // struct sigaction: flags (with information, not deferred), handler, four words of mask.
    let action = COUNTER + 0x10;
    let mut text = load_address("t0", action) + &load_address("t1", 0x4000_0008) + "sw t1,0(t0)\n";
    text += &format!("lui t1,{:#x}\naddiu t1,t1,handler_low\nsw t1,4(t0)\n", CODE >> 16);
    for signal in SIGNALS {
        text += &format!("addiu v0,zero,4194\naddiu a0,zero,{signal}\naddu a1,t0,zero\naddu a2,zero,zero\n");
        text += "addiu a3,zero,16\nsyscall\n";
    }
    text += &load_address("t0", COUNTER);
    text += &format!("addiu t1,zero,{rounds}\nsw t1,0(t0)\n");
    text += &load_address("k1", DATA + DATA_BYTES / 2);
    text += "j start\nnop\nhandler:\n";
    text += &load_address("t0", TRAP_LOG);
    text += "lw t1,0(t0)\naddu t2,t0,t1\nsw a0,4(t2)\n";
    text += &format!("lw t3,{SAVED_PC}(a2)\nsw t3,8(t2)\naddiu t1,t1,8\nsw t1,0(t0)\n");
    text += &format!("lw t4,{SAVED_RECOVERY}(a2)\nsw t4,{SAVED_PC}(a2)\njr ra\nnop\nstart:");
    // The handler lies within the first 32 KiB, so that its address takes no carry.
    let handler = text.lines().take_while(|line| *line != "handler:").count() * 4;
    assemble(&text.replace("handler_low", &handler.to_string()), CODE).unwrap()
}

/// Writes out the round and begins the next one, or exits.
fn epilogue(round_start: u32) -> String {
    let mut text = load_address("a1", DUMPS) + "subu a2,gp,a1\n" + WRITE;
    text += &(load_address("a1", DATA) + &format!("addiu a2,zero,{DATA_BYTES}\n") + WRITE);
    text += &(load_address("a1", TRAP_LOG) + "lw a2,0(a1)\naddiu a2,a2,4\n" + WRITE);
    text += &(load_address("a1", TRAP_LOG) + "sw zero,0(a1)\n");
    text += &(load_address("a1", COUNTER) + "lw a2,0(a1)\naddiu a2,a2,-1\nsw a2,0(a1)\nblez a2,exit\nnop\n");
    text += &format!("j {round_start}\nnop\nexit: addiu v0,zero,4001\naddu a0,zero,zero\nsyscall\n");
    return text;

    const WRITE: &str = "addiu a0,zero,1\naddiu v0,zero,4004\nsyscall\n";
}

fn value(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => random.word(),
        1 => CORNERS[random.below(CORNERS.len() as u32) as usize],
        _ => CORNERS[random.below(CORNERS.len() as u32) as usize].wrapping_neg(),
    }
}

struct Generator {
    random: Random,
    words: Vec<u32>,
}

/// Classes of operations without control transfer, memory or system.
const ARITHMETIC: [Class; 5] =
    [Class::Alu, Class::Shift, Class::Multiply, Class::Divide, Class::MultiplierMove];

impl Generator {
    fn address(&self) -> u32 {
        CODE + 4 * self.words.len() as u32
    }

    fn assemble(&mut self, text: &str) {
        self.words.extend(assemble(text, self.address()).unwrap());
    }

    fn emit(&mut self, operation: Operation, operands: Operands) {
        self.words.push(encode(operation, operands).unwrap());
    }

    /// One block: gives the first words of its random part and of its dump.
    fn block(&mut self) -> (usize, usize) {
        let recovery = self.words.len();
        self.words.extend([0, 0]);
        let start = self.words.len();
        for _ in 0..30 {
            self.item(2);
        }
        let dump = self.words.len();
        let address = load_address("k0", self.address());
        self.words[recovery..start].copy_from_slice(&assemble(&address, 0).unwrap());
        let mut text = String::new();
        for (index, number) in dumped_registers().enumerate() {
            text += &format!("sw ${number},{}(gp)\n", 4 * index);
        }
        let (hi, lo) = (4 * (DUMP_WORDS - 2), 4 * (DUMP_WORDS - 1));
        text += &format!("mfhi k0\nsw k0,{hi}(gp)\nmflo k0\nsw k0,{lo}(gp)\naddiu gp,gp,{}", 4 * DUMP_WORDS);
        self.assemble(&text);
        (start, dump)
    }

    /// A few instructions that belong together, with control transfers nested at most `depth` deep.
    fn item(&mut self, depth: u32) {
        match self.random.below(100) {
            0..14 => self.constant(),
            14..26 if depth > 0 => self.branch(depth - 1),
            26..30 if depth > 0 => self.detour(depth - 1),
            30..36 if depth > 0 => self.jump(depth - 1),
            36..42 => self.linked_pair(),
            42 => self.rarity(),
            _ => self.single(),
        }
    }

    /// An instruction without control transfer, fit for a delay slot.
    fn single(&mut self) {
        match self.random.below(100) {
            0..60 => {
                let operation = self.operation(|_, class| ARITHMETIC.contains(&class));
                self.with_random_operands(operation);
            }
            60..95 => self.memory_access(),
            95..97 => {
                let operation = self.operation(|operation, class| {
                    class == Class::System && operation.description().condition.is_some()
                });
                self.with_random_operands(operation);
            }
            97..99 => self.emit(Operation::Sync, Operands::default()),
            _ => self.emit(
                Operation::Addi,
                Operands { rs: DATA_BASE, rt: 1, immediate: 1, ..Operands::default() },
            ),
        }
    }

    /// A random base operation that satisfies the condition.
    fn operation(&mut self, condition: impl Fn(Operation, Class) -> bool) -> Operation {
        let candidates: Vec<_> = Operation::ALL
            .iter()
            .filter(|operation| operation.description().extension == Extension::Base)
            .filter(|operation| condition(**operation, operation.description().class))
            .collect();
        *candidates[self.random.below(candidates.len() as u32) as usize]
    }

    /// Any register but the stack pointer, which differs between machines.
    fn source(&mut self) -> u8 {
        match self.random.below(32) as u8 {
            number if usize::from(number) == STACK_POINTER => 0,
            number => number,
        }
    }

    /// Any register that holds no address which the program relies on.
    fn destination(&mut self) -> u8 {
        match self.random.below(32) as u8 {
            number @ 26..30 => number - 20,
            number => number,
        }
    }

    /// Operands that suit the operation's format; control transfers and memory accesses adjust them.
    fn operands(&mut self, operation: Operation) -> Operands {
        let description = operation.description();
        let fields = description.format.field_bits();
        let mut operands = Operands::default();
        let half = value(&mut self.random) & 0xffff;
        operands.immediate = match description.format {
            Format::RtRsSigned | Format::RsSigned => half as u16 as i16 as u32,
            Format::RtRsUnsigned => half,
            Format::RtUpper => half << 16,
            // Some codes are divide errors by convention: codes from 8 on are not.
            Format::RsRtCode => 8 + self.random.below(0x3f0),
            _ => 0,
        };
        if fields >> 21 & 0x1f != 0 {
            operands.rs = self.source();
        }
        if fields >> 16 & 0x1f != 0 {
            let written = description.destination == Destination::Rt;
            operands.rt = if written { self.destination() } else { self.source() };
        }
        if description.destination == Destination::Rd {
            operands.rd = self.destination();
        }
        if description.format == Format::RdRtShift {
            operands.shift_amount = self.random.below(32) as u8;
        }
        operands
    }

    fn with_random_operands(&mut self, operation: Operation) {
        let operands = self.operands(operation);
        self.emit(operation, operands);
    }

    /// Loads a register with a random or a corner value.
    fn constant(&mut self) {
        let (register, value) = (self.destination(), value(&mut self.random));
        self.emit(
            Operation::Lui,
            Operands { rt: register, immediate: value & 0xffff_0000, ..Operands::default() },
        );
        let low = Operands { rt: register, rs: register, immediate: value & 0xffff, ..Operands::default() };
        self.emit(Operation::Ori, low);
    }

    /// A load or store in the data memory, rarely misaligned or outside any memory.
    fn memory_access(&mut self) {
        let operation = self.operation(|operation, class| {
            let linked = operation.description().memory.is_some_and(|behaviour| behaviour.linked);
            matches!(class, Class::Load | Class::Store) && !linked
        });
        let Some(behaviour) = operation.description().memory else { return };
        let mut offset = self.random.below(DATA_BYTES);
        let strays = self.random.below(100);
        if behaviour.part == Part::Whole && strays != 0 {
            offset &= !(u32::from(behaviour.size_bytes) - 1);
        }
        let offset = offset.wrapping_sub(DATA_BYTES / 2);
        let mut operands = Operands { rs: DATA_BASE, immediate: offset, ..self.operands(operation) };
        if strays == 1 {
            // Page zero is never mapped.
            operands = Operands { rs: 0, immediate: 64, ..operands };
        }
        if behaviour.direction == Direction::Load {
            operands.rt = self.destination();
        }
        self.emit(operation, operands);
    }

    /// `ll` and `sc`, mostly to the same word, with arithmetic that cannot trap in between. Never `sc` alone,
    /// which is unpredictable: QEMU keeps the link after `sc`.
    fn linked_pair(&mut self) {
        let offset = (self.random.below(DATA_BYTES) & !3).wrapping_sub(DATA_BYTES / 2);
        let linked =
            Operands { rs: DATA_BASE, rt: self.destination(), immediate: offset, ..Operands::default() };
        self.emit(Operation::Ll, linked);
        for _ in 0..self.random.below(4) {
            let operation = self.operation(|operation, class| {
                let traps = matches!(operation, Operation::Add | Operation::Addi | Operation::Sub);
                ARITHMETIC.contains(&class) && !traps
            });
            self.with_random_operands(operation);
        }
        let elsewhere = if self.random.below(8) == 0 { 4 } else { 0 };
        let immediate = if offset == 0x1fc { offset } else { offset.wrapping_add(elsewhere) };
        let rt = self.destination();
        self.emit(Operation::Sc, Operands { rt, immediate, ..linked });
    }

    /// A conditional branch. Not one that its register numbers alone keep from being taken: QEMU makes those
    /// vanish, so that a trap in the delay slot names the slot instead of the branch.
    fn condition(&mut self) -> (Operation, Operands) {
        loop {
            let operation = self.operation(|_, class| class == Class::Branch);
            let operands = self.operands(operation);
            let vanishes = match operation {
                Operation::Bne => operands.rs == operands.rt,
                Operation::Bltz | Operation::Bgtz => operands.rs == 0,
                _ => false,
            };
            if !vanishes {
                return (operation, operands);
            }
        }
    }

    /// A conditional branch over a body.
    fn branch(&mut self, depth: u32) {
        let (operation, operands) = self.condition();
        let at = self.words.len();
        self.words.push(0);
        self.single();
        self.body(depth);
        let immediate = 4 * (self.words.len() - at - 1) as u32;
        self.words[at] = encode(operation, Operands { immediate, ..operands }).unwrap();
    }

    /// A jump to a conditional branch that leads back to a body, which jumps past it.
    fn detour(&mut self, depth: u32) {
        let start = self.words.len();
        self.words.extend([0, 0]);
        self.body(depth);
        let leave = self.words.len();
        self.words.extend([0, 0]);
        let (operation, operands) = self.condition();
        let back = (start as u32 + 2).wrapping_sub(self.words.len() as u32 + 1).wrapping_mul(4);
        self.emit(operation, Operands { immediate: back, ..operands });
        self.single();
        for (from, to) in [(start, leave + 2), (leave, self.words.len())] {
            let immediate = 4 * (to - from - 1) as u32;
            self.words[from] = encode(Operation::Beq, Operands { immediate, ..Operands::default() }).unwrap();
        }
    }

    /// An unconditional jump over a body.
    fn jump(&mut self, depth: u32) {
        let operation = self.operation(|_, class| class == Class::Jump);
        let register = 1 + self.random.below(25) as u8;
        let indirect = matches!(operation, Operation::Jr | Operation::Jalr);
        let start = self.words.len();
        self.words.extend(if indirect { vec![0; 3] } else { vec![0] });
        self.single();
        self.body(depth);
        let target = self.address();
        let (immediate, rs) = if indirect { (0, register) } else { (target & 0x0fff_ffff, 0) };
        let mut words = if indirect {
            assemble(&load_address(&format!("${register}"), target), 0).unwrap()
        } else {
            Vec::new()
        };
        let operands = Operands { immediate, rs, ..self.operands(operation) };
        words.push(encode(operation, operands).unwrap());
        self.words[start..start + words.len()].copy_from_slice(&words);
    }

    fn body(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            self.item(depth);
        }
    }

    /// Instruction that always traps in user mode.
    fn rarity(&mut self) {
        let code = 8 + self.random.below(0x3f0);
        let doubleword = ["0x0062082d", "0xdf610000"];
        let text = match self.random.below(8) {
            0 => format!("break {code:#x}"),
            1 => format!(".word {}", doubleword[self.random.below(2) as usize]), // daddu, ld
            2 => "mfc0 t0,c0_status".to_owned(),
            3 => "mtc0 t0,c0_status".to_owned(),
            4 => "eret".to_owned(),
            5 => ".word 0x44010000".to_owned(), // mfc1
            6 => format!("beq zero,zero,{0}\nbne t0,t0,{0}", self.address() + 8),
            _ => "cache 0x0,0(k1)".to_owned(),
        };
        self.assemble(&text);
    }
}
