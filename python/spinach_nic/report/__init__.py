"""Pages, tables, plots and diagrams."""
