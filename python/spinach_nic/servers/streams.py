"""Bulk streams of a timed server, whose other side only keeps it busy (SINIC paper, section 5.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spinach_nic import _native, servers
from spinach_nic.errors import SpinachError
from spinach_nic.servers import linux

OTHER_SIDE = {"stream": "sink", "maerts": "source"}
"""What the stresser does, by what the measured server does: send, or receive."""
CLOCKS = "4GHz,16GHz"
"""Of the measured server, and of the stresser, which executes an instruction in each cycle."""
_PORT = 5000
_SLICE_CYCLES = 4_000_000
_PATIENCE_MS = 200
"""How many simulated milliseconds longer than it asks for a measurement may take, connections included."""
_MEASURED = re.compile(rb"(\d+) bytes in ([\d.]+) us, ([\d.]+) Gb/s")


@dataclass(frozen=True)
class StreamsRun:
    """Bytes of streams counted for a time, after a warm-up, from a server that is ready for commands."""

    card: str
    attachment: str
    kind: str
    """One of `OTHER_SIDE`."""
    streams: int
    warm_up_us: int
    measured_us: int

    def carry_out(self) -> float:
        """What the streams carry, in Gb/s of their own bytes.

        Raises:
            SpinachError: There is no kernel, or the server does not say in time what it counted.
        """
        wire = servers.wire_of(card=self.card)
        configuration = servers.configuration_of("rv64", wire=wire, clocks=CLOCKS)
        pair = servers.booted(configuration, linux.needed(), lambda _: None)
        for node, text in enumerate(self._typed):
            pair.type_in(text.encode(), node)
        pair.set_timed(True, parameters=servers.timed_parameters(self.attachment))
        return self._measured(pair)

    @property
    def _typed(self) -> tuple[str, str]:
        times = f"{self.warm_up_us / 1000:g} {self.measured_us / 1000:g}"
        measured = f"{self.kind} {servers.address_of(1)} {_PORT} {self.streams} {times}"
        other = f"{OTHER_SIDE[self.kind]} {_PORT} {self.streams}"
        return f"settings published\n{measured}\n", f"settings published\n{other}\n"

    def _measured(self, pair: _native.Server) -> float:
        begin, hertz = pair.time()
        patience_ms = (self.warm_up_us + self.measured_us) / 1000 + _PATIENCE_MS
        printed = b""
        while (pair.time()[0] - begin) * 1000 < patience_ms * hertz:
            state = pair.run(_SLICE_CYCLES)
            printed += pair.take_output(0)
            if found := _MEASURED.search(printed):
                return 8e-3 * int(found[1]) / float(found[2])
            if state in ("off", "failed"):
                break
        last = printed.decode(errors="replace").strip().splitlines()[-3:]
        raise SpinachError(
            f"no stream was measured; the server printed {last}", "see what `spinach boot` does"
        )

    def __str__(self) -> str:
        """The command that does the same."""
        measured, other = (text.replace("\n", "\\n") for text in self._typed)
        typed = "@2 " + other.replace("\\n", "\\n@2 ", 1) + measured
        options = f"--nodes 2 --core timed --clock {CLOCKS} --card {self.card} --attachment {self.attachment}"
        return f"printf '{typed}' | spinach boot rv64 {options}"
