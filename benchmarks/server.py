"""Speed of the server: booting Linux, integers in many processes, floating-point numbers.

Two servers are measured with one and two threads. The kernel must have been made by `make linux`.
"""

import time
from statistics import median

from spinach_nic import _native, servers
from spinach_nic.servers import linux

COMMANDS = (("processes", "fork 100"), ("floating point", "pi 2000000"))
PAIRS = (("functional", 20), ("timed", 4))
"""Cores of two servers, and the measured milliseconds of simulated time."""
LATENCIES = ("1us", "10us")
"""Latencies of their link."""
REPETITIONS = 5
SERVERS = ((1, "functional"), (4, "functional"), (1, "timed"), (4, "timed"))


def quiet(output: bytes) -> None:
    """Ignore the console output."""


def measured(server: _native.Server, text: bytes) -> tuple[int, float]:
    """Instructions, and seconds of this machine's processors, until the server prints something."""
    before, began = server.instructions(), time.process_time()
    servers.run_until(server, text, quiet)
    return server.instructions() - before, time.process_time() - began


def streaming(latency: str, kernel: linux.Linux) -> tuple[servers.Configuration, bytes]:
    """Two servers in the middle of a TCP stream each way: configuration and checkpoint."""
    configuration = servers.configuration_of("rv64", wire=servers.wire_of(latency=latency))
    pair = servers.booted(configuration, kernel, quiet)
    for command, expected in (("sink 5000 1", b"may come"), ("stream {} 5000 1", b"are open")):
        for node in range(2):
            pair.type_in(f"{command.format(servers.address_of(1 - node))}\n".encode(), node)
            servers.run_until(pair, expected, quiet, (node,))
    pair.run(pair.time()[1] // 100)
    return configuration, pair.save()


def measure_pairs(kernel: linux.Linux) -> None:
    """Measure two servers with one and two threads, alternately, and print the table."""
    print(
        f"{'two servers':<14}{'link':>6}{'s':>8}{'2 threads':>11}{'ratio':>7}{'range':>13}{'processor':>11}"
    )
    for latency in LATENCIES:
        configuration, checkpoint = streaming(latency, kernel)
        for core, milliseconds in PAIRS:
            ratios, costs, times = [], [], []
            for _ in range(REPETITIONS):
                wall, processor = zip(
                    *(paired(configuration, checkpoint, core, milliseconds, number) for number in (1, 2)),
                    strict=True,
                )
                times.append(wall)
                ratios.append(wall[0] / wall[1])
                costs.append(processor[1] / processor[0])
            one, two = (median(column) for column in zip(*times, strict=True))
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(
                f"{core:<14}{latency:>6}{one:>8.3f}{two:>11.3f}{median(ratios):>7.2f}{spread:>13}{median(costs):>11.2f}"
            )


def paired(
    configuration: servers.Configuration, checkpoint: bytes, core: str, milliseconds: int, threads: int
) -> tuple[float, float]:
    """Seconds, and seconds of processors, for a time of both servers."""
    pair = servers.restore(configuration, "checkpoint", checkpoint)
    for node in range(2):
        pair.set_timed(core == "timed", node)
    pair.set_threads(threads)
    began, spent = time.perf_counter(), time.process_time()
    pair.run(pair.time()[1] * milliseconds // 1000)
    return time.perf_counter() - began, time.process_time() - spent


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
    measure_pairs(kernel)


if __name__ == "__main__":
    main()
