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
    parts = [*_main_job(), *_printing(), *_clusters(), *_loading(), *_metering(), *_building()]
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
    ran, said = _try_python("from iowatt import core; print(core.__version__)")
    parts.append(essential("iowatt.core._native", ran, said, "build it: maturin develop --release"))
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


def _clusters() -> list[Part]:
    version = _installed("ray")
    fix = "pip install 'iowatt[cluster]'"
    return [Part("Ray", "searches on a cluster", False, version is not None, version or "not installed", fix)]


def _loading() -> list[Part]:
    said = _output(["fio", "--version"])
    purpose = "running workloads and Emerald measurements on storage"
    return [
        Part("fio", purpose, False, said is not None, said or "not on the PATH", "apt install fio"),
        *_vdbench(purpose),
    ]


def _vdbench(purpose: str) -> list[Part]:
    """vdbench, which SNIA Emerald requires from version 2 on, and a Java that it takes."""
    from iowatt.emerald.plan import java

    program = shutil.which("vdbench")
    found, said = java()
    where = "Oracle's site, with an account; its folder onto the PATH"
    return [
        Part("vdbench", purpose, False, program is not None, program or "not on the PATH", where),
        Part("Java", purpose, False, found, said, "for vdbench: Java 8, 9, or 20 and later"),
    ]


def _metering() -> list[Part]:
    """What reads instruments on a network, and what serves them in the tests (docs/reference/meters.md)."""
    live, tests = "power meters on a network", "tests of power meters, on loopback"
    packages = [
        ("pysnmp", live, "power distribution units and UPSs by SNMP", "pip install 'iowatt[meters]'"),
        ("cryptography", live, "SNMP version 3 with encryption", "pip install 'iowatt[meters]'"),
        ("httpx", live, "Redfish, Prometheus", "pip install 'iowatt[meters]'"),
        ("PyVISA", live, "analysers by SCPI", "pip install 'iowatt[meters]'"),
        ("PyVISA-py", live, "analysers by SCPI", "pip install 'iowatt[meters]'"),
        ("snmpsim", tests, "SNMP devices", "make test installs it"),
        ("sushy-tools", tests, "a Redfish mock-up", "make test installs it"),
        ("pyghmi", tests, "a controller that speaks IPMI", "make test installs it"),
    ]
    programs = [
        ("ipmitool", live, "controllers by IPMI", "apt install ipmitool"),
        ("upsd", tests, "Network UPS Tools", "apt install nut-server"),
        ("prometheus", tests, "Prometheus", "apt install prometheus"),
    ]
    parts = [
        Part(name, purpose, False, version is not None, f"{version or 'not installed'} ({use})", fix)
        for name, purpose, use, fix in packages
        for version in [_installed(name)]
    ]
    parts += [
        Part(name, purpose, False, found is not None, f"{found or 'not on the PATH'} ({use})", fix)
        for name, purpose, use, fix in programs
        for found in [_which((name,)) or shutil.which(name, path="/usr/sbin:/sbin")]
    ]
    return sorted(parts, key=lambda part: part.purpose)


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
