"""Call stacks of cores, for profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self, TypedDict

from spinach_nic.runs.observers.base import Observed, Observer
from spinach_nic.runs.result import Result
from spinach_nic.support.options import Option


class CallStacks(Observer):
    """Cycles of cores by call path; `profile_of` reads them from the finished run."""

    does = "counts cycles by call path"
    works_with_debugger = True
    works_in_guests = False
    core_parameters: ClassVar = {"calls": True}

    class Options(TypedDict, total=False):
        """Options of call stacks."""

        call_stacks: Annotated[
            bool, Option("Count the cycles of cores by call path too, as profiles do.", default=False)
        ]

    @classmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request."""
        return cls() if options["call_stacks"] else None

    def attach(self, observed: Observed) -> None:
        """Do nothing: the cores count."""

    def finish(self, result: Result | None) -> None:
        """Do nothing: the counts are in the session."""
