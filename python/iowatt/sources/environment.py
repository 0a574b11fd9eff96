"""What this machine has of what iowatt needs: for simulation and reports, for measuring, for building.

Only what this version uses is looked for. What can end the process on an unusual machine (a compiled
extension, Polars on a processor that lacks its instructions) is tried in a process of its own.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Final, Literal, NamedTuple

from pydantic import Field

from iowatt.base.processors import cores
from iowatt.base.results import Result, ResultDocument
from iowatt.render.pdf import BROWSERS

_PYTHON: Final = (3, 11)
_RUST: Final = (1, 88)
_JAVA_REFUSED: Final = range(10, 20)
_LIBRARIES: Final = ("numpy", "pydantic", "jinja2", "rich", "typer", "xlsxwriter")
_ADMIN_PATH: Final = "/usr/sbin:/sbin"

_MAIN: Final = "simulation and reports"
_LOAD: Final = "running workloads and Emerald measurements on storage"
_METERS: Final = "power meters on a network"
_METER_TESTS: Final = "tests of power meters, on loopback"
_BUILD: Final = "building from source"
_EXTRA: Final = "pip install 'iowatt[meters]'"
_BY_TESTS: Final = "make test installs it"


class InstalledPart(Result):
    """A program or a package that is installed or missing."""

    name: str
    purpose: str
    essential: bool  # without it no scenario can be run
    found: bool
    detail: str  # version or path, else why it does not count as found
    fix: str  # how to get it


class Machine(Result):
    """The computer that iowatt runs on."""

    system: str
    processor: str
    cores: int  # that this process may use
    memory_bytes: int | None


class Doctor(ResultDocument):
    """What is installed, and what missing components prevent."""

    schema_id: Literal["iowatt.doctor/1"] = Field(default="iowatt.doctor/1", alias="schema")
    ready: bool  # whether all essential components are there
    parts: list[InstalledPart]
    machine: Machine


class _Wanted(NamedTuple):
    """A Python package, or a program by the commands that it may have."""

    name: str
    purpose: str
    fix: str
    use: str = ""
    commands: tuple[str, ...] = ()


_PRINTING: Final = (
    _Wanted("Chromium", "reports as PDF", "apt install chromium", commands=BROWSERS),
    _Wanted("Playwright", "browser tests (with Chromium)", _BY_TESTS),
    _Wanted("Ray", "searches on a cluster", "pip install 'iowatt[cluster]'"),
)
_METERING: Final = (
    _Wanted("pysnmp", _METERS, _EXTRA, "power distribution units and UPSs by SNMP"),
    _Wanted("cryptography", _METERS, _EXTRA, "SNMP version 3 with encryption"),
    _Wanted("httpx", _METERS, _EXTRA, "Redfish, Prometheus"),
    _Wanted("PyVISA", _METERS, _EXTRA, "analysers by SCPI"),
    _Wanted("PyVISA-py", _METERS, _EXTRA, "analysers by SCPI"),
    _Wanted("ipmitool", _METERS, "apt install ipmitool", "controllers by IPMI", ("ipmitool",)),
    _Wanted("snmpsim", _METER_TESTS, _BY_TESTS, "SNMP devices"),
    _Wanted("pymodbus", _METER_TESTS, _BY_TESTS, "Modbus devices"),
    _Wanted("sushy-tools", _METER_TESTS, _BY_TESTS, "a Redfish mock-up"),
    _Wanted("pyghmi", _METER_TESTS, _BY_TESTS, "a controller that speaks IPMI"),
    _Wanted("upsd", _METER_TESTS, "apt install nut-server", "Network UPS Tools", ("upsd",)),
    _Wanted("prometheus", _METER_TESTS, "apt install prometheus", "Prometheus", ("prometheus",)),
)


def survey() -> Doctor:
    """Look for all components; this starts processes and reads metadata of packages."""
    parts = [*_essential(), *map(_looked_up, _PRINTING), *_load_generators(), *map(_looked_up, _METERING)]
    parts += [
        _rust(),
        _looked_up(_Wanted("C compiler", _BUILD, "apt install gcc", "", ("cc", "gcc", "clang"))),
    ]
    machine = Machine(
        system=platform.platform(), processor=platform.machine(), cores=cores(), memory_bytes=memory_bytes()
    )
    return Doctor(ready=all(part.found for part in parts if part.essential), parts=parts, machine=machine)


def memory_bytes() -> int | None:
    """Main memory, where the system tells it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return None


