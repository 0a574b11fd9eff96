"""A fleet from its request to its document: members simulated, the plan and its alternatives followed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.fleet import describe, notes
from iowatt.evaluate.fleet.evaluate import evaluate
from iowatt.evaluate.fleet.known import KnownMembers
from iowatt.evaluate.fleet.point import evaluate_member
from iowatt.evaluate.fleet.result import Fleet, FleetAlternative
from iowatt.evaluate.fleet.running import FleetPrices
from iowatt.evaluate.fleet.search import MemberSimulations
from iowatt.evaluate.search.tasks import Evaluator, FolderKind, SearchFolder, refuse_target

if TYPE_CHECKING:
    from iowatt.evaluate.fleet.keys import FleetPlan
    from iowatt.evaluate.fleet.request import FleetRequest
    from iowatt.evaluate.search.tasks import Executor, SearchProgress
    from iowatt.lenses.book import Book
    from iowatt.tariffs.structure import Tariff

DOCUMENT: Final = "fleet.json"
TABLE: Final = "years.csv"
PAGE: Final = "report.html"
WORKBOOK: Final = "fleet.xlsx"

FOLDER: Final = FolderKind(
    "a fleet",
    "request.json",
    "iowatt.fleet-request/",
    "plan.toml",
    (DOCUMENT, TABLE, PAGE, WORKBOOK),
    held=False,
)
"""The directory of a fleet. Points belong to members, not to the request: any plan may go on with them."""


@dataclass(frozen=True)
class FleetFound:
    """A fleet with how it was found."""

    document: Fleet
    resumed: int
    faults: Sequence[str]
    machines: Sequence[str]


def run_fleet(
    request: FleetRequest,
    *,
    output: Path | None = None,
    force: bool = False,
    resume: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
    pages: Callable[[Fleet], Mapping[str, Callable[[Path], object]]] | None = None,
) -> FleetFound:
    """Simulate the members of a request, and follow its plans.

    Args:
        output: Directory for everything. Without it nothing is written.
        force, resume: Replace what is there, or use the members simulated there.
        jobs, executor, progress: As for :func:`iowatt.evaluate.search.run_sweep`.
        pages: The files written beside the document, by name, each by a function of its path.

    Raises ``InputError``: what is wrong with the plan, a scenario, an assumption; a demand that cannot be
    served.
    """
    if jobs is not None and jobs < 1:
        raise InputError("out-of-range", Argument("jobs"), f"expected at least one job, not {jobs}")
    if output is not None:
        refuse_target(output, force=force, resume=resume, shape=FOLDER)
    prices = _prices(request)
    with ExitStack() as stack:
        if executor is not None:
            stack.callback(executor.close)
        folder = None
        if output is not None:
            manifest = {
                "schema": "iowatt.fleet-request/1",
                "plan": request.source,
                "command": request.command,
            }
            folder = SearchFolder(output, manifest, request.text, force=force, resume=resume, shape=FOLDER)
            stack.callback(folder.close)
        journal = None if folder is None else folder.journal
        evaluator = Evaluator(evaluate_member, journal, executor, jobs, progress, 0)
        stack.callback(evaluator.close)
        if journal is not None:
            evaluator.records |= journal.records
        resumed = len(evaluator.records)
        fleets = KnownMembers(request, MemberSimulations(evaluator), prices)
        made = _document(request, fleets, prices)
        if folder is not None:
            folder.write_json(DOCUMENT, made.as_dict())
            folder.write(TABLE, lambda file: file.write_text(_table(made), "utf-8", newline="\n"))
            for name, write in (pages(made) if pages is not None else {}).items():
                folder.write(name, write)
    return FleetFound(made, resumed, evaluator.faults, evaluator.machines)


def _prices(request: FleetRequest) -> FleetPrices:
    from iowatt.lenses.book import find_book
    from iowatt.tariffs.find import find_tariff

    book = find_book(request.preset, list(request.assume))
    tariff = find_tariff(request.tariff or book.word("energy.tariff"))
    return FleetPrices(book, tariff, _grid(request.plan, book, tariff), _pue(request.plan, book))


def _pue(plan: FleetPlan, book: Book) -> float:
    return book.number("cooling.pue") if plan.site.pue is None else plan.site.pue


def _grid(plan: FleetPlan, book: Book, tariff: Tariff) -> list[tuple[float, float]]:
    if plan.site.grid:
        return [(float(one.year), one.g_per_kwh) for one in plan.site.grid]
    country = "-".join(tariff.country.lower().split())
    names = ["carbon.grid", *([f"carbon.grid.{country}"] if country else []), "carbon.grid.world"]
    return [(float(plan.first_day.year), book.number(*names))]


def _document(request: FleetRequest, members: KnownMembers, prices: FleetPrices) -> Fleet:
    plan, modelled = request.plan, members.modelled(0)
    found = evaluate(plan, modelled, prices)
    rows = {one.name: list(members.simulated(0, one).rows.values()) for one in plan.class_}
    described = [describe.member(modelled[one.name], members.simulated(0, one), found) for one in plan.class_]
    return Fleet(
        name=plan.name, start=plan.start, seed=plan.seed, book=prices.book.name, tariff=prices.tariff.key,
        pue=prices.pue, discount_rate=prices.book.number("discount.rate"),
        whole=not any(one.price.unpriced or one.price.drives_only for one in modelled.values()),
        rack_cap_w=plan.racks.power_cap, racks_available=plan.racks.available, site_cap_w=plan.site.power_cap,
        members=described,
        years=found.years, totals=found.totals, purchases=found.purchases, broken=found.broken,
        alternatives=list(_alternatives(request, members, prices)),
        notes=[
            *(one.about("tariff") for one in found.misfits),
            *notes.of_fleet(plan, modelled, rows, found.years),
        ],
    )  # fmt: skip


def _alternatives(
    request: FleetRequest, members: KnownMembers, prices: FleetPrices
) -> Iterator[FleetAlternative]:
    for number, (changes, plan) in enumerate(request.alternatives, 1):
        other = FleetPrices(
            prices.book, prices.tariff, _grid(plan, prices.book, prices.tariff), _pue(plan, prices.book)
        )
        found = evaluate(plan, members.modelled(number), other)
        total = found.totals
        yield FleetAlternative(
            changes=list(changes), total_usd=total.total_usd, present_usd=total.present_usd,
            value_left_usd=total.value_left_usd, kwh=total.kwh.expected,
            carbon_kg=total.operational_kg + total.embodied_kg, failures=total.failures.expected,
            bought=sum(total.bought.values()), most_racks=max(one.racks for one in found.years),
            loss_probability=total.loss_probability, broken=found.broken,
        )  # fmt: skip


def _table(made: Fleet) -> str:
    """The years as CSV."""
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    head, lines = describe.flat_years(made)
    writer.writerow(head)
    writer.writerows(lines)
    return rows.getvalue()
