"""Results, assembled from the counts of a run."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate

from msgspec.structs import replace

from spinach_nic._native import version
from spinach_nic.benches.base import CAPTURING_PARTS, Bench, BenchProbes
from spinach_nic.cards.base.card import ByteCounter, Memory
from spinach_nic.cards.base.counters import Counter
from spinach_nic.model import Component, Module
from spinach_nic.model.simulation import Simulation, Statistics
from spinach_nic.runs.accounting import DirectionCounts, frame_counts
from spinach_nic.runs.images import ChosenImage
from spinach_nic.runs.observers import OBSERVERS
from spinach_nic.runs.result import (
    CoreResult,
    CounterResult,
    DirectionResult,
    Latency,
    MemoryResult,
    RateName,
    Result,
    Task,
    core_domain,
)
from spinach_nic.runs.session import Ending, Session
from spinach_nic.runs.steadiness import excess, measure
from spinach_nic.runs.tasks import CAUSES, HALTED, Profile, tasks_per_frame
from spinach_nic.runs.window import Ends
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import Frequency, Quantity, Time, parse_quantity, s
from spinach_nic.traffic import DIRECTIONS, Direction

CLASSES = ("loads", "stores", "atomics", "branches", "branches_taken", "jumps", "annulled")
"""Counters of instructions that a core may have."""


def assemble(
    *,
    name: str,
    nic_file: str | None = None,
    session: Session,
    ending: Ending,
    image: ChosenImage | None,
    seed: int,
    traffic: tuple[str, ...],
    request: Mapping[str, str | tuple[str, ...]],
    notes: tuple[str, ...],
    wall_s: float,
) -> Result:
    """Return the result of a run that has ended."""
    bench, simulation, probes = session.bench, session.simulation, session.probes
    live = session.live
    final = simulation.statistics()
    counts = session.counts(final)
    ends = _checked(session.ends(), bench, probes)
    start, end = ends.start, ends.end
    start_counts, end_counts = session.counts(start.counters), session.counts(end.counters)
    profiled = (session.counts(start.profiled), session.counts(end.profiled))
    profiled_window = end.profiled - start.profiled
    window = end.counters - start.counters
    cores = tuple(_core(window, core) for core in probes.cores)

    def direction(way: Direction) -> DirectionResult:
        pair = (start_counts[way], end_counts[way])
        latency = _latency(session.latencies(way), session.longest_latency(way))
        rates = measure(ends.moments, way, probes.link_rate) if ends.moments else None
        return _direction(latency, pair, counts[way].delivered, rates, window.time)

    cycles = {domain: simulation.cycles(domain) for domain in simulation.domains}
    return Result(
        nic=name,
        nic_file=nic_file,
        config={
            path: value
            for path, value in resolved_configuration(bench, simulation).items()
            if re.split(r"[.\[]", path)[0] not in CAPTURING_PARTS
        },
        version=version(),
        firmware=None if image is None else image.firmware,
        seed=seed,
        traffic=traffic,
        request=request,
        notes=(*notes, f"no rates: {ends.reason}") if ends.reason else notes,
        complete=ending.kind == "complete" and not (live is not None and live.replays_a_part),
        failure=ending.failure,
        simulated_ns=simulation.now.femtoseconds // 10**6,
        wall_s=wall_s,
        core_cycles_per_wall_s=cycles.get(core_domain(cycles), 0) / wall_s if wall_s else 0.0,
        simulated_cycles=cycles,
        core_mhz=_core_mhz(simulation, probes.cores),
        instructions=sum(final.of(core, "instructions") for core in probes.cores),
        measured_window_ns=end.counters.time.femtoseconds // 10**6 - start.counters.time.femtoseconds // 10**6
        if ends.moments
        else None,
        measured_window=ends.measured,
        tx=direction("tx"),
        rx=direction("rx"),
        frames=frame_counts(counts),
        cores=cores,
        cores_mean=_mean(cores),
        tasks=_tasks(image, end.profile - start.profile, profiled, _cycles(profiled_window, probes.cores)),
        memories={
            memory.name: _memory(window, memory, partial(_begun, simulation, memory, window))
            for memory in probes.memories
        },
        counters={name: _counter(final, window, it) for name, it in probes.counters.items()},
        live=None if live is None else live.passed,
    )


def _counter(final: Statistics, window: Statistics, counter: Counter) -> CounterResult:
    name = f"{counter.module.path}.{counter.counter}"
    return CounterResult(final[name], window[name], counter.unit)


_WRONG_RATE = "correct the rate of the wires of your own card, report it as a defect for one of Spinach's"


def _checked(ends: Ends, bench: Bench, probes: BenchProbes) -> Ends:
    """Return the ends without rates, if a direction has carried more than its link can."""
    for way in DIRECTIONS if ends.moments else ():
        faster = bench.faster_links(way)
        # A backlog may explain more than the rate of the wire, but only if no link is faster than that.
        longest = bench.largest_tagged_frame
        times = excess(ends.moments, way, probes.link_rate, longest, with_backlog=not faster)
        if times > 1:
            cause = faster[0] if faster else _WRONG_RATE
            reason = f"{way} delivered {times:.3f} times what a link of {probes.link_rate} can carry; {cause}"
            return replace(ends, moments=(), reason=reason)
    return ends


def _direction(
    latency: Latency | None,
    ends: tuple[DirectionCounts, DirectionCounts],
    delivered: int,
    rates: Mapping[RateName, Measured] | None,
    span: Time,
) -> DirectionResult:
    start, end = ends
    fields: dict[str, float] = {}
    if rates is not None:
        fields["offered_per_s"] = _per_second(end.offered - start.offered, span)
        fields["dropped_per_s"] = _per_second(end.dropped_frames - start.dropped_frames, span)
    for name, measured in (rates or {}).items():
        fields |= {name: measured.value, f"{name}_error": measured.error}
    return DirectionResult(
        frames=delivered,
        measured_frames=end.delivered - start.delivered,
        latency_ns=latency,
        **fields,
    )


def _per_second(number: int, span: Time) -> float:
    return number * s(1).femtoseconds / span.femtoseconds if span else 0.0


def _latency(latencies: Mapping[int, int], longest: int) -> Latency | None:
    """Return the latencies from the number of frames in each bucket, by the bucket's longest latency."""
    if not latencies:
        return None
    spans = sorted(latencies)
    until = list(accumulate(latencies[span] for span in spans))

    def quantile(thousandths: int) -> int:
        rank = max(1, -(-until[-1] * thousandths // 1000))
        return min(spans[bisect_left(until, rank)], longest)

    distribution = tuple((min(span, longest), latencies[span]) for span in spans)
    return Latency(quantile(500), quantile(990), min(spans[-1], longest), distribution)


def _cycles(window: Statistics, cores: Sequence[Module]) -> int:
    return sum(window.of(core, cause) for core in cores for cause in (*CAUSES, HALTED))


def _core_mhz(simulation: Simulation, cores: Sequence[Module]) -> float:
    domains, frequencies = simulation.module_domains(), simulation.frequencies()
    clocks = (frequencies[domains[core.path][0]] for core in cores)
    return float(sum(parse_quantity(clock, Frequency).hertz for clock in clocks) / 10**6)


def _core(window: Statistics, core: Module) -> CoreResult:
    counted = {cause: window.of(core, cause) for cause in (*CAUSES, HALTED)}
    total = sum(counted.values())
    if not counted[HALTED]:
        del counted[HALTED]
    fractions = {cause: cycles / total if total else 0.0 for cause, cycles in counted.items()}

    def per_cycle(counter: str) -> float:
        return window.of(core, counter) / total if total else 0.0

    classes = {counter: per_cycle(counter) for counter in CLASSES if counter in core.counters}
    return CoreResult(per_cycle("instructions"), fractions, classes)


def _mean(cores: Sequence[CoreResult]) -> CoreResult | None:
    if not cores:
        return None
    causes = dict.fromkeys(cause for core in cores for cause in core.cycles)
    cycles = {cause: sum(core.cycles.get(cause, 0.0) for core in cores) / len(cores) for cause in causes}
    per_cycle = {
        name: sum(core.per_cycle[name] for core in cores) / len(cores) for name in cores[0].per_cycle
    }
    return CoreResult(sum(core.ipc for core in cores) / len(cores), cycles, per_cycle)


def _tasks(
    image: ChosenImage | None,
    profile: Profile,
    ends: tuple[Mapping[Direction, DirectionCounts], Mapping[Direction, DirectionCounts]],
    cycles: int,
) -> dict[str, Task]:
    if image is None:
        return {}
    start, end = ends
    frames = {way: end[way].delivered - start[way].delivered for way in DIRECTIONS}
    return tasks_per_frame(image.executable, profile, frames, cycles)


def _begun(simulation: Simulation, memory: Memory, window: Statistics) -> Time:
    """Return the time of all cycles that a memory has begun in a window; the last may end after it."""
    if window.time != simulation.now or not window.time:
        return window.time
    domains, frequencies = simulation.module_domains(), simulation.frequencies()
    named = {name for bank in memory.banks for name in domains[bank.path]}
    begun = (simulation.cycles(name) / parse_quantity(frequencies[name], Frequency).hertz for name in named)
    return Time(max((math.ceil(span * 10**15) for span in begun), default=window.time.femtoseconds))


def _memory(window: Statistics, memory: Memory, begun: Callable[[], Time]) -> MemoryResult:
    def gbps(counters: Sequence[ByteCounter]) -> float:
        moved = sum(window.of(it.module, it.counter) * it.bytes_each for it in counters)
        measured = _per_second(8 * moved, window.time) / 1e9
        # The bytes of a cycle count at its edge: a run that ends within the cycle would exceed the peak.
        return measured if measured <= peak else min(measured, _per_second(8 * moved, begun()) / 1e9)

    peak = memory.peak.bits_per_second / 1e9
    efficiency = None
    if memory.controller is not None:
        busy = window.of(memory.controller, "busy_cycles")
        efficiency = window.of(memory.controller, "data_cycles") / busy if busy else None
    return MemoryResult(gbps(memory.moved), peak, gbps(memory.useful or memory.moved), efficiency)


_OBSERVING = frozenset(name for one in OBSERVERS for name in one.core_parameters)
"""Parameters of observers, on which no result depends."""


def resolved_configuration(system: Component, simulation: Simulation) -> dict[str, bool | int | str]:
    """Value of each settable parameter of each part, by path."""
    configuration: dict[str, bool | int | str] = {}
    for prefix, component in components_of(system):
        configuration |= {prefix + name: value for name, value in settings_of(component).items()}
    for path, parameters in simulation.parameters().items():
        configuration |= {
            f"{path}.{name}": value for name, value in parameters.items() if name not in _OBSERVING
        }
    return configuration


def settings_of(component: Component) -> dict[str, bool | int | str]:
    """Value of each settable parameter of a component itself, by name."""
    settings: dict[str, bool | int | str] = {}
    for name, value in component.parameters.items():
        declared = component.declarations[name]
        if declared.kind == "object" and not declared.choices:
            continue
        if isinstance(value, bool | int | str):
            settings[name] = value
        elif isinstance(value, Quantity):
            settings[name] = str(value)
        elif isinstance(value, type):
            settings[name] = _choice(component, name, value)
    return settings


def components_of(component: Component, prefix: str = "") -> Iterator[tuple[str, Component]]:
    """Return a component and all in it, each with the beginning of the paths of its parameters."""
    yield prefix, component
    for name, part in component.parts.items():
        if isinstance(part, Component):
            yield from components_of(part, f"{prefix}{name}.")


def _choice(component: Component, name: str, value: type) -> str:
    """Return the name by which users choose a class of part."""
    choices = component.declarations[name].choices
    return next((choice for choice, chosen in choices.items() if chosen is value), value.__name__)
