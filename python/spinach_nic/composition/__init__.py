"""Describing systems: components, ports, clock domains, parameters."""

from spinach_nic.composition.clocks import Clock
from spinach_nic.composition.component import Component
from spinach_nic.composition.module import Module
from spinach_nic.composition.parameters import parameter
from spinach_nic.composition.parts import Part
from spinach_nic.composition.ports import Bundle, Input, InputLanes, Output, OutputLanes, Port, connect
from spinach_nic.composition.tree import tree

__all__ = [
    "Bundle",
    "Clock",
    "Component",
    "Input",
    "InputLanes",
    "Module",
    "Output",
    "OutputLanes",
    "Part",
    "Port",
    "connect",
    "parameter",
    "tree",
]
