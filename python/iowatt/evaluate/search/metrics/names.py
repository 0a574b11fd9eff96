"""Names of metrics: columns of a search's table, their titles and units, and what an optimization adds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import units
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.evaluate.search.axes import show_value
from iowatt.lenses.cost.pricing import GROUPS
from iowatt.render import numbers
from iowatt.render.figure import Cell, Column

if TYPE_CHECKING:
    import polars as pl


class ProbabilityColumn(Column):
    """A column of probabilities, each by itself: a percentage, or with an exponent."""

    def show(self, cell: Cell) -> str:
        """A probability as a person reads it."""
        return numbers.probability(cell) if isinstance(cell, float) else super().show(cell)


COMMON: Final[dict[str, Column]] = {
    "done_share": Column("Share of the offered load that was done", "share"),
    "response_time_ms.all.mean": Column("Mean response time", "ms"),
    "response_time_ms.all.p95": Column("95th percentile", "ms"),
    "response_time_ms.all.p99": Column("99th percentile", "ms"),
    "throughput.iops": Column("Throughput", "IOPS"),
    "throughput.mib_per_s": Column("Data rate", "MiB/s"),
    "power_w.mean": Column("Mean power", "W"),
    "power_w.wall_mean": Column("Mean power at the wall", "W"),
    "energy.per_request_j": Column("Energy per request", "J"),
    "energy.energy_delay_js": Column("Energy-delay", "J·s"),
    "efficiency.iops_per_w": Column("Efficiency", "IOPS/W"),
    "efficiency.raw_gb_per_w": Column("Capacity per watt", "GB/W"),
    "efficiency.effective_gb_per_w": Column("Effective capacity per watt", "GB/W"),
    "capacity_gb.usable": Column("Usable capacity", "GB"),
    "durability.loss_per_year": ProbabilityColumn("Data loss per year", ""),
    "devices.count": Column("Drives", ""),
    "devices.utilisation.max": Column("Utilisation, busiest drive", "share"),
}

RESPONSE: Final = "response_time_ms.all.mean"
EFFICIENCY: Final = "efficiency.iops_per_w"
PER_REQUEST: Final = "energy.per_request_j"


_BRIEF: Final = {
    "done_share": Column("Done", "share"),
    "response_time_ms.all.mean": Column("Mean", "ms"),
    "response_time_ms.all.p95": Column("p95", "ms"),
    "response_time_ms.all.p99": Column("p99", "ms"),
    "throughput.iops": Column("IOPS"),
    "power_w.mean": Column("Power", "W"),
    "power_w.wall_mean": Column("Wall power", "W"),
    "durability.loss_per_year": ProbabilityColumn("Loss/year"),
    "efficiency.iops_per_w": Column("IOPS/W"),
    "energy.per_request_j": Column("J/request"),
    "capacity_gb.usable": Column("Usable", "GB"),
}
"""Short headings, for tables of many columns."""

_FIRST: Final = (
    "response_time_ms.all.mean", "response_time_ms.all.p95", "power_w.mean", "power_w.wall_mean",
    "capacity_gb.usable", "durability.loss_per_year", "throughput.iops", "response_time_ms.all.p99",
    "efficiency.iops_per_w", "energy.per_request_j",
)  # fmt: skip
"""Figures that are asked for first, in this order."""


class VerbatimColumn(Column):
    """A column of values that somebody gave: shown as given, not rounded."""

    def show(self, cell: Cell) -> str:
        """The value as it was given."""
        return super().show(None) if cell is None else show_value(cell)


def power(frame: pl.DataFrame) -> str:
    """The power that efficiency is taken over: at the wall where that is known of every point."""
    wall = "power_w.wall_mean"
    figures = frame.filter(frame["status"] == "done")
    known = wall in frame.columns and figures.height and figures[wall].null_count() == 0
    return wall if known else "power_w.mean"


def numeric(frame: pl.DataFrame) -> list[str]:
    """Columns with figures to choose from: numbers that are not the same in all points. Common ones first."""
    found = [
        name
        for name, kind in frame.schema.items()
        if kind.is_numeric() and name != "point" and frame[name].drop_nulls().n_unique() > 1
    ]
    return [name for name in COMMON if name in found] + [name for name in found if name not in COMMON]


def brief(name: str) -> Column:
    """The column under a short heading, with the rank that says when a narrow table leaves it out."""
    rank = _FIRST.index(name) // 2 if name in _FIRST else len(_FIRST)
    return replace(_BRIEF.get(name) or column(name), rank=rank)


def column(name: str) -> Column:
    """Title and unit of a column."""
    return COMMON.get(name) or Column(name)


COST: Final = "cost."
"""What the cost lens says of a Run begins with it."""

SURVIVED: Final = "redundancy.failures_survived"
DURABILITY: Final = "durability."
"""What the durability lens says of a Run begins with it."""
LOSS: Final = "durability.loss_per_year"
RATE: Final = "rate_iops"

_TITLES: Final = {
    SURVIVED: Column("Drive failures survived", ""),
    RATE: Column("Rate", "requests/s"),
    "durability.loss_over_horizon": ProbabilityColumn("Data loss over the horizon", ""),
    "durability.bytes_lost_per_year": Column("Bytes lost per year", "B"),
    "durability.unavailable_hours_per_year": Column("Unavailable", "h/year"),
    "durability.degraded_hours_per_year": Column("Degraded", "h/year"),
    "durability.rebuild_s": Column("Rebuild of a drive", "s"),
    "cost.total_usd": Column("Total cost", "$"),
    "cost.carbon_kg": Column("Carbon", "kg CO2e"),
    "cost.usd_per_kwh": Column("Price of electricity", "$/kWh"),
    **{f"cost.{group}_usd": Column(f"Cost: {group}", "$") for group in GROUPS},
}
#: Metrics that contain a name from the scenario: volumes, workloads, components.
_NAMED: Final = re.compile(
    r"(volumes|workloads|energy\.by_component_j|energy\.by_state_j|tiers|virtual_pools|parity_logs)\..+",
    re.ASCII,
)
_DRIVES: Final = (
    "devices.count", "devices.utilisation.mean", "devices.utilisation.max", "devices.queue_length_mean.mean",
    "devices.queue_length_mean.max", "devices.spin_ups", "devices.spin_downs", "devices.seeks",
    "devices.accesses",
)  # fmt: skip
_PARSERS: Final[tuple[tuple[str, Callable[[object], float | int], float], ...]] = (
    ("_ms", units.parse_duration, 1e3),
    ("_s", units.parse_duration, 1.0),
    ("_gb", units.parse_capacity, 1e-9),
    ("_w", units.parse_power, 1.0),
    ("mib_per_s", units.parse_rate, 1 / (1 << 20)),
)


@cache
def catalogue() -> tuple[str, ...]:
    """All metrics that have a name whatever the scenario."""
    from iowatt.run.summary_schema import RunSummary

    schema = RunSummary.model_json_schema()
    found = dict.fromkeys(_flat(schema, schema["$defs"], ""))
    computed = [name for name in (*COMMON, *_TITLES) if name.startswith((COST, DURABILITY))]
    return (*found, *_DRIVES, SURVIVED, RATE, *computed)


def _flat(part: Mapping[str, Any], parts: Mapping[str, Any], name: str) -> Iterator[str]:
    if "$ref" in part:
        yield from _flat(parts[part["$ref"].rpartition("/")[2]], parts, name)
    elif "anyOf" in part:
        for choice in part["anyOf"]:
            yield from _flat(choice, parts, name)
    elif "properties" in part:
        for key, below in part["properties"].items():
            if key not in _LEFT_OUT:
                yield from _flat(below, parts, f"{name}.{key}" if name else key)
    elif part.get("type") in ("number", "integer"):
        yield name


_LEFT_OUT: Final = ("provenance", "simulation", "schema", "name", "notes", "devices", "buses", "rebuilds")


def check_metric(name: str, where: str) -> str:
    """``name``, if there may be such a metric.

    Raises ``InputError`` with the nearest names where there is none.
    """
    if name in catalogue() or _NAMED.fullmatch(name):
        return name
    raise InputError("unknown-name", where, f"there is no metric {name!r}", hint=_near(name, catalogue()))


def _near(name: str, known: Iterable[str]) -> str:
    listed = list(known)
    same_end = [metric for metric in listed if metric.endswith(f".{name}") or name in metric.split(".")]
    near = nearest(name, listed)
    choices = list(dict.fromkeys([*same_end[:4], *([near] if near else [])]))
    if choices:
        return f"did you mean {' or '.join(choices)}?"
    return (
        "for example efficiency.iops_per_w, power_w.wall_mean, response_time_ms.all.p95, cost.total_usd; "
        "docs/reference/optimize.md has them"
    )


def metric_column(name: str) -> Column:
    """Title and unit, for people."""
    if name in _TITLES:
        return _TITLES[name]
    known = column(name)
    if known.unit or known.title != name:
        return known
    last = name.rpartition(".")[2]
    units_found = [unit for end, unit in _UNITS if last.endswith(end)]
    units_found += [unit for end, unit in _UNITS if f"{end}." in name]
    return Column(name, next(iter(units_found), ""))


_UNITS: Final = (
    ("_ms", "ms"), ("_usd", "$"), ("_kg", "kg"), ("_gb", "GB"), ("_w", "W"), ("_j", "J"), ("_js", "J·s"),
    ("mib_per_s", "MiB/s"), ("iops", "IOPS"), ("_s", "s"), ("gb_per_w", "GB/W"),
)  # fmt: skip


def parse_limit(name: str, text: str, where: str) -> float:
    """A limit of a metric: a plain number in the metric's own unit, or a quantity with its unit.

    Raises ``InputError`` where it is neither.
    """
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is not None:
        if number - number != 0:
            raise InputError("out-of-range", where, f"expected a finite number, not {text}")
        return number
    for mark, parse, scale in _PARSERS:
        if any(step.endswith(mark) for step in name.split(".")):
            try:
                return parse(text) * scale
            except ValueError as error:
                raise InputError("bad-syntax", where, str(error)) from None
    unit = metric_column(name).unit
    message = f"{text!r} is not a number"
    hint = f"{name} is in {unit}: give the number alone" if unit else "give a number without a unit"
    raise InputError("bad-syntax", where, message, hint=hint)
