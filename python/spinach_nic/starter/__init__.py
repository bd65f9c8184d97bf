"""The NIC that `spinach new` writes: a working one, as a first example.

`starter.py` and `firmware` next to this file are that NIC under the name `starter`. It runs in place.
`write_nic` writes it elsewhere under another name. `module` is a block in Rust, which `write_module` writes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from spinach_nic.firmware import shipped_root
from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_whole

FILES = (Path("starter.py"), Path("firmware/main.c"), Path("firmware/firmware.toml"))
"""Files of the starter."""

DRIVER = Path("linux/drivers/rings")
"""Folder of the Linux driver among the shipped firmware, which is copied for a NIC with a PCI face."""
SHIPPED = "spinach_rings"
"""Name of its module."""

MODULE_FILES = (Path("Cargo.toml"), Path("src/lib.rs"), Path("nic.py"))
"""Files of the block in Rust, in the folder `module`."""
BLOCK_CRATE = (Path(__file__).parents[1] / "data" / "spinach-block").resolve()
"""Crate that blocks in Rust use: part of the package, so that no registry is needed."""

_MAKEFILE = """\
# Built by spinach attach with the headers of the guest's kernel. INCLUDE has the headers of Spinach.
obj-m := {module}.o
{module}-y := rings_main.o rings_content.o
ccflags-y := -I$(src)/include -I$(INCLUDE)
"""
_LINUX_DRIVER = """\
    default_firmware = "{name}"
    linux_driver = LinuxDriver("{module}", sources=Path(__file__).parent / "driver")
"""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def class_name(name: str, files: Sequence[Path] = FILES[:1]) -> str:
    """Return the class name of a NIC: `my-nic` as `MyNic`, or `MyNicNic` if a file has such a name."""
    joined = "".join(word[:1].upper() + word[1:] for word in re.split("[-_]+", name))
    pattern = rf"\b{joined}\b"
    is_taken = joined != "Starter" and any(re.search(pattern, _source(file)) for file in files)
    return f"{joined}Nic" if is_taken or joined in ("None", "True", "False") else joined


def renamed(file: Path, name: str) -> str:
    """Return the content of one of `FILES` for a NIC of another name."""
    text = re.sub(r"\bstarter\b", name, _source(file))
    return re.sub(r"\bStarter\b", class_name(name), text)


def with_driver(text: str, name: str) -> str:
    """Return the NIC's Python file, naming the Linux driver in its folder."""
    text = text.replace(
        f'    default_firmware = "{name}"\n', _LINUX_DRIVER.format(name=name, module=module_name(name))
    )
    return text.replace("Card, Faces, Memory,", "Card, Faces, LinuxDriver, Memory,")


def module_name(name: str) -> str:
    """Return the name of the kernel module for the NIC called `name`."""
    return name.replace("-", "_")


def driver_files(name: str) -> dict[Path, str]:
    """Return the files of a Linux driver, a copy of that for all cards with rings, by path in the folder."""
    module, root = module_name(name), shipped_root() / DRIVER
    files = {file.relative_to(root): file for file in sorted(root.rglob("*.[ch]"))}
    return {
        **{
            Path("driver", name): file.read_text(encoding="utf-8").replace(SHIPPED, module)
            for name, file in files.items()
        },
        Path("driver/Makefile"): _MAKEFILE.format(module=module),
    }


def write_nic(folder: Path, *, face: str = "rings") -> list[Path]:
    """Write the NIC into a new folder, under the folder's name.

    Args:
        folder: New folder. Missing folders above it are made.
        face: `rings` or `pci`.

    Returns:
        The files, the NIC's first.

    Raises:
        SpinachError: The name cannot be that of a NIC, it is taken, or the files cannot be written.
    """
    name = _checked_name(folder)
    texts = {file: renamed(file, name) for file in FILES}
    texts = {FILES[0].with_stem(name): texts.pop(FILES[0]), **texts}
    if face == "pci":
        nic = next(iter(texts))
        texts |= {nic: with_driver(texts[nic], name), **driver_files(name)}
    return _write(folder, texts)


def write_module(folder: Path) -> list[Path]:
    """Write a block in Rust and a NIC with it into a new folder, under the folder's name.

    Returns:
        The files, the NIC's last.

    Raises:
        SpinachError: The name cannot be that of a block, it is taken, or the files cannot be written.
    """
    name = _checked_name(folder)
    library = module_name(name)
    sources = [Path("module") / file for file in MODULE_FILES]
    manifest, source, nic = map(_source, sources)
    manifest = manifest.replace('path = "spinach-block"', f"path = {json.dumps(str(BLOCK_CRATE))}")
    manifest = manifest.replace('[package]\nname = "starter"', f'[package]\nname = "{name}"')
    manifest = manifest.replace('[lib]\nname = "starter"', f'[lib]\nname = "{library}"')
    kind = class_name(name, sources)
    nic = re.sub(r"\bstarter\b", name, nic.replace("libstarter", f"lib{library}"))
    source, nic = (re.sub(r"\bStarter\b", kind, text) for text in (source, nic))
    texts = dict(zip((*MODULE_FILES[:2], Path(f"{name}.py")), (manifest, source, nic), strict=True))
    return _write(folder, texts)


def _checked_name(folder: Path) -> str:
    if not _NAME.fullmatch(folder.name):
        help = "give letters, digits, - and _, a letter first, such as my-nic"
        raise SpinachError(f"{folder.name!r} is not a valid name of a NIC", help)
    return folder.name


def _write(folder: Path, texts: Mapping[Path, str]) -> list[Path]:
    written = []
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SpinachError(f"{folder} exists", "give another name, or remove it")
        for file, text in texts.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
            written.append(path)
    except OSError as error:
        raise SpinachError(f"cannot write {folder}: {error.strerror}", "choose another folder") from error
    return written


def _source(file: Path) -> str:
    return (Path(__file__).parent / file).read_text(encoding="utf-8")
