"""Components with the ports of a block in a library: from RTL, or from Rust."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from spinach_nic import _native
from spinach_nic.blocks.python_module import own_counter
from spinach_nic.library import VerilatedBlock
from spinach_nic.model import Component, Input, Output, parameter
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import check_size, note_inputs
from spinach_nic.support.units import Time

LARGEST_LIBRARY = 256 << 20
"""Bytes of the largest library of a block."""


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name]


class Verilated(Component):
    """A custom block, compiled from RTL by `spinach verilate`.

    It has a port for each stream of the top module, by its name: `card.output >> checksum.s_axis`; a bundle
    for each port of AXI4-Lite: `block.m_axil >> memory.port`. Signals without handshake have ports if
    `inputs` and `outputs` name them. An output that `counters` names is a counter of the card under its name:
    `discards={"policed": block.dropped}`.
    """

    library: str = parameter(doc="Library that `spinach verilate` has written.")
    reset_cycles: int = parameter(
        default=8,
        range=(0, 1_000_000),
        unit="cycles",
        doc="Cycles at the beginning in which the reset is active.",
    )
    inputs: str = parameter(default="", doc="Names of inputs that get ports, separated by commas.")
    outputs: str = parameter(default="", doc="Names of outputs that get ports, separated by commas.")
    counters: str = parameter(
        default="",
        doc="Names of outputs that count up from the end of the reset on, separated by commas.",
    )
    constants: str = parameter(default="", doc="Constant values of other inputs: `mode=3,start=0x100`.")
    trace: str = parameter(default="", doc="File for the waveforms of all signals inside; empty for none.")
    trace_from: Time = parameter(default=Time(0), doc="Time at which the waveforms begin.")

    def build(self) -> None:
        """Give each stream and each named signal its lane."""
        note_inputs({"the library of the block": self.library})
        check_size(self.library, "give a library of a block", limit=LARGEST_LIBRARY)
        description = _native.block_description(self.library)
        self.block = VerilatedBlock(
            library=self.library,
            reset_cycles=self.reset_cycles,
            value_inputs=self.inputs,
            value_outputs=self.outputs,
            value_counters=self.counters,
            constants=self.constants,
            trace=self.trace,
            trace_from=self.trace_from,
        )
        ports: dict[tuple[bool, bool], Input | Output] = {
            (True, True): self.block.frame_in,
            (True, False): self.block.frame_out,
            (False, True): self.block.word_in,
            (False, False): self.block.word_out,
        }
        lanes = dict.fromkeys(ports, 0)
        for stream in description["streams"]:
            kind = (stream["carries_frames"], stream["is_input"])
            setattr(self, stream["name"], ports[kind][lanes[kind]])
            lanes[kind] += 1
        memories = {True: self.block.memory, False: self.block.registers}
        taken = dict.fromkeys(memories, 0)
        for memory in description["memories"]:
            is_initiator = memory["is_initiator"]
            setattr(self, memory["name"], memories[is_initiator][taken[is_initiator]])
            taken[is_initiator] += 1
        values: list[tuple[str, Input | Output]] = [
            (self.inputs, self.block.value_in),
            (self.outputs, self.block.value_out),
        ]
        for names, port in values:
            for lane, name in enumerate(_listed(names)):
                setattr(self, name, port[lane])
        for number, name in enumerate(_listed(self.counters)):
            if name in _listed(self.outputs):
                message = f"the output {name} is in outputs and in counters"
                raise SpinachError(message, "name it in one of them")
            vars(self)[name] = own_counter(self.block, number)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the port of a stream or a signal, or a counter, which the library decides."""


class RustModule(Verilated):
    """A custom block in Rust, from a crate that `spinach new --module` has written.

    It has a port for each port of the block, by its name: `card.output >> block.input`. `constants` sets
    values (`ValueIn`); those that `inputs` and `outputs` name are ports, those that `counters` names are
    counters of the card.
    """

    library: str = parameter(doc="Library that `cargo build --release` has written.")

    def build(self) -> None:
        """Give each port of the block its lane."""
        if not os.path.isfile(self.library):
            raise SpinachError(f"there is no library {self.library}", "build it: cargo build --release")
        super().build()
