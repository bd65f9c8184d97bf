"""Experiments on servers that run Linux."""

from __future__ import annotations

from spinach_nic.experiments.runner import Experiment
from spinach_nic.servers import linux


class ServerExperiment(Experiment):
    """An experiment that is skipped without the kernel of the servers."""

    def missing(self) -> str | None:
        """Return the missing kernel, which is built separately."""
        return None if linux.kept() else "the kernel of the server is not built: `make linux` makes one"
