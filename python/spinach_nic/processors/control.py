"""The control word of an instruction, as the module `instruction_decoder` makes it."""

from spinach_nic.lifting import Signal

VALID = 1 << 63
"""There is an instruction."""
DELAY_SLOT = 1 << 62
"""It is in a delay slot."""

AWAITED, POSTED, REGISTER_TRANSFER, DIRECT_JUMP, BARRIER, EXCEPTION_RETURN = range(1, 7)
"""Kinds of instructions; 0 is what concerns registers only."""

FROM_COPROCESSOR, TO_COPROCESSOR, RETURN, SYSTEM_CALL, BREAK, TRAP, CACHE, RESERVED, UNUSABLE = range(1, 10)
"""System operations."""
NOT_FETCHED, MISALIGNED_FETCH = 10, 11
"""System operations that decode makes of an instruction that could not be fetched."""
SYSTEM_SHIFT = 52

FIRST_BIT_ARRAY_ACCESS = 4


def valid(control: Signal) -> Signal:
    """Whether there is an instruction."""
    return control[63]


def in_delay_slot(control: Signal) -> Signal:
    """Whether it is in a delay slot."""
    return control[62]


def destination(control: Signal) -> Signal:
    """The general register written, 0 for none."""
    return control[4:0]


def source_s(control: Signal) -> Signal:
    """The first general register read, 0 for none."""
    return control[9:5]


def source_t(control: Signal) -> Signal:
    """The second general register read, 0 for none."""
    return control[14:10]


def opcode(control: Signal) -> Signal:
    """What the ALU does."""
    return control[19:15]


def takes_shift_amount(control: Signal) -> Signal:
    """Whether the first operand is the shift amount."""
    return control[20]


def takes_immediate(control: Signal) -> Signal:
    """Whether the second operand is the immediate."""
    return control[21]


def shift_amount(control: Signal) -> Signal:
    """The shift amount."""
    return control[26:22]


def kind(control: Signal) -> Signal:
    """The kind of instruction."""
    return control[30:27]


def is_likely(control: Signal) -> Signal:
    """Whether it annuls its delay slot when it is not taken."""
    return control[31]


def links(control: Signal) -> Signal:
    """Whether it writes the return address."""
    return control[32]


def condition(control: Signal) -> Signal:
    """Which condition decides a branch."""
    return control[35:33]


def is_conditional(control: Signal) -> Signal:
    """Whether a condition decides."""
    return control[36]


def is_jump_offset(control: Signal) -> Signal:
    """Whether it jumps through a table."""
    return control[37]


def access(control: Signal) -> Signal:
    """What it asks of the memory."""
    return control[40:38]


def size_mask(control: Signal) -> Signal:
    """The bits of an address that an aligned reference of its size has clear."""
    return (1 << control[42:41]) - 1


def is_whole(control: Signal) -> Signal:
    """Whether it refers to something aligned, not to a part of an unaligned word."""
    return control[45:44] == 0


def uses_multiplier(control: Signal) -> Signal:
    """Whether it concerns HI or LO."""
    return control[46]


def multiplies(control: Signal) -> Signal:
    """Whether it multiplies."""
    return control[47]


def divides(control: Signal) -> Signal:
    """Whether it divides."""
    return control[48]


def multiplier_move(control: Signal) -> Signal:
    """0, or 1 from HI, 2 from LO, 3 to HI, 4 to LO."""
    return control[51:49]


def system(control: Signal) -> Signal:
    """The system operation."""
    return control[55:52]


def traps_on_overflow(control: Signal) -> Signal:
    """Whether a signed overflow is an exception."""
    return control[61]
