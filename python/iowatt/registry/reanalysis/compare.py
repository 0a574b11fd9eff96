"""Compares documents of JSON to the last digit, and says where they differ."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.registry.reanalysis.result import Discrepancy

MOST: Final = 100
"""Differences that are listed."""
_SHOWN: Final = 200


def differences(
    claimed: Any, found: Any, *, leave_out: Collection[str] = (), place: str = ""
) -> Iterator[Discrepancy]:
    """Where two documents differ; keys of ``leave_out`` are not compared, wherever they are."""
    if isinstance(claimed, Mapping) and isinstance(found, Mapping):
        for key in sorted(claimed.keys() | found.keys()):
            if key not in leave_out:
                values = (claimed.get(key, _ABSENT), found.get(key, _ABSENT))
                yield from differences(*values, leave_out=leave_out, place=f"{place}.{key}".lstrip("."))
    elif _is_list(claimed) and _is_list(found) and len(claimed) == len(found):
        for number, values in enumerate(zip(claimed, found, strict=True)):
            yield from differences(*values, leave_out=leave_out, place=f"{place}[{number}]")
    elif _text(claimed) != _text(found):
        yield Discrepancy(place=place or ".", claimed=_shown(claimed), found=_shown(found))


class _Absent:
    pass


_ABSENT: Final = _Absent()


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _text(value: Any) -> str:
    """Its JSON: 1 and 1.0 differ, as their bytes do."""
    return "absent" if isinstance(value, _Absent) else json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
