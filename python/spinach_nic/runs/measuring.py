"""Measuring a workload on two joined servers: the method of section 5.2 of the SINIC paper.

The servers boot functionally and begin the workload, once: the checkpoint is kept. From there the server
under test has timed cores, which warm up and are then measured. The other server only keeps it busy: it stays
functional, and its clock is so much faster that it does not limit.

The window consists of batches of equal length, from which rates and shares have their 95 % errors. `Boots`
repeats a measurement with other random numbers.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from statistics import fmean
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from spinach_nic import _native, servers
from spinach_nic.runs.server_result import BootResult, InsertedCard, Measurement, settings_of
from spinach_nic.runs.server_session import ReadyServers, ServerSession
from spinach_nic.servers import linux
from spinach_nic.servers.categories import CATEGORIES
from spinach_nic.servers.console import Consoles, Ending, now_ns
from spinach_nic.servers.counts import Counts
from spinach_nic.servers.outputs import Frames
from spinach_nic.servers.profile import profile_of
from spinach_nic.servers.sampling import Sampler, SamplingPlan, sampled_counts
from spinach_nic.servers.stalls import dropped, packets_of, stall_of
from spinach_nic.servers.workloads import STRESSER, UNDER_TEST, WORKLOADS
from spinach_nic.support.cache import Cache
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import temporary_folder
from spinach_nic.support.measured import BATCHES, UNKNOWN, Measured, bounded, ratio_of
from spinach_nic.support.units import Time

BEGIN_MS = 5
"""Functional run time of a workload before its checkpoint: until TCP's windows are open."""
_NODES = (UNDER_TEST, STRESSER)

