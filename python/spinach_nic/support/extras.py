"""Optional libraries, each installed by an extra of the package."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.memory import check_memory

LIBRARIES: Mapping[str, str] = {
    "cluster": "distributed",
    "compiler": "ziglang",
    "graphs": "pygraphviz",
    "plots": "matplotlib",
    "search": "scipy",
    "tables": "pyarrow",
}
"""Library of each extra in `pyproject.toml`. The package and its import have the same name."""

_ARROW_BYTES = 512 << 20
"""Bytes of memory with which Arrow has been seen to load; with less, it may end the process."""


class MissingLibraryError(SpinachError):
    """A library of an extra is not installed."""


def is_installed(extra: str) -> bool:
    """Return true if the library of an extra can be imported."""
    return find_spec(LIBRARIES[extra]) is not None


def library_version(extra: str) -> str:
    """Return the version of an installed library.

    The folder of its metadata, next to the package, names it. Importing the reader of metadata takes 4 % of
    the start of a run.
    """
    library = LIBRARIES[extra]
    package = find_spec(library)
    folders = (package.submodule_search_locations if package else None) or ()
    for folder in folders:
        for metadata in Path(folder).parent.glob(f"{library}-*.dist-info"):
            return metadata.stem.removeprefix(f"{library}-")
    from importlib.metadata import version

    return version(library)


def require(*extras: str, purpose: str) -> None:
    """Check that libraries are installed: before their import, and before work whose output needs them.

    Args:
        extras: Names in `LIBRARIES`.
        purpose: Output or work that needs them, as the subject of the error.

    Raises:
        MissingLibraryError: One of them is not installed.
    """
    missing = [extra for extra in extras if not is_installed(extra)]
    if missing:
        libraries = " and ".join(LIBRARIES[extra] for extra in missing)
        are = "are" if len(missing) > 1 else "is"
        raise MissingLibraryError(
            f"{purpose} needs {libraries}, which {are} not installed",
            f"pip install 'spinach-nic[{','.join(missing)}]'",
        )


def require_arrow(purpose: str) -> None:
    """Check that Arrow is installed, and has the memory to load: as `require`.

    Raises:
        MissingLibraryError: It is not installed.
        SpinachError: The system grants too little memory.
    """
    require("tables", purpose=purpose)
    if "pyarrow.lib" not in sys.modules:
        check_memory(_ARROW_BYTES, purpose)
