"""What `iowatt cost` takes where it is not told; apart, as its help shows it before all else is loaded."""

from __future__ import annotations

from typing import Final

YEARS: Final = 5.0
SAMPLES: Final = 300
START: Final = "2026-01-01"
"""A day that stays, so that the same command gives the same bill next year."""
