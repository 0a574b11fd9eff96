"""Files that are read whole: bounded, whatever they are, with errors that name file and place.

A file of another program may be a device, a pipe that does not end, or a trace given by mistake; none of them
may fill the memory.
"""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError

#: Most bytes of an input document: a scenario, a description.
DOCUMENT_BYTES: Final = 16 << 20
#: Most bytes of a result document, or of a file of a bundle; a Run of 100,000 drives has some 100 MiB.
RESULT_BYTES: Final = 1 << 30
#: Most bytes of a log that is read whole.
LOG_BYTES: Final = 1 << 30
#: Longest line of a log, in bytes.
LOG_LINE_BYTES: Final = 1 << 20
_CHUNK: Final = 1 << 20


def whole(
    path: Path,
    what: str = "a document",
    most: int = DOCUMENT_BYTES,
    *,
    hint: str | None = None,
    line: int = 0,
) -> bytes:
    """The bytes of a file or a pipe.

    ``what`` names the expected input in errors, ``most`` is its limit in bytes, ``line`` that of a line (0:
    none), and ``hint`` says what to do where there is no such file. Raises ``InputError``: it cannot be read,
    is a device, is too long or has a line that is.
    """
    data = io.BytesIO()
    begun = 0  # bytes of the line that is not at its end yet
    number = 1
    try:
        with path.open("rb", buffering=0) as file:
            mode = os.fstat(file.fileno()).st_mode
            if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not file.isatty()):
                raise InputError("wrong-kind", str(path), f"this is a device; expected {what}")
            while chunk := file.read(_CHUNK):
                if data.tell() + len(chunk) > most:
                    raise InputError(
                        "too-large", str(path), f"longer than {_shown(most)}, the maximum for {what}"
                    )
                data.write(chunk)
                if line:
                    end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
                    number += chunk.count(b"\n")
                    begun = len(chunk) - end if end else begun + len(chunk)
                    if begun > line:
                        raise InputError(
                            "too-large",
                            f"{path}:{number}",
                            f"the line is longer than {_shown(line)}; expected {what}",
                        )
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        directory = isinstance(error, IsADirectoryError)
        code = "not-found" if missing else "wrong-kind" if directory else "unreadable"
        message = f"cannot be read: {error.strerror}"
        raise InputError(code, str(path), message, hint=hint if missing else None) from None
    except ValueError:  # a NUL, or half a character
        raise InputError("bad-syntax", None, f"{str(path)!r} cannot be the name of a file") from None
    return data.getvalue()


def text(path: Path, what: str = "a document", most: int = DOCUMENT_BYTES, *, hint: str | None = None) -> str:
    """The same as text in UTF-8. Raises ``InputError``, with the first byte that is not UTF-8."""
    try:
        return whole(path, what, most, hint=hint).decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"not UTF-8 text (byte {error.start}); expected {what}"
        raise InputError("wrong-format", str(path), message) from None


def parsed(content: str | bytes, where: str, what: str = "JSON", *, finite: bool = True) -> Any:
    """The value of a JSON text. NaN and infinity are not JSON; ``finite=False`` accepts them.

    Raises ``InputError`` with the line.
    """
    try:
        return json.loads(content, parse_constant=_refuse if finite else None)
    except json.JSONDecodeError as error:
        raise InputError("wrong-format", f"{where}:{error.lineno}", f"not {what}: {error.msg}") from None
    except RecursionError:
        raise InputError("too-large", where, f"{what} that is nested too deeply") from None
    except UnicodeDecodeError:
        raise InputError("wrong-format", where, f"not {what}: not UTF-8 text") from None
    except ValueError as error:  # NaN, or a number of thousands of digits
        raise InputError("wrong-format", where, f"not {what}: {error}") from None


def json_object(path: Path, most: int = RESULT_BYTES, *, hint: str | None = None) -> dict[str, Any]:
    """The object in a JSON file. Raises ``InputError`` with file and line."""
    value = parsed(text(path, "a JSON document", most, hint=hint), str(path))
    if not isinstance(value, dict):
        raise InputError("wrong-format", str(path), "expected a JSON object")
    return value


def schema_of(path: Path) -> str:
    """The ``schema`` that a JSON file says; empty where it says none, or is none."""
    try:
        return str(json_object(path).get("schema", ""))
    except InputError:
        return ""


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _shown(size: int) -> str:
    return f"{size >> 30} GiB" if size >= 1 << 30 else f"{size >> 20} MiB"
