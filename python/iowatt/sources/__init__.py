"""Sources: each produces a Run, from a simulation, a load generator, a trace or instruments."""
