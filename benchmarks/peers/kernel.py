"""The work that all processors do: CRC-32 of a kilobyte, bit by bit, over and over, in 32-bit RISC-V.

It needs neither a compiler nor a system, so that the same words run everywhere. Addresses are relative to
where it lies.
"""

import struct

BUFFER_BYTES = 1024
BUFFER = 0x400
"""Offset of the buffer, in bytes from the first instruction."""
PASSES = 0x3F8
"""Offset of the count of passes."""
PASSES_BEFORE_THE_END = 0x3FC
"""Offset of the number of passes before the system's exit; 0 for never."""
IMAGE_BYTES = BUFFER + BUFFER_BYTES

ZERO, S0, S1, A0, A1, A2, A3, A4, A5, A7, S2, S3 = 0, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19
EXIT = 93
PER_BIT, PER_BYTE, PER_PASS = 7, 5, 8
INSTRUCTIONS_PER_PASS = PER_PASS + BUFFER_BYTES * (PER_BYTE + 8 * PER_BIT)


def _immediate(operation: int, function: int, target: int, source: int, value: int) -> int:
    return (value & 0xFFF) << 20 | source << 15 | function << 12 | target << 7 | operation


def _register(function7: int, function: int, target: int, first: int, second: int) -> int:
    return function7 << 25 | second << 20 | first << 15 | function << 12 | target << 7 | 0x33


def _store(base: int, source: int, offset: int) -> int:
    return (offset >> 5 & 0x7F) << 25 | source << 20 | base << 15 | 2 << 12 | (offset & 0x1F) << 7 | 0x23


def _branch(function: int, first: int, second: int, offset: int) -> int:
    upper = (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25
    return (
        upper
        | second << 20
        | first << 15
        | function << 12
        | (offset >> 1 & 15) << 8
        | (offset >> 11 & 1) << 7
        | 0x63
    )


def _jump(offset: int) -> int:
    upper = (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20
    return upper | (offset >> 12 & 0xFF) << 12 | 0x6F


def _add(target: int, source: int, value: int) -> int:
    return _immediate(0x13, 0, target, source, value)


def code() -> list[int]:
    """Return the instructions."""
    words = [
        S0 << 7 | 0x17,  # auipc s0, 0
        0xEDB88 << 12 | S1 << 7 | 0x37,  # lui s1, 0xedb88
        _add(S1, S1, 0x320),
        _add(S2, ZERO, 0),
        _immediate(0x03, 2, S3, S0, PASSES_BEFORE_THE_END),  # lw s3
    ]
    start = len(words)
    words += [_add(A0, ZERO, -1), _add(A1, S0, BUFFER), _add(A2, A1, BUFFER_BYTES)]
    byte = len(words)
    words += [
        _immediate(0x03, 4, A3, A1, 0),  # lbu a3, 0(a1)
        _register(0, 4, A0, A0, A3),  # xor a0, a0, a3
        _add(A4, ZERO, 8),
    ]
    bit = len(words)
    words += [
        _immediate(0x13, 7, A5, A0, 1),  # andi a5, a0, 1
        _register(0x20, 0, A5, ZERO, A5),  # sub a5, zero, a5
        _register(0, 7, A5, A5, S1),  # and a5, a5, s1
        _immediate(0x13, 5, A0, A0, 1),  # srli a0, a0, 1
        _register(0, 4, A0, A0, A5),  # xor a0, a0, a5
        _add(A4, A4, -1),
    ]
    words.append(_branch(1, A4, ZERO, 4 * (bit - len(words))))
    words.append(_add(A1, A1, 1))
    words.append(_branch(1, A1, A2, 4 * (byte - len(words))))
    words += [_add(S2, S2, 1), _store(S0, A0, PASSES - 4), _store(S0, S2, PASSES)]
    words.append(_branch(0, S2, S3, 8))  # beq: to the end
    words.append(_jump(4 * (start - len(words))))
    words += [_add(A0, ZERO, 0), _add(A7, ZERO, EXIT), 0x73]  # ecall
    return words


def image(passes: int = 0) -> bytes:
    """Return code and data from the first instruction on; it exits after `passes` passes, or never."""
    words = code()
    text = struct.pack(f"<{len(words)}I", *words).ljust(PASSES_BEFORE_THE_END, b"\0")
    buffer = bytes(number * 7 % 251 for number in range(BUFFER_BYTES))
    return text + struct.pack("<I", passes) + buffer


def executable(passes: int) -> bytes:
    """Return the same as an ELF file for a Linux system."""
    base, header = 0x1_0000, 52 + 32
    whole = image(passes)
    identification = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    fields = struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, base + header, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    size = header + len(whole)
    return identification + fields + struct.pack("<8I", 1, 0, base, base, size, size, 7, 0x1000) + whole
