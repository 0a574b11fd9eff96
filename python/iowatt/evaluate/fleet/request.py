"""What is asked of a fleet: the file, overrides, assumptions, and the alternatives to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import as_overrides
from iowatt.base.problems import Problem
from iowatt.evaluate.fleet.keys import FleetPlan


@dataclass(frozen=True)
class FleetRequest:
    """A plan and its alternatives, checked."""

    plan: FleetPlan
    document: TomlDocument
    #: The directory that its paths are relative to, its name in messages, its text as given.
    base: Path
    source: str
    text: str
    #: Each alternative's changes, and its plan.
    alternatives: Sequence[tuple[tuple[str, ...], FleetPlan]] = ()
    preset: str = "default"
    assume: tuple[str, ...] = ()
    tariff: str | None = None
    command: str | None = None

    @property
    def plans(self) -> list[FleetPlan]:
        """The plan, then its alternatives."""
        return [self.plan, *(plan for _, plan in self.alternatives)]


def fleet_request(
    plan: str | os.PathLike[str],
    *,
    changes: Iterable[str] | Mapping[str, object] = (),
    what_if: Iterable[str | Sequence[str]] = (),
    preset: str = "default",
    assume: Iterable[str] = (),
    tariff: str | None = None,
    command: str | None = None,
) -> FleetRequest:
    """Read a plan and make its alternatives.

    ``what_if`` has one alternative each: a change ``PATH=VALUE``, several with ``;`` between, or a sequence.
    Raises ``InputError`` with file, line and key, or at the argument.
    """
    given = isinstance(plan, str) and "\n" in plan
    path = Path() if given else Path(plan)
    text = str(plan) if given else read_text(path, "see docs/howto/fleet.md and examples/fleet/plan.toml")
    source, base = ("fleet", Path()) if given else (str(path), path.parent)
    sets = as_overrides(changes, None)
    document, made = _plan(text, source, sets)
    document.fail(_missing_files(made, base))
    others = []
    for one in what_if:
        listed = tuple(one.split(";") if isinstance(one, str) else one)
        stripped = tuple(part.strip() for part in listed if part.strip())
        if not stripped:
            raise InputError("empty", Argument("what_if"), "expected PATH=VALUE")
        try:
            changed, other = _plan(text, source, [*sets, *stripped])
            changed.fail(_missing_files(other, base))
            others.append((stripped, other))
        except InputError as error:
            raise InputError(
                error.code, Argument("what_if", "; ".join(stripped)), error.message, hint=error.hint
            ) from None
    return FleetRequest(
        made, document, base, source, text, tuple(others), preset, tuple(assume), tariff, command
    )


def _missing_files(plan: FleetPlan, base: Path) -> Iterator[Problem]:
    """Scenarios and Runs of classes that do not exist."""
    for index, one in enumerate(plan.class_):
        if one.scenario is not None and not (base / one.scenario).is_file():
            message = f"the scenario of the class {one.name!r} does not exist: {base / one.scenario}"
            yield Problem("not-found", ("class", index, "scenario"), message)
        for number, run in enumerate(one.runs):
            if not (base / run).exists():
                message = f"a Run of the class {one.name!r} does not exist: {base / run}"
                yield Problem("not-found", ("class", index, "runs", number), message)


def _plan(text: str, source: str, sets: Sequence[str]) -> tuple[TomlDocument, FleetPlan]:
    document = TomlDocument(text, source, sets, FleetPlan)
    plan = document.validate(FleetPlan)
    document.fail(plan.problems())
    return document, plan
