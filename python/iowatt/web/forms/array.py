"""The form of an array's power: what it draws, what is wrong with it, and which parts there are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.base.results import Result
from iowatt.model.power.result import CalculatedPower
from iowatt.web.forms.problems import MadeDocument, problems_of
from iowatt.web.forms.tree import Tree, checked_tree
from iowatt.web.jobs import base_of, refuse_outside

if TYPE_CHECKING:
    from iowatt.model.library import DeviceFile

_SOURCE: Final = "array"
#: Keys of a scenario that the calculator reads, beside `array`.
_KEPT: Final = ("pool", "controller", "power")
_MOST_DRIVES: Final = 20_000
_MOST_TABLES: Final = 64


class ShownFigure(Result):
    """A headline of the page of `iowatt power`."""

    key: str
    title: str
    shown: str
    remark: str


class ShownTable(Result):
    """A table of that page, its cells as a person reads them."""

    key: str
    title: str
    caption: str
    columns: list[str]
    #: Of each column: whether it is text.
    text: list[bool]
    rows: list[list[str]]


class ShownPower(Result):
    """What the page of `iowatt power` says first."""

    verdict: list[str]
    headlines: list[ShownFigure]
    tables: list[ShownTable]
    #: What limits the figures.
    notes: list[str]


class MadeArray(MadeDocument):
    """An array by its form, with what it draws; None where something is wrong."""

    power: CalculatedPower | None = None
    shown: ShownPower | None = None


class PartChoice(Result):
    """A part of the library. Watts are of one; None where the file does not say."""

    name: str
    title: str
    kind: str
    law: str
    idle_w: float | None
    active_w: float | None
    #: How good its watts are: measured, stated, derived, assumed, common-knowledge; None where nobody says.
    quality: str | None
    source: str
    #: Whether it stands in for a part that nobody published.
    stand_in: bool


class DriveChoice(Result):
    """A drive of the library whose watts are known."""

    name: str
    title: str
    kind: str
    capacity_tb: float | None
    form_factor: str | None
    idle_w: float
    active_w: float
    quality: str | None
    source: str
    stand_in: bool


class CertificateChoice(Result):
    """An efficiency of power supplies, and the inputs it has a table for."""

    name: str
    title: str
    inputs: list[str]


class ArrayChoices(Result):
    """What the form of an array offers."""

    parts: list[PartChoice]
    drives: list[DriveChoice]
    certificates: list[CertificateChoice]


def made_array(root: Path, text: str, base: str) -> MadeArray:
    """The form of an array's TOML, and what it draws or all that is wrong with it.

    Raises ``InputError`` where there is no folder ``base``.
    """
    fields: Tree | None = None
    folder = base_of(root, base)
    try:
        document = TomlDocument(text, _SOURCE)
        fields = checked_tree(document.raw)
        refuse_outside(document.raw, folder)
        found = _calculated(text, fields, folder.folder)
    except InputError as error:
        return MadeArray(toml=text, fields=fields, errors=problems_of(error, fields))
    return MadeArray(toml=text, fields=fields, power=found, shown=_shown(found))


def power_page(root: Path, text: str, base: str) -> str:
    """The page of `iowatt power` for an array's TOML, as a page of the server.

    Raises ``InputError`` for what is wrong with it.
    """
    from iowatt.pages.power import document
    from iowatt.render import write
    from iowatt.web.context import SITE

    folder = base_of(root, base)
    read = TomlDocument(text, _SOURCE)
    refuse_outside(read.raw, folder)
    return write.page([document(_calculated(text, checked_tree(read.raw), folder.folder))], site=SITE)


def array_alone(fields: Tree) -> Tree:
    """A scenario without what the calculator does not read: workloads, volumes, paths."""
    array = fields.get("array")
    kept = {name: array[name] for name in _KEPT if name in array} if isinstance(array, dict) else {}
    return {**{name: fields[name] for name in ("name",) if name in fields}, "array": kept}


def _calculated(text: str, fields: Tree, folder: Path) -> CalculatedPower:
    from iowatt.model.scenario import calculated_power

    _refuse_large(fields)
    return calculated_power(f"{text}\n", base=folder)


def _refuse_large(fields: Tree) -> None:
    """Raise ``InputError`` for an array that takes longer to calculate than a form may."""
    array = fields.get("array")
    pools = array.get("pool") if isinstance(array, dict) else None
    if not isinstance(pools, list):
        return
    counts = [one.get("count") for one in pools if isinstance(one, dict)]
    drives = sum(one for one in counts if isinstance(one, int) and one > 0)
    if drives > _MOST_DRIVES or len(pools) > _MOST_TABLES:
        message = f"more than {_MOST_DRIVES:,} drives or {_MOST_TABLES} pools"
        raise InputError("too-large", "array.pool", message, hint="`iowatt power` has no such limit")


def _shown(found: CalculatedPower) -> ShownPower:
    from iowatt.pages.power import document

    page = document(found)
    figures = [page.chart, *(one for part in page.sections if not part.folded for one in part.figures)]
    return ShownPower(
        verdict=list(page.verdict),
        headlines=[
            ShownFigure(key=one.key, title=one.title, shown=one.shown, remark=one.remark)
            for one in page.headlines
        ],
        tables=[_table(figure) for figure in figures if figure is not None],
        notes=[one.text for one in page.caveats],
    )


def _table(figure: Any) -> ShownTable:
    columns, rows = figure.table.columns, figure.table.rows
    texts = [column.texts([row[number] for row in rows]) for number, column in enumerate(columns)]
    return ShownTable(
        key=figure.key,
        title=figure.title,
        caption=figure.caption,
        columns=[column.heading for column in columns],
        text=[column.text for column in columns],
        rows=[list(row) for row in zip(*texts, strict=True)],
    )


@cache
def array_choices() -> ArrayChoices:
    """Parts, drives with known watts, and efficiencies of the library."""
    from iowatt.model.power import certificates

    return ArrayChoices(
        parts=list(_parts()),
        drives=list(_drives()),
        certificates=[
            CertificateChoice(name=one.name, title=one.title, inputs=list(one.tables))
            for one in certificates().values()
        ],
    )


def _parts() -> Iterator[PartChoice]:
    from iowatt.model.power import find_part, part_names

    for name in part_names():
        part = find_part(name, Path())
        source = part.source_of("active" if part.idle is None else "idle")
        yield PartChoice(
            name=name,
            title=part.title,
            kind=part.kind or "other",
            law=part.law or "constant",
            idle_w=part.idle,
            active_w=part.active,
            quality=None if source is None else source.quality,
            source=part.stand_in or ("" if source is None else source.text),
            stand_in=part.stand_in is not None,
        )


def _drives() -> Iterator[DriveChoice]:
    from iowatt.model.library import device_file, device_names
    from iowatt.model.scenario import drive_watts

    for name in device_names():
        file = device_file(name)
        watts = drive_watts(file)
        if watts.idle is None or watts.operating is None:
            continue
        quality, source = _evidence(file, watts.how)
        yield DriveChoice(
            name=name,
            title=file.title,
            kind=file.kind,
            capacity_tb=None if file.capacity is None else file.capacity / 1e12,
            form_factor=file.form_factor,
            idle_w=watts.idle,
            active_w=watts.operating,
            quality=quality,
            source=file.stand_in or source,
            stand_in=file.stand_in is not None,
        )


def _evidence(file: DeviceFile, key: str) -> tuple[str | None, str]:
    """How good the watts of a drive at work are, and their source; of derived ones that of its idle watts."""
    source = file.source_of(key)
    if source is not None:
        return source.quality, source.text
    idle = file.source_of("power.idle")
    derived = "active watts are derived from its other figures"
    return "derived", derived if idle is None else f"{derived}; idle watts {idle.quality}: {idle.text}"
