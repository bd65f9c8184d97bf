"""Blocks of the user in RTL: compilation by Verilator, and modules made of the result.

`spinach verilate` or `verilate` compiles RTL into a library; `Verilated` is a component with the ports of
that library. Neither needs a checkout of this project: Verilator and a C++ compiler are enough.
"""

from spinach_nic.blocks.compilation import VerilateOptions, verilate
from spinach_nic.blocks.verilated import Verilated

__all__ = ["VerilateOptions", "Verilated", "verilate"]
