"""Before anything else is loaded: in the command, neither a signal nor a lack of memory leaves a traceback.

Only what the interpreter has loaded already is imported here. `spinach_nic.support.signals` takes over.
"""

import _signal  # type: ignore[import-not-found]  # built in; `signal` itself takes milliseconds to load
import os
import sys

NO_MEMORY = "there is not enough memory for this"
MORE_MEMORY = "ask for less, free some memory, or raise ulimit -v"
EXIT_NO_MEMORY = 2
MEMORY_REPORT = f"error: {NO_MEMORY}\nhelp: {MORE_MEMORY}\n".encode()
MEMORY_ERRORS = (MemoryError, ImportError, RuntimeError, SystemError)
"""Errors that a lack of memory can cause: `is_lack_of_memory`."""
_PROBE_BYTES = 256 << 20
"""Bytes that are refused where memory for a module or a thread is."""
_WORKER = "--multiprocessing-fork"
"""Argument of the worker processes of the command."""


def is_command() -> bool:
    """Return true if this process is the command, neither another program nor a worker of one."""
    started = sys.orig_argv[1:]
    if sys.argv[:1] == ["-m"]:
        return "spinach_nic" in started
    script = os.path.basename(sys.argv[0]) if sys.argv else ""
    return script in ("spinach", "spinach.exe") and sys.argv[0] in started


def is_lack_of_memory(error: BaseException) -> bool:
    """Return true for an error that is due to a lack of memory.

    Without memory, Python also fails to load modules and to start threads, and errors get lost.
    """
    links: BaseException | None = error
    while links is not None:
        if isinstance(links, MemoryError):
            return True
        links = links.__cause__ or links.__context__
    return isinstance(error, MEMORY_ERRORS) and not isinstance(error, ModuleNotFoundError) and lacks_memory()


def lacks_memory(size: int = _PROBE_BYTES) -> bool:
    """Return true if the system refuses `size` bytes, by default a moderate amount."""
    try:
        import mmap

        mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (ImportError, MemoryError, OSError, SystemError):
        return True
    return False


def _explain(kind: type[BaseException], error: BaseException, traceback: object) -> None:
    """Show an error that ends the process; a worker leaves it to the command."""
    if not is_lack_of_memory(error):
        sys.__excepthook__(kind, error, traceback)  # type: ignore[arg-type]
        return
    try:
        if _WORKER not in sys.argv:
            os.write(2, MEMORY_REPORT)
    finally:
        os._exit(EXIT_NO_MEMORY)


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


if is_command() or _WORKER in sys.argv:
    sys.excepthook = _explain
if is_command():
    _put_folder_last()
    for _name in ("SIGINT", "SIGTERM", "SIGHUP"):
        _number = getattr(_signal, _name, None)
        if _number is not None and _signal.getsignal(_number) not in (_signal.SIG_IGN, None):
            _signal.signal(_number, _end)
