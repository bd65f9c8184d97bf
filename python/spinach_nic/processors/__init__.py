"""Processor cores that are composed of library modules."""

from typing import TYPE_CHECKING

from spinach_nic.model.renamed import missing
from spinach_nic.processors.composed import ComposedCore

__all__ = ["ComposedCore"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> None:
        raise missing(__name__, name, {"ComposedMips": "ComposedCore"})
