"""Module library: one class for each kind of module.

A class is made when it is first used, from the declaration of its kind in `crates/spinach-modules`. The stub
`library.pyi`, written by `make generate`, describes the classes to editors and type checkers.
"""

from typing import Any

from spinach_nic import _native
from spinach_nic.model.class_name import class_name
from spinach_nic.model.declared import module_class

_KINDS = {class_name(kind): kind for kind in _native.kinds()}

__all__ = sorted(_KINDS)


def __getattr__(name: str) -> Any:
    """Make the class called `name`."""
    kind = _KINDS.get(name)
    if kind is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Of two threads that make the class at once, both get the first.
    return globals().setdefault(name, module_class(_native.declaration(kind), __name__))


def __dir__() -> list[str]:
    """Return the names of all classes, for completion."""
    return sorted({*globals(), *_KINDS})
