"""NIC with the block `starter` between the wire and its receiver."""

from dataclasses import replace
from pathlib import Path

from spinach_nic import parameter
from spinach_nic.blocks import RustModule
from spinach_nic.cards import Faces
from spinach_nic.cards.tengig import Tengig

LIBRARY = Path(__file__).parent / "target/release/libstarter.so"


class Starter(Tengig):
    """The 10 Gb/s NIC with the block, in the clock domain of its MAC."""

    summary = "10 Gb/s NIC with the block starter"
    library: str = parameter(default=str(LIBRARY), doc="Library of the block.")
    every: int = parameter(default=10, range=(0, 1_000_000), doc="Distance of marked frames; 0 for none.")

    def build(self) -> None:
        """Put the block before the link."""
        super().build()
        self.added = RustModule(library=self.library, constants=f"every={self.every}", clock=self.mac_domain)
        self.added.output >> self.receive_link.input

    def faces(self) -> Faces:
        """Return the faces of the NIC; received frames enter the block."""
        faces = super().faces()
        return Faces(faces.bus, [replace(faces.wires[0], received=self.added.input)])
