"""Speed of the server: booting Linux, integers in many processes, floating-point numbers.

The kernel must have been made by `make linux`.
"""

import time

from spinach_nic import _native, servers
from spinach_nic.servers import linux

COMMANDS = (("processes", "fork 100"), ("floating point", "pi 2000000"))
SERVERS = ((1, "functional"), (4, "functional"), (1, "timed"), (4, "timed"))


def quiet(output: bytes) -> None:
    """Ignore the console output."""


def measured(server: _native.Server, text: bytes) -> tuple[int, float]:
    """Instructions, and seconds of this machine's processors, until the server prints something."""
    before, began = server.instructions(), time.process_time()
    servers.run_until(server, text, quiet)
    return server.instructions() - before, time.process_time() - began


def main() -> None:
    """Measure, and print the table."""
    kernel = linux.needed()
    rows = []
    for harts, core in SERVERS:
        server = servers.start(servers.configuration_of("rv64", harts=harts), kernel)
        server.set_timed(core == "timed")
        rows.append((harts, core, "boot", *measured(server, kernel.ready)))
        for what, command in COMMANDS:
            server.type_in(command.encode() + b"\n")
            rows.append((harts, core, what, *measured(server, b"# ")))
    print(f"{'harts':>5}  {'core':<12}{'what':<16}{'instructions':>16}{'seconds':>10}{'millions/s':>12}")
    for harts, core, what, instructions, cpu_s in rows:
        speed = instructions / cpu_s / 1e6
        print(f"{harts:>5}  {core:<12}{what:<16}{instructions:>16,}{cpu_s:>10.2f}{speed:>12.1f}")


if __name__ == "__main__":
    main()
