"""Reads the inputs of a report: an analysis, its measurement, and the files that the user names."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.analyze.result import Analysis, Part
from iowatt.emerald.classify import Classification, classify
from iowatt.emerald.classify import read as read_product
from iowatt.emerald.plan import Plan
from iowatt.emerald.plan import read as read_plan
from iowatt.emerald.report import about as about_file
from iowatt.emerald.report.about import About
from iowatt.emerald.rules import Rules, load

Json = dict[str, Any]  #: A JSON file whose further keys do not matter: a manifest, settings, a run.json.

ANALYSIS: Final = "analysis.json"
_PASSING: Final = ("lock", "reserve")  #: Temporary files of a measurement.
_MOST_FILES: Final = 2000


class ComVerdict(BaseModel):
    """The part of a COM test that a report shows."""

    com: str
    verdict: str
    why: str
    unverified: list[str] = []


class ComVerdicts(BaseModel):
    """The part of a result of ``iowatt emerald com`` that a report shows; other keys are ignored."""

    schema_id: Literal["iowatt.emerald-com/1"] = Field(alias="schema")
    source: str = ""
    coms: list[ComVerdict]


@dataclass(frozen=True)
class DigestedFile:
    """A file that the figures rest on."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class ReportInputs:
    """All inputs of a report; None where one was neither given nor found next to the analysis."""

    analysis: Analysis
    path: Path
    about: About = field(default_factory=About)
    classification: Classification | None = None
    com: ComVerdicts | None = None
    plan: Plan | None = None
    manifest: Json | None = None
    settings_before: Json | None = None
    settings_after: Json | None = None
    runs: Mapping[str, Json] = field(default_factory=dict)  #: ``run.json`` of the stages, by stage.
    files: Sequence[DigestedFile] = ()
    rules: Rules | None = None  #: The rules of the analysis; None where they cannot be read.
    remarks: Sequence[str] = ()  #: Problems found while reading, for the page of findings.

    @property
    def parts(self) -> list[Part]:
        """Active phases, then ready idle."""
        return self.analysis.parts

    @property
    def modelled(self) -> bool:
        """Whether the figures are a simulation's."""
        return self.analysis.kind == "modelled"

    def com_test(self, name: str) -> ComVerdict | None:
        """The COM test of a method, if there is one."""
        return next((one for one in self.com.coms if one.com == name), None) if self.com else None

    def com_verdict(self, name: str) -> str | None:
        """Its verdict: yes or no; None where it was not tested."""
        test = self.com_test(name)
        return test.verdict if test is not None and test.verdict in ("yes", "no") else None


def gather(
    analysis: Path, *, com: Path | None = None, product: Path | None = None, about: Path | None = None
) -> ReportInputs:
    """Everything that a report of an analysis can state.

    ``analysis``: ``analysis.json``, or the folder that holds it. The measurement is looked for next to it,
    then at the place that the analysis names.
    Raises ``InputError``: a file that was named cannot be read, or is something else. A file beside the
    analysis that cannot be read becomes a remark.
    """
    path = analysis / ANALYSIS if analysis.is_dir() else analysis
    found = read_analysis(path)
    remarks: list[str] = []
    rules = _rules(found, remarks)
    folder = _folder(path, found, remarks)
    runs = path.parent / "runs"
    named = [one for one in (com, product, about) if one is not None]
    inputs = ReportInputs(
        analysis=found,
        path=path,
        runs={
            part.stage: run
            for part in found.parts
            if (run := _beside(runs / part.stage / "run.json", remarks)) is not None
        },
        files=list(_files(path, folder, named, remarks)),
        rules=rules,
        remarks=remarks,
    )
    if folder is not None:
        inputs = replace(
            inputs,
            plan=read_plan(folder / "plan.json"),
            manifest=_beside(folder / "measurement.json", remarks),
            settings_before=_settings(folder / "settings-before.json", remarks),
            settings_after=_settings(folder / "settings-after.json", remarks),
        )
    classified = None if product is None else _classification(product, found, rules, remarks)
    return replace(
        inputs,
        analysis=_named(found, classified, remarks),
        classification=classified,
        about=About() if about is None else about_file.read(about),
        com=None if com is None else read_com(com),
    )


def read_analysis(path: Path) -> Analysis:
    """An analysis. Raises ``InputError`` where it is none, with the key that is wrong."""
    schema = Analysis.model_fields["schema_id"].default
    found = input_file.json_object(path, hint="create one with `iowatt emerald analyze`")
    if found.get("schema") != schema:
        raise InputError("wrong-format", str(path), f"is not an analysis: its schema is not {schema!r}")
    return _valid(Analysis, found, path, "damaged", strict=True)


