"""Control word of an instruction, from the module `instruction_decoder`."""

from spinach_nic.model.tracing import Signal
from spinach_nic.processors.control_fields import ControlField, ControlKind, ControlSystem

VALID = ControlField.IS_VALID
"""There is an instruction."""

AWAITED, POSTED, BARRIER = ControlKind.AWAITED, ControlKind.POSTED, ControlKind.BARRIER
REGISTER_TRANSFER, DIRECT_JUMP = ControlKind.REGISTER_TRANSFER, ControlKind.DIRECT_JUMP
EXCEPTION_RETURN = ControlKind.EXCEPTION_RETURN

FROM_COPROCESSOR, TO_COPROCESSOR = ControlSystem.MOVE_FROM, ControlSystem.MOVE_TO
RETURN, SYSTEM_CALL, BREAK = ControlSystem.EXCEPTION_RETURN, ControlSystem.SYSTEM_CALL, ControlSystem.BREAK
TRAP, CACHE, RESERVED = ControlSystem.TRAP, ControlSystem.CACHE, ControlSystem.RESERVED
UNUSABLE = ControlSystem.COPROCESSOR_UNUSABLE
NOT_FETCHED, MISALIGNED_FETCH = 10, 11
"""System operations of an instruction that could not be fetched."""
SYSTEM_SHIFT = (ControlField.SYSTEM & -ControlField.SYSTEM).bit_length() - 1

FIRST_BIT_ARRAY_ACCESS = 4


def _field(control: Signal, field: ControlField) -> Signal:
    lowest = (field & -field).bit_length() - 1
    return control[field.bit_length() - 1 : lowest]


def valid(control: Signal) -> Signal:
    """Return true if there is an instruction."""
    return _field(control, ControlField.IS_VALID)


def in_delay_slot(control: Signal) -> Signal:
    """Return true if it is in a delay slot."""
    return _field(control, ControlField.IN_DELAY_SLOT)


def destination(control: Signal) -> Signal:
    """Return the general register written, 0 for none."""
    return _field(control, ControlField.DESTINATION)


def source_s(control: Signal) -> Signal:
    """Return the first general register read, 0 for none."""
    return _field(control, ControlField.SOURCE_S)


def source_t(control: Signal) -> Signal:
    """Return the second general register read, 0 for none."""
    return _field(control, ControlField.SOURCE_T)


def opcode(control: Signal) -> Signal:
    """Return the operation of the ALU."""
    return _field(control, ControlField.OPCODE)


def takes_shift_amount(control: Signal) -> Signal:
    """Return true if the first operand is the shift amount."""
    return _field(control, ControlField.A_IS_SHIFT_AMOUNT)


def takes_immediate(control: Signal) -> Signal:
    """Return true if the second operand is the immediate."""
    return _field(control, ControlField.B_IS_IMMEDIATE)


def shift_amount(control: Signal) -> Signal:
    """Return the shift amount."""
    return _field(control, ControlField.SHIFT_AMOUNT)


def kind(control: Signal) -> Signal:
    """Return the kind of instruction."""
    return _field(control, ControlField.KIND)


def is_likely(control: Signal) -> Signal:
    """Return true if it annuls its delay slot when it is not taken."""
    return _field(control, ControlField.IS_LIKELY)


def links(control: Signal) -> Signal:
    """Return true if it writes the return address."""
    return _field(control, ControlField.LINKS)


def condition(control: Signal) -> Signal:
    """Return the condition of a branch."""
    return _field(control, ControlField.CONDITION)


def is_conditional(control: Signal) -> Signal:
    """Return true if a condition decides."""
    return _field(control, ControlField.IS_CONDITIONAL)


def is_jump_offset(control: Signal) -> Signal:
    """Return true if it jumps through a table."""
    return _field(control, ControlField.IS_JUMP_OFFSET)


def access(control: Signal) -> Signal:
    """Return the kind of memory access."""
    return _field(control, ControlField.ACCESS)


def size_mask(control: Signal) -> Signal:
    """Return the bits of an address that an aligned reference of its size has clear."""
    return (1 << _field(control, ControlField.SIZE)) - 1


def is_whole(control: Signal) -> Signal:
    """Return true if it refers to an aligned unit, not to a part of an unaligned word."""
    return _field(control, ControlField.PART) == 0


def uses_multiplier(control: Signal) -> Signal:
    """Return true if it concerns HI or LO."""
    return _field(control, ControlField.USES_MULTIPLIER)


def multiplies(control: Signal) -> Signal:
    """Return true if it multiplies."""
    return _field(control, ControlField.MULTIPLIES)


def divides(control: Signal) -> Signal:
    """Return true if it divides."""
    return _field(control, ControlField.DIVIDES)


def multiplier_move(control: Signal) -> Signal:
    """0, or 1 from HI, 2 from LO, 3 to HI, 4 to LO."""
    return _field(control, ControlField.MULTIPLIER_MOVE)


def system(control: Signal) -> Signal:
    """Return the system operation."""
    return _field(control, ControlField.SYSTEM)


def traps_on_overflow(control: Signal) -> Signal:
    """Return true if a signed overflow is an exception."""
    return _field(control, ControlField.TRAPS_ON_OVERFLOW)
