"""What vdbench wrote, as Observations: one for each run definition that was run."""

from __future__ import annotations

from iowatt.sources.vdbench.observe import read

__all__ = ["read"]
