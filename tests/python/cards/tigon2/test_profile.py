"""The profile of the Tigon-2's firmware covers what runs in the scratch pads and what runs in the SRAM."""

from __future__ import annotations

import pytest

from spinach_nic import profile


@pytest.mark.parametrize("firmware", ["uni", "parallel", "released-style"])
def test_code_in_scratch_pads_and_in_the_sram_has_names(firmware: str) -> None:
    profiled = profile("tigon2", firmware=firmware, traffic="udp:1472@20kpps", frames=60)
    addresses = {it.function: it.address for it in profiled.functions if it.address is not None}
    assert addresses["handle_received"] >= 0xC0_0000
    in_sram = {name for name, address in addresses.items() if address < 0x2_E000}
    assert "mailbox_interrupt" in in_sram
    unknown = [it.cost.cycles for it in profiled.functions if it.function == "elsewhere"]
    assert sum(unknown) <= profiled.total.cycles / 1000
