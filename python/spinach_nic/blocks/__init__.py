"""Custom blocks: RTL that Verilator compiles, and modules in Rust and Python.

`spinach verilate` or `verilate` compiles RTL into a library; `Verilated` is a component with the ports of
that library. `RustModule` is the same for a crate that uses `spinach-block`. `PythonModule` is the base of
modules in Python. None of them needs a checkout of this project.
"""

from spinach_nic.blocks.compilation import VerilateOptions, combinational_paths, verilate
from spinach_nic.blocks.python_module import (
    Edge,
    Frame,
    Outputs,
    PythonModule,
    Reference,
    Response,
    counter,
    frames_in,
    frames_out,
    memory_port,
    register_port,
    words_in,
    words_out,
)
from spinach_nic.blocks.verilated import RustModule, Verilated

__all__ = [
    "Edge",
    "Frame",
    "Outputs",
    "PythonModule",
    "Reference",
    "Response",
    "RustModule",
    "VerilateOptions",
    "Verilated",
    "combinational_paths",
    "counter",
    "frames_in",
    "frames_out",
    "memory_port",
    "register_port",
    "verilate",
    "words_in",
    "words_out",
]
