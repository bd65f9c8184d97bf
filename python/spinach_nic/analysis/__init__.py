"""Trace-driven studies: how parallel firmware is, and what caches would do for its data.

Traces are Parquet files that any reader of that format understands; `record_trace` makes one without a NIC.
The studies work for any firmware:

- `issue_limits`: instructions per cycle that in-order and out-of-order cores of any width can reach;
- `schedule_blocks`: what a VLIW machine makes of the basic blocks of an image;
- `simulate_caches`: hit ratios and invalidations of coherent private caches.
"""

from spinach_nic.analysis.coherence import CacheCounts, CacheReport, CacheSystem, simulate_caches
from spinach_nic.analysis.limits import IssueConfiguration, IssueLimit, issue_limit_table, issue_limits
from spinach_nic.analysis.traces import TraceFilter, record_trace
from spinach_nic.analysis.vliw import (
    Dependence,
    ScheduledBlock,
    Unit,
    VliwEvaluation,
    VliwMachine,
    schedule_blocks,
    vliw_listing,
)

__all__ = [
    "CacheCounts",
    "CacheReport",
    "CacheSystem",
    "Dependence",
    "IssueConfiguration",
    "IssueLimit",
    "ScheduledBlock",
    "TraceFilter",
    "Unit",
    "VliwEvaluation",
    "VliwMachine",
    "issue_limit_table",
    "issue_limits",
    "record_trace",
    "schedule_blocks",
    "simulate_caches",
    "vliw_listing",
]
