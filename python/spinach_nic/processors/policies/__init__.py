"""The control logic of the composed core, by stage: what its functions compute."""
