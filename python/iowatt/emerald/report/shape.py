"""Whether a document has the shape of an analysis, as far as a report reads it."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.errors import InputError

_NUMBER: Final = (int, float)
_NONE: Final = type(None)

#: Kinds by key: a type or several, or a shape; a list of one shape is a list of such.
Shape = dict[str, Any]

_FINDING: Final[Shape] = {"code": str, "weight": str, "text": str}
_INSTRUMENT: Final[Shape] = {"name": str, "role": str, "kind": str, "grade": str}
_MINUTE: Final[Shape] = {"minute": int, "start_s": _NUMBER, "end_s": _NUMBER, "power_w": (*_NUMBER, _NONE)}
_PART: Final[Shape] = {
    "phase": str,
    "stage": str,
    "metric": str,
    "unit": str,
    "kind": (str, _NONE),
    "start": (*_NUMBER, _NONE),
    "seconds": (*_NUMBER, _NONE),
    "power_w": (*_NUMBER, _NONE),
    "ep": (*_NUMBER, _NONE),
    "ep_shown": (str, _NONE),
    "status": str,
    "compliant": bool,
    "findings": [_FINDING],
    "instruments": [_INSTRUMENT],
}
_PHASE: Final[Shape] = _PART | {
    "operations_unit": str,
    "operations_rate": (*_NUMBER, _NONE),
    "iops": (*_NUMBER, _NONE),
    "response_mean_ms": (*_NUMBER, _NONE),
    "response_largest_minute_ms": (*_NUMBER, _NONE),
    "asked_iops": (*_NUMBER, _NONE),
    "shares": list,
    "stability": (dict, _NONE),
    "minutes": [
        _MINUTE
        | {"measured": bool}
        | dict.fromkeys(("operations_rate", "response_ms", "pe", "ea"), (*_NUMBER, _NONE))
    ],
}
_REST: Final[Shape] = _PART | {"raw_capacity_gb": (*_NUMBER, _NONE), "minutes": [_MINUTE]}
_READING: Final[Shape] = {"largest_deviation": (*_NUMBER, _NONE), "holds": bool}
_STABILITY: Final[Shape] = {
    "mean_efficiency": (*_NUMBER, _NONE),
    "readings": {"a": _READING, "b": _READING, "c": _READING},
    "trend": (dict, _NONE),
    "verdict": str,
}
_TREND: Final[Shape] = dict.fromkeys(("drift", "drift_half_width", "p", "autocorrelation"), _NUMBER)
_SHARE: Final[Shape] = {"stream": str, "asked": (*_NUMBER, _NONE), "observed": (*_NUMBER, _NONE)}
_WHOLE: Final[Shape] = {
    "name": str,
    "place": str,
    "kind": str,
    "source": str,
    "category": str,
    "class": (int, _NONE),
    "product": dict,
    "time_scale": _NUMBER,
    "family": (str, _NONE),
    "status": str,
    "compliant": bool,
    "judged": str,
    "rules": {"profile": str, "title": str, "version": str, "sha256": str, "unverified": [{"key": str}]},
    "stability": {"weights": str, "tolerance": _NUMBER, "reading": str},
    "findings": [_FINDING],
    "phases": [_PHASE],
    "ready_idle": (dict, _NONE),
}


def check(found: dict[str, Any], where: str) -> None:
    """Raise ``InputError`` with the first key that is not what it has to be."""
    _check(found, _WHOLE, where, "")
    if found["ready_idle"] is not None:
        _check(found["ready_idle"], _REST, where, "ready_idle")
    for number, phase in enumerate(found["phases"]):
        at = f"phases.{number}"
        if phase["stability"] is not None:
            _check(phase["stability"], _STABILITY, where, f"{at}.stability")
            if phase["stability"]["trend"] is not None:
                _check(phase["stability"]["trend"], _TREND, where, f"{at}.stability.trend")
        for share, one in enumerate(phase["shares"]):
            _check(one, _SHARE, where, f"{at}.shares.{share}")


def _check(value: Any, shape: Any, where: str, at: str) -> None:
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            raise _wrong(where, at, "an object")
        for key, kind in shape.items():
            inner = f"{at}.{key}" if at else key
            if key not in value:
                raise InputError("damaged", f"{where}: {inner}", "the key is missing")
            _check(value[key], kind, where, inner)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise _wrong(where, at, "a list")
        for number, one in enumerate(value):
            _check(one, shape[0], where, f"{at}.{number}")
    else:
        kinds = shape if isinstance(shape, tuple) else (shape,)
        # To Python, true is a number.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise _wrong(where, at, " or ".join(_WORDS[kind] for kind in dict.fromkeys(kinds)))


_WORDS: Final = {
    str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "an object",
    list: "a list", _NONE: "null",
}  # fmt: skip


def _wrong(where: str, at: str, expected: str) -> InputError:
    return InputError("damaged", f"{where}: {at}", f"expected {expected}")
