"""Fleets: classes of like members over years, one of each simulated at the loads that the plan needs.

``keys`` (with ``class_keys``) is the file, ``request`` reads it; ``point``, ``loads``, ``search`` and
``curve`` find what one member does at its loads, ``member`` what it costs; ``timeline`` buys and retires
members, ``quarters`` and ``drives`` follow them, ``running`` pays for them, ``evaluate`` makes years of that;
``demand``, ``spread``, ``dollars``, ``racks``, ``poisson``, ``durability`` and ``ranges`` have the
arithmetic, ``limits`` says what breaks. ``known`` has the members, ``conduct`` does all of it; ``result`` is
the document, which ``describe`` and ``notes`` help to write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.conduct import (
        DOCUMENT,
        FOLDER,
        PAGE,
        TABLE,
        WORKBOOK,
        FleetFound,
        run_fleet,
    )
    from iowatt.evaluate.fleet.request import FleetRequest, fleet_request

__all__ = [
    "DOCUMENT", "FOLDER", "PAGE", "TABLE", "WORKBOOK", "FleetFound", "FleetRequest", "fleet_request",
    "run_fleet",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "conduct": "DOCUMENT FOLDER PAGE TABLE WORKBOOK FleetFound run_fleet",
            "request": "FleetRequest fleet_request",
        },
    )
