"""`iowatt trace export` without its printing: writes the file, lets fio run it, puts the result together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.model.profile import describe
from iowatt.sources.export import check, fio, run_fio, vdbench
from iowatt.sources.export.loads import Exported, Prepared
from iowatt.sources.export.target import scratch

SCHEMA: Final = "iowatt.trace-export/1"
_TOOLS: Final = {"fio": fio.export, "vdbench": vdbench.export}


def write(prepared: Prepared, tool: str, output: Path | None, *, force: bool = False) -> Exported:
    """The file for ``tool`` (fio or vdbench), written to ``output`` where one is named.

    Raises
    ------
    InputError
        The output exists (and no ``force``), or cannot be written.
    """
    exported = _TOOLS[tool](prepared)
    if output is not None:
        try:
            with output.open("w" if force else "x", encoding="utf-8") as file:
                file.write(exported.text)
        except FileExistsError:
            message = "the file exists"
            raise InputError("exists", str(output), message, hint="`force=True` replaces it") from None
        except OSError as error:
            raise InputError("unwritable", str(output), error.strerror or "cannot be written") from None
    return exported


def checked(
    prepared: Prepared,
    tool: str,
    target: Path,
    *,
    force: bool = False,
    erase: Path | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> dict[str, Any]:
    """What `iowatt.sources.export.check` says of fio's run on ``target``; also ``fio``, its version.

    Raises
    ------
    InputError
        The tool is not fio, there is none, or the target may not be written to.
    """
    if tool != "fio":
        message = "only fio can be run for a check"
        raise InputError("not-applicable", Argument("check"), message, hint="`to=fio`")
    version = run_fio.version()
    if version is None:
        raise InputError(
            "tool-missing", Argument("check"), "fio is not on the PATH", hint="Debian: apt install fio"
        )
    with scratch(target, prepared.span, force=force, erase=erase, tell=tell) as direct:
        prepared = replace(prepared, target=str(target.absolute()))
        exported = fio.export(prepared, direct=direct)
        done = run_fio.run(exported.text, Path.cwd())
    comparison = check.compare(prepared, exported, done)
    if not direct:
        comparison["notes"].append(f"{target} cannot be used past the page cache: fio ran through it")
    return {"fio": version, "target": str(target), **comparison}


def result(
    prepared: Prepared, exported: Exported, output: Path | None, comparison: dict[str, Any] | None
) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "schema": SCHEMA,
        "profile": prepared.profile.name,
        "to": exported.tool,
        "path": None if output is None else str(output),
        "text": exported.text,
        "target": prepared.target,
        "span_bytes": prepared.span,
        "duration_s": prepared.duration_s,
        "seed": prepared.seed,
        "streams": [stream.name for stream in prepared.profile.stream],
        "jobs": [{"name": name, "stream": stream} for name, stream in exported.jobs.items()],
        "not_expressed": [asdict(omission) for omission in exported.omissions],
        "notes": describe.remarks(prepared.profile),
        "check": comparison,
    }
