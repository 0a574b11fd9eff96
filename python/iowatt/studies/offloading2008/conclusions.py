"""Published savings of the schemes, compared with ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iowatt.studies.offloading2008 import systems
from iowatt.studies.offloading2008.points import SchemePoint, SchemePoints
from iowatt.studies.offloading2008.published import PRINTED, TEXT
from iowatt.studies.result import ClaimVerdict

MORE: Final = 0.02
"""Savings that differ by less than this share of the whole count as equal."""


def verdicts(points: SchemePoints, titles: Mapping[str, str]) -> list[ClaimVerdict]:
    """All of them, workload by workload."""
    found: list[ClaimVerdict] = []
    for work, title in titles.items():
        alone, off, maid, pdc = (points.get((work, scheme)) for scheme in systems.SCHEMES[1:])
        if alone is None:
            continue
        if off is not None:
            found.append(_range(title, alone, points))
            found.append(_range(title, off, points))
            found.append(_more(title, alone, off))
        if maid is not None:
            found.append(_maid(title, alone, maid))
        if pdc is not None:
            found.append(_pdc(title, alone, pdc))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(title: str, point: SchemePoint, points: SchemePoints) -> ClaimVerdict:
    published = PRINTED.savings[point.scheme]
    saved = [one.saved for one in points.values() if one.scheme == point.scheme]
    return TEXT.judge(
        f"{point.scheme}-range",
        title,
        published=published.saving,
        ours=_percent(point.saved),
        agrees=published.low <= 100 * point.saved <= published.high,
        workloads=len(saved),
        least=_percent(min(saved)),
        most=_percent(max(saved)),
    )


def _more(title: str, alone: SchemePoint, off: SchemePoint) -> ClaimVerdict:
    counts = off.movement
    return TEXT.judge(
        "off-loading-more",
        title,
        ours=f"{_percent(off.saved)} against {_percent(alone.saved)}",
        agrees=off.saved - alone.saved >= MORE,
        saving=PRINTED.savings["write-off-loading"].saving,
        saving_alone=PRINTED.savings["spin-down"].saving,
        off_loaded=counts.get("off_loaded_writes", 0),
        refused=counts.get("refused_writes", 0),
        all_stopped=_percent(1 - systems.STOPPED_W / systems.IDLE_W),
    )


def _maid(title: str, alone: SchemePoint, maid: SchemePoint) -> ClaimVerdict:
    return TEXT.judge(
        "maid",
        title,
        ours=f"{_percent(maid.saved)}, {maid.mean_ms:.0f} ms against {_percent(alone.saved)}, "
        f"{alone.mean_ms:.0f} ms",
        agrees=maid.saved > alone.saved and maid.mean_ms < alone.mean_ms,
        published=PRINTED.savings["maid"].saving,
        drives=maid.drives,
        drives_alone=alone.drives,
        starts=maid.starts,
        starts_alone=alone.starts,
    )


def _pdc(title: str, alone: SchemePoint, pdc: SchemePoint) -> ClaimVerdict:
    low_load = pdc.work in systems.LOW_LOAD
    gains = pdc.saved - alone.saved >= MORE
    return TEXT.judge(
        "pdc",
        title,
        claim=TEXT.causes["pdc-claim-low-load" if low_load else "pdc-claim"],
        published=PRINTED.savings["pdc"].saving,
        ours=f"{_percent(pdc.saved)} against {_percent(alone.saved)} by spin-down alone",
        agrees=gains == low_load,
        cause=TEXT.causes["pdc-gains" if gains else "pdc-gains-nothing"],
        moved=pdc.movement.get("migrations", 0),
        extent_mib=systems.EXTENT_MIB,
        moving=_percent(pdc.moving),
        starts=pdc.starts,
        starts_alone=alone.starts,
    )
