"""From published inputs to figures and verdicts; nothing is simulated but by the engine of durability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from iowatt.render.document import Section
from iowatt.studies import figures
from iowatt.studies.durability.assess import HOUR_S, YEAR_H, assess, by_formula, group, weibull
from iowatt.studies.durability.published import PRINTED, TEXT, Calculation
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.stages import Results, StudyStage
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]

#: Relative errors of trials.
FULL, QUICK = 0.01, 0.05

NEAR: Final = 0.05
"""Ours agrees within this share: of a mean time, or of a probability of loss."""

DRAW: Final = {"batches": 1, "frailty": {"law": "two-point", "bad_share": 0.1, "factor": 5.0}}
"""A tenth of batches five times as bad as the others, and a vault out of one batch."""

UNREADABLE: Final = {"unrecoverable_per_byte": 8e-15}
"""One unreadable sector in 1e15 bits: of a drive's data sheet."""


def stages(_scale: float) -> list[StudyStage]:
    """No sweeps: no array is simulated."""
    return []


def findings(_results: Results, scale: float) -> Findings:
    """Everything that the study finds."""
    rows = [_row(case) for case in PRINTED.calculation]
    moved = list(_moved(scale))
    aged = list(_aged(scale))
    points = pl.DataFrame(
        [(case.key, case.value, *row[2:4]) for case, row in zip(PRINTED.calculation, rows, strict=True)],
        schema={"case": pl.String, "published": pl.Float64, "formula": pl.Float64, "ours": pl.Float64},
        orient="row",
    )
    names = [str(name) for name, _ in moved]
    chart = figures.bars({"probability of loss": [loss for _, loss in moved]}, names, "Loss in a year")
    sections = [
        Section("calculations", "Published and ours", [TEXT.figure("calculations", rows)]),
        Section("left-out", "What a calculation leaves out", [
            TEXT.figure("moved", [[name, loss] for name, loss in moved], chart),
            TEXT.figure("aged", [[name, lost, lost / _expected()] for name, lost in aged]),
        ]),
    ]  # fmt: skip
    return Findings(
        [*_verdicts(), _weibull_verdict(dict(aged))], sections, TEXT.noted(reduced=scale > FULL), points,
        chart="moved",
    )  # fmt: skip


def _ours(case: Calculation) -> float:
    """Mean time in hours of all groups, or the probability of no loss in a year."""
    total = assess(group(case), YEAR_H)["total"]
    ours: float = total["mttdl_s"] / HOUR_S if case.formula == "mttdl" else 1 - total["loss"]["mean"]
    return ours


def _row(case: Calculation) -> list[str | float]:
    return [case.who, case.figure, by_formula(case), _ours(case)]


def _shown(case: Calculation, value: float) -> str:
    return f"{value:,.0f} h" if case.formula == "mttdl" else f"{value:.{case.places}f}"


def _verdicts() -> Iterator[ClaimVerdict]:
    for case in PRINTED.calculation:
        formula, ours = by_formula(case), _ours(case)
        same = _shown(case, formula) == _shown(case, case.value)
        if case.formula == "mttdl":
            same = abs(formula / case.value - 1) < 0.005  # as printed, in two or three digits
            near = abs(ours / formula - 1) < NEAR
        else:
            near = abs((1 - ours) / (1 - formula) - 1) < NEAR
        yield TEXT.judge(
            "own-formula", case.who, published=case.figure, ours=_shown(case, formula), agrees=same
        )
        yield TEXT.judge(
            "same-inputs", case.who, published=case.figure, ours=_shown(case, ours), agrees=near,
            times=(1 - ours) / (1 - formula) if case.formula == "windows" else ours / formula,
            more=case.losses + 1,
        )  # fmt: skip


def _moved(scale: float) -> Iterator[tuple[str, float]]:
    """The vault of 17 + 3: its probability of loss as published, and with one thing more after the other."""
    case = next(one for one in PRINTED.calculation if one.key == "backblaze-17-3")
    yield "as published", 1 - by_formula(case)
    for name, one in (
        ("overlapping repairs", group(case)),
        ("unreadable sectors, 12 TB drives", group(case, errors=UNREADABLE) | {"drive_bytes": 1.2e13}),
        ("a shared batch", group(case, batches=DRAW)),
        ("1.4 % a year", group(case.model_copy(update={"rate_a_year": 0.014}))),
        ("one repair at a time", _in_turn(case)),
    ):
        yield name, assess(one, YEAR_H, error=scale)["total"]["loss"]["mean"]


def _in_turn(case: Calculation) -> dict[str, object]:
    one = group(case)
    return one | {"repair": one["repair"] | {"at_once": False}}


def _expected() -> float:
    """Losses of 1,000 groups in the time, by the mean time to data loss."""
    case = next(one for one in PRINTED.calculation if one.key == "elerath-mttdl")
    return 1000 * PRINTED.weibull.hours / by_formula(case)


def _aged(scale: float) -> Iterator[tuple[str, float]]:
    """Of 1,000 groups, those that lose data, by Elerath and Pecht's laws."""
    case = PRINTED.weibull
    for name, latent, scrubbed in (
        ("no latent errors", False, False),
        ("scrubbed weekly", True, True),
        ("never scrubbed", True, False),
    ):
        one = weibull(case, latent=latent, scrubbed=scrubbed)
        yield name, 1000 * assess(one, case.hours, error=scale)["total"]["loss"]["mean"]


def _weibull_verdict(aged: dict[str, float]) -> ClaimVerdict:
    times = [lost / _expected() for lost in aged.values()]
    case = PRINTED.weibull
    return TEXT.judge(
        "weibull",
        "7 + 1 drives, ten years",
        published=f"{case.least:g} to {case.most:,.0f} times",
        ours=", ".join(f"{name}: {one:,.1f} times" for name, one in zip(aged, times, strict=True)),
        agrees=case.least <= times[1] <= case.most,
    )
