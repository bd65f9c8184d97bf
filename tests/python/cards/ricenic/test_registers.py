"""The registers of the card are those of the modules that it is made of."""

import re

from spinach_nic import _native
from spinach_nic.cards.ricenic.registers import BLOCKS

NOT_USED = {(0x14, "SEGMENT")}
"""Registers of the modules that the card does not have: its MAC cuts no large sends."""


def test_each_register_is_where_its_module_has_it() -> None:
    declared = {kind: _native.declaration(kind)["documentation"] for kind in _native.kinds()}
    for block in BLOCKS:
        rows = re.findall(r"^\| (0x[0-9a-f]{2})[^|]*\| `([A-Z_]+)` \|", declared[block.module], re.MULTILINE)
        found = {(int(offset, 16), name) for offset, name in rows}
        assert found - NOT_USED == {(register.offset, register.name) for register in block.registers}, (
            block.name
        )
