"""What a hostile submission could name to be read: every such path must stay in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.emerald.conduct import CALL, call_of
from iowatt.emerald.hosts import HOSTS
from iowatt.emerald.measurement import events
from iowatt.emerald.plan import Plan
from iowatt.model.scenario import file_keys, scenario_document
from iowatt.sources import meters
from iowatt.sources.meters.recording import file_name


def check_measurement(folder: Path, plan: Plan) -> None:
    """Raise ``InputError`` where the journal, a record or an instrument leads out of ``folder``."""
    for event in events(folder):
        if event.event == "stage-started":
            _inside(folder, folder / event.values["folder"], "journal.jsonl: folder")
    for file in folder.rglob(CALL):
        output, _ = call_of(file.parent)
        _inside(folder, output, f"{file.relative_to(folder)}: output")
    for file in folder.rglob(HOSTS):
        if file.is_file():
            _check_hosts(file, folder)
    for instrument in plan.instruments:
        if not meters.is_live(instrument.source):
            _check_log(folder, instrument.name, instrument.source)


def _check_hosts(file: Path, folder: Path) -> None:
    listed = input_file.json_object(file).get("hosts")
    for one in listed if isinstance(listed, list) else []:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(name, str) or "/" in name or name in ("", ".", ".."):
            place = f"{file.relative_to(folder)}: hosts"
            raise InputError("not-accepted", place, "the name of a host is not a plain name")


def _check_log(folder: Path, name: str, source: str) -> None:
    """The log of an instrument was copied into the measurement, and is read from there."""
    path = meters.find(source)[0].path
    copy = folder / "meters" / f"{file_name(name)}-log{Path(path).suffix}"
    place = f"plan.json: instruments.{name}"
    if not copy.is_file():
        text = "the log of this instrument is not in the measurement"
        raise InputError("not-found", place, text, hint="`iowatt emerald run` copies logs to meters/")
    if meters.find(source.replace(path, str(copy), 1))[0].path != str(copy):
        raise InputError("not-accepted", place, "the address of the log is not that of a plain file")


def _inside(folder: Path, path: Path, place: str) -> None:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError("not-accepted", place, "this leads out of the measurement")


def check_scenario(text: str, overrides: Sequence[str], base: Path, root: Path) -> None:
    """Raise ``InputError`` where a scenario names a file that is not below ``root``, or standard input."""
    document = scenario_document(text, "scenario.toml", overrides, base)
    for path, table, key in file_keys(document.raw):
        named = table[key]
        for name in named if isinstance(named, list) else [named]:
            place = document.place(path)
            if not isinstance(name, str) or name == "-" or "\0" in name:
                raise InputError("not-accepted", place, "expected the name of a file of the submission")
            if not (base / name).resolve().is_relative_to(root.resolve()):
                raise InputError("not-accepted", place, "this file is not one of the submission")
