"""Where requests go: not in counters, so said by whoever asks; merges tell of sequential requests."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.errors import Argument, InputError

ACCEPTED: Final = (
    "uniform, sequential, zipf:EXPONENT (zipf:0.99), or skew:K (skew:7 has 80 % of requests in 20 %)"
)
_PARAMETER: Final = {"zipf": "exponent", "skew": "k"}


def parse(text: str) -> dict[str, Any]:
    """``uniform``, ``zipf:0.99`` and so on, as a profile has it.

    Raises
    ------
    InputError
        With what is accepted. Limits of parameters are checked with the profile.
    """
    pattern, colon, value = text.strip().lower().partition(":")
    if pattern in ("uniform", "sequential") and not colon:
        return {"pattern": pattern}
    if pattern in _PARAMETER and len(value) <= 24:
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if 0 < number < 1e6:
            return {"pattern": pattern, _PARAMETER[pattern]: number}
    raise InputError(
        "bad-syntax", Argument("access"), f"{text!r} is not an access pattern; accepted are {ACCEPTED}"
    )
