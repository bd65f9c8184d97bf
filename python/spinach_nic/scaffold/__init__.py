"""Templates for contributors: `make new-module` and `make new-nic` write them into the repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from spinach_nic import _native, starter
from spinach_nic.support.errors import SpinachError

MODULES = Path("crates/spinach-modules")
CARDS = Path("python/spinach_nic/cards")

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TEMPLATES = Path(__file__).parent


def new_module(repository: Path, name: str, family: str) -> list[Path]:
    """Write a working module with its test, and register it.

    Args:
        repository: The checkout.
        name: Name of the kind, such as `packet_filter`.
        family: The folder of its source, such as `interconnect`.

    Returns:
        The files that were written or changed.

    Raises:
        SpinachError: The name is taken or cannot be one, or there is no such family.
    """
    source = repository / MODULES / "src"
    families = sorted(
        file.parent.name for file in source.glob("*/mod.rs") if "fn register(" in file.read_text()
    )
    if family not in families:
        raise SpinachError(f"unknown family {family!r}", _native.suggest(family, families))
    taken = any((source / other / place).exists() for other in families for place in (f"{name}.rs", name))
    test = repository / MODULES / "tests" / f"{name}.rs"
    _check_name(name, is_taken=taken or test.exists())
    words = {"name": name, "Name": _class_name(name), "family": family}
    module = source / family / f"{name}.rs"
    registered = source / family / "mod.rs"
    registered.write_text(_registered(registered.read_text(), name, words["Name"]), encoding="utf-8")
    module.write_text(_filled("module.rs", words), encoding="utf-8")
    test.write_text(_filled("module_test.rs", words), encoding="utf-8")
    return [module, test, registered]


def new_nic(repository: Path, name: str) -> list[Path]:
    """Write a working NIC with its firmware, test and page, and list it among the shipped ones.

    Args:
        repository: The checkout.
        name: Name of the NIC, such as `tengig`.

    Returns:
        The files that were written or changed.

    Raises:
        SpinachError: The name is taken or cannot be one.
    """
    listed = repository / CARDS / "catalogue.py"
    folder = repository / CARDS / name
    firmware = repository / "firmware" / name
    files = {
        folder / "card.py": _shipped_nic(name),
        folder / "__init__.py": _filled("card_package.py", {"name": name, "Name": starter.class_name(name)}),
        firmware / "main.c": starter.renamed(starter.FILES[1], name),
        firmware / "firmware.toml": starter.renamed(starter.FILES[2], name)
        .replace("spinach:", "../")
        .replace(f"../{name}.py", name),
        repository / "tests/python/cards" / f"test_{name}.py": _filled("nic_test.py", {"name": name}),
        repository / "docs" / f"{name}.md": _filled(
            "nic.md", {"name": name, "Name": starter.class_name(name)}
        ),
    }
    taken = f'"{name}"' in listed.read_text() or any(path.exists() for path in (*files, folder, firmware))
    _check_name(name, is_taken=taken)
    folder.mkdir()
    firmware.mkdir()
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    entry = f'    "{name}": ("spinach_nic.cards.{name}", "{starter.class_name(name)}"),\n'
    text = listed.read_text()
    end = text.index("}\n", text.index("\nSHIPPED"))
    listed.write_text(text[:end] + entry + text[end:], encoding="utf-8")
    return [*files, listed]


def _check_name(name: str, *, is_taken: bool) -> None:
    if not _NAME.fullmatch(name):
        help = "give lower-case words joined by _, such as packet_filter"
        raise SpinachError(f"{name!r} is not a valid name", help)
    if is_taken:
        raise SpinachError(f"the name {name} is taken", "give another name")


def _class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _filled(template: str, words: Mapping[str, str]) -> str:
    text = (_TEMPLATES / f"{template}.template").read_text(encoding="utf-8")
    return re.sub(r"@(name|Name|family)@", lambda found: words[found[1]], text)


def _shipped_nic(name: str) -> str:
    """Return the starter as a shipped NIC, whose firmware lies in a separate folder among the others."""
    text = starter.renamed(starter.FILES[0], name)
    text = text.replace("from pathlib import Path\n\n", "").replace(f"{name}.py\n", f"{name}\n", 1)
    text = text.replace("    firmware_root = Path(__file__).parent\n", "")
    text = text.replace('firmware_folder = "firmware"', f'firmware_folder = "{name}"')
    return text.replace("as firmware/main.c and firmware/firmware.toml have", f"as firmware/{name} has")


def _registered(text: str, name: str, class_name: str) -> str:
    """Return a family's `mod.rs` with one module more, in the order of names."""
    for pattern, line, key in (
        (r"^mod (\w+);$", f"mod {name};", name),
        (r"^pub use (\w+)::", f"pub use {name}::{class_name};", name),
        (r"^    registry\.register::<(\w+)>\(\);$", f"    registry.register::<{class_name}>();", class_name),
    ):
        places = list(re.finditer(pattern, text, re.MULTILINE))
        after = next((found for found in places if found[1] > key), None)
        at = text.index(";\n", places[-1].start()) + 2 if after is None else after.start()
        text = f"{text[:at]}{line}\n{text[at:]}"
    return text
