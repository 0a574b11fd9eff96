"""What the command line and the Python API ask for, made into a problem."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, get_args

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.search import prepare
from iowatt.evaluate.search.optimize.metric import COST
from iowatt.evaluate.search.optimize.problem import Method, Problem, parse_constraints, parse_objectives
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.pricing import Pricing
from iowatt.evaluate.search.rate import RateRequest

TOLERANCE: Final = 0.01
"""How near each point's rate comes to the highest one within the limit, as a share."""


@dataclass(frozen=True)
class PricingRequest:
    """The assumptions of ``cost.*`` metrics, in words; those of ``iowatt cost``."""

    preset: str = "default"
    sets: tuple[str, ...] = ()
    tariff: str | None = None
    alpha: float | None = None
    years: float | None = None


_ARGUMENTS: Final = (
    ("preset", Argument("preset")), ("sets", Argument("assume")), ("tariff", Argument("tariff")),
    ("alpha", Argument("alpha")), ("years", Argument("years")),
)  # fmt: skip
"""Which argument gives each field of ``Priced``."""


def make_problem(
    given: ScenarioInput,
    varied: Iterable[str] | Mapping[Any, Iterable[Any]],
    *,
    maximize: Sequence[str] = (),
    minimize: Sequence[str] = (),
    subject_to: Sequence[str] = (),
    within_s: float | None = None,
    workload: str | None = None,
    method: str = "auto",
    most: int | None = None,
    seed: int = 1,
    pricing: PricingRequest | None = None,
    command: str | None = None,
) -> Problem:
    """The problem of these options.

    Raises
    ------
    InputError
        What is wrong with one of them.
    """
    if method not in get_args(Method):
        raise InputError(
            "not-accepted",
            Argument("method"),
            f"there is no method {method!r}; expected one of {', '.join(get_args(Method))}",
        )
    if not 0 <= seed < 2**63:
        raise InputError("out-of-range", Argument("seed"), f"expected 0 to 2^63 - 1, not {seed}")
    if workload is not None and within_s is None:
        raise InputError(
            "not-applicable",
            Argument("workload"),
            "says whose rate is searched for, and no limit is given",
            hint="for example `within=20ms`",
        )
    if within_s is not None and not (math.isfinite(within_s) and within_s > 0):
        raise InputError("out-of-range", Argument("within"), f"expected a time above 0, not {within_s!r} s")
    goals = parse_objectives(maximize, minimize)
    limits = parse_constraints(subject_to)
    named = [one.metric for one in goals] + [one.metric for one in limits]
    priced = any(name.startswith(COST) for name in named)
    words = pricing or PricingRequest()
    if not priced and words != PricingRequest():
        raise InputError(
            "not-applicable",
            next(
                argument for name, argument in _ARGUMENTS if getattr(words, name) != getattr(PricingRequest(), name)
            ),
            "this is an assumption of cost, and no metric asked for is a cost",
            hint="for example `minimize=cost.total_usd`",
        )
    return Problem(
        given,
        prepare.axes_of(given, varied),
        goals,
        limits,
        None if within_s is None else RateRequest(within_s, workload=workload, tolerance=TOLERANCE),
        resolve_pricing(words) if priced else None,
        method,  # type: ignore[arg-type]  # one of them, checked above
        most,
        seed,
        command,
    )


def resolve_pricing(words: PricingRequest) -> Pricing:
    """Assumptions in words, found and read. Raises ``InputError`` where one is wrong."""
    from iowatt.lenses.cost.book.find import find_book
    from iowatt.lenses.cost.defaults import START, YEARS
    from iowatt.lenses.cost.horizon import Horizon
    from iowatt.tariffs.find import find_tariff

    if words.alpha is not None and words.years is not None:
        raise InputError(
            "conflict", Argument("alpha"), "`alpha=` compares equal work, and `years=` equal time: give one"
        )
    basis = Horizon("time", YEARS if words.years is None else words.years)
    horizon = basis if words.alpha is None else Horizon("work", words.alpha)
    book = find_book(words.preset, list(words.sets))
    tariff = find_tariff(words.tariff or book.word("energy.tariff"))
    start = datetime.strptime(START, "%Y-%m-%d")
    said = [
        {key: str(figure.value) for key, figure in sorted(book.figures.items())},
        asdict(tariff),
        asdict(horizon),
        START,
    ]
    digest = hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()
    return Pricing(book, tariff, horizon, start, digest)
