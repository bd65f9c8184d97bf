"""One run of a sweep."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, cast

from spinach_nic._native import version
from spinach_nic.benches import Bench, find_nic, make_bench, nic_inputs
from spinach_nic.benches.inputs import own_file, own_modules
from spinach_nic.cards import Card
from spinach_nic.model.description import Description
from spinach_nic.runs import RunOptions, run
from spinach_nic.runs.accounting import drop_counters
from spinach_nic.runs.result import Figure, Result
from spinach_nic.support.arguments import check_arguments
from spinach_nic.support.cache import cache_folder
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import LARGEST_INPUT, cannot_read, check_size, inputs_noted
from spinach_nic.support.location import user_code
from spinach_nic.support.options import command_words, named_files, options_of, plain_text, read_texts
from spinach_nic.traffic import DIRECTIONS, parse_traffic, plan_traffic

SWEPT_OPTIONS = ("traffic", "frames", "time", "seed", "firmware", "stall_after", "restore")
"""The options of a run that a sweep can give."""


@dataclass(frozen=True)
class SweepPoint:
    """A run with the values of one point; it can travel to another process."""

    nic: str
    options: tuple[tuple[str, tuple[str, ...]], ...]
    """Options of the run by name, as the texts that the command line has; only `traffic` has several."""
    settings: tuple[tuple[str, str], ...]
    """Parameters by path, as texts, in order."""

    @classmethod
    def of(cls, nic: str | Path, options: Mapping[str, Any]) -> SweepPoint:
        """Return the point of a run.

        Args:
            nic: A shipped name or a Python file.
            options: Options of the run; `set` gives parameters.

        Raises:
            SpinachError: An option is not one of a sweep.
        """
        texts: dict[str, tuple[str, ...]] = {}
        for name, value in options.items():
            if value in (None, ()):
                continue
            flag = options_of(RunOptions)[name].flag if name in (*SWEPT_OPTIONS, "set") else None
            if flag is None:
                message = f"a run of a sweep has no option {name!r}"
                raise SpinachError(message, f"its options are set, {', '.join(SWEPT_OPTIONS)}")
            texts[name] = tuple(flag.show(value))
        settings = tuple(
            (path, value) for path, _, value in (one.partition("=") for one in texts.pop("set", ()))
        )
        return cls(str(nic), tuple(texts.items()), settings)

    def carry_out(self) -> Result:
        """Run it.

        Raises:
            SpinachError: The request is wrong, the system failed, or a file has changed in the meantime.
        """
        result = run(self.nic, **self.run_options())
        now = self._file_digests()
        if changed := [path for path, digest in self._digests.items() if digest != now.get(path)]:
            help = "give the command again: points whose files have not changed are kept"
            raise SpinachError(f"{changed[0]} changed while the runs were made", help)
        return result

    def figures(self, result: Result) -> dict[str, Figure]:
        """Return the figures of its result, counters of dropped frames that are 0 included."""
        figures, settings = result.figures(), result.request.get("set", ())
        # A NIC that was changed after the run may have become invalid.
        with suppress(SpinachError):
            nic: Any = _load(self._file)[0] if self._file else self.nic
            zeros = _drop_columns(nic, tuple(settings), result.traffic)
            figures |= {name: 0 for name in zeros if name not in figures}
        return figures

    def run_options(self) -> RunOptions:
        """Return the options, read.

        Raises:
            SpinachError: A text is invalid for its option.
        """
        read = {name: _read(name, texts) for name, texts in self.options}
        check_arguments(read, {name: options_of(RunOptions)[name].hint for name in read})
        return cast(RunOptions, {"set": dict(self.settings), **read})

    def longer(self, result: Result | None) -> SweepPoint | None:
        """Return the run with twice the frames of its result; `None` if no number of frames ends it."""
        frames = dict(self.options).get("frames") or (result and result.request.get("frames"))
        if not frames:
            return None
        (count,) = [frames] if isinstance(frames, str) else frames
        doubled = re.sub(r"\d+", lambda number: str(2 * int(number[0])), count)
        return replace(self, options=tuple({**dict(self.options), "frames": (doubled,)}.items()))

    def __str__(self) -> str:
        """Return the equivalent command."""
        return shlex.join(["spinach", "run", self.nic, *command_words(RunOptions, self.run_options())])

    @cached_property
    def key(self) -> str:
        """The same for what gives the same result: the version, the request, and the files that it names."""
        parts = [version(), str(self), *self._digests.values()]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @cached_property
    def _digests(self) -> Mapping[str, str]:
        """Digests of its files, by path, as the key has them."""
        return self._file_digests()

    def _file_digests(self) -> Mapping[str, str]:
        files = {os.path.abspath(path) for path in self.inputs.values() if os.path.isfile(path)}
        return {path: file_digest(Path(path)) for path in sorted(files)}

    @property
    def _file(self) -> str:
        """File of the NIC; empty for a shipped one."""
        return os.path.realpath(self.nic) if self.nic.endswith(".py") and os.path.isfile(self.nic) else ""

    @cached_property
    def inputs(self) -> Mapping[str, Path]:
        """The files that it reads, those of the NIC included, by their nouns for errors.

        Raises:
            SpinachError: There is no such NIC, or a text is invalid for its option.
        """
        options = {name: value for name, value in self.run_options().items() if value is not None}
        named = named_files(RunOptions, options, outputs=False)
        made_from = _nic_inputs(self._file, self.settings) if self._file else {}
        given = {
            f"the file {value} of {path}": Path(value) for path, value in self.settings if _is_file(value)
        }
        return {**made_from, **given, **{f"{noun} {path}": path for noun, path in named}}


def _is_file(text: str) -> bool:
    """True if the value of a parameter names a file, such as a list of prefixes."""
    with suppress(OSError, ValueError):
        return os.path.isfile(text)
    return False


_loaded: dict[str, tuple[type[Card] | type[Bench], Mapping[str, Path], Sequence[object]]] = {}
"""NICs by file, with the files that are read when they are imported, and the states of all of these."""


def _load(file: str) -> tuple[type[Card] | type[Bench], Mapping[str, Path]]:
    """Return the NIC of a file, imported again after a change, and the files that are read for that.

    A module reads files when it is loaded only, so those of earlier times count, too.
    """
    nic, read, states = _loaded.get(file, (None, {}, ()))
    if nic is None or states != _states(read):
        with inputs_noted() as noted:
            nic = find_nic(file)
        read = {**nic_inputs(nic), **_own_files(noted), **read}
        _loaded[file] = nic, read, _states(read)
    return nic, read


def _nic_inputs(file: str, settings: Iterable[tuple[str, str]]) -> Mapping[str, Path]:
    """Return the files that a NIC is made from, and those that it reads while it is composed."""
    nic, read = _load(file)
    # A mistake in the composition is reported by the run.
    with inputs_noted() as noted, suppress(SpinachError):
        _composed(nic, settings)
    imported = [Path(str(module.__file__)) for module in own_modules(file).values()]
    return {**read, **{f"{path} of the NIC": path for path in imported}, **_own_files(noted)}


def _composed(
    nic: str | type[Card] | type[Bench], settings: Iterable[tuple[str, str]], traffic: Iterable[str] = ()
) -> Bench:
    """Return the bench of a NIC, built, with the faults of its traffic; its frames do not matter."""
    bench = make_bench(nic)
    for path, value in settings:
        bench.set(path, value)
    planned = [
        replace(parse_traffic(one), sizes=(18,), weights=(), capture=None, source=None) for one in traffic
    ]
    plans = plan_traffic(
        planned,
        frames=1,
        seed=1,
        largest_frame=bench.largest_frame,
        largest_tagged_frame=bench.largest_tagged_frame,
    )
    for way in DIRECTIONS:
        bench.set(way, plans[way])
    with user_code():
        Description(bench)
    return bench


def _own_files(noted: Mapping[str, Path]) -> Mapping[str, Path]:
    """Return noted files without those of Python, of installed packages, of this one, and of the cache."""
    return {
        noun: path
        for noun, path in noted.items()
        if own_file(str(path)) and not Path(path).absolute().is_relative_to(cache_folder())
    }


def _states(files: Mapping[str, Path]) -> Sequence[object]:
    """Return times and sizes of files."""
    found = [os.stat(path) if os.path.isfile(path) else None for path in files.values()]
    return [it and (it.st_mtime_ns, it.st_size) for it in found]


@lru_cache(maxsize=4096)
def _drop_columns(
    nic: str | type[Card] | type[Bench], settings: tuple[str, ...], traffic: tuple[str, ...]
) -> Sequence[str]:
    """Return the columns of all counters of dropped frames; the document leaves out those that are 0."""
    split = (one.partition("=") for one in settings)
    bench = _composed(nic, [(path, value) for path, _, value in split], traffic)
    with user_code():
        probes = bench.probes()
    return [
        f"frames.dropped.{way}.{place}.{reason}"
        for way, drops in drop_counters(probes).items()
        for place, reason, _ in drops
    ]


@lru_cache(maxsize=1024)
def _digest(path: str, changed_ns: int, size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, computed again when the file has changed.

    Raises:
        SpinachError: It cannot be read, or is too large.
    """
    help = "name a file that can be read"
    check_size(path, help, limit=LARGEST_INPUT)
    try:
        found = os.stat(path)
        return _digest(str(path), found.st_mtime_ns, found.st_size)
    except OSError as error:
        raise cannot_read(path, error, help) from error


def text(value: Any) -> str:
    """Return a value in the form of the command line."""
    if isinstance(value, list):
        return ",".join(map(text, value))
    return plain_text(value)


def option_texts(name: str, value: Any) -> tuple[str, ...]:
    """Return the value of an option in the form of the command line; `traffic` may have several texts."""
    return tuple(map(text, value)) if name == "traffic" and isinstance(value, list) else (text(value),)


def _read(name: str, texts: tuple[str, ...]) -> Any:
    flag = options_of(RunOptions)[name].flag
    assert flag is not None
    try:
        return read_texts(flag, texts)
    except ValueError as error:
        raise SpinachError(f"the option {name}: {error}", "write it as on the command line") from error
