"""The 10 Gb/s NIC as the thesis (chapter 4) and HPCA 2005 evaluated it."""

from __future__ import annotations

from spinach_nic.experiments._link import most_frames_per_s
from spinach_nic.experiments._rates import carried
from spinach_nic.experiments.runner import Column, Extent, NicRun, Row, as_settings, with_errors
from spinach_nic.runs.result import Result
from spinach_nic.support.measured import Measured
from spinach_nic.support.units import Frequency, parse_quantity

FULL_PAYLOAD = 1472
"""Bytes of UDP payload in a frame of 1518 bytes, the longest of ordinary Ethernet."""
PAYLOADS = (18, 100, 200, 400, 600, 800, 1000, 1200, FULL_PAYLOAD)
"""Payloads from the shortest frame to the longest."""
LINE_RATE = 0.99
"""Fraction of the link, in each direction, that the papers call line rate."""

_LINK_BITS_PER_S = 10 * 10**9
_MEASURED_FRAMES = 5000


def line_frames_per_s(payload: int) -> float:
    """Frames a second that fill the link in one direction."""
    return most_frames_per_s(payload, _LINK_BITS_PER_S)


def thesis_nic(
    extent: Extent,
    *,
    cores: int = 6,
    core_clock_mhz: int = 200,
    payload: int = FULL_PAYLOAD,
    firmware: str = "optimized",
) -> NicRun:
    """Return a run of the NIC of the thesis: a core waits for a store that the memory refuses."""
    return _nic(extent, cores, core_clock_mhz, payload, firmware, store_buffer=0)


def hpca_nic(
    extent: Extent,
    *,
    cores: int = 6,
    core_clock_mhz: int,
    payload: int = FULL_PAYLOAD,
    firmware: str,
) -> NicRun:
    """Return a run of the NIC of HPCA 2005: a core leaves one refused store behind."""
    return _nic(extent, cores, core_clock_mhz, payload, firmware, store_buffer=1)


def software_only(extent: Extent, payload: int = FULL_PAYLOAD) -> NicRun:
    """Return the best configuration of HPCA 2005 without the instructions `set` and `update`."""
    return hpca_nic(extent, core_clock_mhz=200, payload=payload, firmware="optimized")


def rmw_enhanced(extent: Extent, payload: int = FULL_PAYLOAD) -> NicRun:
    """Return the best configuration of HPCA 2005 with them."""
    return hpca_nic(extent, core_clock_mhz=166, payload=payload, firmware="rmw")


def _nic(
    extent: Extent, cores: int, core_clock_mhz: int, payload: int, firmware: str, store_buffer: int
) -> NicRun:
    settings = {"cores": cores, "core_clock": f"{core_clock_mhz}MHz", "store_buffer": store_buffer}
    return NicRun(
        nic="tengig",
        traffic=f"udp:{payload}",
        frames=extent.frames(_MEASURED_FRAMES),
        firmware=firmware,
        settings=as_settings(settings),
    )


THROUGHPUT = (
    Column("udp_payload_gbps", "UDP, Gb/s", digits=2),
    Column("tx_udp_payload_gbps", "tx", digits=2),
    Column("rx_udp_payload_gbps", "rx", digits=2),
    Column("line_rate_fraction", "of line rate", digits=3),
)
"""Columns of `throughput`."""


def throughput(result: Result) -> Row:
    """Return the traffic that the NIC carried, both directions together where none is named."""
    return with_errors(
        udp_payload_gbps=result.both("udp_payload_gbps"),
        tx_udp_payload_gbps=carried(result, "tx", "udp_payload_gbps"),
        rx_udp_payload_gbps=carried(result, "rx", "udp_payload_gbps"),
        line_rate_fraction=line_rate_fraction(result),
    )


def line_rate_fraction(result: Result) -> Measured:
    """Return the fraction of the rate of the link, on average over both directions."""
    return result.both("line_rate_fraction") / 2


def core_accesses_per_s(result: Result) -> float:
    """Return the accesses of all cores: scratch pads, registers of the assists, frame memory."""
    cores = result.cores_mean
    assert cores is not None
    per_cycle = sum(cores.per_cycle[kind] for kind in ("loads", "stores", "atomics"))
    return per_cycle * len(result.cores) * core_clock_hz(result)


def assist_accesses_per_s(result: Result) -> float:
    """Return the other accesses to the scratch pads: of the assists and, rarely, the host."""
    memories = result.memories
    scratch_pad, registers = (memories[name].gbps * 1e9 / 32 for name in ("scratch_pad", "assist_registers"))
    return scratch_pad - (core_accesses_per_s(result) - registers)


def core_clock_hz(result: Result) -> float:
    """Return the clock of the cores."""
    return float(parse_quantity(str(result.config["core_clock"]), Frequency).hertz)
