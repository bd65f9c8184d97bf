//! Expansion of 16-bit instructions to 32-bit instructions (volume I, "C" extension).

const X1: u32 = 1;
const SP: u32 = 2;

/// Bits `high` to `low` of `word`, moved to begin at `to`.
const fn bits(word: u32, high: u32, low: u32, to: u32) -> u32 {
    (word >> low & ((1 << (high - low + 1)) - 1)) << to
}

/// `value` with its bit `sign` extended upward.
const fn extended(value: u32, sign: u32) -> u32 {
    ((value << (31 - sign)) as i32 >> (31 - sign)) as u32
}

const fn immediate(opcode: u32, function: u32, rd: u32, rs1: u32, value: u32) -> u32 {
    opcode | rd << 7 | function << 12 | rs1 << 15 | value << 20
}

const fn register(function: u32, upper: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    0x33 | rd << 7 | function << 12 | rs1 << 15 | rs2 << 20 | upper << 25
}

const fn register_word(function: u32, upper: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    register(function, upper, rd, rs1, rs2) | 8
}

const fn store(function: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    0x23 | bits(offset, 4, 0, 7) | function << 12 | rs1 << 15 | rs2 << 20 | bits(offset, 11, 5, 25)
}

const fn jump(rd: u32, offset: u32) -> u32 {
    0x6f | rd << 7
        | bits(offset, 19, 12, 12)
        | bits(offset, 11, 11, 20)
        | bits(offset, 10, 1, 21)
        | bits(offset, 20, 20, 31)
}

const fn branch(function: u32, rs1: u32, offset: u32) -> u32 {
    0x63 | bits(offset, 11, 11, 7)
        | bits(offset, 4, 1, 8)
        | function << 12
        | rs1 << 15
        | bits(offset, 10, 5, 25)
        | bits(offset, 12, 12, 31)
}

const LOAD: u32 = 0x03;
const FLOAT_LOAD: u32 = 0x07;
/// Bit that makes a store one of a floating-point register.
const FLOAT: u32 = 0x04;

/// 32-bit instruction equivalent to the low 16 bits of `word`, in the set whose registers have `width` bits, 32 or 64; `None` if
/// they are reserved.
pub const fn expand(word: u32, width: u32) -> Option<u32> {
    let function = bits(word, 15, 13, 0);
    match word & 3 {
        0 => quadrant_0(word, function, width),
        1 => quadrant_1(word, function, width),
        _ => quadrant_2(word, function, width),
    }
}

const fn quadrant_0(word: u32, function: u32, width: u32) -> Option<u32> {
    let (rd, rs1) = (8 + bits(word, 4, 2, 0), 8 + bits(word, 9, 7, 0));
    let word_offset = bits(word, 12, 10, 3) | bits(word, 6, 6, 2) | bits(word, 5, 5, 6);
    let double_offset = bits(word, 12, 10, 3) | bits(word, 6, 5, 6);
    match function {
        0 => {
            let offset =
                bits(word, 12, 11, 4) | bits(word, 10, 7, 6) | bits(word, 6, 6, 2) | bits(word, 5, 5, 3);
            if offset == 0 { None } else { Some(immediate(0x13, 0, rd, SP, offset)) }
        }
        1 => Some(immediate(FLOAT_LOAD, 3, rd, rs1, double_offset)),
        2 => Some(immediate(LOAD, 2, rd, rs1, word_offset)),
        3 if width == 64 => Some(immediate(LOAD, 3, rd, rs1, double_offset)),
        3 => Some(immediate(FLOAT_LOAD, 2, rd, rs1, word_offset)),
        5 => Some(store(3, rs1, rd, double_offset) | FLOAT),
        6 => Some(store(2, rs1, rd, word_offset)),
        7 if width == 64 => Some(store(3, rs1, rd, double_offset)),
        7 => Some(store(2, rs1, rd, word_offset) | FLOAT),
        _ => None,
    }
}

const fn quadrant_1(word: u32, function: u32, width: u32) -> Option<u32> {
    let rd = bits(word, 11, 7, 0);
    let small = extended(bits(word, 12, 12, 5) | bits(word, 6, 2, 0), 5);
    let offset = extended(
        bits(word, 12, 12, 11)
            | bits(word, 11, 11, 4)
            | bits(word, 10, 9, 8)
            | bits(word, 8, 8, 10)
            | bits(word, 7, 7, 6)
            | bits(word, 6, 6, 7)
            | bits(word, 5, 3, 1)
            | bits(word, 2, 2, 5),
        11,
    );
    let distance = extended(
        bits(word, 12, 12, 8)
            | bits(word, 11, 10, 3)
            | bits(word, 6, 5, 6)
            | bits(word, 4, 3, 1)
            | bits(word, 2, 2, 5),
        8,
    );
    let short = 8 + bits(word, 9, 7, 0);
    match function {
        0 => Some(immediate(0x13, 0, rd, rd, small)),
        1 if width == 64 && rd == 0 => None,
        1 if width == 64 => Some(immediate(0x1b, 0, rd, rd, small)),
        1 => Some(jump(X1, offset)),
        2 => Some(immediate(0x13, 0, rd, 0, small)),
        3 if rd == SP => {
            let amount = extended(
                bits(word, 12, 12, 9)
                    | bits(word, 6, 6, 4)
                    | bits(word, 5, 5, 6)
                    | bits(word, 4, 3, 7)
                    | bits(word, 2, 2, 5),
                9,
            );
            if amount == 0 { None } else { Some(immediate(0x13, 0, SP, SP, amount)) }
        }
        3 if small == 0 => None,
        3 => Some(0x37 | rd << 7 | small << 12),
        4 => arithmetic(word, short, small, width),
        5 => Some(jump(0, offset)),
        6 => Some(branch(0, short, distance)),
        _ => Some(branch(1, short, distance)),
    }
}

