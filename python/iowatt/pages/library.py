"""What ``iowatt devices`` and ``iowatt fabric`` show of the library: lists, and all figures of one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iowatt.base.units import format_bytes
from iowatt.model.library.fabric.result import PathPartDescription, PathPartFigure, PathPartList
from iowatt.model.library.result import DeviceDescription, DeviceFigure, DeviceList, DeviceListing
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Exact, Figure, Labelled, Table, text_columns
from iowatt.render.phrases import listed

_SIMULATION: Final = {
    (): "It cannot be simulated.",
    ("time",): "A simulation gives its times; watts are missing.",
    ("time", "energy"): "A simulation gives its times and its energy.",
}


_EVIDENCE: Final = {
    "replayed": "Its model was held to a real drive, request by request: it may be trusted for {trusted}.",
    "fio-checked": "Its model was held to measured cells: it may be trusted for {trusted}.",
    "sheet only": "Nothing measured of it ships with iowatt: its model was held to its data sheet only.",
}
_CLASS_WATTS: Final = "Watts that its file lacks, idle or at work, are those of its class (see below)."
_CHECKED: Final = [
    Column("Figure", text=True), Column("Bar", "%"), Column("Within", text=True),
    Column("Median error", "%"), Column("Largest error", "%"),
]  # fmt: skip


def devices(found: DeviceList) -> Document:
    """The list of devices."""
    rows: list[list[Cell]] = [
        [
            device.name, device.kind, _year(device.year), _capacity(device), device.evidence,
            ", ".join(device.trusted_for) or None, _simulated_by(device), device.rpm, device.idle_w,
            device.power_grade, device.price_usd, ", ".join(device.good_for) or None,
        ]
        for device in found.devices
    ]  # fmt: skip
    columns = [
        *text_columns("Device", "Kind"), Column("Year", text=True, rank=3), Column("Capacity", rank=2),
        Column("Evidence", text=True), Column("Trusted for", text=True, rank=2),
        Column("Model", text=True, rank=1),
        Exact("Speed", "rpm", rank=4), Exact("Idle", "W", rank=3), Column("Grade", text=True, rank=5),
        Exact("Price", "USD", rank=7), Column("Good for", text=True, rank=6),
    ]  # fmt: skip
    return _listing("devices", "device", "`iowatt devices show NAME`", columns, rows)


def device(item: DeviceDescription) -> Document:
    """All figures of one device."""
    derived: list[list[Cell]] = [
        [step.figure, f"{step.text}, {step.quality}: {step.rule}"] for step in item.derived
    ]
    missing: list[list[Cell]] = [[purpose, ", ".join(keys)] for purpose, keys in item.missing.items()]
    bases = dict.fromkeys(figure.basis for figure in item.figures if figure.basis)
    cautions = [f"{figure.figure} is not used: {figure.caution}" for figure in item.figures if figure.caution]
    return Document(
        key="device",
        kind="device",
        title=item.name,
        meta=f"{item.title}, {item.kind}",
        verdict=[
            _SIMULATION[tuple(item.simulated_for)],
            *([_CLASS_WATTS] if _by_class(item) else []),
            *([f"Its figures suffice for {', '.join(item.good_for)}."] if item.good_for else []),
            *([f"It is a stand-in: {item.stand_in}."] if item.stand_in else []),
            _EVIDENCE[item.evidence].format(trusted=listed(item.trusted_for) or "none of its answers"),
        ],
        sections=[
            _section("checked", "Checked against measurements", _CHECKED, _checked(item)),
            *_sourced(item.figures),
            _section(
                "derived", "Derived or assumed when simulated",
                text_columns("Figure", "Value and rule"), derived,
            ),
            _section("missing", "Missing", text_columns("For", "Figures"), missing),
        ],
        caveats=[
            *(Caveat(text, True) for text in (*cautions, *item.assumptions)),
            *(Caveat(f"meaning of a watt: {text}") for text in bases),
            *map(Caveat, item.notes),
        ],
    )  # fmt: skip


def path_parts(listed: PathPartList) -> Document:
    """The list of parts of paths."""
    rows: list[list[Cell]] = [
        [
            part.name, part.kind, ", ".join(medium or "any" for medium in part.media), part.in_short,
            ", ".join(part.unverified) or None,
        ]
        for part in listed.parts
    ]  # fmt: skip
    columns = [
        *text_columns("Part", "Kind"), Column("Medium", text=True, rank=1), Column("In short", text=True),
        Column("Unverified", text=True, rank=2),
    ]  # fmt: skip
    return _listing("fabric", "part", "`iowatt fabric show NAME`", columns, rows)


def path_part(item: PathPartDescription) -> Document:
    """All figures of one part of paths."""
    weak = len(item.unverified)
    return Document(
        key="fabric",
        kind=item.kind,
        title=item.name,
        meta=f"{item.title}, {item.kind}",
        verdict=[
            f"{numbers.counted(len(item.figures), 'figure')}, {weak or 'none'} of them recalled or assumed."
        ],
        sections=_sourced(item.figures),
        caveats=[*(Caveat(text, True) for text in item.assumptions), *map(Caveat, item.notes)],
    )


def _listing(key: str, item: str, verb: str, columns: list[Column], rows: list[list[Cell]]) -> Document:
    return Document(
        key=key,
        kind=f"{item}s",
        title=f"{item}s of the library",
        verdict=[f"{numbers.counted(len(rows), item)}; {verb} prints all figures of one."],
        sections=[_section("list", f"{item.capitalize()}s", columns, rows)],
    )


def _sourced(figures: Sequence[DeviceFigure | PathPartFigure]) -> list[Section]:
    """A table of figures with the numbers of their sources, and the sources."""
    sources: dict[str, int] = {}
    rows: list[list[Cell]] = []
    for figure in figures:
        date, grade = getattr(figure, "date", None), getattr(figure, "grade", None)
        text = (figure.source or "no source") + (f" ({date})" if date else "")
        number = sources.setdefault(text, len(sources) + 1)
        quality = (figure.quality or "unknown") + (f", grade {grade}" if grade else "")
        rows.append([figure.figure, figure.text, f"{quality} [{number}]"])
    cited = [f"[{number}] {text}" for text, number in sources.items()]
    return [
        _section("figures", "Figures", text_columns("Figure", "Value", "Quality and source"), rows),
        Section("sources", "Sources", [], cited),
    ]


def _section(key: str, title: str, columns: list[Column], rows: list[list[Cell]]) -> Section:
    figure = Figure(key, title, "", Table(columns, rows), wide=True, brief=True, complete=True)
    return Section(key, title, [figure] if rows else [])


def _by_class(item: DeviceDescription) -> bool:
    return any(step.figure in ("power.idle", "power.active") for step in item.derived)


def _checked(item: DeviceDescription) -> list[list[Cell]]:
    return [
        [one.figure, 100 * one.bar, f"{one.within} of {one.cells}", 100 * one.median, 100 * one.worst]
        for one in item.checked
    ]


def _capacity(row: DeviceListing) -> Cell:
    size = row.capacity_bytes
    return None if size is None else Labelled(size, format_bytes(size))


def _simulated_by(row: DeviceListing) -> str | None:
    only = "" if "energy" in row.simulated_for else ", time only"
    return row.simulated_by and f"{row.simulated_by}{only}"


def _year(year: int | None) -> Cell:
    return None if year is None else str(year)
