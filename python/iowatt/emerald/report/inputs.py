"""What a report is made of: an analysis, the measurement that it lies in, and what else was given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.analyze.result import Analysis, Part
from iowatt.emerald.classify import Classification, classify
from iowatt.emerald.classify import read as read_product
from iowatt.emerald.com import COM_SCHEMA
from iowatt.emerald.plan import Plan
from iowatt.emerald.plan import read as read_plan
from iowatt.emerald.report import about as about_file
from iowatt.emerald.report.about import About
from iowatt.emerald.rules import Rules, load

Found = dict[str, Any]

ANALYSIS: Final = "analysis.json"
ANALYSIS_SCHEMA: Final = Analysis.model_fields["schema_id"].default
#: Parts of a measurement that come and go, or say nothing of it.
_PASSING: Final = ("lock", "reserve")
_MOST_FILES: Final = 2000


@dataclass(frozen=True)
class File:
    """A file that the figures rest on."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Given:
    """All that is known; what is None was not given, and cannot be found beside the analysis."""

    analysis: Analysis
    path: Path
    about: About = field(default_factory=About)
    classification: Classification | None = None
    com: Found | None = None
    plan: Plan | None = None
    manifest: Found | None = None
    settings_before: Found | None = None
    settings_after: Found | None = None
    #: ``run.json`` of the stages, by stage.
    runs: Mapping[str, Found] = field(default_factory=dict)
    files: Sequence[File] = ()
    #: The rules that the analysis went by; None where they are no longer what they were.
    rules: Rules | None = None
    #: What was found wrong while reading, for the page of findings.
    remarks: Sequence[str] = ()

    @property
    def parts(self) -> list[Part]:
        """Active phases, then ready idle."""
        return self.analysis.parts

    @property
    def modelled(self) -> bool:
        """Whether the figures are a simulation's."""
        return self.analysis.kind == "modelled"


def gather(
    analysis: Path,
    *,
    com: Path | None = None,
    product: Path | None = None,
    about: Path | None = None,
) -> Given:
    """Everything that a report of an analysis can say.

    Parameters
    ----------
    analysis:
        ``analysis.json``, or the folder that holds it. The measurement is looked for beside it, then where
        the analysis says that it lay.

    Raises
    ------
    iowatt.base.errors.InputError
        A file that was named cannot be read, or is something else. What is only looked for beside the
        analysis and cannot be read becomes a remark.
    """
    path = analysis / ANALYSIS if analysis.is_dir() else analysis
    found = read_analysis(path)
    remarks: list[str] = []
    rules = _rules(found, remarks)
    place = _place(path, found, remarks)
    given: dict[str, Any] = {}
    if place is not None:
        given["plan"] = read_plan(place / "plan.json")
        given["manifest"] = _beside(place / "measurement.json", remarks)
        given["settings_before"] = _settings(place / "settings-before.json", remarks)
        given["settings_after"] = _settings(place / "settings-after.json", remarks)
    runs = path.parent / "runs"
    given["runs"] = {
        part.stage: run
        for part in found.parts
        if (run := _beside(runs / part.stage / "run.json", remarks)) is not None
    }
    named = [one for one in (com, product, about) if one is not None]
    given["files"] = list(_files(path, place, named, remarks))
    if product is not None:
        given["classification"] = _classification(product, found, rules, remarks)
    found = _named(found, given.get("classification"), remarks)
    return Given(
        analysis=found,
        path=path,
        about=About() if about is None else about_file.read(about),
        com=None if com is None else read_com(com),
        rules=rules,
        remarks=remarks,
        **given,
    )


