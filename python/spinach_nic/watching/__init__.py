"""Interactive full-screen view of a run."""

from spinach_nic.watching.views import CoreView, DirectionView, MemoryView, StallView, View, view
from spinach_nic.watching.watched import WatchedRun

__all__ = ["CoreView", "DirectionView", "MemoryView", "StallView", "View", "WatchedRun", "view"]