def read_com(path: Path) -> ComVerdicts:
    """Results of COM tests. Raises ``InputError`` where they are none."""
    found = input_file.json_object(path, hint="create one with `iowatt emerald com -o com.json`")
    return _valid(ComVerdicts, found, path, "wrong-format")


Model = TypeVar("Model", bound=BaseModel)


def _valid(model: type[Model], found: Json, path: Path, code: str, *, strict: bool = False) -> Model:
    try:
        return model.model_validate_json(json.dumps(found), strict=strict)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        missing = first["type"] == "missing"
        message = "the key is missing" if missing else f"not as expected: {first['msg']}"
        raise InputError(code, f"{path}: {place}", message) from None


def _rules(found: Analysis, remarks: list[str]) -> Rules | None:
    name = str(found.rules.profile)
    try:
        rules = load(name)
    except InputError as error:
        remarks.append(f"the rules {name} cannot be read ({error.message}): what they require is not checked")
        return None
    if rules.sha256 != found.rules.sha256:
        remarks.append(f"the rules {name} have changed since the analysis: analyze again before you report")
    return rules


def _folder(path: Path, found: Analysis, remarks: list[str]) -> Path | None:
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
        expected = (found.name, found.source, found.time_scale, [one.phase for one in found.phases])
        if (plan.name, plan.source, plan.time_scale, phases) == expected:
            return folder
        remarks.append(f"{folder / 'plan.json'} is another measurement's plan, and was passed over")
    return None


def _settings(path: Path, remarks: list[str]) -> Json | None:
    found = _beside(path, remarks)
    settings = None if found is None else found.get("settings")
    return settings if isinstance(settings, dict) else None


def _beside(path: Path, remarks: list[str]) -> Json | None:
    """The JSON object of a file, if it exists."""
    if not path.is_file():
        return None
    try:
        return input_file.json_object(path)
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
        text = f"the file describes {classified.product.title}; the analysis is of {name}"
        hint = "give the product file that the plan was made with"
        raise InputError("conflict", f"{product}: name", text, hint=hint)
    category, class_ = classified.found
    if (category, class_) != (found.category, found.class_):
        remarks.append(
            f"{product} is {_class(category, class_)} by its attributes; the measurement was planned for "
            f"{_class(found.category, found.class_)}"
        )
    return classified


def _named(found: Analysis, classified: Classification | None, remarks: list[str]) -> Analysis:
    """The analysis with vendor, name and class of the product file, where the plan states none."""
    if classified is None:
        return found
    stated = {"vendor": classified.product.vendor, "name": classified.product.name}
    added = {key: value for key, value in stated.items() if not found.product.get(key)}
    category, class_ = classified.found
    classless = found.class_ is None and category == found.category and class_ is not None
    if added or classless:
        names = [*added, *(["class"] if classless else [])]
        remarks.append(f"{', '.join(names)} are from --product; the plan does not state them")
    class_ = class_ if classless else found.class_
    return found.model_copy(update={"product": {**found.product, **added}, "class_": class_})


def _class(category: str | None, class_: int | None) -> str:
    return "of no category" if category is None else category if class_ is None else f"{category}-{class_}"


def _files(
    path: Path, folder: Path | None, named: Sequence[Path], remarks: list[str]
) -> Iterator[DigestedFile]:
    """Digests of the analysis, of what was named, and of everything in the folder of the measurement."""
    wanted: dict[Path, str] = {path: path.name}
    wanted |= {one: one.name for one in named}
    if folder is not None:
        inside = sorted(one for one in folder.rglob("*") if one.is_file() and not one.is_symlink())
        kept = [one for one in inside if _rests_on(one.relative_to(folder))]
        if len(kept) > _MOST_FILES:
            remarks.append(f"{folder} holds {len(kept):,} files; the first {_MOST_FILES:,} are listed")
        for one in kept[:_MOST_FILES]:
            wanted.setdefault(one, str(one.relative_to(folder)))
    for file, name in wanted.items():
        try:
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            yield DigestedFile(name, file.stat().st_size, digest)
        except OSError as error:
            remarks.append(f"{file} cannot be read for its digest: {error.strerror}")


def _rests_on(name: Path) -> bool:
    """Whether a file of a measurement's folder is an input of the analysis, not made from it."""
    made = name.parts[0] == "runs" or name.name in (ANALYSIS, "analysis.html")
    return not made and name.name not in _PASSING and not name.name.startswith(".")
