"""What a command of the documentation has to answer: exit status 0 with nothing found is no answer.

By the schema of the document that ``--json`` prints. A schema without an entry has to hold something besides
its own name; what a search, a comparison or a judgement has to find stands here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Final

Document = dict[str, Any]


def _run(found: Document) -> None:
    """Work was done without an error, or the system idled and its power is known."""
    requests = found["requests"]
    if requests["count"] or requests["in_flight_at_end"]:
        assert requests["errors"] in (0, None)
        assert _positive(found["response_time_ms"]["all"]["mean"])
    else:
        assert _positive(found["power_w"]["mean"])


def _optimize(found: Document) -> None:
    """At least one point keeps to all limits."""
    assert found["front"] and (found["winner"] is not None or found["knee"] is not None)
    assert found["space"]["failed"] == 0


def _table(found: Document) -> None:
    """Every point was simulated."""
    assert found["points"] and not found["failed"]


def _rate(found: Document) -> None:
    """There is a highest rate, and the response time at it is within the limit."""
    assert _positive(found["rate_iops"])


def _compare(found: Document) -> None:
    """Some difference has a verdict."""
    assert any(row["verdict"] != "no verdict" for row in found["differences"])


def _compare_systems(found: Document) -> None:
    """Something is ranked, and some difference has a verdict."""
    assert found["lowest"] or found["level"]
    assert any(row["verdict"] != "no verdict" for pair in found["pairs"] for row in pair["differences"])


def _cost(found: Document) -> None:
    """Every system has a total, or the document says why not; nobody is the cheapest without a candidate."""
    assert found["systems"]
    assert all(_positive(system["usd"]) or system["cautions"] for system in found["systems"])


def _emerald(found: Document) -> None:
    """Some metric of the measurement has a value."""
    assert any(_positive(value) for value in _values(found, "value"))


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value > 0


def _values(found: Any, key: str) -> Iterator[Any]:
    """All values of a key, however deep."""
    if isinstance(found, dict):
        for name, value in found.items():
            if name == key:
                yield value
            yield from _values(value, key)
    elif isinstance(found, list):
        for value in found:
            yield from _values(value, key)


ANSWERS: Final[dict[str, Callable[[Document], None]]] = {
    "iowatt.run/1": _run,
    "iowatt.optimize/1": _optimize,
    "iowatt.sweep/1": _table,
    "iowatt.rate/1": _rate,
    "iowatt.compare/1": _compare,
    "iowatt.compare-systems/1": _compare_systems,
    "iowatt.cost/1": _cost,
    "iowatt.emerald/1": _emerald,
}


def check(found: Document) -> None:
    """Raises ``AssertionError`` where the document holds no answer."""
    schema = found["schema"]
    assert any(value not in (None, [], {}, "") for key, value in found.items() if key != "schema"), schema
    ANSWERS.get(schema, lambda _: None)(found)
