"""Files of measurements, whatever wrote them: each is told apart by its content."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.evaluate.measured import act, fio_json, fio_log, fio_text, power, table
from iowatt.evaluate.measured.cell import Measured

ACCEPTED: Final = (
    "fio's JSON or normal output, its logs of completion times (NAME_clat.N.log), output of ACT, a table of "
    "cells (CSV), a log of watts (CSV with time and watts, or a recording of `iowatt meter record`)"
)
_HEAD_BYTES: Final = 1 << 16
_ADDRESS: Final = re.compile(r"(?:csv|recording|yokogawa|watts-up|ptdaemon-log):", re.ASCII)
_TERSE: Final = re.compile(r"^[2-9];fio-[0-9]", re.MULTILINE)
_LOG_ROW: Final = re.compile(r"\A[0-9]{1,18}, ?[0-9]{1,18}, ?[0-2], ?[0-9]{1,18}\b")


def read_measured(paths: Sequence[str | os.PathLike[str]]) -> list[Measured]:
    """The cells of all files, in order; logs of watts are of these cells.

    Parameters
    ----------
    paths:
        Files, or addresses of logs of instruments (``csv:power.csv?watts=P``).

    Raises ``InputError`` with the file and the place: a file is none of what is read, is damaged, mixes
    sizes, or has work that no cell describes.
    """
    found: list[Measured] = []
    runs: dict[Path, list[Path]] = {}
    logs: list[power.PowerSeries] = []
    for given in paths:
        text = os.fspath(given)
        if _ADDRESS.match(text):
            logs.append(power.read(text))
            continue
        path = Path(text)
        head = _head(path)
        kind = _kind(head)
        if kind == "fio log":
            name = fio_log.NAME.fullmatch(path.name)
            runs.setdefault(path if name is None else path.with_name(name["run"]), []).append(path)
        elif kind == "watts":
            scheme = "recording" if head.startswith(power.RECORDING) else "csv"
            logs.append(power.read(f"{scheme}:{text}"))
        elif kind == "fio json":
            found += fio_json.read(path)
        elif kind == "fio text":
            found += fio_text.read(path)
        elif kind == "act":
            found += act.read(path)
        elif kind == "table":
            found += table.read(path)
        else:
            raise InputError(
                "wrong-format", text, f"not a measurement that is read here; accepted: {ACCEPTED}"
            )
    found += [fio_log.read(listed) for listed in runs.values()]
    if not found:
        raise InputError(
            "empty", str(paths[0]) if paths else None, "no cells: logs of watts alone say no work"
        )
    return power.with_watts(found, logs)


def _kind(head: str) -> str | None:
    """The word of the first kind that a beginning of a file is of."""
    first = head.lstrip().partition("\n")[0]
    kinds = (
        # fio's reader of JSON says that its terse output is not read, and what is.
        ("fio json", '"fio version"' in head or first.startswith("{") or _TERSE.search(head)),
        ("fio text", any(fio_text.HEAD.match(line) for line in head.splitlines())),
        ("act", act.OUTPUT.search(head)),
        ("fio log", _LOG_ROW.match(head)),
        ("table", table.is_table(first)),
        ("watts", head.startswith(power.RECORDING) or _names_watts(first)),
    )
    return next((name for name, found in kinds if found), None)


def _names_watts(first: str) -> bool:
    """Whether a first line names columns, one of them of watts."""
    names = [name.strip().strip('"').lower() for name in re.split(r"[,;\t]", first)]
    return len(names) > 1 and any(name in ("w", "watt", "watts") or "power" in name for name in names)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        code = {
            FileNotFoundError: "not-found",
            IsADirectoryError: "wrong-kind",
        }.get(type(error), "unreadable")
        raise InputError(code, str(path), f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise InputError("bad-syntax", None, f"{str(path)!r} cannot be the name of a file") from None
