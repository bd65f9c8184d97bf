"""Systems as text."""

from spinach_nic.model.component import Component
from spinach_nic.model.parts import Part
from spinach_nic.support.arguments import checked


@checked
def tree(system: Component) -> str:
    """Return the parts of a system, a line each: name, kind, the parameters that were set, its own clock."""
    # Parts may give their component a clock, so they are built first.
    below = _below(system, "")
    return "\n".join([_line(type(system).__name__, system, is_root=True), *below])


def _below(component: Component, indent: str) -> list[str]:
    lines = []
    parts = component.parts
    for position, (name, part) in enumerate(parts.items(), start=1):
        is_last = position == len(parts)
        below = _below(part, f"{indent}{'   ' if is_last else '│  '}") if isinstance(part, Component) else []
        lines += [f"{indent}{'└─' if is_last else '├─'} {_line(name, part)}", *below]
    return lines


def _line(name: str, part: Part, *, is_root: bool = False) -> str:
    kind = "" if is_root else f": {type(part).__name__}"
    values = ", ".join(f"{parameter} = {_short(value)}" for parameter, value in part._given.items())
    clock = f" @ {part.clock.name} {part.clock.frequency}" if part.clock is not None else ""
    return f"{name}{kind}{f' ({values})' if values else ''}{clock}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 30 else f"{text[:27]}..."
