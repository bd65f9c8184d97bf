"""Requests that experiments share."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from spinach_nic.result import Result
from spinach_nic.running import RunError, run


@dataclass(frozen=True)
class NicRun:
    """A run of a NIC until every frame is accounted for, measured over a steady window."""

    nic: str
    traffic: str
    tx_frames: int
    rx_frames: int
    firmware: str
    settings: tuple[tuple[str, str], ...] = ()
    """Parameters by path, in order."""
    seed: int = 1

    def carry_out(self) -> Result:
        """Run it.

        Raises:
            RunError: A frame is not accounted for, the firmware faults, or there was no steady window: then
                rates would be those of the start and the end as well.
        """
        result = run(
            self.nic,
            traffic=self.traffic,
            frames={"tx": self.tx_frames, "rx": self.rx_frames},
            firmware=self.firmware,
            set=dict(self.settings),
            seed=self.seed,
        )
        if not result.measured_window.is_steady:
            raise RunError(f"no steady window in `{self}`", "the experiment must send more frames", result)
        return result

    def __str__(self) -> str:
        """The command that does the same."""
        settings = [f"--set {shlex.quote(f'{path}={value}')}" for path, value in self.settings]
        frames = f"tx={self.tx_frames},rx={self.rx_frames}"
        words = [
            *("spinach run", shlex.quote(self.nic), "--firmware", shlex.quote(self.firmware), *settings),
            *("--traffic", shlex.quote(self.traffic), "--frames", frames, "--seed", str(self.seed)),
        ]
        return " ".join(words)
