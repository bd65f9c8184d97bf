"""How fast the server runs: booting Linux, integers in many processes, floating-point numbers.

The kernel must have been made by `make linux`.
"""

import time

from spinach_nic import _native, servers
from spinach_nic.servers import linux

COMMANDS = (("processes", "fork 100"), ("floating point", "pi 2000000"))
HARTS = (1, 4)


def quiet(output: bytes) -> None:
    """Nobody looks at the console."""


def measured(server: _native.Server, text: bytes) -> tuple[int, float]:
    """Instructions, and seconds of this machine's processors, until the server prints something."""
    before, began = server.instructions(), time.process_time()
    servers.run_until(server, text, quiet)
    return server.instructions() - before, time.process_time() - began


def main() -> None:
    """Measure, and print the table."""
    kernel = linux.needed()
    rows = []
    for harts in HARTS:
        server = servers.start(servers.configuration_of("rv64", harts=harts), kernel)
        rows.append((harts, "boot", *measured(server, kernel.ready)))
        for what, command in COMMANDS:
            server.type_in(command.encode() + b"\n")
            rows.append((harts, what, *measured(server, b"# ")))
    print(f"{'harts':>5}  {'what':<16}{'instructions':>16}{'seconds':>10}{'millions/s':>12}")
    for harts, what, instructions, wall_s in rows:
        print(f"{harts:>5}  {what:<16}{instructions:>16,}{wall_s:>10.2f}{instructions / wall_s / 1e6:>12.1f}")


if __name__ == "__main__":
    main()
