"""What a person looks at: pages, tables, plots, diagrams."""
