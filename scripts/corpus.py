"""Record the figures that iowatt prints and writes, and compare a later version's with them.

    python scripts/corpus.py compare [--only PATTERN]   exit 1 where a figure differs or is missing
                             [--within 1e-12]           numbers may differ by that share of themselves
    python scripts/corpus.py record [--only PATTERN]    replace the recording of these cases

``tests/corpus/commands.toml`` lists the cases: commands that run in order in an empty folder, and the
documents that are compared. Its ``left_out`` rules say which figures do not depend on the input alone, as
wall times do. Text is not compared; the report names documents whose text changed. A key that was renamed on
purpose is listed in ``tests/corpus/renamed.toml``. A figure that is new is no difference, but is reported.

The reference is the version that recorded: ``record --iowatt /path/to/old/.venv/bin/iowatt``.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from figures import Document, Figure, read

ROOT: Final = Path(__file__).resolve().parent.parent
CORPUS: Final = ROOT / "tests" / "corpus"
RECORDING: Final = CORPUS / "recording.json.gz"

#: Differences printed of one case.
SHOWN: Final = 12


@dataclass(frozen=True)
class Case:
    """Commands that run in order in one folder, and what is compared afterwards."""

    name: str
    commands: tuple[str, ...]
    documents: tuple[str, ...] = ("*.json",)
    #: Files written before the first command: name to content.
    files: Mapping[str, str] = field(default_factory=dict)
    #: Patterns of key paths that this case leaves out.
    left_out: tuple[str, ...] = ()
    #: Compare which keys there are, not their values: what depends on the machine.
    keys_only: bool = False


@dataclass(frozen=True)
class Renamed:
    """An old address (``case/document#key.path``, with ``*`` for anything) and the new one; None: dropped."""

    old: re.Pattern[str]
    new: str | None
    #: Old value to new value, for names that were renamed.
    values: Mapping[str, str]

    def __call__(self, address: str, value: Figure) -> tuple[str, Figure] | None:
        """Return the new address and value; the same ones if the rule does not apply, None if dropped."""
        match = self.old.fullmatch(address)
        if match is None:
            return address, value
        if self.new is None:
            return None
        parts = iter(match.groups())
        value = self.values.get(value, value) if isinstance(value, str) else value
        return re.sub(r"\*", lambda _: next(parts), self.new), value


def run(case: Case, iowatt: Path, rules: Iterable[str]) -> dict[str, Document]:
    """Run a case in a folder of its own; return its documents by path; ``exit`` holds the exit codes."""
    rules = (*rules, *(f".{rule}" for rule in case.left_out))
    with tempfile.TemporaryDirectory(prefix="corpus-") as folder:
        place = Path(folder)
        for name, text in case.files.items():
            binary = text.startswith("base64:")
            (place / name).write_bytes(base64.b64decode(text[7:]) if binary else text.encode())
        before = set(place.iterdir())
        for name, target in (("examples", ROOT / "examples"), ("data", ROOT / "tests" / "data")):
            (place / name).symlink_to(target)
        codes = {str(index): execute(command, iowatt, place) for index, command in enumerate(case.commands)}
        found = {"exit": Document(dict(codes))}
        for pattern in case.documents:
            for path in sorted(set(place.glob(pattern)) - before):
                found[path.relative_to(place).as_posix()] = read(path, rules)
    if case.keys_only:
        for one in found.values():
            one.figures = dict.fromkeys(one.figures, "present")
            one.text = ""
    return found


def execute(command: str, iowatt: Path, place: Path) -> int:
    """Run one command line through the shell and return its exit code; tell of one that is not 0."""
    environment = {
        **os.environ,
        "PATH": f"{iowatt.parent}{os.pathsep}{os.environ['PATH']}",
        **{"TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "NO_COLOR": "1"},
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        message = done.stderr.decode().strip().partition("\n")[0]
        sys.stderr.write(f"exit {done.returncode}: {command}\n    {message}\n")
    return done.returncode


def alike(old: Figure, new: Figure, within: float) -> bool:
    """Tell whether a figure is what it was, a number to the share ``within`` of itself."""
    if isinstance(old, float) and isinstance(new, float) and within:
        return math.isclose(old, new, rel_tol=within)
    return old == new


def compare(recorded: Mapping[str, Figure], present: Mapping[str, Figure], within: float = 0.0) -> list[str]:
    """Return what became of the recorded figures, a line for each that changed or is missing."""
    added = defaultdict(list)
    for address in present.keys() - recorded.keys():
        added[str(present[address])].append(address)
    found = []
    for address, old in recorded.items():
        if address not in present:
            hint = min(
                added[str(old)],
                key=lambda one: (one.split(".")[-1] != address.split(".")[-1], one),
                default="",
            )
            found.append(f"{address}: {old!r} is missing" + (f"; same value: {hint}" if hint else ""))
        elif not alike(old, present[address], within):
            found.append(f"{address}: {old!r} -> {present[address]!r}")
    return found


def addressed(documents: Mapping[str, Document], rules: Iterable[Renamed] = ()) -> dict[str, Figure]:
    """Return the figures of documents by address, renamed by the rules."""
    found = {}
    for name, document in documents.items():
        for key, value in document.figures.items():
            pair: tuple[str, Figure] | None = (f"{name}#{key}", value)
            for rule in rules:
                pair = rule(*pair) if pair else None
            if pair:
                found[pair[0]] = pair[1]
    return found


def load_commands(only: list[str]) -> tuple[list[Case], list[str]]:
    """Return the cases that match, and the rules of what is left out everywhere."""
    given = tomllib.loads((CORPUS / "commands.toml").read_text(encoding="utf-8"))
    cases = [
        Case(**{key: tuple(v) if isinstance(v, list) else v for key, v in one.items()})
        for one in given["case"]
    ]
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), "two cases of one name"
    return [case for case in cases if any(fnmatch(case.name, one) for one in only)], [
        rule["key"] for rule in given["left_out"]
    ]


def load_renamed() -> list[Renamed]:
    """Return the renames, each of which must say why."""
    given = tomllib.loads((CORPUS / "renamed.toml").read_text(encoding="utf-8")).get("renamed", [])
    assert all(rule["reason"] for rule in given), "a rename needs a reason"
    return [
        Renamed(
            re.compile(re.escape(rule["old"]).replace(r"\*", "(.*?)")),
            None if rule.get("dropped") else rule.get("new", rule["old"]),
            rule.get("values", {}),
        )
        for rule in given
    ]


def load_recording() -> dict[str, Document]:
    """Return the recorded documents by ``case/document``."""
    if not RECORDING.exists():
        return {}
    return {
        name: Document(**one) for name, one in json.loads(gzip.decompress(RECORDING.read_bytes())).items()
    }


def save_recording(documents: Mapping[str, Document]) -> None:
    """Write the recording: the same documents give the same bytes."""
    plain = {name: vars(documents[name]) for name in sorted(documents)}
    RECORDING.write_bytes(gzip.compress(json.dumps(plain, indent=0).encode(), mtime=0))


def report(recorded: Mapping[str, Document], present: Mapping[str, Document], within: float = 0.0) -> int:
    """Print what differs, what is new, and where text changed; return the exit code."""
    old, new = addressed(recorded, load_renamed()), addressed(present)
    different = compare(old, new, within)
    added = [f"{address}: new, {value!r}" for address, value in new.items() if address not in old]
    for lines in (different, added):
        cases: dict[str, list[str]] = defaultdict(list)
        for line in lines:
            cases[line.partition("/")[0]].append(line)
        for name, found in cases.items():
            more = [f"{name}: {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            print("\n".join(found[:SHOWN] + more))
    reworded = [name for name, one in recorded.items() if name in present and present[name].text != one.text]
    print("\n".join(f"text changed: {name}" for name in reworded), end="\n" if reworded else "")
    print(f"{len(old):,} figures: {len(different)} differ, {len(added)} are new")
    return 1 if different else 0


def main() -> int:
    """Record or compare; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("--only", action="append", metavar="PATTERN", help="cases: 'run-*'; may be repeated")
    parser.add_argument("--iowatt", type=Path, default=Path(sys.executable).parent / "iowatt")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="cases at a time")
    parser.add_argument("--within", type=float, default=0.0, help="share by which numbers may differ")
    asked = parser.parse_args()

    cases, rules = load_commands(asked.only or ["*"])
    with ThreadPoolExecutor(asked.jobs) as pool:
        ran = pool.map(lambda case: run(case, asked.iowatt.absolute(), rules), cases)
        present = {
            f"{case.name}/{at}": one
            for case, found in zip(cases, ran, strict=True)
            for at, one in found.items()
        }
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{sum(len(case.commands) for case in cases)} commands in {len(cases)} cases, ", end="")
    print(f"{used.ru_utime + used.ru_stime:.0f} s of CPU")

    names = {case.name for case in cases}
    recorded = load_recording()
    if asked.what == "compare":
        chosen = {at: one for at, one in recorded.items() if at.partition("/")[0] in names}
        return report(chosen, present, asked.within)
    kept = {at: one for at, one in recorded.items() if asked.only and at.partition("/")[0] not in names}
    save_recording(kept | present)
    print(f"recorded {len(present)} documents, {sum(len(one.figures) for one in present.values()):,} figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
