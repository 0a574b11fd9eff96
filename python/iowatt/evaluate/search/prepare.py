"""The points of a sweep, checked before anything runs.

A value that is wrong in every combination stops the sweep here: a key that does not exist, a
number that is not one, a device that does not exist. Values that only contradict one another (RAID-10 and an
odd number of drives) make a refused point, which is a row of the table with its message.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from iowatt.base.document import TomlDocument
from iowatt.base.errors import Argument, InputError
from iowatt.base.overrides import as_overrides, key_path
from iowatt.base.problems import DocumentError, KeyPath
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.axes import (
    SweepAxis,
    SweepPoint,
    own_seed,
    parse_axes,
    point_label,
    swept_columns,
)
from iowatt.evaluate.search.tasks.folder import SCHEMA
from iowatt.evaluate.search.tasks.journal import error_at_point, error_record
from iowatt.model.scenario import Scenario, find_key, scenario_document

# Keys that name a thing which is there or is not.
_NAMES: Final = ("device", "name", "path", "more", "profile")


@dataclass(frozen=True)
class ScenarioInput:
    """A scenario as given: its text, the base of its paths, its name in messages, its overrides."""

    text: str
    base: Path
    source: str
    overrides: tuple[str, ...]

    @classmethod
    def read(
        cls, scenario: str | os.PathLike[str], overrides: Iterable[str] | Mapping[str, object] = ()
    ) -> ScenarioInput:
        """A scenario's file, or its text, with overrides. Raises ``InputError`` for an unreadable file."""
        path, base, text = evaluation.located(scenario)
        source = str(path) if isinstance(path, Path) else "scenario"
        return cls(text, base, source, tuple(as_overrides(overrides, None)))

    def document(self, overrides: Sequence[str] = ()) -> TomlDocument:
        """The scenario with overrides, unchecked; file names relative to its base."""
        return scenario_document(self.text, self.source, [*self.overrides, *overrides], self.base)

    def raw(self) -> dict[str, Any]:
        """Its tables as plain data, unchecked."""
        return self.document().raw

    @property
    def name(self) -> str:
        """The scenario's name, which needs no other key to be right."""
        return str(self.raw().get("name", "scenario"))


