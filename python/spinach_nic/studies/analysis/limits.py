"""Issue limits: the instructions per cycle that a trace allows (HPCA 2005, section 2.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from spinach_nic import _native
from spinach_nic.studies.analysis.traces import TraceFilter
from spinach_nic.support.arguments import Within, check_fields, checked

WIDTHS = Within(1, 1024)
WINDOWS = Within(1, 1 << 20)


@dataclass(frozen=True)
class IssueConfiguration:
    """Configuration of a core."""

    order: Literal["in_order", "out_of_order"]
    width: Annotated[int, WIDTHS]
    """Maximum instructions per cycle."""
    pipeline: Literal["perfect", "stalls"]
    """With stalls, loaded data is ready a cycle later, and one memory operation issues per cycle."""
    prediction: Literal["perfect", "one_per_cycle", "none"]
    window: Annotated[int, WINDOWS] = 1 << 14
    """Instructions in flight out of order; the default is unlimited in practice."""

    def __post_init__(self) -> None:
        """Reject invalid cores."""
        check_fields(self)


@dataclass(frozen=True)
class IssueLimit:
    """Limit that a core of some configuration can reach."""

    configuration: IssueConfiguration
    instructions: int
    """Instructions of all cores of the trace."""
    cycles: int
    """The sum over the cores of the trace."""

    @property
    def instructions_per_cycle(self) -> float:
        """Instructions per cycle of one core; 0 for an empty trace."""
        return self.instructions / self.cycles if self.cycles else 0.0


@checked
def issue_limit_table(widths: Sequence[Annotated[int, WIDTHS]] = (1, 2, 4)) -> list[IssueConfiguration]:
    """Return the cores of table 2 of HPCA 2005, row by row.

    Each row, in order and then out of order by width, has a perfect pipeline with perfect and no prediction,
    then a stalling one with perfect, single and no prediction.
    """
    return [IssueConfiguration(**fields) for fields in json.loads(_native.issue_limit_table(list(widths)))]


@checked
def issue_limits(
    trace: Path, configurations: Sequence[IssueConfiguration], filter: TraceFilter | None = None
) -> list[IssueLimit]:
    """Find the limits of a trace in one pass, in the order of the configurations.

    Limits found together are monotone: no core is slower than one that may do less.

    Raises:
        SpinachError: No instruction trace, or an unknown name in the filter.
    """
    described = json.dumps([asdict(configuration) for configuration in configurations])
    found = json.loads(_native.issue_limits(trace, (filter or TraceFilter()).to_json(), described))
    return [_limit(fields) for fields in found]


def _limit(fields: dict[str, Any]) -> IssueLimit:
    configuration = IssueConfiguration(**fields["configuration"])
    return IssueLimit(configuration, fields["instructions"], fields["cycles"])