Outcome = TypeVar("Outcome")
Outcome_co = TypeVar("Outcome_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class ServerRun:
    """A measurement of a workload."""

    workload: str
    """One of `WORKLOADS`."""
    card: str
    card_parameters: tuple[str, ...] = ()
    """Changed parameters of both cards, as `vnics=16`."""
    attachment: str
    clock: str = "4GHz"
    stresser_clock: str = "16GHz"
    harts: int = 1
    """Harts of each server."""
    settings: str = "published"
    zero_copy: bool = False
    link_rate: str = "10Gbps"
    queue_bytes: int = 256 << 10
    """Buffer of each socket of a stream, in bytes, as in the published runs; 0 for the kernel's default."""
    call_bytes: int = 64 << 10
    """Bytes of each call that sends or receives, as in the published runs."""
    ring: int = 1
    """Buffers to receive to in turn; 0 for as many as the queue fills and one more, as netperf."""
    has_backlog: bool = False
    """Receivers of streams begin with full queues: a receiver does not receive until the warm-up begins."""
    seed: int = 0
    """Seed of the kernels' random numbers, such as the keys of hash tables and the ports of TCP, and of the
    places of windows in sampled runs."""
    timing: str = "{}"
    """Changed parameters of cores, caches and buses: JSON, by the names of `servers.timed_parameters`."""
    cycles: tuple[int, int]
    """Cycles of the warm-up, and of the measurement."""

    @property
    def configuration(self) -> servers.Configuration:
        """The servers."""
        clocks = f"{self.clock},{self.stresser_clock}"
        wire = servers.wire_of(self.link_rate, card=self.card, settings=self._card_settings)
        return servers.configuration_of("rv64", harts=self.harts, wire=wire, clocks=clocks)

    @property
    def _card_settings(self) -> list[str]:
        """Return the parameters of both cards by path."""
        return [f"node[{node}].card.{parameter}" for node in _NODES for parameter in self.card_parameters]

    @property
    def _before(self) -> tuple[tuple[int, str], ...]:
        """Return the input of each server before the workload begins."""
        first = [(node, f"settings {self.settings}") for node in _NODES]
        usual = (ServerRun.queue_bytes, ServerRun.call_bytes, ServerRun.ring, ServerRun.has_backlog)
        if (self.queue_bytes, self.call_bytes, self.ring, self.has_backlog) != usual:
            queue, call, wait_ms = self.queue_bytes, self.call_bytes, BEGIN_MS if self.has_backlog else 0
            first.append((UNDER_TEST, f"stream-buffers {queue} {self.ring} {wait_ms} {call}"))
            first.append((STRESSER, f"stream-buffers {queue} 1 0 {call}"))
        if self.zero_copy:
            first.append((UNDER_TEST, "zerocopy on"))
        return tuple(first)

    def carry_out(self) -> Measurement:
        """Return the rates of the window; see `result`."""
        measured = self.result().measured
        assert measured is not None
        return measured

    def result(self) -> BootResult:
        """Run the measurement; return its result, with the rates as `measured`.

        Raises:
            SpinachError: There is no kernel, or the workload does not begin or continue.
        """
        kernel, pair = linux.needed().with_seed(self.seed), self.timed()
        warm_up, cycles = self.cycles
        begins_ns = 0
        found: Measurement | None = None

        def measure() -> Ending:
            nonlocal begins_ns, found
            _run(pair, warm_up)
            begins_ns = now_ns(pair)
            found = _measured(pair, cycles, kernel.symbols)
            return "measured"

        wire = self.configuration.wire
        cards = [InsertedCard(card.name) for card in wire.cards] if wire else []
        session = ServerSession(ReadyServers(machine=pair, linux=kernel, checkpoint=None), cards)
        with temporary_folder("link") as folder:
            link = folder / "link.pcapng"
            session.run(pair, [Frames(link)], measure)
            if failure := session.stopped or session.unwritten:
                raise failure
            if found is None:
                raise KeyboardInterrupt
            has_lost = any(dropped(pair, node) for node in _NODES)
            stall = stall_of(packets_of(link), begins_ns, now_ns(pair), has_lost=has_lost)
        settings = settings_of(self.configuration, self._timing)
        return session.finish("rv64", settings, is_shipped=True, measured=replace(found, stall=stall))

    def sampled(self, plan: SamplingPlan, duration: Time) -> Sampler:
        """Sample the workload for a simulated time, instead of timing all of it; `cycles` is ignored.

        Raises:
            SpinachError: There is no kernel, or the workload does not begin or continue.
        """
        pair = self.timed()
        sampler = Sampler(pair, plan, lambda: sampled_counts(pair, UNDER_TEST), UNDER_TEST, self.seed)
        _run(sampler, duration.femtoseconds * pair.time()[1] // 10**15)
        sampler.finish()
        return sampler

    def timed(self) -> _native.Server:
        """Return the servers in the middle of the workload, with the one under test timed."""
        pair = self.begun(linux.needed().with_seed(self.seed))
        pair.set_timed(True, UNDER_TEST, self._timing)
        return pair

    @property
    def _timing(self) -> str:
        """Return the changed parameters of cores, caches and buses, and the attachment."""
        return servers.timed_parameters(self.attachment, json.loads(self.timing))

    def begun(self, kernel: linux.Linux) -> _native.Server:
        """Return the servers in the middle of the workload, functional, from a cached checkpoint."""
        steps = repr((BEGIN_MS, self._before, WORKLOADS[self.workload]))
        key = servers.made_from(self.configuration, kernel, steps)
        cache = Cache()
        with cache.in_use():
            if found := cache.find(servers.CHECKPOINTS, key, "checkpoint"):
                return servers.restore(self.configuration, str(found[0]), found[1])
            pair = servers.booted(self.configuration, kernel, lambda _: None)
            self._begin(pair)
            cache.keep(servers.CHECKPOINTS, key, "checkpoint", pair.save())
        return pair

    def _begin(self, pair: _native.Server) -> None:
        for node, command in self._before:
            pair.type_in(f"{command}\n".encode(), node)
        for step in WORKLOADS[self.workload]:
            pair.type_in(f"{step.command}\n".encode(), step.node)
            servers.run_until(pair, step.expected.encode(), lambda _: None, (step.node,))
        _run(pair, pair.time()[1] * BEGIN_MS // 1000)

    def __str__(self) -> str:
        """Return a command that repeats the measurement."""
        steps = [*self._before, *((step.node, step.command) for step in WORKLOADS[self.workload])]
        typed = "".join(f"{'@2 ' if node == STRESSER else ''}{command}\\n" for node, command in steps)
        words = ["spinach", "boot", "rv64", "--nodes", "2", "--card", self.card, "--core", "timed"]
        words += [word for setting in self._card_settings for word in ("--set", setting)]
        words += ["--attachment", self.attachment, "--clock", f"{self.clock},{self.stresser_clock}"]
        words += ["--link-rate", self.link_rate] if self.link_rate != ServerRun.link_rate else []
        words += ["--harts", str(self.harts)] if self.harts > 1 else []
        words += ["--seed", str(self.seed)] if self.seed else []
        note = f"  # and set_timed with {self.timing}" if self.timing != "{}" else ""
        return f"printf {shlex.quote(typed)} | {shlex.join(words)}{note}"


class SeededRun(Protocol[Outcome_co]):
    """A measurement that can be repeated with another seed: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def seed(self) -> int:
        """Seed of the kernels' random numbers."""

    def carry_out(self) -> Outcome_co:
        """Run the measurement. Raises `SpinachError` if it fails."""


@dataclass(frozen=True)
class Boots(Generic[Outcome]):
    """One measurement after several boots, which differ in the random seeds of the kernels."""

    run: SeededRun[Outcome]
    seeds: tuple[int, ...]

    def carry_out(self) -> Outcome:
        """Run the measurement after each boot.

        Raises:
            SpinachError: There is no kernel, or the workload does not begin or continue.
        """
        return mean_of([replace(self.run, seed=seed).carry_out() for seed in self.seeds])

    def __str__(self) -> str:
        """Describe the first measurement, by a command that repeats it if there is one."""
        others = f"  # and with --seed {self.seeds[1]} to {self.seeds[-1]}" if len(self.seeds) > 1 else ""
        return f"{replace(self.run, seed=self.seeds[0])}{others}"


def mean_of(boots: Sequence[Outcome]) -> Outcome:
    """Return the means over several boots; numbers of events are added, and the profile is that of the first.

    The error is the larger of two: what the boots show by their differences (Student's distribution), and
    what the batches of their windows show. All windows begin at the same place of the workload, so boots do
    not show what changes in the course of a window.
    """
    first: Any = boots[0]
    if len(boots) == 1:
        return boots[0]
    names = [field.name for field in fields(first)]
    means = {name: _combined([getattr(boot, name) for boot in boots]) for name in names}
    mean: Outcome = replace(first, **means)
    return mean


def _combined(values: Sequence[Any]) -> object:
    """Return a field of the mean."""
    if None in values:
        return None
    match values[0]:
        case Measured():
            return _mean(values)
        case Mapping():
            return {name: _mean([value[name] for value in values]) for name in values[0]}
        case int():
            return sum(values)
        case float():
            return fmean(values)
        case str():
            stalled = [stall for stall in values if stall]
            return f"{len(stalled)} of {len(values)} boots: {stalled[0]}" if stalled else ""
    return values[0]


def _mean(figures: Sequence[Measured]) -> Measured:
    number = len(figures)
    mean = ratio_of([figure.value for figure in figures], [1.0] * number) or Measured(math.nan)
    of_batches = math.hypot(*(figure.error for figure in figures)) / number
    return Measured(mean.value, max(mean.error, of_batches))


def timing_of(**changes: object) -> str:
    """Changes of cores, caches and buses in the form of `ServerRun`."""
    return json.dumps(changes, sort_keys=True)


def _run(pair: Consoles, cycles: int) -> None:
    if (state := pair.run(cycles)) in ("off", "failed"):
        printed = pair.take_output(UNDER_TEST) + pair.take_output(STRESSER)
        last = printed.decode(errors="replace").strip().splitlines()[-3:]
        raise SpinachError(
            f"a server is {state} in the middle of a workload; it printed {last}",
            "check the output of `spinach boot`",
        )


def _measured(pair: _native.Server, cycles: int, symbols: bytes) -> Measurement:
    for node in _NODES:
        pair.set_profiled(True, node)
    counted, spent = [Counts.of(pair, UNDER_TEST)], [dict.fromkeys(CATEGORIES, 0)]
    lost = sum(dropped(pair, node) for node in _NODES)
    moments = [pair.time()[0]]
    for batch in range(1, BATCHES + 1):
        # Runs end a little late: what one has too many, the next has not.
        _run(pair, max(moments[0] + cycles * batch // BATCHES - moments[-1], 1))
        moments.append(pair.time()[0])
        counted.append(Counts.of(pair, UNDER_TEST))
        profile = profile_of(pair, symbols, UNDER_TEST, is_timed=True)
        spent.append(dict(profile.categories))
    batches = [after - before for before, after in pairwise(counted)]
    timing = [batch.timing or {} for batch in batches]
    times = [{name: after[name] - before[name] for name in after} for before, after in pairwise(spent)]
    seconds = [(after - before) / pair.time()[1] for before, after in pairwise(moments)]
    carried = [batch.sent_bytes + batch.received_bytes for batch in batches]

    def per_second(counts: Sequence[int], factor: float = 1.0) -> Measured:
        return ratio_of([factor * count for count in counts], seconds) or UNKNOWN

    all_cycles = [sum(batch.values()) for batch in times]
    return Measurement(
        gbps=per_second(carried, 8e-9),
        sent_gbps=per_second([batch.sent_bytes for batch in batches], 8e-9),
        received_gbps=per_second([batch.received_bytes for batch in batches], 8e-9),
        interrupts_per_s=per_second([batch.card["interrupts"] for batch in batches]),
        dropped=sum(dropped(pair, node) for node in _NODES) - lost,
        misses_per_kb=bounded(ratio_of([1024 * batch["second_level_misses"] for batch in timing], carried)),
        instructions_per_cycle=bounded(
            ratio_of([batch["instructions"] for batch in timing], [batch["cycles"] for batch in timing])
        ),
        shares={
            name: ratio_of([batch[name] for batch in times], all_cycles) or Measured(0.0)
            for name in CATEGORIES
        },
        stresser_idle=profile_of(pair, b"", STRESSER).share("idle"),
        profile=profile,
    )
