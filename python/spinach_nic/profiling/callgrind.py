"""Profiles in the format of Callgrind, which KCachegrind, QCachegrind and callgrind_annotate read.

Source: the Valgrind manual, "Callgrind Format Specification", version 1.
"""

from __future__ import annotations

from spinach_nic._native import version
from spinach_nic.arguments import checked
from spinach_nic.profiling.model import FirmwareProfile, Place
from spinach_nic.running.tasks import CAUSES, Cost

EVENTS = ("cycles", *CAUSES, "instructions", "memory_accesses")
UNKNOWN = "???"
"""What Callgrind calls a file that is not known; its lines are 0."""


@checked
def callgrind(profile: FirmwareProfile) -> str:
    """The profile as text: of each function its source lines, those of functions inlined there among them.

    As in every profile, a function's cost is its own: no calls are listed.
    """
    firmware = profile.result.firmware
    lines = [
        "# callgrind format",
        "version: 1",
        f"creator: spinach {version()}",
        f"cmd: {profile.result.nic} {firmware.name if firmware else ''}".rstrip(),
        "positions: line",
        f"events: {' '.join(EVENTS)}",
        f"summary: {_numbers(profile.total)}",
    ]
    by_function: dict[str, dict[tuple[str, int], Cost]] = {}
    for place, cost in profile.places:
        costs = by_function.setdefault(place.function, {})
        where = _where(place)
        costs[where] = costs.get(where, Cost()) + cost
    for function, costs in by_function.items():
        most = max(costs, key=lambda where: costs[where].cycles)
        lines += ["", f"fl={most[0]}", f"fn={function}"]
        file = most[0]
        for (other, number), cost in costs.items():
            if other != file:
                file = other
                lines.append(f"{'fe' if file == most[0] else 'fi'}={file}")
            lines.append(f"{number} {_numbers(cost)}")
    return "\n".join([*lines, ""])


def _where(place: Place) -> tuple[str, int]:
    file, _, number = place.line.rpartition(":")
    return (file, int(number)) if file and number.isdigit() else (UNKNOWN, 0)


def _numbers(cost: Cost) -> str:
    return " ".join(map(str, (cost.cycles, *cost.causes, cost.instructions, cost.memory_accesses)))
