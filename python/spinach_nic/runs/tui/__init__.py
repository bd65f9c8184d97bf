"""Interactive full-screen view of a run."""

from spinach_nic.runs.tui.views import CoreView, DirectionView, MemoryView, StallView, View, view
from spinach_nic.runs.tui.watched import WatchedRun

__all__ = ["CoreView", "DirectionView", "MemoryView", "StallView", "View", "WatchedRun", "view"]
