"""Request logs in JSON Lines: when a prompt came, how many tokens it has, and hashes of its blocks.

The form is that of the traces of Mooncake (FAST 2025), which NVIDIA Dynamo's tools and vLLM's guidellm read
too, and of Qwen-Bailian's: ``timestamp``, ``input_length``, ``output_length``, ``hash_ids``. Two prompts with
the same hash in the same place share all tokens up to there. Other keys are passed over.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError

_LONGEST_LINE: Final = 32 << 20
_GZIP: Final = b"\x1f\x8b"
_MOST_TOKENS: Final = 1 << 32
_MOST_SECONDS: Final = 9e9


@dataclass(frozen=True)
class Prompt:
    """One request: ``blocks`` are hashes, the last of which may be of a block that is not full."""

    time_s: float
    tokens: int
    output_tokens: int
    blocks: tuple[Any, ...]


def prompts(path: Path, block_tokens: int, unit_s: float) -> Iterator[Prompt]:
    """The requests of a log, gzipped or not, in order of time.

    Raises ``InputError`` with file and line: not JSON, a key missing or of another type, time that steps
    back, hashes that are not those of blocks of so many tokens.
    """
    before = 0.0
    for number, line in _lines(path):
        where = f"{path}:{number}"
        one = _prompt(_record(line, where), where, unit_s)
        if one.time_s < before:
            raise InputError("out-of-order", where, "the time stamp is before that of the line above")
        before = one.time_s
        full, part = divmod(one.tokens, block_tokens)
        if len(one.blocks) not in (full, full + bool(part)):
            message = (
                f"{len(one.blocks)} hashes are not those of {one.tokens} tokens in blocks of {block_tokens}"
            )
            hint = "give the size of a block: `block_tokens=512` (Mooncake), 16 (Qwen-Bailian, vLLM)"
            raise InputError("not-comparable", where, message, hint=hint)
        yield one


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
        with gzip.open(path) if packed else path.open("rb") as file:
            number = 0
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if len(line) >= _LONGEST_LINE:
                    raise InputError("too-large", f"{path}:{number}", "the line has over 32 MiB")
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise InputError("not-found", str(path), "no such file") from None
    except OSError as error:
        raise InputError("unreadable", str(path), f"cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise InputError("damaged", str(path), f"the gzip file is damaged or cut off: {error}") from None


def _record(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError("wrong-format", where, f"this is not a line of JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError("wrong-type", where, "expected an object with timestamp, input_length, hash_ids")
    return found


def _prompt(record: dict[str, Any], where: str, unit_s: float) -> Prompt:
    for key in ("timestamp", "input_length", "hash_ids"):
        if key not in record:
            hint = "without hashes of blocks no reuse is known" if key == "hash_ids" else None
            raise InputError("missing-figure", f"{where}: {key}", "the request lacks it", hint=hint)
    time = record["timestamp"]
    if isinstance(time, bool) or not isinstance(time, int | float) or not 0 <= time * unit_s < _MOST_SECONDS:
        raise InputError("out-of-range", f"{where}: timestamp", f"{str(time)[:30]} is not a time from 0")
    counts = [_count(record.get(key, 0), f"{where}: {key}") for key in ("input_length", "output_length")]
    blocks = record["hash_ids"]
    if not isinstance(blocks, list) or not all(isinstance(one, int | str) for one in blocks):
        raise InputError("wrong-type", f"{where}: hash_ids", "expected a list of numbers or texts")
    return Prompt(time * unit_s, counts[0], counts[1], tuple(blocks))


def _count(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST_TOKENS:
        raise InputError("out-of-range", where, f"{str(value)[:30]} is not a number of tokens")
    return value
