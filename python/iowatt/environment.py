"""What this machine has of what iowatt needs: for the main job, for PDF and browser tests, for building.

Only what this version uses is looked for. The parts that can take the process down on a strange machine (a
compiled extension, Polars on a processor that lacks its instructions) are tried in a process of their own.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any, Final

_PYTHON: Final = (3, 11)
_PACKAGES: Final = ("numpy", "pydantic", "jinja2", "rich", "typer", "xlsxwriter")
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_COMPILERS: Final = ("cc", "gcc", "clang")
_RUST: Final = (1, 88)


@dataclass(frozen=True)
class Part:
    """One thing that is installed or is missing."""

    name: str
    purpose: str
    essential: bool
    found: bool
    detail: str
    fix: str


def survey() -> dict[str, Any]:
    """Everything `iowatt doctor` prints: the parts, the machine, and whether the main job can run."""
    parts = [*_main_job(), *_printing(), *_loading(), *_building()]
    return {
        "schema": "iowatt.doctor/1",
        "ready": all(part.found for part in parts if part.essential),
        "parts": [asdict(part) for part in parts],
        "machine": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "cores": cores(),
            "memory_bytes": memory_bytes(),
        },
    }


def cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def memory_bytes() -> int | None:
    """Main memory, where the system says."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def _main_job() -> list[Part]:
    def essential(name: str, found: bool, detail: str, fix: str) -> Part:
        return Part(name, "simulation and reports", True, found, detail, fix)

    wanted = ".".join(map(str, _PYTHON))
    parts = [
        essential(
            "Python",
            sys.version_info[:2] >= _PYTHON,
            platform.python_version(),
            f"install Python {wanted} or later",
        )
    ]
    ran, said = _try_python("import iowatt._core as core; print(core.__version__)")
    parts.append(essential("iowatt._core", ran, said, "build it: maturin develop --release"))
    ran, said = _try_python(
        "import polars as pl; pl.Series([1, 2]).sum(); print(pl.__version__ + ', runs on this processor')"
    )
    parts.append(
        essential(
            "Polars", ran, said, "pip install polars; for old processors: pip install 'polars[rtcompat]'"
        )
    )
    for name in _PACKAGES:
        version = _installed(name)
        parts.append(essential(name, version is not None, version or "not installed", f"pip install {name}"))
    return parts


def _printing() -> list[Part]:
    playwright, chromium = _installed("playwright"), _which(BROWSERS)
    return [
        Part(
            "Chromium",
            "reports as PDF",
            False,
            chromium is not None,
            chromium or "not on the PATH",
            "apt install chromium",
        ),
        Part(
            "Playwright",
            "browser tests (with Chromium)",
            False,
            playwright is not None,
            playwright or "not installed",
            "make test installs it",
        ),
    ]


def _loading() -> list[Part]:
    said = _output(["fio", "--version"])
    purpose = "running exported workloads on storage"
    return [Part("fio", purpose, False, said is not None, said or "not on the PATH", "apt install fio")]


def _building() -> list[Part]:
    compiler = _which(_COMPILERS)
    said = _output(["cargo", "--version"])
    version = re.search(r"(\d+)\.(\d+)", said or "")
    recent = version is not None and (int(version[1]), int(version[2])) >= _RUST
    purpose = "building from source"
    wanted = ".".join(map(str, _RUST))
    return [
        Part(
            "Rust",
            purpose,
            False,
            recent,
            said or "not on the PATH",
            f"install Rust {wanted} or later (rustup)",
        ),
        Part(
            "C compiler",
            purpose,
            False,
            compiler is not None,
            compiler or "not on the PATH",
            "apt install gcc",
        ),
    ]


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _which(names: tuple[str, ...]) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


def _output(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _try_python(code: str) -> tuple[bool, str]:
    """Run a line in a fresh interpreter: whether it ended well, and its last line or why it did not."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return False, str(error)
    if done.returncode < 0:
        return False, f"ended by signal {-done.returncode}: the processor may lack instructions that it uses"
    text = (done.stdout if done.returncode == 0 else done.stderr).strip()
    return done.returncode == 0, text.splitlines()[-1] if text else f"exit code {done.returncode}"
