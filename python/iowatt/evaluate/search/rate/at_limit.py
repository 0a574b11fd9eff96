"""The row of what was found: that of its Run, and of a closed loop taken to the limit.

The nearest Run of a closed loop is within the tolerance of the limit, not at it. Rates are taken to the limit
in proportion, power above idle with them, and what follows from both is made of them anew: efficiency and
energy per request. Counts, window, energies in it, response times and what drives did remain those of the
nearest Run.
"""

from __future__ import annotations

from typing import Final

from iowatt.evaluate.search.axes import Cell
from iowatt.evaluate.search.rate.outcome import RateResult
from iowatt.evaluate.search.row import RunRow, row_of_run

_RATES: Final = ("throughput.iops", "throughput.mib_per_s")
_POWERS: Final = (("power_w.mean", "power_w.idle"), ("power_w.wall_mean", "power_w.wall_idle"))
#: Efficiency, and what it is over the watts.
_PER_WATT: Final = (
    ("efficiency.iops_per_w", "throughput.iops"),
    ("efficiency.mib_per_s_per_w", "throughput.mib_per_s"),
    ("efficiency.raw_gb_per_w", "capacity_gb.raw"),
    ("efficiency.usable_gb_per_w", "capacity_gb.usable"),
    ("efficiency.effective_gb_per_w", "capacity_gb.effective"),
)


def row_at_limit(found: RateResult) -> RunRow:
    """The row of a search for what was found, with ``rate_iops``, ``rate.runs`` and ``rate.settled``.

    Of a closed loop it has ``outstanding`` besides. There must be a Run.
    """
    assert found.run is not None
    cells = row_of_run(found.run)
    if found.asked.loop == "closed":
        _take(cells, found.scale)
        cells["outstanding"] = found.outstanding
    return cells | {
        "rate_iops": found.rate_iops,
        "rate.runs": found.runs,
        "rate.settled": found.settled,
    }


def _take(cells: RunRow, scale: float) -> None:
    """To a rate ``scale`` times as high."""
    before = _number(cells.get("power_w.mean"))
    for name in [name for name in cells if name.endswith(_RATES)]:
        value = _number(cells[name])
        cells[name] = None if value is None else value * scale
    for mean, idle in _POWERS:
        drawn, rest = _number(cells.get(mean)), _number(cells.get(idle))
        if drawn is not None and rest is not None:
            cells[mean] = rest + (drawn - rest) * scale
    watts = _number(cells["power_w.wall_mean" if cells.get("power_basis") == "wall" else "power_w.mean"])
    for name, over in _PER_WATT:
        if cells.get(name) is not None and watts:
            value = _number(cells[over])
            cells[name] = None if value is None else value / watts
    _energy(cells, before, scale)


def _energy(cells: RunRow, before: float | None, scale: float) -> None:
    """Energy per request, and its product with the mean response time; the watts were ``before``."""
    each, after = _number(cells.get("energy.per_request_j")), _number(cells.get("power_w.mean"))
    if each is None or not before or after is None:
        return
    cells["energy.per_request_j"] = each * after / before / scale
    mean_ms = _number(cells.get("response_time_ms.all.mean"))
    if cells.get("energy.energy_delay_js") is not None and mean_ms is not None:
        cells["energy.energy_delay_js"] = each * after / before / scale * mean_ms / 1e3


def _number(cell: Cell | None) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
