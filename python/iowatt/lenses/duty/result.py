"""Usage classes as a document, ``iowatt.duty/1``. Throughput is in ``unit``, power in W."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class LoadPoint(Result):
    """A Run, or a load between two Runs."""

    name: str
    #: Of the highest throughput.
    fraction: float
    throughput: float
    watts: float
    throughput_per_w: float | None
    response_ms: float | None
    #: The Runs it comes from: two where it is interpolated.
    runs: list[str]


class WeighedLoad(LoadPoint):
    """A load that the usage classes weigh."""

    load: Literal["idle", "moderate", "heavy"]


class Hours(Result):
    """Hours of a day at each load."""

    idle: float
    moderate: float
    heavy: float


class UsageFigures(Result):
    """What a day of a usage class takes."""

    usage: str = Field(alias="class")
    hours: Hours
    nominal_w: float
    nominal_throughput: float
    throughput_per_w: float | None
    annual_kwh: float
    heat_btu_per_h: float
    raw_gb_per_w: float | None
    #: Work of a day over its energy, idle hours included: Data Center energy Productivity (DCeP), where
    #: storage's useful work is requests, or GB moved.
    work_per_kwh: float | None
    #: The same over the energy of the data centre, PUE times as much; None without a PUE.
    facility_work_per_kwh: float | None
    #: Raw capacity kept for an hour, over the energy that keeps it.
    raw_gb_h_per_kwh: float | None


class Duty(ResultDocument):
    """Power and throughput over days of idle, moderate and heavy hours."""

    schema_id: Literal["iowatt.duty/1"] = Field(default="iowatt.duty/1", alias="schema")
    measure: str
    unit: str
    power_basis: str
    #: Whether all Runs were simulated.
    modelled: bool
    highest: float
    work: Literal["requests", "GB"]  #: What ``work_per_kwh`` counts.
    pue: float | None  #: Power usage effectiveness of the data centre, as given.
    points: list[LoadPoint]
    loads: list[WeighedLoad]
    classes: list[UsageFigures]
    notes: list[Note]
