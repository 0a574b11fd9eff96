"""What was published of the schemes' savings, held against ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.studies.offloading2008 import systems
from iowatt.studies.offloading2008.points import Point, choose
from iowatt.studies.offloading2008.published import PUBLISHED
from iowatt.studies.verdict import Verdict

MORE: Final = 0.02
"""Savings that differ by less than this share of the whole are called equal."""


def verdicts(points: Sequence[Point], titles: dict[str, str]) -> list[Verdict]:
    """All of them, workload by workload."""
    found: list[Verdict] = []
    for work, title in titles.items():
        by = {scheme: choose(points, work, scheme) for scheme in systems.SCHEMES}
        alone, off, maid, pdc = (by[scheme] for scheme in systems.SCHEMES[1:])
        if alone is not None and off is not None:
            found.append(_range("spin-down", "Spinning down alone saves 28 to 36 %", title, alone, points))
            found.append(_range("write-off-loading", "Off-loading saves 45 to 60 %", title, off, points))
            found.append(_more(title, alone, off))
        if alone is not None and maid is not None:
            found.append(_maid(title, alone, maid))
        if alone is not None and pdc is not None:
            found.append(_pdc(work, title, alone, pdc))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(scheme: str, claim: str, title: str, point: Point, points: Sequence[Point]) -> Verdict:
    published = PUBLISHED[scheme]
    low, high = published.low or 0.0, published.high or 100.0
    agrees = low <= 100 * point.saved <= high
    others = [one for one in points if one.scheme == scheme]
    least, most = min(one.saved for one in others), max(one.saved for one in others)
    return Verdict(
        key=f"{scheme}-range",
        claim=claim,
        case=title,
        published=published.saving,
        ours=_percent(point.saved),
        agrees=agrees,
        cause=""
        if agrees
        else "the workload is another: how often volumes get nothing for a minute, and nothing to read, "
        "decides",
        experiment=""
        if agrees
        else f"the same drives and scheme under {len(others)} workloads that differ in pauses, sessions and "
        f"rates: {_percent(least)} to {_percent(most)}",
    )


def _more(title: str, alone: Point, off: Point) -> Verdict:
    agrees = off.saved - alone.saved >= MORE
    counts = off.movement or {}
    return Verdict(
        key="off-loading-more",
        claim="Off-loading saves more than spinning down alone",
        case=title,
        published=f"{PUBLISHED['write-off-loading'].saving} against {PUBLISHED['spin-down'].saving}",
        ours=f"{_percent(off.saved)} against {_percent(alone.saved)}",
        agrees=agrees,
        cause=""
        if agrees
        else "spinning down alone leaves next to nothing to save, and a write mostly finds no other "
        "drive that spins",
        experiment=""
        if agrees
        else f"counted: {counts.get('off_loaded_writes', 0):,} writes were off-loaded, "
        f"{counts.get('refused_writes', 0):,} found nothing that spins; stopped all the time, drives would "
        f"save {_percent(1 - systems.STOPPED_W / systems.IDLE_W)}",
    )


def _maid(title: str, alone: Point, maid: Point) -> Verdict:
    agrees = maid.saved > alone.saved and maid.mean_ms < alone.mean_ms
    return Verdict(
        key="maid",
        claim="A few cache drives spare the others: less power than spin-down alone, and shorter waits",
        case=title,
        published=PUBLISHED["maid"].saving,
        ours=f"{_percent(maid.saved)}, {maid.mean_ms:.0f} ms against {_percent(alone.saved)}, "
        f"{alone.mean_ms:.0f} ms",
        agrees=agrees,
        cause="" if agrees else "the drives of the cache, which always spin, draw what the others save",
        experiment=""
        if agrees
        else f"{maid.drives} drives in place of {alone.drives}; starts of a drive in a day {maid.starts:.1f} "
        f"against {alone.starts:.1f}",
    )


def _pdc(work: str, title: str, alone: Point, pdc: Point) -> Verdict:
    low_load = work in systems.LOW_LOAD
    gains = pdc.saved - alone.saved >= MORE
    agrees = gains == low_load
    counts = pdc.movement or {}
    return Verdict(
        key="pdc",
        claim="Concentration saves on conventional disks at extremely low load"
        if low_load
        else "Concentration saves nothing on conventional disks, unless load is extremely low",
        case=title,
        published=PUBLISHED["pdc"].saving,
        ours=f"{_percent(pdc.saved)} against {_percent(alone.saved)} by spin-down alone",
        agrees=agrees,
        cause=""
        if agrees
        else (
            "without pauses in its writes no volume rests; concentrated, the last ones do"
            if gains
            else "at so low a load spin-down alone saves nearly all, and migrations wake the drives that rest"
        ),
        experiment=""
        if agrees
        else f"counted: {counts.get('migrations', 0):,} extents of {systems.EXTENT_MIB} MiB moved, "
        f"{_percent(pdc.moving)} of all energy; starts of a drive in a day {pdc.starts:.1f} against "
        f"{alone.starts:.1f}",
    )
