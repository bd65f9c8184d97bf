"""Interactive full-screen view of a run."""

from spinach_nic.runs.watching.views import CoreView, DirectionView, MemoryView, StallView, View, view
from spinach_nic.runs.watching.watched import WatchedRun

__all__ = ["CoreView", "DirectionView", "MemoryView", "StallView", "View", "WatchedRun", "view"]
