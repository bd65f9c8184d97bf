"""Errors, files, units, signals, the cache and arguments, for every other package."""
