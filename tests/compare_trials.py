"""Comparisons of which the truth is known, many times over: how often intervals cover it, how often verdicts
are false.

``benches/compare.py`` runs them a thousand times, tests of the lens fewer.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from iowatt.lenses.compare import metrics
from iowatt.lenses.compare.blocks import Blocks
from iowatt.lenses.compare.inference import Question, infer_all
from known_series import Known, ar1_lognormal, independent, mm1, periodic

QUANTILES = (None, 0.5, 0.9, 0.95, 0.99, 0.999)
"""None is the mean."""

IDLE_W, REQUEST_J, REQUEST_BYTES = 8.0, 0.002, 8192.0


@dataclass(frozen=True)
class Case:
    """A pair of processes; response times after are multiplied by ``scale``.

    ``runs`` on each side; each Run's response times are multiplied by a lognormal factor of standard
    deviation ``apart`` of its own. With ``amounts``, joules and bytes on other blocks are compared too.
    """

    name: str
    before: Known
    after: Known
    scale: float
    requests: int
    blocks: int = 512
    runs: tuple[int, int] = (1, 1)
    apart: float = 0.0
    amounts: bool = False

    @property
    def metrics(self) -> list[metrics.RunMetric]:
        """Response times."""
        return [metrics.mean() if q is None else metrics.quantile(q) for q in QUANTILES]

    def truths(self) -> list[tuple[float, float]]:
        """True values before and after, in ms, then those of the amounts."""
        seen = [(self.before.truth(q) / 1e6, self.scale * self.after.truth(q) / 1e6) for q in QUANTILES]
        if not self.amounts:
            return seen
        rates = [one.rate for one in (self.before, self.after)]
        return [
            *seen,
            (rates[0], rates[1]),
            (IDLE_W + REQUEST_J * rates[0], IDLE_W + REQUEST_J * rates[1]),
            (IDLE_W / rates[0] + REQUEST_J, IDLE_W / rates[1] + REQUEST_J),
            (REQUEST_BYTES * rates[0], REQUEST_BYTES * rates[1]),
        ]

    def _factor(self, random: np.random.Generator) -> float:
        """What makes a Run differ from the next."""
        return float(np.exp(self.apart * random.standard_normal())) if self.apart else 1.0

    def trial(self, seed: int, number: int, resamples: int) -> list[Any]:
        """Differences of one pair of Runs (or groups)."""
        # Of its own for each case: shares of different cases are then independent.
        random = np.random.default_rng([seed, number, zlib.crc32(self.name.encode())])
        groups = [
            [
                process.blocks(random, self.requests, self.blocks, scale * self._factor(random))
                for _ in range(count)
            ]
            for process, count, scale in zip(
                (self.before, self.after), self.runs, (1.0, self.scale), strict=True
            )
        ]
        questions = [Question(groups[0], groups[1], self.metrics)]
        if self.amounts:
            asked = [metrics.rate(), metrics.power(), metrics.energy_per_request(), metrics.bandwidth()]
            questions.append(
                Question(*([amounts(random, run) for run in group] for group in groups), metrics=asked)
            )
        return [one for answers in infer_all(questions, seed=number, resamples=resamples) for one in answers]


def amounts(random: np.random.Generator, run: Blocks) -> Blocks:
    """The ``intervals`` of a Run: half as many blocks, joules with correlated noise, bytes of varying
    requests.
    """
    count = run.count[: run.blocks // 2 * 2].reshape(-1, 2).sum(axis=1)
    start, end = run.start_s[0:-1:2], run.end_s[1::2]
    noise = random.standard_normal(len(count))
    for at in range(1, len(noise)):
        noise[at] += 0.6 * noise[at - 1]
    joules = (end - start) * (IDLE_W + 0.3 * noise) + REQUEST_J * count
    # The sum of as many exponential sizes.
    size = REQUEST_BYTES * random.gamma(np.maximum(count, 1e-9))
    none = np.zeros(0)
    unknown = np.full(len(count), np.nan)
    return Blocks(
        start, end, count, unknown, unknown, none, none, np.zeros((len(count), 0)),
        {"device_j": joules, "bytes": size},
    )  # fmt: skip


COLUMNS = ("given", "covered", "different")
"""Counts that a tally has for each metric."""


@dataclass
class Tally:
    """What trials of a case gave: for each metric how many intervals there were and how many covered the
    truth.
    """

    names: list[str] = field(default_factory=list)
    trials: int = 0
    given: list[int] = field(default_factory=list)
    covered: list[int] = field(default_factory=list)
    different: list[int] = field(default_factory=list)
    any_different: int = 0

    @classmethod
    def of(cls, case: Case, numbers: Sequence[int], *, seed: int = 1, resamples: int = 2000) -> Tally:
        """Trials of these numbers."""
        truths = case.truths()
        tally = cls()
        for number in numbers:
            differences = case.trial(seed, number, resamples)
            if not tally.names:
                tally.names = [one.metric.name for one in differences]
                for name in COLUMNS:
                    setattr(tally, name, [0] * len(differences))
            tally.trials += 1
            called = [one.verdict in ("better", "worse") for one in differences]
            tally.any_different += any(called)
            for at, (one, (before, after)) in enumerate(zip(differences, truths, strict=True)):
                tally.different[at] += called[at]
                if one.interval is not None:
                    tally.given[at] += 1
                    tally.covered[at] += one.interval[0] <= after - before <= one.interval[1]
        return tally

    def joined(self, other: Tally) -> Tally:
        """Both."""
        if not self.trials:
            return other

        def sums(name: str) -> list[int]:
            return [a + b for a, b in zip(getattr(self, name), getattr(other, name), strict=True)]

        return replace(
            self, trials=self.trials + other.trials, any_different=self.any_different + other.any_different,
            **{name: sums(name) for name in COLUMNS},
        )  # fmt: skip


def shifted() -> list[Case]:
    """Pairs that differ by a known amount."""
    queue, memory, heavy, flush = mm1(0.5), ar1_lognormal(0.98, 0.8), independent(1.5), periodic(40, 0.5, 0.5)
    return [
        Case("M/M/1, rho 0.5, 20 % slower", queue, queue, 1.2, 100_000),
        Case("M/M/1, rho 0.8, 20 % slower", mm1(0.8), mm1(0.8), 1.2, 200_000),
        Case("M/M/1, rho 0.6 to 0.7", mm1(0.6), mm1(0.7), 1.0, 100_000, amounts=True),
        Case("M/M/1, rho 0.8, few requests", mm1(0.8), mm1(0.8), 1.2, 20_000),
        Case("AR(1) lognormal, phi 0.98", memory, memory, 1.2, 100_000),
        Case("lognormal, sigma 1.5, independent", heavy, heavy, 1.2, 60_000),
        Case("40 periods", flush, flush, 1.2, 60_000),
        Case("M/M/1, rho 0.5, 64 blocks", queue, queue, 1.2, 60_000, blocks=64),
        Case("3 Runs on each side", queue, queue, 1.2, 40_000, blocks=256, runs=(3, 3)),
        Case("4 Runs, 5 % apart", queue, queue, 1.2, 30_000, blocks=256, runs=(4, 4), apart=0.05),
    ]


def alike() -> list[Case]:
    """Pairs that do not differ."""
    queue, memory, heavy, flush = mm1(0.5), ar1_lognormal(0.98, 0.8), independent(1.5), periodic(40, 0.5, 0.5)
    return [
        Case("M/M/1, rho 0.5", queue, queue, 1.0, 60_000, amounts=True),
        Case("M/M/1, rho 0.8", mm1(0.8), mm1(0.8), 1.0, 100_000, amounts=True),
        Case("AR(1) lognormal, phi 0.98", memory, memory, 1.0, 100_000),
        Case("lognormal, sigma 1.5, independent", heavy, heavy, 1.0, 60_000),
        Case("40 periods", flush, flush, 1.0, 60_000),
        Case("3 Runs on each side", queue, queue, 1.0, 40_000, blocks=256, runs=(3, 3), amounts=True),
        Case("4 Runs, 5 % apart", queue, queue, 1.0, 30_000, blocks=256, runs=(4, 4), apart=0.05),
        Case("1 Run against 4, 5 % apart", queue, queue, 1.0, 40_000, blocks=256, runs=(1, 4), apart=0.05),
    ]
