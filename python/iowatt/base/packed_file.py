"""Files that may be gzipped: found beside the file that names them, unpacked, bounded, decoded.

A parameter file may be gzipped (``layout.model.gz`` for ``layout.model``): layouts of newer drives are long
lists of numbers. Sizes are bounded, so that a small hostile file cannot unpack into a large one.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from iowatt.base.errors import InputError

MAX_BYTES = 16 << 20
"""Most text that one parameter file and all that it sources may hold, in bytes."""

_GZIP = b"\x1f\x8b"


def locate(name: str, base: Path, where: str) -> Path:
    """The file ``name`` (or ``name.gz``) in the folder ``base``; ``where`` is the place that names it.

    Raises ``InputError`` where neither is a file.
    """
    try:
        for path in (base / name, base / f"{name}.gz"):
            if name and path.is_file():
                return path
    except (OSError, ValueError):
        pass  # a name that no file can have: too long, a NUL in it, or empty
    raise InputError(
        "not-found",
        where,
        f"there is no file {name!r} or {name + '.gz'!r} in {base}",
        hint="paths are relative to the file that names them; copy the file there",
    )


def read_text(path: Path, limit: int = MAX_BYTES, where: str | None = None) -> str:
    """The text of ``path``, unpacked where it is gzipped.

    UTF-8, and Latin-1 where it is not: old files name their authors in it. ``limit`` bounds the unpacked
    bytes; ``where`` is the place to blame, the file itself if left out.

    Raises ``InputError`` where it cannot be read, is damaged, or is longer than ``limit``.
    """
    data = read_bytes(path, limit, where)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_bytes(path: Path, limit: int = MAX_BYTES, where: str | None = None) -> bytes:
    """The bytes of ``path``, unpacked where it is gzipped; as ``read_text`` otherwise."""
    where = where or str(path)
    try:
        if not path.is_file():
            raise InputError("not-found", where, "no such file")
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as stream:
                    data = stream.read(limit + 1)
            else:
                data = raw.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError("damaged", where, f"{path} is a damaged gzip file") from None
    except (OSError, ValueError) as error:
        raise InputError("unreadable", where, f"cannot read {path}: {error}") from None
    if len(data) > limit:
        raise InputError(
            "too-large", where, f"{path} is too large: {limit} bytes are left for parameter files"
        )
    return data
