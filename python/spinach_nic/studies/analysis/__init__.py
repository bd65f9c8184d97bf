"""Trace-driven studies: the parallelism of firmware, and the effect of caches on its data.

Traces are Parquet files that any reader of that format understands; `record_trace` makes one without a NIC.
The studies work for any firmware:

- `issue_limits`: instructions per cycle that in-order and out-of-order cores of any width can reach;
- `schedule_blocks`: what a VLIW machine makes of the basic blocks of an image;
- `schedule_paths`: what it could make of blocks that execute one after the other;
- `simulate_caches`: hit ratios and invalidations of coherent private caches.
"""

from spinach_nic.firmware.vliw import Unit, VliwCode, VliwMachine, vliw_code
from spinach_nic.runs.traced_run import TracedRun
from spinach_nic.studies.analysis.coherence import (
    FIGURE_3_SIZES,
    CacheCounts,
    CacheReport,
    CacheSystem,
    simulate_caches,
)
from spinach_nic.studies.analysis.limits import (
    IssueConfiguration,
    IssueLimit,
    issue_limit_table,
    issue_limits,
)
from spinach_nic.studies.analysis.traces import (
    AccessTraceDescription,
    TraceDescription,
    TraceFilter,
    access_agents,
    describe_access_trace,
    describe_trace,
    idealized,
    record_trace,
)
from spinach_nic.studies.analysis.vliw import (
    TABLE_1_UNITS,
    Dependence,
    ScheduledBlock,
    VliwEvaluation,
    check_schedulable,
    schedule_blocks,
    schedule_paths,
    vliw_listing,
)

__all__ = [
    "FIGURE_3_SIZES",
    "TABLE_1_UNITS",
    "AccessTraceDescription",
    "CacheCounts",
    "CacheReport",
    "CacheSystem",
    "Dependence",
    "IssueConfiguration",
    "IssueLimit",
    "ScheduledBlock",
    "TraceDescription",
    "TraceFilter",
    "TracedRun",
    "Unit",
    "VliwCode",
    "VliwEvaluation",
    "VliwMachine",
    "access_agents",
    "check_schedulable",
    "describe_access_trace",
    "describe_trace",
    "idealized",
    "issue_limit_table",
    "issue_limits",
    "record_trace",
    "schedule_blocks",
    "schedule_paths",
    "simulate_caches",
    "vliw_code",
    "vliw_listing",
]
