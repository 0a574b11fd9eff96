"""Profiles fitted to the traces of a question: a trace is described once, its profile is kept as a file."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.evaluate.fit import SpreadBasis, spread_basis, spread_profile
from iowatt.model.recorded_trace import recorded

MOST: Final = 500_000
"""Requests that a profile is fitted to, from the first on."""
FOLDER: Final = "profiles"
"""Where the files lie in the answer's folder."""


def profile_file(
    trace: Mapping[str, Any], rate_iops: float, *, times: float, span: int, name: str, folder: Path | None
) -> Path:
    """The profile of a trace, ``times`` as fast and over ``span`` bytes; written if it is not there.

    Args:
        trace: A spec (`iowatt.trace.open.spec`) with an absolute path, whose rate is ``rate_iops``.
        name: Of the workload.
        folder: The answer's folder; without it files live as long as this process.

    Raises ``InputError``: the trace cannot be fitted, or the file not written.
    """
    start = trace.get("from_s", 0.0)
    end = min(trace.get("to_s", float("inf")), start + MOST / rate_iops)
    text = spread_profile(
        _basis(json.dumps({**trace, "to_s": end}), stamps_of(trace)), span=span, times=times, name=_slug(name)
    )
    # By its contents, so that no other question's file of this name is taken for it.
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    target = (Path(_temporary().name) if folder is None else folder / FOLDER) / f"{_slug(name)}-{digest}.toml"
    if not target.is_file():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            atomic_path.write_whole(target, lambda file: file.write_text(text, "utf-8", newline="\n"))
        except OSError as error:
            raise InputError("unwritable", str(target), error.strerror or str(error)) from None
    return target


def stamps_of(trace: Mapping[str, Any]) -> str:
    """Sizes and times of the files of a trace, as far as they are there."""
    files = [file for path in (trace["path"], *trace.get("more", ())) for file in recorded(Path(path))]
    found = [file.stat() for file in files if file.exists()]
    return str([(one.st_size, one.st_mtime_ns) for one in found])


@cache
def _basis(spec: str, stamps: str) -> SpreadBasis:
    """A trace's description; ``stamps`` tell versions of its files apart."""
    del stamps
    return spread_basis(json.loads(spec))


@cache
def _temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="iowatt-choose-")


def _slug(name: str) -> str:
    kept = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:64].strip("-") or "fitted"
