"""Makes a bundle of a measurement or a Run: raw files, what is claimed, digests, signature."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import InputError
from iowatt.base.overrides import without_overrides
from iowatt.emerald.analyze import Analysis
from iowatt.emerald.measurement import MANIFEST
from iowatt.emerald.plan import Plan
from iowatt.emerald.plan import read as read_plan
from iowatt.registry.bundle.archive import CHUNK, ArchiveWriter, BundleLimits
from iowatt.registry.bundle.canonical_json import canonical
from iowatt.registry.bundle.figures import analysis_figures, basis_of, run_figures
from iowatt.registry.bundle.imported import imported_from
from iowatt.registry.bundle.inputs import run_inputs, scenario_inputs
from iowatt.registry.bundle.keys import SigningKey
from iowatt.registry.bundle.names import NameSet
from iowatt.registry.bundle.reader import files_of
from iowatt.registry.bundle.submission import (
    SIGNATURE,
    SUBMISSION,
    SUBMISSION_SCHEMA,
    RulesDigest,
    Submission,
    SubmittedFile,
    product_of,
    signed_bytes,
)
from iowatt.run import bundle as run_bundle
from iowatt.run import provenance
from iowatt.run.bundle import Run

MEASUREMENT: Final = "measurement"
RUN: Final = "run"
ANALYSIS: Final = "analysis.json"
#: Of a measurement's folder: what is made of the rest, and what its process needs only while it runs.
_LEFT_OUT: Final = ("analysis.html", "lock", "reserve", "runs/")


@dataclass(frozen=True)
class PreparedSubmission:
    """A submission before it is signed: its document, and the files by their names."""

    submission: Submission
    files: Mapping[str, Path]


def prepare(path: Path, facets: Mapping[str, str], *, base: Path | None = None) -> PreparedSubmission:
    """A submission of a measurement folder or a Run; ``facets`` describe the product.

    ``base``: folder that paths of a Run's scenario or raw files count from; by default the current directory,
    of a scenario its own folder. Raises ``InputError``: it is neither, lacks what must be submitted, or the
    product is not known.
    """
    if (path / MANIFEST).is_file():
        return _measurement(path, facets)
    if run_bundle.is_bundle(path):
        return _run(path, facets, base)
    text = "this is neither a measurement of `iowatt emerald run` nor a Run"
    code = "wrong-format" if path.exists() else "not-found"
    raise InputError(code, str(path), text)


def write(prepared: PreparedSubmission, key: SigningKey, target: Path, *, force: bool = False) -> str:
    """Sign a submission and write its bundle; its SHA-256. Raises ``InputError``: it cannot be written."""
    atomic_path.refuse_existing(target, force=force)
    head = canonical(json.loads(prepared.submission.model_dump_json(by_alias=True)))
    signature = {
        "schema": "iowatt.signature/1",
        "public_key": key.public,
        "signature": key.sign(signed_bytes(head)),
    }
    with atomic_path.file(target) as made:
        with made.open("wb") as file:
            writer = ArchiveWriter(file)
            writer.add(SUBMISSION, head)
            writer.add(SIGNATURE, canonical(signature))
            for name in sorted(prepared.files):
                writer.add(name, prepared.files[name])
            sha256 = writer.close()
        atomic_path.sync(made)
    return sha256


def _measurement(folder: Path, facets: Mapping[str, str]) -> PreparedSubmission:
    plan = read_plan(folder / "plan.json")
    file = folder / ANALYSIS
    hint = f"create it with `iowatt emerald analyze {folder}`"
    raw = input_file.whole(file, "an analysis", input_file.RESULT_BYTES, hint=hint)
    try:
        analysis = Analysis.model_validate_json(raw)
    except ValidationError as error:
        text = f"is not an analysis of this version: {error.errors()[0]['msg']}"
        raise InputError("wrong-format", str(file), text, hint=hint) from None
    files = {f"{MEASUREMENT}/{name}": folder / name for name in _raw_files(folder)}
    scenario = None
    if plan.source == "simulation":
        scenario, inputs = scenario_inputs(_scenario_of(plan, folder))
        files |= inputs
    submission = {
        "kind": "emerald",
        "basis": basis_of(analysis),
        "title": _title(analysis.name),
        "product": product_of(facets, plan.product),
        "category": analysis.system_class,
        "rules": RulesDigest(profile=analysis.rules.profile, sha256=analysis.rules.sha256),
        "figures": analysis_figures(analysis),
        "scenario": scenario,
    }
    return _prepared(submission, files)


def _raw_files(folder: Path) -> Iterable[str]:
    limits = BundleLimits(files=10 * BundleLimits().files)
    return (
        name
        for name in files_of(folder, limits)
        if not name.startswith((*_LEFT_OUT, ".")) and "/.iowatt-" not in name
    )


def _scenario_of(plan: Plan, folder: Path) -> Path:
    if plan.target.scenario is None:
        raise InputError("missing", str(folder / "plan.json"), "the plan has no scenario")
    return Path(plan.target.scenario)


def _run(folder: Path, facets: Mapping[str, str], base: Path | None) -> PreparedSubmission:
    run = Run.open(folder)
    names = ["run.json", "plan.json", "scenario.toml"]
    names += [f"{name}.parquet" for name in (*run_bundle.TABLES, *run_bundle.OPTIONAL)]
    files = {f"{RUN}/{name}": folder / name for name in names if (folder / name).is_file()}
    more: dict[str, Any] = {}
    modelled = run.summary["source"] == "simulation"
    if modelled:
        text, overrides = without_overrides(run.scenario_text)
        more["scenario"], inputs = run_inputs(text, overrides, base or _base_of(run))
    else:
        more["imported"], inputs = imported_from(run, base or Path())
    files |= inputs
    submission = {
        "kind": "run",
        "basis": "modelled" if modelled else "measured",
        "title": _title(run.name),
        "product": product_of(facets, {"name": run.name}),
        "figures": run_figures(run.summary),
        **more,
    }
    return _prepared(submission, files)


def _base_of(run: Run) -> Path:
    """The folder of the scenario that a Run was made of, by its provenance."""
    inputs = (run.summary.get("provenance") or {}).get("inputs") or []
    first = inputs[0]["path"] if inputs else None
    if isinstance(first, str) and first.endswith(".toml") and Path(first).is_file():
        return Path(first).parent
    return Path()


def _title(name: str) -> str:
    """A name in one line."""
    return "".join(one if one.isprintable() else " " for one in name).strip()[:200] or "untitled"


def _prepared(values: Mapping[str, Any], files: Mapping[str, Path]) -> PreparedSubmission:
    names = NameSet()
    limits, total = BundleLimits(), 0
    listed = []
    for number, name in enumerate(sorted(files), 1):
        names.add(name)
        one = _digested(name, files[name])
        total += one.size
        limits.check(number, one.size, total, name)
        listed.append(one)
    submission = Submission.model_validate(
        {
            "schema": SUBMISSION_SCHEMA,
            "iowatt": version("iowatt"),
            "made": provenance.now(),
            "files": listed,
            **values,
        }
    )
    return PreparedSubmission(submission, files)


def _digested(name: str, path: Path) -> SubmittedFile:
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror}") from None
    return SubmittedFile(name=name, size=size, sha256=digest.hexdigest())
