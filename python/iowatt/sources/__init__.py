"""Sources: each produces a Run; no source imports a lens."""
