"""The registers of the card are those of the modules that it is made of."""

import re

from spinach_nic import _native
from spinach_nic.cards.ricenic.registers import BLOCKS


def test_each_register_is_where_its_module_has_it() -> None:
    declared = {kind: _native.declaration(kind)["documentation"] for kind in _native.kinds()}
    for block in BLOCKS:
        rows = re.findall(r"^\| (0x[0-9a-f]{2})[^|]*\| `([A-Z_]+)` \|", declared[block.module], re.MULTILINE)
        assert {(int(offset, 16), name) for offset, name in rows} == {
            (register.offset, register.name) for register in block.registers
        }, block.name
