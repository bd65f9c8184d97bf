//! Time, clock domains, channels, the module contract, netlists, schedules, statistics and checkpoints.