def read_analysis(path: Path) -> Analysis:
    """An analysis. Raises ``InputError`` where it is none, with the key that is wrong."""
    found = _object(path, "`iowatt emerald analyze` makes one")
    if found.get("schema") != ANALYSIS_SCHEMA:
        raise InputError(
            "wrong-format", str(path), f"is not an analysis: its schema is not {ANALYSIS_SCHEMA!r}"
        )
    try:
        return Analysis.model_validate_json(json.dumps(found), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        said = "the key is missing" if first["type"] == "missing" else f"not as expected: {first['msg']}"
        raise InputError("damaged", f"{path}: {place}", said) from None


def read_com(path: Path) -> Found:
    """Results of COM tests. Raises ``InputError`` where they are none."""
    found = _object(path, "`iowatt emerald com -o com.json` makes one")
    coms = found.get("coms")
    if found.get("schema") != COM_SCHEMA or not isinstance(coms, list):
        raise InputError(
            "wrong-format", str(path), f"is not a result of COM tests: its schema is not {COM_SCHEMA!r}"
        )
    for number, one in enumerate(coms):
        if not isinstance(one, dict) or not all(
            isinstance(one.get(name), str) for name in ("com", "verdict", "why")
        ):
            raise InputError(
                "wrong-format", f"{path}: coms.{number}", "expected an object with com, verdict and why"
            )
    return found


def _rules(found: Analysis, remarks: list[str]) -> Rules | None:
    name = str(found.rules.profile)
    try:
        rules = load(name)
    except InputError as error:
        remarks.append(
            f"the rules {name} cannot be read here ({error.message}): what they ask for is not checked"
        )
        return None
    if rules.sha256 != found.rules.sha256:
        remarks.append(f"the rules {name} have changed since the analysis: analyze again before you report")
    return rules


def _place(path: Path, found: Analysis, remarks: list[str]) -> Path | None:
    """The folder of the measurement, where its plan is that of the analysis."""
    for folder in dict.fromkeys((path.parent, Path(str(found.place)))):
        if not (folder / "plan.json").is_file():
            continue
        try:
            plan = read_plan(folder / "plan.json")
        except InputError as error:
            remarks.append(f"{folder / 'plan.json'}: {error.message}")
            continue
        phases = [stage.phase for stage in plan.stages if stage.role == "measurement"]
        mine = (
            found.name,
            found.source,
            found.time_scale,
            [one.phase for one in found.phases],
        )
        if (plan.name, plan.source, plan.time_scale, phases) == mine:
            return folder
        remarks.append(f"{folder / 'plan.json'} is another measurement's plan, and was passed over")
    return None


def _settings(path: Path, remarks: list[str]) -> Found | None:
    found = _beside(path, remarks)
    settings = None if found is None else found.get("settings")
    return settings if isinstance(settings, dict) else None


def _beside(path: Path, remarks: list[str]) -> Found | None:
    """A JSON object that may be there."""
    if not path.is_file():
        return None
    try:
        return _object(path, "")
    except InputError as error:
        remarks.append(f"{error.place}: {error.message}")
        return None


def _classification(
    product: Path, found: Analysis, rules: Rules | None, remarks: list[str]
) -> Classification | None:
    if rules is None:
        return None
    classified = classify(read_product(product), rules)
    name = str(found.product.get("name") or classified.product.name)
    if name != classified.product.name:
        raise InputError(
            "conflict",
            f"{product}: name",
            f"the file describes {classified.product.title}; the analysis is of {name}",
            hint="give the product file that the plan was made with",
        )
    category, class_ = classified.found
    if (category, class_) != (found.category, found.class_):
        remarks.append(
            f"{product} is {_class(category, class_)} by its attributes; the measurement was planned for "
            f"{_class(found.category, found.class_)}"
        )
    return classified


def _named(found: Analysis, classified: Classification | None, remarks: list[str]) -> Analysis:
    """The analysis with vendor, name and class of the product file, where the plan said none of its own."""
    if classified is None:
        return found
    said = {"vendor": classified.product.vendor, "name": classified.product.name}
    added = {key: value for key, value in said.items() if not found.product.get(key)}
    category, class_ = classified.found
    classless = found.class_ is None and category == found.category and class_ is not None
    if added or classless:
        what = [*added, *(["class"] if classless else [])]
        remarks.append(f"{', '.join(what)} are from --product; the plan did not say them")
    return found.model_copy(
        update={
            "product": {**found.product, **added},
            "class_": class_ if classless else found.class_,
        }
    )


def _class(category: str | None, class_: int | None) -> str:
    return "of no category" if category is None else category if class_ is None else f"{category}-{class_}"


def _files(path: Path, place: Path | None, named: Sequence[Path], remarks: list[str]) -> Iterator[File]:
    """Digests of the analysis, of what was named, and of everything in the folder of the measurement."""
    wanted: dict[Path, str] = {path: path.name}
    wanted |= {one: one.name for one in named}
    if place is not None:
        inside = sorted(one for one in place.rglob("*") if one.is_file() and not one.is_symlink())
        kept = [one for one in inside if _rests_on(one.relative_to(place))]
        if len(kept) > _MOST_FILES:
            remarks.append(f"{place} holds {len(kept):,} files; the first {_MOST_FILES:,} are listed")
        for one in kept[:_MOST_FILES]:
            wanted.setdefault(one, str(one.relative_to(place)))
    for file, name in wanted.items():
        try:
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            yield File(name, file.stat().st_size, digest)
        except OSError as error:
            remarks.append(f"{file} cannot be read for its digest: {error.strerror}")


def _rests_on(name: Path) -> bool:
    """Whether a file of a measurement's folder is an input of the analysis, not made from it."""
    made = name.parts[0] == "runs" or name.name in (ANALYSIS, "analysis.html")
    return not made and name.name not in _PASSING and not name.name.startswith(".")


def _object(path: Path, hint: str) -> Found:
    return input_file.json_object(path, input_file.LOG_BYTES, hint=hint or None)
