"""What several Runs beside one another say first: which has the least of each figure. No choice is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.lenses.kept_up import kept_up
from iowatt.lenses.warm_start import warm_starts
from iowatt.pages.run.figures import comparison
from iowatt.render.numbers import significant, with_unit
from iowatt.render.phrases import listed

if TYPE_CHECKING:
    from iowatt.render.headline import Headline
    from iowatt.run.bundle import Run

LEAST: Final = {"p95": "p95 response time", "power": "mean power", "per_request": "energy per request"}
"""Figures that the verdict tells, by key of their headline."""

SAME_WORK: Final = 1.05
"""Highest over lowest throughput up to which Runs are taken to have done the same work."""


@dataclass(frozen=True)
class Least:
    """Who has the least of a figure among the Runs that kept up; several where they read the same."""

    key: str
    runs: Sequence[str]
    text: str


@dataclass(frozen=True)
class Verdict:
    """What to read first. ``overloaded`` Runs are in no ranking; ``reservations`` limit what it means."""

    least: Sequence[Least]
    overloaded: Sequence[str]
    reservations: Sequence[str]

    @property
    def sentences(self) -> list[str]:
        """The verdict in words."""
        said = [one.text for one in self.least]
        if self.overloaded:
            verb = "is" if len(self.overloaded) == 1 else "are"
            said.append(f"{listed(self.overloaded)} could not keep up with the load and {verb} not ranked.")
        return [
            *said,
            *self.reservations,
            "iowatt cost compares their dollars; iowatt compare says which differences are more than chance.",
        ]


def verdict(runs: Sequence[Run], names: Sequence[str]) -> Verdict:
    """What the figures of two or more ``runs`` say; ``names`` tell them apart."""
    steady = [kept_up(run).kept_up for run in runs]
    kept = [(name, run) for name, run, fine in zip(names, runs, steady, strict=True) if fine]
    figures = [(name, {h.key: h for h in comparison.figures(run.summary)}) for name, run in kept]
    reservations = []
    keys = list(LEAST)
    if len({run.summary["power_basis"] for _, run in kept}) > 1:
        keys = ["p95"]
        reservations.append(
            "Some of these Runs have their power at the wall and some at the drives: power and energy do not "
            "compare."
        )
    rates = [run.summary["throughput"]["iops"] or 0.0 for _, run in kept]
    if rates and max(rates) > SAME_WORK * min(rates):
        reservations.append(
            f"The Runs did different work, {significant(min(rates))} to {significant(max(rates))} requests "
            "per second: response times and power are those of different loads."
        )
    reservations += [f"{name}: {text}." for name, run in kept for text in warm_starts(run)]
    told = [_least(key, [(name, mine[key]) for name, mine in figures]) for key in keys]
    return Verdict(
        [one for one in told if one is not None],
        [name for name, fine in zip(names, steady, strict=True) if not fine],
        reservations,
    )


def _least(key: str, of_runs: Sequence[tuple[str, Headline]]) -> Least | None:
    """The least of a figure; None where fewer than two Runs have it."""
    known = sorted(
        ((one.value, name, one) for name, one in of_runs if one.value is not None), key=lambda it: it[0]
    )
    if len(known) < 2:
        return None
    best, (most, worst, _) = known[0][2], known[-1]
    holders = [name for _, name, one in known if one.shown == best.shown]
    what = LEAST[key]
    if len(holders) == len(known):
        return Least(key, holders, f"All have the same {what}, {best.shown}.")
    return Least(
        key,
        holders,
        f"Lowest {what}: {listed(holders)}, {best.shown} (highest: {worst}, {with_unit(most, best.unit)}).",
    )