@dataclass(frozen=True)
class CheckedPoint:
    """A point that can be run."""

    point: SweepPoint
    #: The scenario with all overrides, as JSON; file names are relative to ``Given.base``.
    document: str
    overrides: tuple[str, ...]
    #: Digest of the plan; with those of its files it is the point's key.
    plan_sha256: str
    files: tuple[tuple[str, Path], ...]
    #: Doubtful points of its design, each text with its key.
    warnings: tuple[str, ...] = ()

    def key(self, digests: dict[Path, str]) -> str:
        """The key of this resolved scenario, content of its files included."""
        parts = [self.plan_sha256, _version(), *(digests[path] for _, path in self.files)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def _version() -> str:
    return version("iowatt")


@dataclass(frozen=True)
class RefusedPoint:
    """A point that cannot be run, and why; ``blamed`` are the axes whose value alone is wrong."""

    point: SweepPoint
    error: InputError
    blamed: frozenset[int]


def axes_of(given: ScenarioInput, varied: Iterable[str] | Mapping[Any, Iterable[Any]]) -> list[SweepAxis]:
    """The axes of a sweep of ``given``, see :func:`iowatt.evaluate.search.axes.parse_axes`.

    Raises ``InputError`` as there; and where two paths lead to one key, by the name of an element, its index,
    or neither.
    """
    axes = parse_axes(varied)
    paths = swept_columns(axes)
    if len(paths) > 1:
        document, seen = given.raw(), dict[KeyPath, str]()
        for path in paths:
            try:
                key = key_path(document, path, Argument("over", path), Scenario)
            except InputError:  # reported with its point, where another key may create the element
                continue
            if key in seen:
                message = f"this is the same key as {seen[key]}"
                hint = "give all its values at once"
                raise InputError("duplicate", Argument("over", path), message, hint=hint)
            seen[key] = path
    return axes


def check_points(
    given: ScenarioInput, axes: Sequence[SweepAxis], points: Sequence[SweepPoint], *, own_seeds: bool = False
) -> list[CheckedPoint | RefusedPoint]:
    """Each point, checked.

    Raises ``InputError`` where a swept key does not exist, where a value is wrong in every point that has it,
    and where no point at all can be run.
    """
    columns = swept_columns(axes)
    found: list[CheckedPoint | RefusedPoint] = []
    seed = None
    for point in points:
        overrides = [*given.overrides, *point.overrides]
        if own_seeds:
            seed = _seed(given) if seed is None else seed
            overrides.append(f"seed={own_seed(seed, point)}")
        one = examine(given, axes, point, tuple(overrides))
        found.append(one if isinstance(one, RefusedPoint) else one[0])
    stop_at_bad(axes, found)
    if all(isinstance(one, RefusedPoint) for one in found):
        first = next(one for one in found if isinstance(one, RefusedPoint))
        raise _at_point(first, columns, len(points))
    return found


def stop_at_bad(
    axes: Sequence[SweepAxis], found: Sequence[CheckedPoint | RefusedPoint], fewest: int = 1
) -> None:
    """Raise ``InputError`` for a key that does not exist, a value that is wrong whatever it is with."""
    if any(isinstance(one, RefusedPoint) for one in found):
        _refuse_unknown_keys(axes)
        _refuse_bad_values(axes, found, fewest)


def manifest(
    kind: str,
    given: ScenarioInput,
    axes: Sequence[SweepAxis],
    command: str | None,
    *,
    own_seeds: bool = False,
) -> dict[str, Any]:
    """The keys of ``sweep.json`` that all kinds of search share."""
    tables = json.dumps(given.raw(), sort_keys=True, default=str)
    return {
        "schema": SCHEMA,
        "kind": kind,
        "version": _version(),
        "command": command,
        "scenario_sha256": hashlib.sha256(tables.encode()).hexdigest(),
        "set": list(given.overrides),
        "own_seeds": own_seeds,
        "axes": [
            {"columns": list(axis.columns), "values": [list(setting.values) for setting in axis.settings]}
            for axis in axes
        ],
    }


def _seed(given: ScenarioInput) -> int:
    seed = given.raw().get("seed", Scenario.model_fields["seed"].default)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError("wrong-type", "seed", f"expected a whole number, not {seed!r}")
    return seed


def examine(
    given: ScenarioInput, axes: Sequence[SweepAxis], point: SweepPoint, overrides: tuple[str, ...]
) -> tuple[CheckedPoint, evaluation.Prepared] | RefusedPoint:
    """One point, checked and resolved; ``overrides`` are the scenario's and the point's."""
    document = None
    try:
        document = scenario_document(given.text, given.source, overrides, given.base)
        scenario = document.validate(Scenario)
    except DocumentError as error:
        blamed = _blame(document, axes, point, [p.path for p in error.problems])
        return RefusedPoint(point, _as_over(error, point), blamed)
    except InputError as error:  # an override that does not fit, or no TOML at all
        by_itself = {at for at, setting in enumerate(point.settings) if _names_one(error, setting.overrides)}
        return RefusedPoint(point, _as_over(error, point), frozenset(by_itself))
    try:
        work = evaluation.prepare(scenario, given.base, given.text, traces_must_exist=True)
        files = evaluation.files(work, given.base)
        _refuse_pipes(files)
    except InputError as error:
        put = with_places(document, error)
        problems = put.problems if isinstance(put, DocumentError) else ()
        named = [p.path for p in problems if p.path and p.path[-1] in _NAMES]
        return RefusedPoint(point, _as_over(put, point), _blame(document, axes, point, named))
    checked = CheckedPoint(
        point,
        json.dumps(document.raw, ensure_ascii=False, default=str),
        overrides,
        hashlib.sha256(json.dumps(work.plan, sort_keys=True).encode()).hexdigest(),
        tuple(files),
        tuple(work.plan.get("warnings", ())),
    )
    return checked, work


def _refuse_pipes(files: Sequence[tuple[str, Path]]) -> None:
    for name, path in files:
        if not path.is_file():
            message = "every point reads its trace anew, and this one can be read only once"
            raise InputError("read-once", name, message, hint="put the trace in a file")


def with_places(document: TomlDocument, error: InputError) -> InputError:
    """The same error with file, line and override of each problem."""
    if not isinstance(error, DocumentError):
        return error
    try:
        document.fail([replace(problem, place=None) for problem in error.problems])
    except DocumentError as placed:
        return placed
    return error


def _blame(
    document: TomlDocument | None, axes: Sequence[SweepAxis], point: SweepPoint, paths: Sequence[KeyPath]
) -> frozenset[int]:
    """The axes that set the key at one of ``paths``, or something around it or in it."""
    if document is None:
        return frozenset()
    found = set()
    for at, setting in enumerate(point.settings):
        mine = [path for path, place in document.overridden.items() if place in setting.overrides]
        if any(path[: len(m)] == m or m[: len(path)] == path for m in mine for path in paths if path):
            found.add(at)
    return frozenset(found)


def _is_of(place: str, overrides: Sequence[str]) -> bool:
    return isinstance(place, Argument) and place.name == "set" and place.detail in overrides


def _names_one(error: InputError, overrides: Sequence[str]) -> bool:
    return error.place is not None and _is_of(error.place, overrides)


def _as_over(error: InputError, point: SweepPoint) -> InputError:
    """The error at the argument ``over`` where one of its values is at fault, not one of ``set``."""
    if isinstance(error, DocumentError) and len(error.problems) > 1:
        problems = [replace(one, place=_over(one.place, point)) for one in error.problems]
        return DocumentError(problems, error.place or "")
    return InputError(error.code, _over(error.place, point), error.message, hint=error.hint)


def _over(place: str | None, point: SweepPoint) -> str | None:
    """``place``; the argument ``over`` in place of ``set`` where the override is one of the point's."""
    if isinstance(place, Argument) and place.name == "set" and place.detail.startswith(point.overrides):
        return Argument("over", place.detail)
    return place


def _refuse_unknown_keys(axes: Sequence[SweepAxis]) -> None:
    """Raise the catalogue's error for a swept key that does not exist."""
    for axis in axes:
        for override in axis.settings[0].overrides:
            path = override.partition("=")[0]
            try:
                find_key(path)
            except InputError as error:
                if not _in_a_free_table(path):
                    place = Argument("over", path)
                    raise InputError("unknown-key", place, error.message, hint=error.hint) from None


def _in_a_free_table(path: str) -> bool:
    """Whether some table around ``path`` has keys that the user names (columns of a trace, seats)."""
    steps = path.split(".")
    for length in range(len(steps) - 1, 0, -1):
        try:
            return not find_key(".".join(steps[:length])).children
        except InputError:
            continue
    return False


def _refuse_bad_values(
    axes: Sequence[SweepAxis], found: Sequence[CheckedPoint | RefusedPoint], fewest: int
) -> None:
    for at, axis in enumerate(axes):
        for setting in axis.settings:
            mine = [one for one in found if one.point.settings[at] is setting]
            bad = [one for one in mine if isinstance(one, RefusedPoint) and at in one.blamed]
            if len(bad) == len(mine) >= fewest:
                raise _as_over(bad[0].error, bad[0].point)


def _at_point(refused: RefusedPoint, columns: Sequence[str], count: int) -> InputError:
    point = f"point {refused.point.number} of {count} ({point_label(refused.point, columns)})"
    return error_at_point(error_record(_as_over(refused.error, refused.point)), point)
