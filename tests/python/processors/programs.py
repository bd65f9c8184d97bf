"""Random MIPS programs as words: they only branch forward, but for one loop, and end with `break`."""

from random import Random

DATA = 0x8000
VECTOR = 0x4000
REGISTERS = (0, 1, 2, 3, 4, 5, 8, 9, 31)
JUMP_OFFSET, PRIORITY = 0xA, 0xB
"""The Tigon-2's instructions; reserved on other cores."""
GP, INDEX, ROUNDS, SUM, TARGET, FRAME = 28, 16, 17, 18, 25, 29


def r_type(function: int, rs: int, rt: int, rd: int, shift: int = 0) -> int:
    """An instruction of the opcode SPECIAL."""
    return rs << 21 | rt << 16 | rd << 11 | shift << 6 | function


def i_type(opcode: int, rs: int, rt: int, immediate: int) -> int:
    """An instruction with an immediate."""
    return opcode << 26 | rs << 21 | rt << 16 | immediate & 0xFFFF


def from_coprocessor(register: int, number: int) -> int:
    """`mfc0`."""
    return 0x4000_0000 | register << 16 | number << 11


def to_coprocessor(register: int, number: int) -> int:
    """`mtc0`."""
    return 0x4080_0000 | register << 16 | number << 11


HANDLER = [
    # Take note of Cause; unless it is an interrupt, skip the instruction.
    *(from_coprocessor(27, 13), r_type(0x21, SUM, 27, SUM), i_type(12, 27, 27, 0x7C), i_type(4, 27, 0, 6), 0),
    *(from_coprocessor(26, 14), i_type(9, 26, 26, 4), to_coprocessor(26, 14), 0x4200_0018, 0),
    # Else withdraw software interrupts, and let the timer come again.
    *(to_coprocessor(0, 13), from_coprocessor(26, 9), i_type(9, 26, 26, 41), to_coprocessor(26, 11)),
    *(0x4200_0018, 0),
]


def arithmetic(random: Random) -> int:
    """An instruction that concerns registers only."""
    a, b, d = (random.choice(REGISTERS) for _ in range(3))
    choice = random.randrange(5)
    if choice == 0:
        return r_type(random.choice((0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B)), a, b, d)
    if choice == 1:
        if random.randrange(8) == 0:
            return r_type(PRIORITY, a, b, d)
        return i_type(random.choice((8, 9, 10, 11, 12, 13, 14)), a, d, random.getrandbits(16))
    if choice == 2:
        return r_type(random.choice((0, 2, 3)), 0, a, d, random.randrange(32))
    if choice == 3:
        return r_type(random.choice((4, 6, 7)), a, b, d)
    if random.randrange(2):
        return r_type(random.choice((0x18, 0x19, 0x1A, 0x1B)), a, b, 0)
    return random.choice(
        (r_type(0x10, 0, 0, d), r_type(0x12, 0, 0, d), r_type(0x11, a, 0, 0), r_type(0x13, a, 0, 0))
    )


def reference(random: Random) -> int:
    """A load, a store, or an atomic operation; most often aligned."""
    register = random.choice(REGISTERS)
    choice = random.randrange(12)
    if choice == 0:
        return 0x7000_0010 | INDEX << 21 | GP << 16
    if choice == 1:
        return 0x7000_0011 | INDEX << 21 | GP << 16 | register << 11
    if choice == 2:
        return i_type(9, 0, INDEX, random.randrange(256))
    if choice == 3:
        return 0xF  # sync
    # lb, lh, lwl, lw, lbu, lhu, lwr, ll; sb, sh, swl, sw, swr, sc
    opcode, unit = random.choice(
        [(0x20, 1), (0x21, 2), (0x22, 1), (0x23, 4), (0x24, 1), (0x25, 2), (0x26, 1), (0x30, 4)]
        if random.randrange(2)
        else [(0x28, 1), (0x29, 2), (0x2A, 1), (0x2B, 4), (0x2E, 1), (0x38, 4)]
    )
    offset = random.randrange(128)
    return i_type(opcode, GP, register, offset if random.randrange(10) == 0 else offset - offset % unit)


def exceptional(random: Random) -> int:
    """Return an instruction that may raise an exception."""
    a, b = random.choice(REGISTERS), random.choice(REGISTERS)
    return random.choice(
        (
            0xC,  # syscall
            r_type(random.choice((0x30, 0x31, 0x32, 0x33, 0x34, 0x36)), a, b, 0),
            i_type(1, a, random.choice((8, 9, 10, 11, 12, 14)), b),
            0xFC00_0000,  # reserved
            0x4600_0000,  # coprocessor 1
            i_type(0x23, FRAME, a, -4),  # nothing answers there
            from_coprocessor(a, 13),  # Cause
            from_coprocessor(a, 9),  # Count
            to_coprocessor(a, 13),  # may raise software interrupts
        )
    )


def program(seed: int, length: int = 60) -> list[int]:
    """The words from address 0 on: program, handler of exceptions at VECTOR, random data at DATA."""
    random = Random(seed)
    words = [i_type(9, 0, GP, DATA >> 1), r_type(0x21, GP, GP, GP), i_type(9, 0, ROUNDS, 3)]
    # Interrupts on, all of them allowed; the timer comes for the first time soon.
    words += [i_type(13, 0, 26, 0xFF01), to_coprocessor(26, 12), i_type(9, 0, 27, 70), to_coprocessor(27, 11)]
    begin = len(words)
    words += [0] * length
    for place in range(begin, begin + length):
        ahead = min(1 + random.randrange(6), begin + length - place)
        a, b = random.choice(REGISTERS), random.choice(REGISTERS)
        choice = random.randrange(20)
        if choice < 2:
            words[place] = i_type(random.choice((4, 5, 20, 21)), a, b, ahead)
        elif choice < 3:
            words[place] = i_type(random.choice((6, 7, 22, 23)), a, 0, ahead)
        elif choice < 4:
            words[place] = i_type(1, a, random.choice((0, 1, 2, 3, 16, 17, 18, 19)), ahead)
        elif choice < 5:
            words[place] = random.choice((2, 3)) << 26 | place + ahead + 1
        elif choice < 6 and place + 2 < begin + length and words[place] == 0:
            words[place] = i_type(9, 0, TARGET, 4 * (place + ahead + 1))
        elif choice < 7 and place > begin and words[place - 1] >> 16 == i_type(9, 0, TARGET, 0) >> 16:
            words[place] = random.choice(
                (r_type(8, TARGET, 0, 0), r_type(9, TARGET, 0, 31), r_type(JUMP_OFFSET, TARGET, ROUNDS, 0))
            )
        elif choice < 8:
            words[place] = exceptional(random)
        elif choice < 14:
            words[place] = reference(random)
        else:
            words[place] = arithmetic(random)
    back = begin - len(words) - 2
    words += [i_type(9, ROUNDS, ROUNDS, -1), i_type(7, ROUNDS, 0, back), 0, *[0xD] * 6]
    assert 4 * len(words) < VECTOR
    words += [0] * (VECTOR // 4 - len(words))
    words += HANDLER
    words += [0] * (DATA // 4 - len(words))
    words += [random.getrandbits(32) for _ in range(64)]
    return words
