"""Declarations of cards: faces, probes, counters, drivers, memory layout, registers."""
