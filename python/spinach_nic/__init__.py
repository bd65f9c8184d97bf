"""Design, program and measure network interface cards in simulation, cycle by cycle."""

from typing import TYPE_CHECKING

from spinach_nic.support import startup as _startup  # noqa: F401, first: an interrupt may come while the rest is loaded

# isort: split
from spinach_nic._native import version
from spinach_nic.support import signals as _signals  # noqa: F401, second: it ends the command in the ways that it describes
from spinach_nic.support.errors import CheckpointError, DefectError, ElaborationError, SpinachError
from spinach_nic.support.lazy import imported_when_used
from spinach_nic.support.units import (
    B,
    Frequency,
    Gbps,
    GHz,
    GiB,
    Hz,
    KiB,
    Mbps,
    MHz,
    MiB,
    Rate,
    Size,
    Time,
    bps,
    fs,
    kbps,
    kHz,
    ms,
    ns,
    parse_quantity,
    ps,
    s,
    us,
)

if TYPE_CHECKING:
    from spinach_nic.model import (
        Bundle,
        Clock,
        Component,
        Input,
        InputLanes,
        Module,
        Output,
        OutputLanes,
        Part,
        Port,
        connect,
        parameter,
    )
    from spinach_nic.model.simulation import (
        Outcome,
        Recorder,
        Simulation,
        Statistics,
        counted,
        simulate,
        transferred,
    )
    from spinach_nic.model.tracing import Signal, State, Word, called, lift, select
    from spinach_nic.model.tree import tree
    from spinach_nic.runs import (
        FirmwareFault,
        FrameError,
        RunError,
        RunInterrupted,
        StoppedError,
        delay_at,
        run,
    )
    from spinach_nic.runs.profiling import FirmwareCosts, FirmwareProfile, profile
    from spinach_nic.runs.result import Result
    from spinach_nic.studies.comparing import compare
    from spinach_nic.studies.explaining import explain
    from spinach_nic.studies.sweeping.search import search
    from spinach_nic.studies.sweeping.sweep import sweep
    from spinach_nic.traffic import Faults, Traffic, parse_traffic

__version__ = version()

_MODULES = {
    "model": "Bundle Clock Component Input InputLanes Module Output OutputLanes Part Port connect parameter",
    "model.tree": "tree",
    "model.tracing": "Signal State Word called lift select",
    "model.simulation": "Outcome Recorder Simulation Statistics counted simulate transferred",
    "runs": "FirmwareFault FrameError RunError RunInterrupted StoppedError delay_at run",
    "runs.profiling": "FirmwareCosts FirmwareProfile profile",
    "runs.result": "Result",
    "studies.comparing": "compare",
    "studies.explaining": "explain",
    "studies.sweeping.search": "search",
    "studies.sweeping.sweep": "sweep",
    "traffic": "Faults Traffic parse_traffic",
}
"""Exported names by module, which is imported when one of them is used."""
__getattr__, __dir__ = imported_when_used(__name__, _MODULES)

__all__ = [
    "B",
    "Bundle",
    "CheckpointError",
    "Clock",
    "Component",
    "DefectError",
    "ElaborationError",
    "Faults",
    "FirmwareCosts",
    "FirmwareFault",
    "FirmwareProfile",
    "FrameError",
    "Frequency",
    "GHz",
    "Gbps",
    "GiB",
    "Hz",
    "Input",
    "InputLanes",
    "KiB",
    "MHz",
    "Mbps",
    "MiB",
    "Module",
    "Outcome",
    "Output",
    "OutputLanes",
    "Part",
    "Port",
    "Rate",
    "Recorder",
    "Result",
    "RunError",
    "RunInterrupted",
    "Signal",
    "Simulation",
    "Size",
    "SpinachError",
    "State",
    "Statistics",
    "StoppedError",
    "Time",
    "Traffic",
    "Word",
    "__version__",
    "bps",
    "called",
    "compare",
    "connect",
    "counted",
    "delay_at",
    "explain",
    "fs",
    "kHz",
    "kbps",
    "lift",
    "ms",
    "ns",
    "parameter",
    "parse_quantity",
    "parse_traffic",
    "profile",
    "ps",
    "run",
    "s",
    "search",
    "select",
    "simulate",
    "sweep",
    "transferred",
    "tree",
    "us",
]
