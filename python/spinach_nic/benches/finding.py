"""Search for a card or a bench by name or in a Python file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source, module_from_spec, spec_from_file_location
from pathlib import Path
from time import time_ns
from types import ModuleType

from spinach_nic import _native
from spinach_nic.benches.base import Bench
from spinach_nic.benches.generated import GeneratedTraffic
from spinach_nic.benches.guest import GuestBench
from spinach_nic.benches.inputs import NOT_PYTHON, imported_names, nic_inputs, own_modules
from spinach_nic.cards import SHIPPED, shipped_card
from spinach_nic.cards.base.card import Card
from spinach_nic.cards.base.drivers import RINGS
from spinach_nic.support.arguments import checked
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import has_command_outputs, note_inputs, read_file
from spinach_nic.support.location import correction, user_code

Runnable = str | Path | type[Card] | type[Bench] | Card | Bench
"""A card or a bench: a shipped name, a Python file, a class, or an object that is not built yet."""


@checked
def find_nic(name: str | Path) -> type[Card] | type[Bench]:
    """Return the card of this name, or the card or bench that a Python file defines.

    Args:
        name: A shipped name, or the path of a file that defines exactly one `Card`, or a `Bench`.

    Raises:
        SpinachError: There is no such NIC or file, or the file does not define exactly one.
    """
    if str(name) in SHIPPED:
        return shipped_card(str(name))
    path = Path(name)
    if path.suffix != ".py" and not os.path.exists(path):
        shipped = _native.suggest(str(name), list(SHIPPED))
        raise SpinachError(f"there is no NIC {str(name)!r}", f"{shipped}; or give a Python file")
    found = _from_file(path)
    if has_command_outputs():
        note_inputs(nic_inputs(found))
    return found


def make_bench(nic: Runnable) -> Bench:
    """Return a bench with the card in it, not built yet, so that it can still be set.

    Raises:
        SpinachError: The errors of `find_nic`; or an exception in the Python source of the NIC, with its
            line.
    """
    found = _made(nic)
    return found if isinstance(found, Bench) else GeneratedTraffic().insert(found)


def shown_bench(nic: Runnable) -> Bench:
    """Return the bench in which a card is described and drawn, not built yet.

    It is that of `make_bench`, or that of a guest for a card with a bus and without a driver model.

    Raises:
        SpinachError: The errors of `make_bench`.
    """
    found = _made(nic)
    if isinstance(found, Bench):
        return found
    # Only a card with a bus names a driver other than the default.
    is_for_guests = found.driver_model is None and found.linux_driver not in (None, RINGS)
    return (GuestBench() if is_for_guests else GeneratedTraffic()).insert(found)


def _made(nic: Runnable) -> Card | Bench:
    if isinstance(nic, str | Path):
        nic = find_nic(nic)
    with user_code():
        return nic() if isinstance(nic, type) else nic


def name_of(nic: Runnable) -> str:
    """Return the name of a NIC in results."""
    if isinstance(nic, str | Path):
        return Path(nic).stem if Path(nic).suffix == ".py" else str(nic)
    if isinstance(nic, type):
        return nic.__name__
    return nic.title if isinstance(nic, Bench) else type(nic).__name__


def _from_file(path: Path) -> type[Card] | type[Bench]:
    module = imported(path)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Card | Bench) and value.__module__ == module.__name__
    ]
    # Neither a class that another in the file is derived from is meant, nor the card of a bench in the file.
    inserted = [card for bench in own if issubclass(bench, Bench) for card in bench.card_classes()]
    defined = {
        nic
        for nic in own
        if nic not in inserted and not any(other is not nic and issubclass(other, nic) for other in own)
    }
    if not defined:
        raise SpinachError(f"{path} defines no NIC", "define a class derived from spinach_nic.cards.Card")
    if len(defined) > 1:
        names = " and ".join(sorted(nic.__name__ for nic in defined))
        raise SpinachError(f"{path} defines more than one NIC: {names}", "put each into a separate file")
    return defined.pop()


class _FreshLoader(SourceFileLoader):
    """Compiles a file each time: cached bytecode misses an edit of equal length within one second."""

    def path_stats(self, path: str) -> dict[str, float]:
        """Reject the cache: without a time of the source, bytecode is neither read nor written."""
        raise OSError(path)


def imported(path: Path, help: str = "give the Python file that defines the NIC") -> ModuleType:
    """Return the module of a Python file.

    Args:
        path: Path of the file.
        help: Help of the errors of a wrong path.

    Raises:
        SpinachError: There is no such file, or it fails.
    """
    # Unlike those of Path, these questions are answered for names that no file can have, too.
    if os.path.isdir(path):
        own = path / f"{path.resolve().name}.py"
        raise SpinachError(f"{path} is a folder", f"give {own}" if own.is_file() else help)
    if not os.path.isfile(path):
        raise SpinachError(f"there is no file {path}", help)
    resolved = path.resolve()
    # A name that follows from the path and is kept, so that classes of the file can be pickled.
    module_name = f"spinach_nic_file_{resolved.stem}_{sha256(str(resolved).encode()).hexdigest()[:12]}"
    _see_neighbours(resolved)
    spec = spec_from_file_location(module_name, resolved)
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise SpinachError(f"{path} is not a Python file", "give a file whose name ends in .py")
    spec.loader = _FreshLoader(module_name, str(resolved))
    module = module_from_spec(spec)
    _forget_changed(resolved)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except SpinachError:
        del sys.modules[module_name]
        raise
    except SyntaxError as error:
        del sys.modules[module_name]
        raise SpinachError(f"{path}:{error.lineno}: {error.msg}", "correct the Python source") from error
    except SystemExit as error:
        del sys.modules[module_name]
        message = f"{path}{_line_in(resolved, error)}: the file calls sys.exit()"
        raise SpinachError(message, "remove the call") from error
    except Exception as error:
        del sys.modules[module_name]
        line = _line_in(resolved, error)
        message = f"{path}{line}: {type(error).__name__}: {error}"
        raise SpinachError(message, correction(error)) from error
    _digests.update((name, _digest(it)) for name, it in own_modules(resolved, neighbours=False).items())
    return module


_BEGAN_NS = time_ns()
_digests: dict[str, bytes] = {}
"""Digests of the sources of modules that NICs are made from, as they were loaded."""


def _digest(module: ModuleType) -> bytes:
    with suppress(OSError):
        return sha256(Path(str(module.__file__)).read_bytes()).digest()
    return b""


def _forget_changed(path: Path) -> None:
    """Unload the modules that a NIC is made from if the source of one has changed since it was loaded.

    Each may hold values of another. Bytecode of such a source may be older than it: its time is in seconds.
    """
    # Others next to it may be parts of the program that runs it. Extension modules cannot be loaded again.
    used = own_modules(path, neighbours=False)
    own = {name: module for name, module in used.items() if str(module.__file__).endswith(".py")}

    def is_changed(name: str, module: ModuleType) -> bool:
        if name in _digests:
            return _digests[name] != _digest(module)
        with suppress(OSError):
            return os.stat(str(module.__file__)).st_mtime_ns > _BEGAN_NS
        return True

    if any(is_changed(name, module) for name, module in own.items()):
        for name, module in own.items():
            del sys.modules[name]
            with suppress(OSError):
                os.unlink(cache_from_source(str(module.__file__)))


def _see_neighbours(path: Path) -> None:
    """Append the folder of a NIC that imports modules next to it to the path, after everything else."""
    folder = str(path.parent)
    source = read_file(path, "give the Python file that defines the NIC", what="the file of the NIC")
    try:
        names = imported_names(source)
    except NOT_PYTHON:  # the import below names the line
        return
    beside = [os.path.join(folder, name) for name in names]
    if folder not in sys.path and any(os.path.isdir(it) or os.path.isfile(f"{it}.py") for it in beside):
        sys.path.append(folder)


def _line_in(path: Path, error: BaseException) -> str:
    from traceback import extract_tb

    lines = [
        frame.lineno for frame in extract_tb(error.__traceback__) if Path(frame.filename).resolve() == path
    ]
    return f":{lines[-1]}" if lines else ""
