"""Translation of accounts of instructions into functions and source lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from msgspec.structs import replace

from spinach_nic.firmware import Executable
from spinach_nic.firmware.tasks import tasks_of
from spinach_nic.model import Module
from spinach_nic.model.simulation import Statistics
from spinach_nic.runs import Finished
from spinach_nic.runs.profiling.callers import Callers
from spinach_nic.runs.profiling.model import FirmwareCosts, FirmwareProfile, FunctionCost, Place, sum_costs
from spinach_nic.runs.profiling.places import place_of
from spinach_nic.runs.result import MeasuredWindow
from spinach_nic.runs.tasks import CAUSES, ELSEWHERE, Cost, Profile


def gather(finished: Finished, executable: Executable) -> FirmwareProfile:
    """Return the profile of a run that has ended."""
    session = finished.session
    ends = session.ends()
    start, end = ends.start, ends.end
    counted, profile = end.profiled - start.profiled, end.profile - start.profile
    begins_ns, ends_ns = (snapshot.profiled.time.femtoseconds // 10**6 for snapshot in (start, end))
    costs = costs_of(executable, session.probes.cores, counted, profile)
    return FirmwareProfile(
        result=finished.result,
        window=MeasuredWindow(begins_ns, ends_ns, is_steady=bool(ends.moments), reason=ends.reason),
        **{one.name: getattr(costs, one.name) for one in fields(costs)},
    )


def costs_of(
    executable: Executable, modules: Sequence[Module], counted: Statistics, profile: Profile
) -> FirmwareCosts:
    """Return the costs of firmware by function and place.

    Args:
        executable: Firmware.
        modules: Cores that execute it.
        counted: Counters in the window of the costs.
        profile: Accounts of the cores in that window.
    """
    functions, places = _by_place(executable, profile.costs)
    cores = [_by_place(executable, costs)[0] for costs in profile.by_core]
    addresses = {executable.label_of(function): function.address for function in executable.functions}
    followed = Callers(executable, profile)
    stacks, inclusive = followed.stacks, followed.inclusive()
    accounted = sum_costs(functions.values())
    ahead = profile.ahead or [0] * len(modules)
    unaccounted = _rest(_counted(counted, modules, sum(ahead)), accounted)
    if unaccounted:
        # Code outside the range that the cores keep accounts of, or that firmware has written itself.
        nowhere = Place(ELSEWHERE, ELSEWHERE, (), "")
        for core, module, cycles in zip(cores, modules, ahead, strict=False):
            rest = _rest(_counted(counted, [module], cycles), sum_costs(core.values()))
            core[nowhere] = core.get(nowhere, Cost()) + rest
        functions[nowhere] = functions.get(nowhere, Cost()) + unaccounted
        places[nowhere] = places.get(nowhere, Cost()) + unaccounted
    by_cost = (
        FunctionCost(
            place.function,
            place.task,
            addresses.get(place.function),
            cost,
            inclusive.get(place.function) if stacks else None,
            tuple(core.get(place, Cost()) for core in cores),
        )
        for place, cost in functions.items()
    )
    return FirmwareCosts(
        total=accounted + unaccounted,
        functions=tuple(sorted(by_cost, key=lambda it: (-it.cost.cycles, it.function))),
        places=tuple(sorted(places.items())),
        stacks=stacks,
        calls=followed.calls(),
    )


def _counted(window: Statistics, cores: Sequence[Module], ahead: int) -> Cost:
    """Return the counts of cores whose accounts hold `ahead` further cycles, each with an instruction."""

    def count(counter: str) -> int:
        return sum(window.of(core, counter) for core in cores)

    accesses = sum(map(count, ("loads", "stores", "atomics")))
    execution, *stalls = map(count, CAUSES)
    return Cost(count("instructions") + ahead, (execution + ahead, *stalls), accesses)


def _rest(counted: Cost, accounted: Cost) -> Cost:
    """Return the counts without an account: no accesses if there are more accounts than counts.

    Cores account for operations on caches as accesses, and count none.
    """
    rest = counted - accounted
    return replace(rest, memory_accesses=max(rest.memory_accesses, 0))


def _by_place(
    executable: Executable, costs: Mapping[int, Cost]
) -> tuple[dict[Place, Cost], dict[Place, Cost]]:
    """Return the costs by function, as places without details, and by place."""
    tasks = tasks_of(executable)
    functions: dict[Place, Cost] = {}
    places: dict[Place, Cost] = {}
    for address, cost in costs.items():
        place = place_of(executable, tasks, address)
        function = Place(place.task, place.function, (), "")
        places[place] = places.get(place, Cost()) + cost
        functions[function] = functions.get(function, Cost()) + cost
    return functions, places
