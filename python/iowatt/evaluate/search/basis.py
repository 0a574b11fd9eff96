"""What the figures of points rest on, in a line: whose watts they are, and which models are stand-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iowatt.render.phrases import listed
from iowatt.sources.simulation.wall import DRIVES_ALONE, WHOLE_ARRAY


def said(rows: Sequence[Mapping[str, Any]]) -> str:
    """A line on the rows (:mod:`iowatt.evaluate.search.row`) that have figures; empty where none has."""
    return "; ".join([*_watts(rows), *_models(rows)])


def _watts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [row["power_basis"] for row in rows if row.get("energy.total_j") is not None]
    alone = found.count("device")
    without = f"{DRIVES_ALONE}, without controllers, enclosures and supplies"
    if not found:
        return []
    if alone in (0, len(found)):
        return [without if alone else WHOLE_ARRAY]
    return [f"in {alone} of {len(found)} points {without}; in the others {WHOLE_ARRAY}"]


def _models(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    stand_ins, assumed = _names(rows, "stand_ins"), _names(rows, "assumed")
    found = []
    if stand_ins:
        found.append(f"{listed(stand_ins)} {'is a stand-in' if len(stand_ins) == 1 else 'are stand-ins'}")
    if assumed:
        found.append(f"some figures of {listed(assumed)} are assumed")
    return found


def _names(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    found = dict.fromkeys(row.get(column) for row in rows)
    return list(dict.fromkeys(name for names in found if names for name in names.split(", ")))
