"""Many runs, and what they say together: sweeps, searches, comparisons, sensitivity, traces."""