def java() -> tuple[bool, str]:
    """Whether there is a Java that vdbench accepts, and which (5.04.06 reads version digits one by one)."""
    version = re.search(r'version "(\d+)', output_of(["java", "-version"]) or "")
    if version is None:
        return False, "no Java on the PATH, and vdbench needs one"
    if int(version[1]) in _JAVA_REFUSED:
        return False, f"Java {version[1]}; vdbench 5.04.06 refuses 10 to 19"
    return True, f"Java {version[1]}"


def fio_version() -> str | None:
    """What ``fio --version`` prints; None where there is no fio that runs."""
    return (output_of(["fio", "--version"]) or "").strip() or None


def output_of(words: Sequence[str]) -> str | None:
    """All that a program prints; None where it cannot be started or hangs."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout + done.stderr


def _essential() -> list[InstalledPart]:
    """Python, the compiled core, Polars, and packages that reports need."""
    python = sys.version_info[:2] >= _PYTHON
    needs = f"install Python {'.'.join(map(str, _PYTHON))} or later"
    core = _try_python("from iowatt import core; print(core.__version__)")
    polars = _try_python(
        "import polars as pl; pl.Series([1, 2]).sum(); print(pl.__version__ + ', runs on this processor')"
    )
    processors = "pip install polars; for old processors: pip install 'polars[rtcompat]'"
    rows = [
        ("Python", python, platform.python_version(), needs),
        ("iowatt.core._native", *core, "build it: maturin develop --release"),
        ("Polars", *polars, processors),
        *(
            (name, version is not None, version or "not installed", f"pip install {name}")
            for name in _LIBRARIES
            for version in [_version(name)]
        ),
    ]
    return [
        InstalledPart(name=name, purpose=_MAIN, essential=True, found=found, detail=detail, fix=fix)
        for name, found, detail, fix in rows
    ]


def _optional(name: str, purpose: str, fix: str, *, found: bool, detail: str) -> InstalledPart:
    return InstalledPart(name=name, purpose=purpose, essential=False, found=found, detail=detail, fix=fix)


def _looked_up(wanted: _Wanted) -> InstalledPart:
    """A package by its metadata, a program by the PATH."""
    if wanted.commands:
        paths = (shutil.which(one) or shutil.which(one, path=_ADMIN_PATH) for one in wanted.commands)
        found, missing = next(filter(None, paths), None), "not on the PATH"
    else:
        found, missing = _version(wanted.name), "not installed"
    detail = (found or missing) + (f" ({wanted.use})" if wanted.use else "")
    return _optional(wanted.name, wanted.purpose, wanted.fix, found=found is not None, detail=detail)


def _load_generators() -> list[InstalledPart]:
    """fio; vdbench, which SNIA Emerald requires from version 2 on, and a Java that it accepts."""
    fio, vdbench, (accepted, version) = fio_version(), shutil.which("vdbench"), java()
    missing, site = "not on the PATH", "Oracle's site, with an account; put its folder on the PATH"
    return [
        _optional("fio", _LOAD, "apt install fio", found=fio is not None, detail=fio or missing),
        _optional("vdbench", _LOAD, site, found=vdbench is not None, detail=vdbench or missing),
        _optional("Java", _LOAD, "for vdbench: Java 8, 9, or 20 and later", found=accepted, detail=version),
    ]


def _rust() -> InstalledPart:
    text = (output_of(["cargo", "--version"]) or "").strip()
    version = re.search(r"(\d+)\.(\d+)", text)
    recent = version is not None and (int(version[1]), int(version[2])) >= _RUST
    fix = f"install Rust {'.'.join(map(str, _RUST))} or later (rustup)"
    return _optional("Rust", _BUILD, fix, found=recent, detail=text or "not on the PATH")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _try_python(code: str) -> tuple[bool, str]:
    """Run a line in a fresh interpreter: whether it succeeded, and its last line or why it failed."""
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
