"""A block in RTL in the path of frames: the 10 Gb/s NIC with a check of IPv4 headers before its receiver.

`ipv4_checksum.sv` passes frames on and marks those with a damaged header, which the NIC then drops. Correct
frames are received as without the block. The same RTL with an error, planted by a parameter, marks correct
frames. The script needs Verilator and a C++ compiler; [the page on blocks](../blocks.md) explains it. Run it
with `python examples/rtl_checksum/rtl_checksum.py`.

Prints:
    without the block: 605 frames received; dropped: none
    with the block: 603 frames received; dropped: none
    with an error in it: 0 frames received; dropped: bad_check_sequence
"""

from dataclasses import replace
from pathlib import Path

from spinach_nic import parameter, run
from spinach_nic.blocks import Verilated, VerilateOptions, verilate
from spinach_nic.cards import Faces
from spinach_nic.cards.tengig import Tengig

RTL = Path(__file__).parent / "ipv4_checksum.sv"


class CheckedTengig(Tengig):
    """The 10 Gb/s NIC with the block between the wire and the receiving link."""

    summary = "Programmable 10 Gb/s NIC with a checksum unit in RTL"
    library: str = parameter(default="ipv4_checksum.spinach", doc="Library of the block.")

    def build(self) -> None:
        """Put the block before the link, in its clock domain: 8 bytes a cycle at 156.25 MHz."""
        super().build()
        self.checksum = Verilated(library=self.library, clock=self.mac_domain)
        self.checksum.m_axis >> self.receive_link.input

    def faces(self) -> Faces:
        """Return the faces of the NIC; received frames enter the block."""
        faces = super().faces()
        return Faces(faces.bus, [replace(faces.wires[0], received=self.checksum.s_axis)])


if __name__ == "__main__":
    for library, words in (("ipv4_checksum.spinach", "5"), ("short_header.spinach", "4")):
        options = VerilateOptions(parameters={"HEADER_WORDS": words}, idle="idle")
        verilate([RTL], "ipv4_checksum", Path(library), options)
    runs = {
        "without the block": run(Tengig, traffic="udp:1472", frames=300),
        "with the block": run(CheckedTengig, traffic="udp:1472", frames=300),
        "with an error in it": run(
            CheckedTengig, traffic="udp:1472", frames=300, set={"library": "short_header.spinach"}
        ),
    }
    for name, result in runs.items():
        (drops,) = result.frames.dropped["rx"].values() or ({},)
        reasons = ", ".join(drops) or "none"
        print(f"{name}: {result.frames.delivered['rx']} frames received; dropped: {reasons}")
