"""Submissions that tests are about: a small one of three files, and a measurement of a simulated array."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from iowatt.registry import bundle
from iowatt.registry.bundle.archive import ArchiveWriter
from iowatt.registry.bundle.submission import signed_bytes

ROOT = Path(__file__).parents[2]
FACETS = {
    "vendor": "Example",
    "name": "Array 240",
    "family": "Array 200",
    "form": "rack",
    "protocol": "FC",
    "controller": "lower",
    "drive": "sff-15k",
    "drives": "12",
    "raid": "raid-5",
}
sys.path.insert(0, str(ROOT / "tests" / "emerald"))


def measured(folder: Path, *, seconds: float = 4.0) -> Path:
    """A measurement of a simulated array, run and analysed; its folder."""
    import conducted

    from iowatt.emerald import analyze
    from iowatt.emerald.conduct import conduct
    from iowatt.emerald.conduct.begin import read_plan
    from iowatt.emerald.conduct.drivers import SimulationDriver
    from iowatt.emerald.conduct.folder import MeasurementFolder
    from iowatt.emerald.rules import load

    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "examples" / "emerald-small.toml", folder / "array.toml")
    stages = [one for one in conducted.short(measured=seconds, warmup=2.0) if one["id"] != "fill"]
    rules = load("emerald-4.0.0")
    path = conducted.plan(
        folder,
        stages,
        source="simulation",
        target={"scenario": "array.toml"},
        raw_capacity_bytes=7_300_000_000_000,
        rules={"profile": rules.name, "sha256": rules.sha256, "version": rules.version},
    )
    plan = read_plan(path)
    out = folder / "measurement"
    opened = MeasurementFolder(out, plan)
    conduct(plan, SimulationDriver(), opened)
    opened.close()
    analysed = analyze.measurement(out)
    analyze.write(analyze.judge(analysed, rules), analysed, out)
    return out


def signing_key(folder: Path, name: str = "key") -> bundle.SigningKey:
    path = folder / name
    if not path.exists():
        bundle.make_key(path)
    return bundle.SigningKey(path)


def small(folder: Path) -> bundle.PreparedSubmission:
    """A submission of three short files, whose content nobody reads."""
    import hashlib

    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, content in {
        "run/run.json": "{}\n",
        "run/a.bin": "\x01\x02\x03",
        "inputs/x.toml": "a = 1\n",
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, "utf-8")
        files[name] = path
    listed = [
        {"name": name, "size": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for name, path in sorted(files.items())
    ]
    document = {
        "schema": "iowatt.submission/1", "kind": "run", "basis": "modelled", "title": "small",
        "product": {"vendor": "Example", "name": "Array 240"}, "figures": [], "iowatt": "0.1.0",
        "made": "2026-11-30T12:00:00Z", "files": listed,
    }  # fmt: skip
    submission = bundle.Submission.model_validate_json(json.dumps(document))
    return bundle.PreparedSubmission(submission, files)


def written(prepared: bundle.PreparedSubmission, key: bundle.SigningKey, path: Path) -> Path:
    bundle.write(prepared, key, path, force=True)
    return path


def signed_again(folder: Path, key: bundle.SigningKey, target: Path, **changes: object) -> Path:
    """The bundle of an unpacked folder, its files as they are now and signed, so that it holds."""
    import hashlib

    document = json.loads((folder / "submission.json").read_bytes()) | changes
    names = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("submission.json", "signature.json")
    )
    document["files"] = [
        {
            "name": name,
            "size": (folder / name).stat().st_size,
            "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
        }
        for name in names
    ]
    return raw_bundle(document, key, [(name, folder / name) for name in names], target)


def raw_bundle(document: dict, key: bundle.SigningKey, files: list, target: Path) -> Path:
    """An archive of a document, its signature, and files in the order given, right or wrong."""
    head = bundle.canonical(document)
    signature = {
        "schema": "iowatt.signature/1",
        "public_key": key.public,
        "signature": key.sign(signed_bytes(head)),
    }
    with target.open("wb") as file:
        writer = ArchiveWriter(file)
        writer.add("submission.json", head)
        writer.add("signature.json", bundle.canonical(signature))
        for name, content in files:
            writer.add(name, content)
        writer.close()
    return target


def unpacked(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    bundle.read(path, into=folder)
    return folder
