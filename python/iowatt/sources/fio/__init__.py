"""What fio wrote, as an Observation: JSON (normal or plus) and, beside it, the logs of its jobs."""

from __future__ import annotations

from iowatt.sources.fio.observe import read

__all__ = ["read"]
