"""Exceptions that handlers of firmware report, decoded from the registers of a core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

EXCEPTION_CODE = 2
"""Stop code of a handler of exceptions, `SPINACH_STOP_EXCEPTION` of the firmware."""

_BY_MCAUSE = {
    0: "fetch from misaligned address {0:#010x}",
    1: "no memory to fetch from at {0:#010x}",
    2: "illegal instruction {0:#010x}",
    3: "breakpoint",
    4: "load from misaligned address {0:#010x}",
    5: "no memory to load from at {0:#010x}",
    6: "store to misaligned address {0:#010x}",
    7: "no memory to store to at {0:#010x}",
    11: "environment call",
}
"""Causes by `mcause`, with `mtval`."""

_BY_EXCEPTION_CODE = {
    0: "interrupt without a handler",
    4: "load or fetch from misaligned address {0:#010x}",
    5: "store to misaligned address {0:#010x}",
    6: "no memory to fetch from",
    7: "no memory to load from or store to",
    8: "system call",
    9: "breakpoint",
    10: "reserved instruction",
    11: "coprocessor unusable",
    12: "signed overflow",
    13: "trap",
}
"""Causes by the exception code of Cause, with BadVAddr."""

_BY_SYNDROME_BIT = {27: "illegal instruction", 26: "privileged instruction of a user's program", 25: "trap"}
"""Causes by bit of ESR, with bit 0 the lowest."""
_MACHINE_CHECK_BIT = 31


def exception_of(registers: Mapping[str, Any]) -> tuple[int, str] | None:
    """Return the address of the instruction that raised the last exception of a core, and the cause.

    `None` for cores without registers of exceptions.
    """
    if "coprocessor0" in registers:
        return _of_coprocessor0(registers["coprocessor0"])
    control = registers.get("control", {})
    if "mcause" in control:
        return _of_mcause(control)
    return _of_syndrome(control) if "syndrome" in control else None


def _of_mcause(control: Mapping[str, Any]) -> tuple[int, str]:
    cause, interrupt = control["mcause"], control["mcause"] & 0x7FFF_FFFF
    if cause != interrupt:
        return control["mepc"], f"interrupt {interrupt} without a handler"
    return control["mepc"], _BY_MCAUSE.get(cause, f"exception {cause}").format(control["mtval"])


def _of_coprocessor0(control: Mapping[str, Any]) -> tuple[int, str]:
    code = control["cause"] >> 2 & 31
    cause = _BY_EXCEPTION_CODE.get(code, f"exception {code}")
    return control["exception_pc"], cause.format(control["bad_address"])


def _of_syndrome(control: Mapping[str, Any]) -> tuple[int, str]:
    address, _, critical, _ = control["save_restore"]
    syndrome, data_address = control["syndrome"], control["data_address"]
    # As the handler of the start-up files tells them apart: the rest leaves no trace in ESR.
    if syndrome >> _MACHINE_CHECK_BIT:
        return critical, f"no memory to fetch from at {critical:#010x}"
    if critical:
        return critical, f"no memory to load from or store to at {data_address:#010x}"
    known = (cause for bit, cause in _BY_SYNDROME_BIT.items() if syndrome >> bit & 1)
    return address, next(known, f"access to misaligned address {data_address:#010x}")
