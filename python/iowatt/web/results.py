"""A result of the workspace as Documents, or as the page that was written with it; and lenses on Runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base import input_file
from iowatt.base.errors import Argument, InputError
from iowatt.run.workspace import HEADS

if TYPE_CHECKING:
    from iowatt.render.document import Document

PAGES: Final[Mapping[str, str]] = {
    "sweep": "report.html", "optimization": "report.html", "study": "report.html",
}  # fmt: skip
"""Kinds whose page needs more than their head, and is kept with it."""
MOST_RUNS: Final = 20
"""Runs that are compared at once."""
MOST_LISTED: Final = 1000
"""Runs of one folder that are listed."""


@dataclass(frozen=True)
class LensRequest:
    """What a lens is asked: Runs, and options as the command line has them."""

    runs: Sequence[Path]
    within: str | None = None
    of: str = "p95"
    tariff: str | None = None
    years: float | None = None


def kind_of(folder: Path) -> str:
    """The kind of a folder of results.

    Raises ``InputError`` where it is none.
    """
    for name, (schema, kind) in HEADS.items():
        if (folder / name).is_file():
            head = input_file.json_object(folder / name)
            if str(head.get("schema", "")).startswith(schema):
                return kind
    raise InputError("not-found", folder.name, "there is no result in this folder")


@dataclass(frozen=True)
class GroupedRun:
    """A Run in a folder of several: one of the job groups of a measurement."""

    folder: str
    name: str
    source: str
    iops: float
    mean_ms: float | None
    p95_ms: float | None


def runs_in(folder: Path) -> list[GroupedRun]:
    """The Runs in a folder that is no result itself, in the order of their numbers; none where it is one."""
    if any((folder / name).is_file() for name in HEADS):
        return []
    heads = [one for one in folder.glob("*/run.json") if one.is_file() and not one.parent.is_symlink()]
    in_order = sorted(heads, key=lambda head: _in_order(head.parent.name))
    return [run for head in in_order[:MOST_LISTED] if (run := _grouped(head)) is not None]


def _in_order(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]{1,9})", name)]


def _grouped(head: Path) -> GroupedRun | None:
    """The Run; None where the file is that of another program, or damaged."""
    try:
        run = input_file.json_object(head)
        times = run["response_time_ms"]["all"]
        return GroupedRun(
            folder=head.parent.name, name=str(run.get("name", head.parent.name)), source=str(run["source"]),
            iops=run["throughput"]["iops"], mean_ms=times["mean"], p95_ms=times["p95"],
        )  # fmt: skip
    except (InputError, KeyError, TypeError):
        return None


def documents_of(folder: Path) -> list[Document] | Path:
    """The Documents of a result, or the file of its page.

    Raises ``InputError`` where there is none, or it is not finished.
    """
    kind = kind_of(folder)
    if kind in PAGES:
        page = folder / PAGES[kind]
        if not page.is_file():
            raise InputError("not-found", folder.name, f"this {kind} is not finished; it has no page yet")
        return page
    return _MADE[kind](folder)


def lens_documents(name: str, request: LensRequest) -> list[Document]:
    """The Documents of a lens on Runs. Raises ``InputError`` for a lens that there is not."""
    if name not in LENSES:
        message = f"{name!r} is not one of {', '.join(LENSES)}"
        raise InputError("not-accepted", Argument("lens"), message)
    if not 1 <= len(request.runs) <= MOST_RUNS:
        raise InputError("out-of-range", Argument("run"), f"expected 1 to {MOST_RUNS} Runs")
    return LENSES[name](request)


def _run(folder: Path) -> list[Document]:
    from iowatt.pages.run import documents
    from iowatt.run.bundle import Run

    return documents([Run.open(folder)])


def _answer(folder: Path) -> list[Document]:
    from iowatt.evaluate.choose.result import Choose
    from iowatt.pages.choose import document

    return [document(_read(Choose, folder / "choose.json"))]


def _fleet(folder: Path) -> list[Document]:
    from iowatt.evaluate.fleet.result import Fleet
    from iowatt.pages.fleet import document

    return [document(_read(Fleet, folder / "fleet.json"))]


def _tiering(folder: Path) -> list[Document]:
    from iowatt.evaluate.tiers.result import DerivedTiers
    from iowatt.pages.tiers import document

    return [document(_read(DerivedTiers, folder / "tier.json"))]


def _measurement(folder: Path) -> list[Document]:
    from iowatt.emerald.analyze import Analysis, document

    analysis = folder / "analysis.json"
    if not analysis.is_file():
        hint = f"`iowatt emerald analyze {folder.name}` judges it"
        raise InputError("not-found", folder.name, "this measurement is not analysed yet", hint=hint)
    return [document(_read(Analysis, analysis))]


_MADE: Final[Mapping[str, Callable[[Path], list[Document]]]] = {
    "run": _run, "answer": _answer, "fleet": _fleet, "tiering": _tiering, "measurement": _measurement,
}  # fmt: skip


def _read(model: Any, file: Path) -> Any:
    from pydantic import ValidationError

    try:
        return model.model_validate(input_file.json_object(file))
    except ValidationError as error:
        first = error.errors()[0]
        place = f"{file.name}: {'.'.join(map(str, first['loc']))}"
        hint = "it was written by a different version of iowatt"
        raise InputError("damaged", place, str(first["msg"]), hint=hint) from None


def _report(request: LensRequest) -> list[Document]:
    from iowatt.pages.run import documents
    from iowatt.run.bundle import Run

    return documents([Run.open(one) for one in request.runs])


def _compare(request: LensRequest) -> list[Document]:
    from iowatt.api import compare
    from iowatt.pages.compare import document

    first, *others = request.runs
    if not others:
        raise InputError("missing", Argument("run"), "select two Runs or more to compare")
    return [document(compare(first, *others, within=request.within, of=request.of))]


def _cost(request: LensRequest) -> list[Document]:
    from iowatt.api import cost
    from iowatt.pages.cost import document

    found = cost(
        *request.runs, within=request.within, of=request.of, tariff=request.tariff, years=request.years
    )
    return [document(found)]


def _durability(request: LensRequest) -> list[Document]:
    from iowatt.api import durability
    from iowatt.pages.durability import document

    return [document(durability(request.runs[0]))]


def _budget(request: LensRequest) -> list[Document]:
    from iowatt.api import budget
    from iowatt.pages.budget import document

    return [document(budget(*request.runs[:2]))]


LENSES: Final[Mapping[str, Callable[[LensRequest], list[Document]]]] = {
    "report": _report, "compare": _compare, "cost": _cost, "durability": _durability, "budget": _budget,
}  # fmt: skip
"""Lenses by the names of their verbs."""
