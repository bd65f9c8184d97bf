"""The NIC that `spinach new` writes: a working one, as a first example.

`starter.py` and `firmware` next to this file are that NIC under the name `starter`. It runs in place.
`write_nic` writes it elsewhere under another name.
"""

import re
from pathlib import Path

from spinach_nic.support.errors import SpinachError
from spinach_nic.support.files import write_whole

FILES = (Path("starter.py"), Path("firmware/main.c"), Path("firmware/firmware.toml"))
"""Files of the starter."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def class_name(name: str) -> str:
    """The class of the NIC called `name`: `my-nic` as `MyNic`, or `MyNicNic` if the file has such a name."""
    joined = "".join(word[:1].upper() + word[1:] for word in re.split("[-_]+", name))
    is_taken = joined != "Starter" and re.search(rf"\b{joined}\b", _source(FILES[0])) is not None
    return f"{joined}Nic" if is_taken or joined in ("None", "True", "False") else joined


def renamed(file: Path, name: str) -> str:
    """Return the content of one of `FILES` for a NIC of another name."""
    text = re.sub(r"\bstarter\b", name, _source(file))
    return re.sub(r"\bStarter\b", class_name(name), text)


def write_nic(folder: Path) -> list[Path]:
    """Write the NIC into a new folder, under the folder's name.

    Args:
        folder: Where it goes. Missing folders around it are made.

    Returns:
        The files, the NIC's first.

    Raises:
        SpinachError: The name cannot be that of a NIC, it is taken, or the files cannot be written.
    """
    name = folder.name
    if not _NAME.fullmatch(name):
        help = "give letters, digits, - and _, a letter first, such as my-nic"
        raise SpinachError(f"{name!r} cannot be the name of a NIC", help)
    written = []
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SpinachError(f"{folder} exists", "give another name, or remove it")
        for file in FILES:
            path = folder / file.with_stem(name) if file == FILES[0] else folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, renamed(file, name))
            written.append(path)
    except OSError as error:
        raise SpinachError(f"cannot write {folder}: {error.strerror}", "give another place") from error
    return written


def _source(file: Path) -> str:
    return (Path(__file__).parent / file).read_text(encoding="utf-8")
