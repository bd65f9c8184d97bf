"""Descriptions of systems: components, ports, clock domains, parameters."""

from spinach_nic.model.clocks import Clock
from spinach_nic.model.component import Component
from spinach_nic.model.module import Module
from spinach_nic.model.parameters import parameter
from spinach_nic.model.parts import Part
from spinach_nic.model.ports import Bundle, Input, InputLanes, Output, OutputLanes, Port, connect
from spinach_nic.model.tree import tree

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
