"""The study of 2014: what caching and tiering cost in dollars, at once and in the long run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.studies.dollars2014.live_conclusions import live_findings
    from iowatt.studies.dollars2014.live_systems import (
        LIVE_FULL,
        LIVE_QUICK,
        LIVE_WORKS,
        LiveScale,
        live_stages,
    )

__all__ = ["LIVE_FULL", "LIVE_QUICK", "LIVE_WORKS", "LiveScale", "live_findings", "live_stages"]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "live_conclusions": "live_findings",
            "live_systems": "LIVE_FULL LIVE_QUICK LIVE_WORKS LiveScale live_stages",
        },
    )
