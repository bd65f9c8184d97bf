"""Control logic of the composed core, by stage."""
