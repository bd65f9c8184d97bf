//! Random code of RV32IMAC, encoded by hand: for the interpreter against QEMU, and for cores against the interpreter.

/// A source of random numbers.
pub(super) trait Numbers {
    /// 32 uniform bits.
    fn word(&mut self) -> u32;
    /// Uniform below `limit`.
    fn below(&mut self, limit: u32) -> u32;
}

/// Number of bytes of data that random code refers to.
pub(super) const DATA_BYTES: u32 = 0x400;

/// Registers that hold addresses, which random instructions leave alone: the stack pointer and the global pointer point to the
/// middle of the data, the thread pointer to the dump. x31 is free for addresses in between.
pub(super) const SP: u32 = 2;
pub(super) const GP: u32 = 3;
pub(super) const TP: u32 = 4;
pub(super) const SCRATCH: u32 = 31;

fn destination(random: &mut impl Numbers) -> u32 {
    loop {
        let number = random.below(32);
        if ![SP, GP, TP].contains(&number) {
            return number;
        }
    }
}

pub(super) fn i(opcode: u32, function: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    immediate << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

fn r(upper: u32, function: u32, opcode: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    upper << 25 | rs2 << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
}

pub(super) fn s(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    (offset >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | function << 12 | (offset & 31) << 7 | 0x23
}

pub(super) fn b(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    (offset >> 12 & 1) << 31
        | (offset >> 5 & 0x3f) << 25
        | rs2 << 20
        | rs1 << 15
        | function << 12
        | (offset >> 1 & 15) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
}

pub(super) fn j(rd: u32, offset: u32) -> u32 {
    (offset >> 20 & 1) << 31
        | (offset >> 1 & 0x3ff) << 21
        | (offset >> 11 & 1) << 20
        | (offset >> 12 & 0xff) << 12
        | rd << 7
        | 0x6f
}

fn upper(rd: u32, value: u32) -> u32 {
    value & 0xffff_f000 | rd << 7 | 0x37
}

/// Code in parcels of 16 bits.
#[derive(Default)]
pub(super) struct Code(pub Vec<u16>);

impl Code {
    pub(super) fn long(&mut self, word: u32) {
        self.0.extend([word as u16, (word >> 16) as u16]);
    }

    pub(super) fn load(&mut self, register: u32, value: u32) {
        self.long(upper(register, value.wrapping_add(0x800)));
        self.long(i(0x13, 0, register, register, value & 0xfff));
    }

    pub(super) fn bytes(&self) -> u32 {
        2 * self.0.len() as u32
    }
}

/// An aligned offset from the middle of the data.
fn offset(random: &mut impl Numbers, size: u32) -> u32 {
    random.below(DATA_BYTES / size).wrapping_mul(size).wrapping_sub(DATA_BYTES / 2) & 0xfff
}

/// One or a few random instructions of RV32IMAC, which control leaves behind their last.
pub(super) fn random_item(random: &mut impl Numbers, code: &mut Code) {
    let (rd, rs1, rs2) = (destination(random), random.below(32), random.below(32));
    match random.below(20) {
        0..4 => {
            let function = random.below(8);
            let upper = [0, 0x20][usize::from(matches!(function, 0 | 5)) & random.below(2) as usize];
            code.long(r(upper, function, 0x33, rd, rs1, rs2));
        }
        4..6 => code.long(r(1, random.below(8), 0x33, rd, rs1, rs2)),
        6..9 => {
            let function = random.below(8);
            let immediate = match function {
                1 => random.below(32),
                5 => random.below(32) | random.below(2) << 10,
                _ => random.below(0x1000),
            };
            code.long(i(0x13, function, rd, rs1, immediate));
        }
        9 => code.long(upper(rd, random.word()) & !0x20 | random.below(2) << 5),
        10..12 => {
            let (function, size) = [(0, 1), (1, 2), (2, 4), (4, 1), (5, 2)][random.below(5) as usize];
            code.long(i(0x03, function, rd, [SP, GP][random.below(2) as usize], offset(random, size)));
        }
        12..14 => {
            let function = random.below(3);
            code.long(s(function, GP, rs2, offset(random, 1 << function)));
        }
        14 => atomic(random, code, rd, rs2),
        15 => skip(random, code),
        16 if random.below(4) == 0 => code.long([0x0ff0_000f, 0x0000_100f][random.below(2) as usize]),
        _ => short(random, code),
    }
}

fn atomic(random: &mut impl Numbers, code: &mut Code, rd: u32, rs2: u32) {
    const FUNCTIONS: [u32; 9] = [0, 1, 4, 8, 12, 16, 20, 24, 28];
    code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
    let order = random.below(4);
    let of = |function: u32, rd: u32, rs2: u32| r(function << 2 | order, 2, 0x2f, rd, SCRATCH, rs2);
    if random.below(3) == 0 {
        // A reservation, taken up there, elsewhere, or not at all.
        let rd_of_load = if rd == SCRATCH { 5 } else { rd };
        code.long(of(2, rd_of_load, 0));
        if random.below(3) == 0 {
            code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
        }
        if random.below(4) != 0 {
            code.long(of(3, destination(random), rs2));
        }
        // The rest of the reservation must not matter: QEMU looks at values where the architecture looks at
        // stores.
        code.long(i(0x13, 0, SCRATCH, GP, offset(random, 4)));
        code.long(of(3, 0, rs2));
    } else {
        code.long(of(FUNCTIONS[random.below(9) as usize], rd, rs2));
    }
}

/// A branch or jump over a few other instructions.
fn skip(random: &mut impl Numbers, code: &mut Code) {
    let mut skipped = Code::default();
    for _ in 0..=random.below(3) {
        match random.below(2) {
            0 => short(random, &mut skipped),
            _ => skipped.long(i(0x13, 0, destination(random), random.below(32), random.below(0x1000))),
        }
    }
    let (rs1, rs2, rd) = (random.below(32), random.below(32), destination(random));
    let rd = if rd == SCRATCH { 1 } else { rd };
    match random.below(8) {
        0 => code.long(j(rd, 4 + skipped.bytes())),
        1 => {
            code.long(SCRATCH << 7 | 0x17);
            // The lowest bit of the target does not count.
            code.long(i(0x67, 0, rd, SCRATCH, 8 + skipped.bytes() + random.below(2)));
        }
        2 => {
            code.long(SCRATCH << 7 | 0x17);
            let distance = 4 + 4 + 2 + skipped.bytes();
            code.long(i(0x13, 0, SCRATCH, SCRATCH, distance));
            // c.jr, c.jalr
            code.0.push([0x8002, 0x9002][random.below(2) as usize] | (SCRATCH << 7) as u16);
        }
        3 => {
            let distance = 2 + skipped.bytes();
            let function = [1, 5][random.below(2) as usize];
            let field = (distance >> 1 & 7) << 3 | (distance >> 4 & 1) << 11;
            code.0.push((function << 13 | field | 1) as u16);
        }
        4 => {
            let distance = 2 + skipped.bytes();
            let field = (distance >> 1 & 3) << 3 | (distance >> 3 & 3) << 10;
            code.0.push(((6 + random.below(2)) << 13 | field | random.below(8) << 7 | 1) as u16);
        }
        _ => {
            let function = [0, 1, 4, 5, 6, 7][random.below(6) as usize];
            code.long(b(function, rs1, rs2, 4 + skipped.bytes()));
        }
    }
    code.0.extend(skipped.0);
}

/// An instruction of 16 bits that falls through and means something.
fn short(random: &mut impl Numbers, code: &mut Code) {
    loop {
        let word = random.word() as u16;
        let (quadrant, function) = (word & 3, word >> 13);
        let field = u32::from(word >> 7 & 31);
        let is_kept = |number: u32| [SP, GP, TP].contains(&number);
        let low = u32::from(word >> 2 & 7);
        let fits = match (quadrant, function) {
            // c.addi4spn with some offset; loads and stores through x8 to x15 would need addresses there.
            (0, 0) => word >> 5 & 0xff != 0 && low < 8,
            (1, 0 | 2) => !is_kept(field),
            (1, 3) => !is_kept(field) && word & 0x107c != 0,
            (1, 4) => word & 0x1000 == 0 || word >> 10 & 3 == 2,
            (2, 0) => !is_kept(field) && word & 0x1000 == 0,
            // Within the half of the data after the stack pointer.
            (2, 2) => !is_kept(field) && field != 0,
            (2, 4) => !is_kept(field) && word >> 2 & 31 != 0,
            (2, 6) => true,
            _ => false,
        };
        if fits {
            code.0.push(word);
            return;
        }
    }
}
