"""Which figures a family file states, and where each comes from."""

from __future__ import annotations

from typing import Any

from iowatt.emerald.family import Family
from iowatt.library.source import source_of


def stated(family: Family) -> list[dict[str, Any]]:
    """One row for each group of figures of the file: ``figure``, ``quality`` and ``source``.

    Where no source stands for a group both are None: it is the writer's word alone. Parts and drives of the
    library have their sources there.
    """
    file = family.file
    figures = ["test"]
    for controller in file.controller:
        figures.append(f"controller.{controller.name}.drives")
        if controller.work is not None:
            figures += [
                f"controller.{controller.name}.work.{name}"
                for name in sorted(controller.work.model_fields_set)
            ]
        figures += _own_parts(f"controller.{controller.name}", controller)
    for shelf in file.shelf:
        figures += [f"shelf.{shelf.name}.slots", *_own_parts(f"shelf.{shelf.name}", shelf)]
    figures += [f"drive.{drive.name}" for drive in file.drive]
    figures += [f"raid.{raid.name}" for raid in file.raid]
    if file.scale_out is not None:
        figures += ["scale_out.nodes", "scale_out.interconnect"]
    figures += [f"configuration.{one.name}" for one in file.configuration]
    rows = []
    for figure in figures:
        source = source_of(file.source, figure)
        rows.append(
            {
                "figure": figure,
                "quality": None if source is None else source.quality,
                "source": None if source is None else source.text,
            }
        )
    return rows


def _own_parts(path: str, owner: Any) -> list[str]:
    """Parts with watts of their own, and supplies."""
    found = [f"{path}.part.{part.name}" for part in owner.part if part.model is None]
    return [*found, *([f"{path}.supply"] if owner.supply is not None else [])]
