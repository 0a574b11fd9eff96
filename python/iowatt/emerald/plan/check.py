"""Whether the load generators' own parsers take what was generated; our keyword check without vdbench."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_LONGEST_S: Final = 120


@dataclass(frozen=True)
class Checked:
    """A generated file, what looked at it, and what that found wrong (``None``: nothing)."""

    file: str
    by: str
    problem: str | None

    @property
    def parsed(self) -> bool:
        """Whether the tool itself read it."""
        return not self.by.startswith("iowatt")


def fio(file: str, text: str) -> Checked:
    """A job file by ``fio --parse-only``; without fio, nothing looks at it, and that is said."""
    program = shutil.which("fio")
    if program is None:
        return Checked(file, "iowatt: not checked, fio is not on the PATH", None)
    version = _version(program) or "fio"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "job.fio")
        path.write_text(text, "utf-8")
        done = _run([program, "--parse-only", str(path)], folder)
    said = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    failed = done.returncode != 0 or any("Bad option" in line or "failed parsing" in line for line in said)
    return Checked(file, f"{version} --parse-only", (said[0] if said else "refused") if failed else None)


def vdbench(file: str, text: str, variables: Sequence[str] = ()) -> Checked:
    """A parameter file by ``vdbench -s`` (all but I/O) where it is installed, else by ``keywords``."""
    program = shutil.which("vdbench")
    if program is None:
        return Checked(file, "iowatt's keyword check (vdbench is not on the PATH)", keywords(text))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.parm")
        path.write_text(text, "utf-8")
        words = [program, "-s", "-f", str(path), "-o", str(Path(folder, "out"))]
        done = _run(words + [f"{name}=100" for name in variables], folder)
    said = [line for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    if "Vdbench simulation completed successfully" in done.stdout:
        return Checked(file, "vdbench -s", None)
    return Checked(file, "vdbench -s", said[-1] if said else f"ended with code {done.returncode}")


def _run(words: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words, cwd=folder, capture_output=True, text=True, check=False, timeout=_LONGEST_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(list(words), 1, "", str(error))


@lru_cache
def _version(program: str) -> str:
    return _run([program, "--version"], ".").stdout.strip()


# What vdbench 5.04.06 takes of the keywords that we write (WD_entry.java, RD_entry.java, For_loop.java).
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
    """The first thing in a parameter file that vdbench's parser would refuse, of what we know of it."""
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
        kind, given = found
        if _KINDS.index(kind) < last:
            return f"line {number}: {kind} behind {_KINDS[last]}; the order is sd, wd, rd"
        last = _KINDS.index(kind)
        name = given[kind]
        if (kind, name) in names:
            return f"line {number}: {kind}={name} twice"
        names.add((kind, name))
        if kind == "sd" and "size" in given:
            size = int(given["size"])
        if kind == "wd":
            workloads.append(name)
            skews[name] = float(given.get("skew", 0))
        problem = (_values(given) or _band(given, size)) if kind != "rd" else _times(given, workloads, skews)
        if problem is not None:
            return f"line {number}: {problem}"
    missing = [kind for kind in _KINDS if not any(k == kind and n != "default" for k, n in names)]
    return f"no {missing[0]}= at all" if missing else None


def _definition(line: str) -> tuple[str, dict[str, str]] | str:
    pairs = re.findall(r"(\w+)=(\([^()]*\)|[^,()=\s]+)(?:,|$)", line)
    if ",".join(f"{key}={value}" for key, value in pairs) != line:
        return f"{line!r} is no list of keyword=value"
    kind = pairs[0][0]
    if kind not in _KEYWORDS:
        return f"{kind!r} begins no definition; sd, wd, rd do"
    for key, _ in pairs:
        if key not in _KEYWORDS[kind]:
            return f"{key!r} is no keyword of {kind}= that we know"
    if len(dict(pairs)) != len(pairs):
        return "a keyword twice"
    return kind, dict(pairs)


def _values(given: dict[str, str]) -> str | None:
    if not 0 <= float(given.get("rdpct", 0)) <= 100:
        return f"rdpct={given['rdpct']}: 0 to 100"
    if "streams" in given and int(given["streams"]) < 2:
        return f"streams={given['streams']}: two at least"
    numbers = [float(part) for part in given.get("xfersize", "512").strip("()").split(",")]
    if any(part % 512 for part in numbers[::2]):
        return "xfersize: multiples of 512"
    if len(numbers) > 1 and (len(numbers) % 2 or round(sum(numbers[1::2])) != 100):
        return "xfersize: pairs of size and percent that add up to 100"
    return None


def _band(given: dict[str, str], size: int) -> str | None:
    for key in ("range", "hotband"):
        if key not in given:
            continue
        low, high = (float(part) for part in given[key].strip("()").split(","))
        if not 0 <= low < high:
            return f"{key}={given[key]}: from less to more"
        if key == "hotband" and high <= 100 and size and (high - low) / 100 * size < _LEAST_BAND:
            return f"hotband={given[key]} of {size} bytes: 1 MB at least"
    return None


def _times(given: dict[str, str], workloads: Sequence[str], skews: dict[str, float]) -> str | None:
    elapsed, interval = int(given["elapsed"]), int(given["interval"])
    if elapsed < 2 * interval or elapsed % interval:
        return f"elapsed={elapsed}: a multiple of interval={interval}, two of them at least"
    wanted = given["wd"]
    chosen = [w for w in workloads if w == wanted or (wanted[-1] == "*" and w.startswith(wanted[:-1]))]
    if not chosen:
        return f"wd={wanted}: there is none"
    total = sum(skews[w] for w in chosen)
    if total and abs(total - 100) > 0.01:
        return f"wd={wanted}: skews add up to {total:g}, not 100"
    rate = given["iorate"]
    if rate not in ("max", "curve") and not rate.startswith("$") and not float(rate) > 0:
        return f"iorate={rate}: above 0"
    return None
