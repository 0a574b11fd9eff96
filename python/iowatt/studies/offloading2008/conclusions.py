"""Published savings of the schemes, compared with ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iowatt.studies.offloading2008 import systems
from iowatt.studies.offloading2008.points import SchemePoint, SchemePoints
from iowatt.studies.offloading2008.published import PUBLISHED
from iowatt.studies.result import Verdict, judge

MORE: Final = 0.02
"""Savings that differ by less than this share of the whole count as equal."""


def verdicts(points: SchemePoints, titles: Mapping[str, str]) -> list[Verdict]:
    """All of them, workload by workload."""
    found: list[Verdict] = []
    for work, title in titles.items():
        alone, off, maid, pdc = (points.get((work, scheme)) for scheme in systems.SCHEMES[1:])
        if alone is None:
            continue
        if off is not None:
            found.append(_range("Spinning down alone saves 28 to 36 %", title, alone, points))
            found.append(_range("Off-loading saves 45 to 60 %", title, off, points))
            found.append(_more(title, alone, off))
        if maid is not None:
            found.append(_maid(title, alone, maid))
        if pdc is not None:
            found.append(_pdc(title, alone, pdc))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(claim: str, title: str, point: SchemePoint, points: SchemePoints) -> Verdict:
    published = PUBLISHED[point.scheme]
    saved = [one.saved for one in points.values() if one.scheme == point.scheme]
    return judge(
        f"{point.scheme}-range",
        claim,
        title,
        published=published.saving,
        ours=_percent(point.saved),
        agrees=(published.low or 0.0) <= 100 * point.saved <= (published.high or 100.0),
        cause="the workload is another: how often volumes get nothing for a minute, and nothing to read, "
        "decides",
        experiment=f"the same drives and scheme under {len(saved)} workloads that differ in pauses, sessions "
        f"and rates: {_percent(min(saved))} to {_percent(max(saved))}",
    )


def _more(title: str, alone: SchemePoint, off: SchemePoint) -> Verdict:
    counts = off.movement
    return judge(
        "off-loading-more",
        "Off-loading saves more than spinning down alone",
        title,
        published=f"{PUBLISHED['write-off-loading'].saving} against {PUBLISHED['spin-down'].saving}",
        ours=f"{_percent(off.saved)} against {_percent(alone.saved)}",
        agrees=off.saved - alone.saved >= MORE,
        cause="spinning down alone leaves next to nothing to save, and a write mostly finds no other drive "
        "that spins",
        experiment=f"counted: {counts.get('off_loaded_writes', 0):,} writes were off-loaded, "
        f"{counts.get('refused_writes', 0):,} found nothing that spins; stopped all the time, drives would "
        f"save {_percent(1 - systems.STOPPED_W / systems.IDLE_W)}",
    )


def _maid(title: str, alone: SchemePoint, maid: SchemePoint) -> Verdict:
    return judge(
        "maid",
        "A few cache drives spare the others: less power than spin-down alone, and shorter waits",
        title,
        published=PUBLISHED["maid"].saving,
        ours=f"{_percent(maid.saved)}, {maid.mean_ms:.0f} ms against {_percent(alone.saved)}, "
        f"{alone.mean_ms:.0f} ms",
        agrees=maid.saved > alone.saved and maid.mean_ms < alone.mean_ms,
        cause="the drives of the cache, which always spin, draw what the others save",
        experiment=f"{maid.drives} drives in place of {alone.drives}; starts of a drive in a day "
        f"{maid.starts:.1f} against {alone.starts:.1f}",
    )


def _pdc(title: str, alone: SchemePoint, pdc: SchemePoint) -> Verdict:
    low_load = pdc.work in systems.LOW_LOAD
    gains = pdc.saved - alone.saved >= MORE
    return judge(
        "pdc",
        "Concentration saves on conventional disks at extremely low load"
        if low_load
        else "Concentration saves nothing on conventional disks, unless load is extremely low",
        title,
        published=PUBLISHED["pdc"].saving,
        ours=f"{_percent(pdc.saved)} against {_percent(alone.saved)} by spin-down alone",
        agrees=gains == low_load,
        cause="without pauses in its writes no volume rests; concentrated, the last ones do"
        if gains
        else "at so low a load spin-down alone saves nearly all, and migrations wake the drives that rest",
        experiment=f"counted: {pdc.movement.get('migrations', 0):,} extents of {systems.EXTENT_MIB} MiB "
        f"moved, {_percent(pdc.moving)} of all energy; starts of a drive in a day {pdc.starts:.1f} against "
        f"{alone.starts:.1f}",
    )
