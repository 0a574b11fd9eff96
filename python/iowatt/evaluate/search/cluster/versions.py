"""What must be the same on every machine of a cluster, or its points would not belong together.

This module goes to the machines by its content, not by its name, so that one without iowatt can say so:
it needs nothing but Python.
"""

from __future__ import annotations

import platform
from importlib import metadata

Versions = tuple[str, str | None]
"""Of Python and of iowatt; ``None`` where it is not installed."""


def here() -> Versions:
    """The versions of this machine."""
    try:
        iowatt: str | None = metadata.version("iowatt")
    except metadata.PackageNotFoundError:
        iowatt = None
    return platform.python_version(), iowatt


def words(found: Versions) -> str:
    """The same for people."""
    python, iowatt = found
    return f"{f'iowatt {iowatt}' if iowatt else 'no iowatt'} on Python {python}"
