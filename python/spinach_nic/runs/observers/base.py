"""Base of observers: outputs of a run that are written while it runs.

An observer declares its options, and its class methods give the options that exclude it. From `OBSERVERS`
follow the options of Python and of the command line, the refused combinations, and the protected files:

    class Drops(Observer):
        does = "writes dropped frames"

        class Options(TypedDict, total=False):
            drops: Annotated[
                str | Path | None,
                output_file("--drops", "Write the number of dropped frames (CSV).", "the file of drops"),
            ]

        @classmethod
        def requested(cls, options: Mapping[str, Any]) -> Self | None:
            return None if options["drops"] is None else cls(Path(options["drops"]))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from msgspec import Struct

from spinach_nic.benches.base import Bench
from spinach_nic.cards.base.card import Probes
from spinach_nic.model import Component, Port
from spinach_nic.model.simulation import Simulation
from spinach_nic.runs.errors import RunError
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.result import Result
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.representations import microseconds
from spinach_nic.support.units import Rate, Time


class ObservedCard(Struct, frozen=True):
    """Card of an observed system."""

    probes: Probes
    image: ChosenImage | None
    """Firmware of its cores; `None` without cores."""
    link_rate: Rate
    """Rate of its link, in each direction."""
    prefix: str = ""
    """Prefix of the names of its parts in outputs, if there are several cards."""


class Observed(Struct, frozen=True):
    """Subject of observers: a simulation that is loaded and has not begun, or continues."""

    simulation: Simulation
    system: Component
    title: str
    """Name of the card, or of what has several, for errors."""
    cards: Sequence[ObservedCard]
    captured: Mapping[str, Port | None]
    """Ports whose frames a capture records, by the name of the interface; `None` for undeclared ones."""

    @classmethod
    def of(cls, simulation: Simulation, bench: Bench, image: ChosenImage | None) -> Observed:
        """Return a bench with one observed card."""
        probes = bench.probes()
        return cls(
            simulation,
            bench,
            bench.title,
            [ObservedCard(probes, image, probes.link_rate)],
            bench.captured_ports(),
        )

    @property
    def card(self) -> ObservedCard:
        """The observed card.

        Raises:
            SpinachError: There are several.
        """
        if len(self.cards) != 1:
            raise SpinachError(f"{self.title} has {len(self.cards)} cards to observe", "observe one card")
        return self.cards[0]


def check_reached(simulation: Simulation, start: Time, option: str) -> None:
    """Check that a run that has ended reached the time at which an output was to begin.

    Raises:
        SpinachError: It ended before; `option` is the flag with that time.
    """
    if simulation.now < start:
        ended = microseconds(simulation.now)
        raise SpinachError(
            f"the run ended at {ended}, before the time of {option}", "begin earlier, or run longer"
        )


class Observer(ABC):
    """An output of a run."""

    does: ClassVar[str]
    """Predicate in errors, such as `writes a timeline`."""
    Options: ClassVar[type]
    """`TypedDict` of its options."""
    is_exclusive: ClassVar[bool] = False
    """True if it listens to references of cores and agents; one observer of a run can."""
    works_with_debugger: ClassVar[bool] = False
    """True if a debugger may take the run back in time, so that a part of it happens twice."""
    works_with_saving: ClassVar[bool] = True
    """True if the run may be saved."""
    works_in_guests: ClassVar[bool] = True
    """True if it can observe a card in a guest, without a `Result` and a scripted host."""
    uses_standard_output: ClassVar[bool] = False
    """True if it prints; documents and progress then go elsewhere."""
    bench_parameters: ClassVar[Mapping[str, object]] = {}
    """Parameters that it sets on the bench before that is built."""
    core_parameters: ClassVar[Mapping[str, object]] = {}
    """Parameters that it sets on each core. No other result depends on them."""

    @classmethod
    @abstractmethod
    def requested(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the observer that options of a run request; `None` without a request.

        Raises:
            SpinachError: Its options contradict each other.
        """

    @property
    def outputs(self) -> Mapping[str, Path]:
        """Files that it writes besides those that its options name, by nouns for errors."""
        return {}

    @abstractmethod
    def attach(self, observed: Observed) -> None:
        """Begin to observe.

        Raises:
            SpinachError: The bench has nothing to observe, or a file cannot be written.
        """

    @abstractmethod
    def finish(self, result: Result | None) -> None:
        """Complete the output.

        Args:
            result: Result of the run, complete or not; `None` if an exception ended it, and of guests and
                servers.

        Raises:
            SpinachError: The output cannot be written.
        """

    @property
    def findings(self) -> Sequence[str]:
        """Faults that it found, as text for the user, once it has finished."""
        return ()

    def error(self, result: Result) -> RunError | None:
        """Return the error of a complete run in which this observer found a fault."""
        return None
