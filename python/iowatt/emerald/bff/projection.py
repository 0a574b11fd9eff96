"""The largest configurations, by the calculator: what a lab that tests a smaller one says in its notes."""

from __future__ import annotations

from iowatt.base.errors import InputError
from iowatt.emerald.bff.result import Projected
from iowatt.emerald.bff.search import Search
from iowatt.emerald.family import candidates, shelves


def projection(search: Search) -> list[Projected]:
    """Idle and active watts of the largest configuration of each drive option and controller class.

    Active is every drive at its operating watts and every part at its active ones: an upper end.
    """
    asked, family = search.asked, search.family
    rows: list[Projected] = []
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
            head = Projected(
                drive=drive,
                controller=controller,
                drives=largest.drives,
                nodes=largest.nodes,
                shelves=sum(shelves(family, largest).values()),
            )
            try:
                watts = search.calculated(largest)
            except InputError as error:
                rows.append(head.model_copy(update={"error": error.message}))
                continue
            rows.append(
                head.model_copy(
                    update={
                        "raw_gb": watts.raw_gb,
                        "idle_w": watts.idle_w,
                        "active_w": watts.active_w,
                        "gb_per_w": watts.raw_gb / watts.idle_w if watts.idle_w else None,
                    }
                )
            )
    return rows
