"""Before anything else is loaded: in the command, a signal that ends it leaves no traceback.

Only what the interpreter has loaded already is imported here. `spinach_nic.support.signals` takes over.
"""

import _signal  # type: ignore[import-not-found]  # built in; `signal` itself takes milliseconds to load
import os
import sys


def is_command() -> bool:
    """Return true if this process is the command, neither another program nor a worker of one."""
    started = sys.orig_argv[1:]
    if sys.argv[:1] == ["-m"]:
        return "spinach_nic" in started
    script = os.path.basename(sys.argv[0]) if sys.argv else ""
    return script in ("spinach", "spinach.exe") and sys.argv[0] in started


def _end(number: int, frame: object) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(128 + number)


def _put_folder_last() -> None:
    """Move the folder that `python -m` puts first on the path behind everything else.

    Files in the folder where a command is typed must not replace modules of Python.
    """
    if not sys.flags.safe_path and sys.path:
        sys.path.append(sys.path.pop(0))


if is_command():
    _put_folder_last()
    for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
        _number = getattr(_signal, _name, None)
        if _number is not None and _signal.getsignal(_number) not in (_signal.SIG_IGN, None):
            _signal.signal(_number, _end)
