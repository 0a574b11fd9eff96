"""The form of a question: what is wrong with it, what it asks in a few words, and what can be chosen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError, Problem
from iowatt.base.results import Result
from iowatt.evaluate.choose import LEVELS, AskedWorkload, StorageQuestion
from iowatt.web.forms.problems import FormProblem, MadeDocument, problems_of
from iowatt.web.forms.tree import checked_tree
from iowatt.web.jobs import base_of, refuse_outside

if TYPE_CHECKING:
    from iowatt.evaluate.choose import ChooseRequest, ScaledWorkload
    from iowatt.web.jobs import JobBase

_SOURCE: Final = "question"
#: Larger traces are read by the job only: a form answers while somebody types.
_READ_AT_ONCE_BYTES: Final = 32 << 20


class MadeQuestion(MadeDocument):
    """A question by its form, or the form of a question."""

    #: What it asks, in sentences; empty where something is wrong.
    summary: list[str] = Field(default_factory=list)


class FormKey(Result):
    """A key of the file, as its own documentation has it."""

    path: str
    meaning: str
    unit: str | None
    #: What leaving it out means.
    default: str
    accepts: str
    example: str | None
    required: bool


class NamedChoice(Result):
    """Something that a key may name."""

    name: str
    title: str


class TraceChoice(Result):
    """A recorded trace; ``path`` is as the question has to give it."""

    path: str
    name: str
    shipped: bool


class ProfileChoices(NamedChoice):
    """A profile of the library."""

    #: Requests a second; None where the question has to give them.
    rate_iops: float | None


class QuestionChoices(Result):
    """What the form of a question offers."""

    keys: list[FormKey]
    families: list[NamedChoice]
    profiles: list[ProfileChoices]
    tariffs: list[NamedChoice]
    regions: list[str]
    #: Of the drives that the families try.
    vendors: list[str]
    #: Of the library's other drives, those with the most first.
    other_vendors: list[str]
    traces: list[TraceChoice]


@dataclass(frozen=True)
class CheckedQuestion:
    """A question that can be asked."""

    request: ChooseRequest
    workloads: list[ScaledWorkload]


def made_question(root: Path, text: str, base: str) -> MadeQuestion:
    """The form of a question's TOML, with all that is wrong with it.

    Raises ``InputError`` where there is no folder ``base``, or the text is larger than any question.
    """
    folder = base_of(root, base)
    fields: dict[str, Any] | None = None
    try:
        document = TomlDocument(text, _SOURCE)
        fields = checked_tree(document.raw)
        checked = _checked(text, document, folder)
    except InputError as error:
        return MadeQuestion(toml=text, fields=fields, errors=problems_of(error, fields))
    return MadeQuestion(toml=text, fields=fields, summary=list(_summary(checked)))


def refuse_wrong(root: Path, text: str, base: str) -> str:
    """Raise ``InputError`` for the first thing that is wrong with a question; the title of its job."""
    made = made_question(root, text, base)
    if made.errors:
        first: FormProblem = made.errors[0]
        raise InputError(first.code, first.place, first.message, hint=first.hint)
    assert made.fields is not None
    return f"{made.fields['name']}: what to buy for {made.fields['usable']}"


def _checked(text: str, document: TomlDocument, base: JobBase) -> CheckedQuestion:
    from iowatt.evaluate.choose import choose_request, families_of, scaled_workloads

    refuse_outside(document.raw, base)
    request = replace(choose_request(f"{text}\n"), base=base.folder)
    request.document.fail(_of_loads(request))
    families_of(request.question)
    found = request.pricing.tariff
    if found is not None and not found.endswith(".json"):
        _refuse_tariff(found, request.document)
    workloads = []
    if all(_is_quick(one, base.folder) for one in request.question.workload):
        workloads = scaled_workloads(request.question, request.document, base.folder)
    return CheckedQuestion(request, workloads)


def _of_loads(request: ChooseRequest) -> Iterator[Problem]:
    """Profiles and traces that are not there, and profiles without a rate."""
    from iowatt.model.profile import load

    for index, one in enumerate(request.question.workload):
        if one.trace is not None:
            if not (request.base / one.trace.path).is_file():
                message = f"there is no trace {one.trace.path!r}"
                yield Problem("not-found", ("workload", index, "trace", "path"), message)
            continue
        assert one.profile is not None
        chosen, at = one.profile, ("workload", index, "profile")
        try:
            rate = load(
                chosen.name, chosen.set, base_dir=request.base, rate_iops=chosen.rate_iops
            ).profile.mean_rate
        except InputError as error:
            first = error.problems[0] if isinstance(error, DocumentError) else error
            key = "name" if first.code in ("unknown-name", "not-found") else "set"
            yield Problem(first.code, (*at, key), first.message, first.hint)
            continue
        if rate is None:
            message = f"the profile {chosen.name!r} has no default rate"
            yield Problem("missing", (*at, "rate_iops"), message, "enter the requests per second")


def _refuse_tariff(name: str, document: TomlDocument) -> None:
    from iowatt.tariffs.find import find_tariff

    try:
        find_tariff(name)
    except InputError as error:
        place = document.place(("energy", "tariff"))
        raise InputError(error.code, place, error.message, hint=error.hint) from None


def _is_quick(workload: AskedWorkload, base: Path) -> bool:
    """Whether the load of a workload is known within the time of a key press."""
    if workload.trace is None:
        return True
    size = (base / workload.trace.path).stat().st_size
    return workload.footprint != "profile" and size <= _READ_AT_ONCE_BYTES


def _summary(checked: CheckedQuestion) -> Iterator[str]:
    from iowatt.evaluate.choose import families_of
    from iowatt.render import numbers

    asked = checked.request.question
    bought = numbers.with_unit(asked.bought_bytes, "B")
    grown = "" if asked.grown == 1 else f", {bought} with growth"
    yield f"{_spaced(checked.request.document.raw['usable'])} usable{grown}, kept for {asked.years:g} years."
    rates = {one.name: one.rate_iops for one in checked.workloads}
    for one in asked.workload:
        rate = (
            f"{numbers.significant(rates[one.name])} requests per second"
            if one.name in rates
            else f"{one.times:g} times"
        )
        limits = [
            f"{'mean' if name == 'mean' else name} within {numbers.with_unit(1e3 * one.limits_s[name], 'ms')}"
            for name in reversed(LEVELS)
            if name in one.limits_s
        ]
        yield f"{one.name}: {rate}, {' and '.join(limits) or 'no response-time limit'}."
    yield f"{numbers.counted(len(families_of(asked)), 'kind')} of system will be tried."


def _spaced(quantity: str) -> str:
    """A quantity as it was given, with a space before its unit."""
    return re.sub(r"(?<=\d)\s*(?=[A-Za-z])", "\u00a0", str(quantity).strip(), count=1)


def question_choices(root: Path, base: str) -> QuestionChoices:
    """What the form offers to a question whose paths are relative to ``base``.

    Raises ``InputError`` where there is no such folder.
    """
    known = _library_choices()
    return known.model_copy(update={"traces": list(_traces(root.resolve(), base_of(root, base)))})


@cache
def _library_choices() -> QuestionChoices:
    from iowatt.evaluate.choose import BOOK, library
    from iowatt.lenses.book import find_book
    from iowatt.model.library import device_file, device_names
    from iowatt.tariffs.find import find_tariff, tariff_names

    grid = "carbon.grid."
    drives = {name for one in library() for name in (*one.devices, *one.middle, *one.slow)}
    vendors = {vendor for name in drives if (vendor := device_file(name).vendor) is not None}
    others = Counter(vendor for name in device_names() if (vendor := device_file(name).vendor) is not None)
    return QuestionChoices(
        keys=list(_keys()),
        families=[NamedChoice(name=one.name, title=one.title) for one in library()],
        profiles=list(_profiles()),
        tariffs=[NamedChoice(name=name, title=str(find_tariff(name).name)) for name in tariff_names()],
        regions=sorted(key.removeprefix(grid) for key in find_book(BOOK, []).figures if key.startswith(grid)),
        vendors=sorted(vendors),
        other_vendors=[vendor for vendor, _ in others.most_common() if vendor not in vendors],
        traces=[],
    )


def _keys() -> Iterator[FormKey]:
    from iowatt.base.keys import catalogue, toml_text

    for path, one in catalogue(StorageQuestion).items():
        yield FormKey(
            path=path,
            meaning=one.description.replace("`", ""),
            unit=one.unit,
            default=one.default_text,
            accepts=one.accepts,
            example=None if one.example is None else toml_text(one.example).strip('"'),
            required=one.required,
        )


def _profiles() -> Iterator[ProfileChoices]:
    from iowatt.model.profile import load, profile_names

    for name in profile_names():
        found = load(name).profile
        yield ProfileChoices(name=name, title=found.title or name, rate_iops=found.mean_rate)


def _traces(root: Path, base: JobBase) -> Iterator[TraceChoice]:
    """Files of the workspace's ``traces``, and shipped ones where the question may name them."""
    from iowatt.model.scenario import EXAMPLES

    examples = EXAMPLES.resolve()
    for folder, is_shipped in ((root, False), (examples, True)):
        if is_shipped and folder not in base.roots:
            continue
        for path in sorted((folder / "traces").glob("*")):
            if path.is_file() and not path.name.startswith(".") and path.suffix not in (".md", ".toml"):
                inside = path.is_relative_to(base.folder)
                said = path.relative_to(base.folder).as_posix() if inside else str(path)
                yield TraceChoice(path=said, name=path.name, shipped=is_shipped)
