"""Column names of the bundle's tables as headers that a reader understands, with the unit apart."""

from __future__ import annotations

from iowatt.render.figure import Column

_UNITS = {"s": "s", "ms": "ms", "ns": "ns", "w": "W", "j": "J", "cylinders": "cylinders"}
_WHOLE_NAMES = {
    "bytes_read": ("Read", "bytes"),
    "bytes_written": ("Written", "bytes"),
    "in_flight_mean": ("In flight, mean", "requests"),
    "queue_length_mean": ("Queue length, mean", "requests"),
    "queue_length_seen": ("Queue length, seen", "requests"),
    "queue_length_mean_host": ("Queue length, mean, at the host", "requests"),
    "queue_length_mean_drive": ("Queue length, mean, in the drive", "requests"),
    "utilisation": ("Utilisation", "share"),
    "wear_fraction": ("Wear", "share"),
    "op": ("Operation", ""),
}


def heading(name: str, text: bool = False) -> Column:
    """``energy_idle_j`` as ``Energy idle`` in ``J``."""
    if name in _WHOLE_NAMES:
        title, unit = _WHOLE_NAMES[name]
        return Column(title, unit, text)
    words = name.split("_")
    unit = _UNITS.get(words[-1], "") if len(words) > 1 and not text else ""
    title = " ".join(words[:-1] if unit else words)
    return Column(title[:1].upper() + title[1:], unit, text)
