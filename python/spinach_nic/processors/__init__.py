"""Processor cores that are composed of library modules."""

from spinach_nic.processors.composed import ComposedCore

__all__ = ["ComposedCore"]
