"""The largest configurations, by the calculator: what a lab that tests a smaller one says in its notes."""

from __future__ import annotations

from typing import Any

from iowatt.base.errors import InputError
from iowatt.emerald.bff.search import Search
from iowatt.emerald.family import candidates, shelves


def projection(search: Search) -> list[dict[str, Any]]:
    """Idle and active watts of the largest configuration of each drive option and controller class.

    Active is every drive at its operating watts and every part at its active ones: an upper end.
    """
    asked, family = search.asked, search.family
    rows: list[dict[str, Any]] = []
    for drive in asked.chosen_drives():
        levels = [
            one.name for one in family.levels_of(family.drive(drive)) if one.name in asked.chosen_levels()
        ]
        for controller in asked.chosen_controllers():
            found = [
                point
                for raid in levels
                for point in candidates(family, drive=drive, raid=raid, controller=controller)
            ]
            if not found:
                continue
            largest = max(found, key=lambda one: one.drives)
            row: dict[str, Any] = {
                "drive": drive,
                "controller": controller,
                "drives": largest.drives,
                "nodes": largest.nodes,
                "shelves": sum(shelves(family, largest).values()),
                "raw_gb": None, "idle_w": None, "active_w": None, "gb_per_w": None, "error": None,
            }  # fmt: skip
            try:
                watts = search.calculated(largest)
            except InputError as error:
                row["error"] = error.message
            else:
                row |= {
                    "raw_gb": watts.raw_gb,
                    "idle_w": watts.idle_w,
                    "active_w": watts.active_w,
                    "gb_per_w": watts.raw_gb / watts.idle_w if watts.idle_w else None,
                }
            rows.append(row)
    return rows
