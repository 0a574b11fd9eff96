"""I/O by extent and period as arrays, from a Run's table ``heat`` or from a trace.

The address spaces seen at one point (volumes in front, pools behind the cache) are laid one after another.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.bundle import Run

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NS_PER_S = 1e9
#: Most extents that a lens lays out: 64 MiB each make 1 EB.
MOST_EXTENTS = 1 << 34
#: Most periods, which a Run of iowatt has some thousand of.
MOST_PERIODS = 1 << 20


@dataclass(frozen=True)
class AddressSpace:
    """One address space: its first extent in the row of all, their number, and its bytes."""

    name: str
    first: int
    extents: int
    capacity_bytes: int


@dataclass(frozen=True)
class Extents:
    """Counts at one point, for extents that were touched, in order of address; arrays of one length.

    ``point`` is ``front`` (as hosts ask) or ``back`` (behind the cache) of a Run, and ``trace`` of a trace,
    which does not say where it was recorded.
    ``period`` numbers the rows' periods; ``reads`` and ``writes`` count requests.
    """

    point: str
    spaces: Sequence[AddressSpace]
    extent_bytes: int
    period_s: float
    #: Start of the window and its length.
    start_s: float
    duration_s: float
    extent: Ints
    period: Ints
    reads: Floats
    writes: Floats
    bytes_read: Floats
    bytes_written: Floats

    @property
    def total(self) -> int:
        """Extents of all spaces, touched or not."""
        return sum(space.extents for space in self.spaces)

    @property
    def capacity_bytes(self) -> int:
        """Bytes of all spaces."""
        return sum(space.capacity_bytes for space in self.spaces)

    @property
    def periods(self) -> int:
        """Periods of the window."""
        last = int(self.period.max()) + 1 if len(self.period) else 1
        return max(last, int(np.ceil(self.duration_s / self.period_s - 1e-9)), 1)

    def sizes(self, extent: Ints) -> Floats:
        """Bytes of the extents; the last of a space may be shorter than the others."""
        sizes = np.full(len(extent), float(self.extent_bytes))
        for space in self.spaces:
            last = space.first + space.extents - 1
            sizes[extent == last] = space.capacity_bytes - (space.extents - 1) * self.extent_bytes
        return sizes

    def touched(self) -> tuple[Ints, Floats, Floats, Floats, Floats]:
        """Touched extents and their sums over all periods: reads, writes, bytes read, bytes written."""
        extent, index = np.unique(self.extent, return_inverse=True)

        def sums(values: Floats) -> Floats:
            return np.bincount(index, weights=values, minlength=len(extent)).astype(np.float64)

        return extent, sums(self.reads), sums(self.writes), sums(self.bytes_read), sums(self.bytes_written)


def of_run(run: Run) -> list[Extents]:
    """What a Run's table ``heat`` holds, by point: ``front``, ``back`` or both.

    Raises
    ------
    InputError
        The Run has no such table, or it contradicts ``run.json``.
    """
    table = _table(run)
    where = str(run.path / "run.json") if run.path else run.name
    measures = _measures(run.summary.get("heat"), where)
    window = run.summary["window"]
    span = (window["start_s"], window["duration_s"])
    found = []
    for point in ("front", "back"):
        measured = [space for space in measures["spaces"] if space["point"] == point]
        if measured:
            spaces = _row(
                [(space["name"], space["capacity_bytes"]) for space in measured], measures["extent_bytes"]
            )
            found.append(_from_table(table, point, spaces, measures, window=span, where=where))
    if not found:
        raise InputError("damaged", f"{where}: heat.spaces", "names no address space")
    return found


def of_trace(
    trace: Mapping[str, Any],
    *,
    extent_bytes: int,
    period_s: float | None = None,
    capacity_bytes: int | None = None,
    progress: Callable[[float | None, int], None] | None = None,
) -> Extents:
    """Count a trace (a spec, see ``iowatt.trace.open.spec``) as it was recorded, each device a space.

    Parameters
    ----------
    capacity_bytes
        Of each device; left out, where its furthest request ends.

    Raises
    ------
    InputError
        The trace cannot be read, has no requests or no times, or reaches beyond ``capacity_bytes``.
    """
    from iowatt import core
    from iowatt.trace.open import of_all_devices, source

    spec_json, decoded = source(of_all_devices(trace))

    def report(fraction: float | None, requests: int) -> None:
        if progress is not None:
            progress(fraction if decoded is None else decoded.progress, requests)

    measured = report if progress else None
    period_ns = None if period_s is None else round(period_s * NS_PER_S)
    raw = core.trace_heat(decoded, spec_json, extent_bytes, period_ns, measured)
    measures = json.loads(raw["measures"])
    file = str(trace["path"])
    if measures["span_ns"] is None:
        raise InputError("empty", file, "has no reads and no writes")
    first_ns, last_ns = measures["span_ns"]
    ends = measures["end_bytes"]
    if capacity_bytes is not None and max(ends) > capacity_bytes:
        raise InputError(
            "out-of-range",
            file,
            f"asks for byte {max(ends):,} of a device with a capacity of {capacity_bytes:,}",
            hint="give a larger `capacity=SIZE`, or leave it out",
        )
    names = [*measures["devices"], *("device" for _ in range(len(ends) - len(measures["devices"])))]
    used = [(name, end) for name, end in zip(names, ends, strict=False)]
    spaces = _row([(name, capacity_bytes or max(end, 1)) for name, end in used], measures["extent_bytes"])
    firsts = np.array([space.first for space in spaces], dtype=np.int64)
    _refuse_too_many(spaces, file)
    period = _periods(
        raw["start_ns"].astype(np.float64) / NS_PER_S, first_ns / NS_PER_S, measures["period_ns"]
    )
    return Extents(
        point="trace",
        spaces=spaces,
        extent_bytes=measures["extent_bytes"],
        period_s=measures["period_ns"] / NS_PER_S,
        start_s=first_ns / NS_PER_S,
        duration_s=(last_ns - first_ns) / NS_PER_S,
        extent=firsts[raw["space"].astype(np.int64)] + raw["extent"].astype(np.int64),
        period=period,
        reads=raw["reads"].astype(np.float64),
        writes=raw["writes"].astype(np.float64),
        bytes_read=raw["bytes_read"].astype(np.float64),
        bytes_written=raw["bytes_written"].astype(np.float64),
    )


def _table(run: Run) -> pl.DataFrame:
    """The table, with the columns and types of the contract and no nulls."""
    from iowatt.run.tables import HEAT

    where = str(run.path / "heat.parquet") if run.path else run.name
    table = run.table("heat")
    wrong = [name for name, kind in HEAT.items() if table.schema.get(name) != kind]
    if wrong:
        raise InputError(
            "damaged",
            f"{where}: {wrong[0]}",
            f"the column is {table.schema.get(wrong[0], 'missing')}; expected {HEAT[wrong[0]]}",
        )
    holed = [name for name in HEAT if table[name].null_count()]
    if holed or not bool(table["start_s"].is_finite().all()):
        raise InputError(
            "damaged", f"{where}: {(holed or ['start_s'])[0]}", "rows of the column have no value"
        )
    strange = set(table["point"].unique()) - {"front", "back"}
    if strange:
        raise InputError(
            "damaged", f"{where}: point", f"{sorted(strange)[0]!r} is not accepted; expected front or back"
        )
    return table


def _measures(measured: Any, where: str) -> Mapping[str, Any]:
    """The key ``heat`` of run.json, as it must be."""
    from pydantic import ValidationError

    from iowatt.run.summary_schema import HeatSummary

    try:
        checked = HeatSummary.model_validate(measured)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in ("heat", *first["loc"]))
        raise InputError("damaged", f"{where}: {place}", str(first["msg"])) from None
    sound = checked.extent_bytes > 0 and 0 < checked.period_s < math.inf
    if not sound or any(space.capacity_bytes <= 0 for space in checked.spaces):
        raise InputError("out-of-range", f"{where}: heat", "extents, periods and capacities must be above 0")
    return checked.model_dump()


def _row(spaces: Sequence[tuple[str, int]], extent_bytes: int) -> list[AddressSpace]:
    """Spaces one after another."""
    first, row = 0, []
    for name, capacity in spaces:
        extents = -(-capacity // extent_bytes)
        row.append(AddressSpace(name, first, extents, capacity))
        first += extents
    return row


def _from_table(
    table: pl.DataFrame,
    point: str,
    spaces: Sequence[AddressSpace],
    measures: Mapping[str, Any],
    *,
    window: tuple[float, float],
    where: str,
) -> Extents:
    import polars as pl

    _refuse_too_many(spaces, where)
    own = table.filter(pl.col("point") == point)
    first = {space.name: space.first for space in spaces}
    strange = set(own["space"].unique()) - set(first)
    if strange:
        raise InputError(
            "damaged",
            f"{where}: heat.spaces",
            f"does not name {sorted(strange)[0]!r}, which the table of heat names",
        )
    own = own.with_columns(
        own["space"].replace_strict(first, return_dtype=pl.Int64).alias("first"),
        own["space"]
        .replace_strict({s.name: s.extents for s in spaces}, return_dtype=pl.UInt64)
        .alias("extents"),
    )
    beyond = own.filter(pl.col("extent") >= pl.col("extents"))
    if beyond.height:
        row = beyond.row(0, named=True)
        raise InputError(
            "damaged",
            f"{where}: heat.spaces.{row['space']}",
            f"has {row['extents']} extents, and the table of heat names extent {row['extent']}",
        )
    start_s, duration_s = window
    outside = own.filter(
        (pl.col("start_s") < start_s - 1e-6) | (pl.col("start_s") > start_s + duration_s + 1e-6)
    )
    if outside.height:
        raise InputError(
            "damaged",
            f"{where}: window",
            f"lasts from {start_s:g} s for {duration_s:g} s, and a period of the table of heat begins "
            f"outside, at {outside['start_s'][0]:g} s",
        )
    if duration_s / measures["period_s"] > MOST_PERIODS:
        raise InputError(
            "too-large", f"{where}: heat.period_s", f"the window has more than {MOST_PERIODS:,} periods"
        )
    extent = own["first"].to_numpy() + own["extent"].cast(pl.Int64).to_numpy()
    return Extents(
        point=point,
        spaces=spaces,
        extent_bytes=measures["extent_bytes"],
        period_s=measures["period_s"],
        start_s=start_s,
        duration_s=duration_s,
        extent=extent,
        period=_periods(own["start_s"].to_numpy(), start_s, measures["period_s"] * NS_PER_S),
        **{
            name: own[name].cast(pl.Float64).to_numpy()
            for name in ("reads", "writes", "bytes_read", "bytes_written")
        },
    )


def _periods(starts_s: Floats, start_s: float, period_ns: float) -> Ints:
    numbers: Ints = np.rint((starts_s - start_s) * NS_PER_S / period_ns).astype(np.int64)
    return np.maximum(numbers, 0)


def _refuse_too_many(spaces: Sequence[AddressSpace], where: str) -> None:
    if sum(space.extents for space in spaces) > MOST_EXTENTS:
        raise InputError(
            "too-large",
            where,
            f"has more extents than can be drawn; expected at most {MOST_EXTENTS:,}",
            hint="take larger extents",
        )
