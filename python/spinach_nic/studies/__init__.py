"""Studies of many runs: sweeps, searches, comparisons, sensitivity, traces."""
