"""Profiles in the format of Callgrind, which KCachegrind, QCachegrind and callgrind_annotate read.

Source: the Valgrind manual, "Callgrind Format Specification", version 1.
"""

from __future__ import annotations

from spinach_nic._native import version
from spinach_nic.runs.profiling.model import CallCost, FirmwareProfile
from spinach_nic.runs.tasks import CAUSES, Cost
from spinach_nic.support.arguments import checked

EVENTS = ("cycles", *CAUSES, "instructions", "memory_accesses")
UNKNOWN = "???"
"""Name of an unknown file in Callgrind; its lines are 0."""


@checked
def callgrind(profile: FirmwareProfile) -> str:
    """Return the profile as text: the source lines of each function, including those of inlined functions.

    A function's cost is its own; the calls that it makes are listed by line, with their costs.
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
        where = _where(place.line)
        costs[where] = costs.get(where, Cost()) + cost
    calls: dict[str, list[CallCost]] = {}
    for call in profile.calls:
        calls.setdefault(call.caller, []).append(call)
        by_function.setdefault(call.caller, {}).setdefault(_where(call.line), Cost())
    files = {
        name: max(costs, key=lambda where: costs[where].cycles)[0] for name, costs in by_function.items()
    }
    for function, costs in by_function.items():
        most = files[function]
        lines += ["", f"fl={most}", f"fn={function}"]
        file = most
        for (other, number), cost in costs.items():
            if other != file:
                file = other
                lines.append(f"{'fe' if file == most else 'fi'}={file}")
            lines.append(f"{number} {_numbers(cost)}")
        for call in calls.get(function, ()):
            lines += _call(call, files.get(call.callee, UNKNOWN), file)
            file = _where(call.line)[0]
    return "\n".join([*lines, ""])


def _call(call: CallCost, callee_file: str, file: str) -> list[str]:
    """Return the lines about a call, after others of the file `file`."""
    own_file, number = _where(call.line)
    return [
        *([f"fi={own_file}"] if own_file != file else []),
        f"cfi={callee_file}",
        f"cfn={call.callee}",
        f"calls={call.calls} 0",
        f"{number} {_numbers(call.inclusive)}",
    ]


def _where(line: str) -> tuple[str, int]:
    file, _, number = line.rpartition(":")
    return (file, int(number)) if file and number.isdigit() else (UNKNOWN, 0)


def _numbers(cost: Cost) -> str:
    return " ".join(map(str, (cost.cycles, *cost.causes, cost.instructions, cost.memory_accesses)))