const fn arithmetic(word: u32, rd: u32, small: u32, width: u32) -> Option<u32> {
    let rs2 = 8 + bits(word, 4, 2, 0);
    let is_wide = bits(word, 12, 12, 0) != 0;
    match bits(word, 11, 10, 0) {
        // A shift by more than 31 is not of the set of 32 bits.
        0 | 1 if is_wide && width == 32 => None,
        0 => Some(immediate(0x13, 5, rd, rd, small & 0x3f)),
        1 => Some(immediate(0x13, 5, rd, rd, small & 0x3f | 0x400)),
        2 => Some(immediate(0x13, 7, rd, rd, small)),
        _ if is_wide && width == 32 => None,
        _ if is_wide => match bits(word, 6, 5, 0) {
            0 => Some(register_word(0, 0x20, rd, rd, rs2)),
            1 => Some(register_word(0, 0, rd, rd, rs2)),
            _ => None,
        },
        _ => Some(match bits(word, 6, 5, 0) {
            0 => register(0, 0x20, rd, rd, rs2),
            1 => register(4, 0, rd, rd, rs2),
            2 => register(6, 0, rd, rd, rs2),
            _ => register(7, 0, rd, rd, rs2),
        }),
    }
}

const fn quadrant_2(word: u32, function: u32, width: u32) -> Option<u32> {
    let (rd, rs2) = (bits(word, 11, 7, 0), bits(word, 6, 2, 0));
    let is_second = bits(word, 12, 12, 0) != 0;
    let word_offset = bits(word, 12, 12, 5) | bits(word, 6, 4, 2) | bits(word, 3, 2, 6);
    let double_offset = bits(word, 12, 12, 5) | bits(word, 6, 5, 3) | bits(word, 4, 2, 6);
    let word_place = bits(word, 12, 9, 2) | bits(word, 8, 7, 6);
    let double_place = bits(word, 12, 10, 3) | bits(word, 9, 7, 6);
    match function {
        0 if is_second && width == 32 => None,
        0 => Some(immediate(0x13, 1, rd, rd, rs2 | bits(word, 12, 12, 5))),
        1 => Some(immediate(FLOAT_LOAD, 3, rd, SP, double_offset)),
        2 if rd == 0 => None,
        2 => Some(immediate(LOAD, 2, rd, SP, word_offset)),
        3 if width == 32 => Some(immediate(FLOAT_LOAD, 2, rd, SP, word_offset)),
        3 if rd == 0 => None,
        3 => Some(immediate(LOAD, 3, rd, SP, double_offset)),
        4 => match (is_second, rd, rs2) {
            (false, 0, 0) => None,
            (false, _, 0) => Some(immediate(0x67, 0, 0, rd, 0)),
            (false, ..) => Some(register(0, 0, rd, 0, rs2)),
            (true, 0, 0) => Some(0x0010_0073),
            (true, _, 0) => Some(immediate(0x67, 0, X1, rd, 0)),
            (true, ..) => Some(register(0, 0, rd, rd, rs2)),
        },
        5 => Some(store(3, SP, rs2, double_place) | FLOAT),
        6 => Some(store(2, SP, rs2, word_place)),
        _ if width == 64 => Some(store(3, SP, rs2, double_place)),
        _ => Some(store(2, SP, rs2, word_place) | FLOAT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_stand_for_long_ones() {
        for (short, long) in [
            (0x0001, 0x0000_0013), // c.nop
            (0x1141, 0xff01_0113), // addi sp,sp,-16
            (0xc606, 0x0011_2623), // sw ra,12(sp)
            (0x40b2, 0x00c1_2083), // lw ra,12(sp)
            (0x8082, 0x0000_8067), // ret
            (0x4501, 0x0000_0513), // li a0,0
            (0x852e, 0x00b0_0533), // mv a0,a1 as add a0,zero,a1
            (0x9002, 0x0010_0073), // ebreak
            (0x8d89, 0x40a5_85b3), // sub a1,a1,a0
        ] {
            assert_eq!(expand(short, 32), Some(long), "{short:#06x}");
        }
        assert_eq!(expand(0, 32), None);
    }

    #[test]
    fn short_forms_of_the_wide_set_stand_for_long_ones() {
        for (short, long) in [
            (0x2505, 0x0015_051b), // addiw a0,a0,1
            (0xe406, 0x0011_3423), // sd ra,8(sp)
            (0x60a2, 0x0081_3083), // ld ra,8(sp)
            (0x6388, 0x0007_b503), // ld a0,0(a5)
            (0x1502, 0x0205_1513), // slli a0,a0,32
            (0x9101, 0x0205_5513), // srli a0,a0,32
            (0x9d3d, 0x00f5_053b), // addw a0,a0,a5
            (0x2398, 0x0007_b707), // fld fa4,0(a5)
        ] {
            assert_eq!(expand(short, 64), Some(long), "{short:#06x}");
        }
    }
}
