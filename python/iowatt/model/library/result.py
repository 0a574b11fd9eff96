"""What the library tells of its devices: ``iowatt.devices/1`` and ``iowatt.device/1``. SI units."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument
from iowatt.model.library.source import Grade, Quality


class DeviceListing(Result):
    """One device in a row; None where a figure is not known."""

    name: str
    kind: Literal["hdd", "ssd"]
    title: str
    #: When it came out.
    year: int | None
    capacity_bytes: int | None
    rpm: float | None
    idle_w: float | None
    price_usd: float | None
    #: Of its power figures: the best of its sources.
    power_grade: Grade
    #: The model that simulates it; None where it cannot be simulated.
    simulated_by: Literal["mechanics", "flash", "data sheet"] | None
    #: ``time``, and ``energy`` where its watts are known.
    simulated_for: list[str]
    #: The purposes for which no figure is missing.
    good_for: list[str]
    #: What its model was checked against: a trace request by request, measured cells, or its sheet alone.
    evidence: Literal["replayed", "fio-checked", "sheet only"]
    #: Of mean, throughput, tail and energy, those within their bars.
    trusted_for: list[str]


class DeviceList(ResultDocument):
    """Devices of the library."""

    schema_id: Literal["iowatt.devices/1"] = Field(default="iowatt.devices/1", alias="schema")
    devices: list[DeviceListing]


class DeviceFigure(Result):
    """A figure of a device file with its source."""

    figure: str  #: Key path, such as ``power.idle``.
    value: Any  #: A number, a word, or the entries of a list.
    unit: str | None
    text: str
    meaning: str
    quality: Quality | None
    grade: Grade | None
    basis: str | None
    caution: str | None
    source: str | None


class CheckedError(Result):
    """Error of a figure over the measured cells of a device: ``within`` of ``cells`` keep the ``bar``."""

    figure: str
    bar: float
    cells: int
    within: int
    worst: float
    median: float  #: Of the absolute errors.


class DerivedFigure(Result):
    """A figure that is not in the file, and the rule that gave it."""

    figure: str
    value: int | float | str
    unit: str | None
    text: str
    quality: Literal["derived", "assumed"]
    rule: str


class DeviceDescription(DeviceListing, ResultDocument):
    """All figures of one device, what follows from them, and what is missing."""

    schema_id: Literal["iowatt.device/1"] = Field(default="iowatt.device/1", alias="schema")
    vendor: str | None
    based_on: str | None
    stand_in: str | None
    figures: list[DeviceFigure]
    derived: list[DerivedFigure]
    checked: list[CheckedError]
    #: Key paths by purpose.
    missing: dict[str, list[str]]
    assumptions: list[str]
    notes: list[str]
