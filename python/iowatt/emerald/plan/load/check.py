"""Checks generated files by the load generators' own parsers, or without vdbench by a check of keywords."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from iowatt.base.results import Result

_LONGEST_S: Final = 120


class PlannedFile(Result):
    """A file for a load generator, with the result of its parser."""

    path: str
    what: str  #: In a line.
    checked_by: str
    parsed: bool  #: Whether the tool itself read it.
    problem: str | None


def fio(path: str, text: str, what: str = "") -> PlannedFile:
    """Check a job file by ``fio --parse-only``; without fio it is not checked."""
    program = shutil.which("fio")
    if program is None:
        by = "iowatt: not checked, fio is not on the PATH"
        return PlannedFile(path=path, what=what, checked_by=by, parsed=False, problem=None)
    by = f"{_version(program) or 'fio'} --parse-only"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "job.fio")
        file.write_text(text, "utf-8")
        done = _run([program, "--parse-only", str(file)], folder)
    lines = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    failed = done.returncode != 0 or any("Bad option" in line or "failed parsing" in line for line in lines)
    problem = (lines[0] if lines else "refused") if failed else None
    return PlannedFile(path=path, what=what, checked_by=by, parsed=True, problem=problem)


def vdbench(path: str, text: str, what: str = "", variables: Sequence[str] = ()) -> PlannedFile:
    """Check a parameter file by ``vdbench -s`` (all but I/O) where it is installed, else by ``keywords``."""
    program = shutil.which("vdbench")
    if program is None:
        by = "iowatt's keyword check (vdbench is not on the PATH)"
        return PlannedFile(path=path, what=what, checked_by=by, parsed=False, problem=keywords(text))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "run.parm")
        file.write_text(text, "utf-8")
        words = [program, "-s", "-f", str(file), "-o", str(Path(folder, "out"))]
        done = _run(words + [f"{name}=100" for name in variables], folder)
    lines = [line for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    failed = "Vdbench simulation completed successfully" not in done.stdout
    problem = (lines[-1] if lines else f"ended with code {done.returncode}") if failed else None
    return PlannedFile(path=path, what=what, checked_by="vdbench -s", parsed=True, problem=problem)


def _run(words: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words, cwd=folder, capture_output=True, text=True, check=False, timeout=_LONGEST_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(list(words), 1, "", str(error))


_ASKING: Final = threading.Lock()


def _version(program: str) -> str:
    with _ASKING:  # files are checked side by side, and the first of them asks for all
        return _printed_version(program)


@lru_cache
def _printed_version(program: str) -> str:
    return _run([program, "--version"], ".").stdout.strip()


# Keywords of vdbench 5.04.06 that our files have (WD_entry.java, RD_entry.java, For_loop.java).
_KINDS: Final = ("sd", "wd", "rd")
_KEYWORDS: Final = {
    "sd": {"sd", "lun", "size", "openflags"},
    "wd": {"wd", "sd", "skew", "rdpct", "seekpct", "range", "hotband", "xfersize", "streams"},
    "rd": {
        "rd", "wd", "iorate", "elapsed", "interval", "warmup", "threads", "forthreads", "maxdata",
        "curve", "stopcurve", "distribution",
    },
}  # fmt: skip
_LEAST_BAND: Final = 1_000_000


def keywords(text: str) -> str | None:
    """The first error in a parameter file that vdbench's parser would refuse, as far as known here."""
    names: set[tuple[str, str]] = set()
    workloads: list[str] = []
    skews: dict[str, float] = {}
    size, last = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("*"):
            continue
        found = _definition(line)
        if isinstance(found, str):
            return f"line {number}: {found}"
        kind, values = found
        if _KINDS.index(kind) < last:
            return f"line {number}: {kind} after {_KINDS[last]}; the order is sd, wd, rd"
        last = _KINDS.index(kind)
        name = values[kind]
        if (kind, name) in names:
            return f"line {number}: {kind}={name} twice"
        names.add((kind, name))
        if kind == "sd" and "size" in values:
            size = int(values["size"])
        if kind == "wd":
            workloads.append(name)
            skews[name] = float(values.get("skew", 0))
        problem = (
            (_values(values) or _band(values, size)) if kind != "rd" else _times(values, workloads, skews)
        )
        if problem is not None:
            return f"line {number}: {problem}"
    missing = [kind for kind in _KINDS if not any(k == kind and n != "default" for k, n in names)]
    return f"no {missing[0]}= at all" if missing else None


def _definition(line: str) -> tuple[str, dict[str, str]] | str:
    pairs = re.findall(r"(\w+)=(\([^()]*\)|[^,()=\s]+)(?:,|$)", line)
    if ",".join(f"{key}={value}" for key, value in pairs) != line:
        return f"{line!r} is not a list of keyword=value"
    kind = pairs[0][0]
    if kind not in _KEYWORDS:
        return f"{kind!r} does not begin a definition; expected sd, wd or rd"
    for key, _ in pairs:
        if key not in _KEYWORDS[kind]:
            return f"{key!r} is not a known keyword of {kind}="
    if len(dict(pairs)) != len(pairs):
        return "a keyword appears twice"
    return kind, dict(pairs)


def _values(values: dict[str, str]) -> str | None:
    if not 0 <= float(values.get("rdpct", 0)) <= 100:
        return f"rdpct={values['rdpct']}: 0 to 100"
    if "streams" in values and int(values["streams"]) < 2:
        return f"streams={values['streams']}: two at least"
    numbers = [float(part) for part in values.get("xfersize", "512").strip("()").split(",")]
    if any(part % 512 for part in numbers[::2]):
        return "xfersize: multiples of 512"
    if len(numbers) > 1 and (len(numbers) % 2 or round(sum(numbers[1::2])) != 100):
        return "xfersize: pairs of size and percent that add up to 100"
    return None


def _band(values: dict[str, str], size: int) -> str | None:
    for key in ("range", "hotband"):
        if key not in values:
            continue
        low, high = (float(part) for part in values[key].strip("()").split(","))
        if not 0 <= low < high:
            return f"{key}={values[key]}: expected from less to more"
        if key == "hotband" and high <= 100 and size and (high - low) / 100 * size < _LEAST_BAND:
            return f"hotband={values[key]} of {size} bytes: 1 MB at least"
    return None


def _times(values: dict[str, str], workloads: Sequence[str], skews: dict[str, float]) -> str | None:
    elapsed, interval = int(values["elapsed"]), int(values["interval"])
    if elapsed < 2 * interval or elapsed % interval:
        return f"elapsed={elapsed}: a multiple of interval={interval}, two of them at least"
    wanted = values["wd"]
    chosen = [w for w in workloads if w == wanted or (wanted[-1] == "*" and w.startswith(wanted[:-1]))]
    if not chosen:
        return f"wd={wanted}: there is no such workload"
    total = sum(skews[w] for w in chosen)
    if total and abs(total - 100) > 0.01:
        return f"wd={wanted}: skews add up to {total:g}, not 100"
    rate = values["iorate"]
    if rate not in ("max", "curve") and not rate.startswith("$") and not float(rate) > 0:
        return f"iorate={rate}: above 0"
    return None
