"""Simulated and live side by side, and which way each goes beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from iowatt.lenses.cost import Horizon
from iowatt.render.document import Section
from iowatt.render.figure import Cell, Figure
from iowatt.studies.dollars2014 import money, points
from iowatt.studies.dollars2014.conclusions import signed, signed_range
from iowatt.studies.dollars2014.live_systems import LIVE_WORKS, LiveScale, LiveWork
from iowatt.studies.dollars2014.money import Money, Variant
from iowatt.studies.dollars2014.points import HybridPoint
from iowatt.studies.dollars2014.published import PRINTED
from iowatt.studies.dollars2014.systems import NAMES
from iowatt.studies.figures import bars
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.study import Findings
from iowatt.studies.text import study_text

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.studies.stages import Results

TEXT: Final = study_text("dollars2014live")
_ONCE: Final = Horizon("work", PRINTED.once)
_LONG: Final = Horizon("work", PRINTED.long_run)
_VARIANTS: Final = ("printed", "all")
#: How far live and simulated may be apart: points of hits, percent of migrations.
_HITS, _MIGRATIONS = 1.0, 3.0


@dataclass(frozen=True)
class Both:
    """One system under one work, simulated and live."""

    simulated: HybridPoint
    live: HybridPoint


class _LivePoints:
    """All points, and what prices them."""

    def __init__(self, results: Results) -> None:
        self.simulated: dict[HybridPoint, Run] = {}
        self.live: dict[HybridPoint, Run] = {}
        self._both: dict[tuple[str, str], Both] = {}
        for stage, row in results.rows():
            runs = (results.run(stage, row), results.live(stage, row))
            own, other = (points.point(stage, row, run) for run in runs)
            self.simulated[own], self.live[other] = runs
            self._both[own.work, own.system] = Both(own, other)
        self._money = (Money(self.simulated), Money(self.live))
        self.variants = [one for one in money.variants() if one.key in _VARIANTS]

    def of(self, work: LiveWork) -> Mapping[str, Both]:
        """Systems under a work."""
        return {system: both for (key, system), both in self._both.items() if key == work.key}

    def apart(self, work: LiveWork, variant: Variant, horizon: Horizon) -> tuple[float, float]:
        """Cost of caching against tiering in percent, simulated and live."""
        found = self.of(work)
        simulated = self._money[0].apart(
            found["caching"].simulated, found["tiering"].simulated, variant, horizon
        )
        live = self._money[1].apart(found["caching"].live, found["tiering"].live, variant, horizon)
        return simulated, live

    def usd(self, both: Both, variant: Variant, horizon: Horizon) -> tuple[float, float]:
        """Dollars, simulated and live."""
        return (
            self._money[0].usd(both.simulated, variant, horizon),
            self._money[1].usd(both.live, variant, horizon),
        )


def live_findings(results: Results, scale: LiveScale) -> Findings:
    """Everything that the study finds at a scale."""
    found = _LivePoints(results)
    verdicts = [verdict for work in LIVE_WORKS for verdict in _verdicts(found, work)]
    sections = [
        Section("beside", "Simulated and live", [_beside(found, work) for work in LIVE_WORKS]),
        Section("dollars", "Dollars", [_dollars(found), _costs(found)]),
    ]
    worst = max(
        (run.plan["emulated"] for run in found.live.values() if run.plan.get("emulated")),
        key=lambda late: late["p50_us"],
    )
    notes = TEXT.noted(
        reduced=scale.length < 1, p50_us=worst["p50_us"], p99_us=worst["p99_us"], requests=scale.requests,
        web_mib=scale.span_mib(LIVE_WORKS[0]), fiu_mib=scale.span_mib(LIVE_WORKS[1]),
        long_run=PRINTED.long_run,
    )  # fmt: skip
    return Findings(
        verdicts,
        sections,
        notes,
        results.table(),
        chart=f"beside-{LIVE_WORKS[1].key}",
        against="the simulation, and with what was published",
    )


def _beside(found: _LivePoints, work: LiveWork) -> Figure:
    both = found.of(work)
    rows: list[list[Cell]] = []
    for system, one in both.items():
        row: list[Cell] = [NAMES[system]]
        for name in ("iops", "hit", "migrations", "write_backs"):
            for point in (one.simulated, one.live):
                value = getattr(point, name)
                row.append(100 * value if name == "hit" and value is not None else value)
        joules = [_joules(runs, point) for runs, point in _runs(found, one)]
        rows.append([*row, *joules])
    shown = {NAMES[system]: one for system, one in both.items() if system != "ssd"}
    series = {
        "simulated": [one.simulated.iops for one in shown.values()],
        "live": [one.live.iops for one in shown.values()],
    }
    chart = bars(series, list(shown), "Requests per second")
    return TEXT.figure("beside", rows, chart, part=work.key, title=work.title)


def _runs(found: _LivePoints, one: Both) -> Iterator[tuple[Mapping[HybridPoint, Run], HybridPoint]]:
    yield found.simulated, one.simulated
    yield found.live, one.live


def _joules(runs: Mapping[HybridPoint, Run], point: HybridPoint) -> float:
    return float(runs[point].summary["energy"]["total_j"])


def _dollars(found: _LivePoints) -> Figure:
    rows: list[list[Cell]] = []
    for work in LIVE_WORKS:
        for variant in found.variants:
            for horizon, text, published in (
                (_ONCE, "once", PRINTED.slightly),
                (_LONG, f"{PRINTED.long_run:,.0f} times", PRINTED.workloads[work.key].long_run),
            ):
                simulated, live = found.apart(work, variant, horizon)
                rows.append([work.title, variant.title, text, signed_range(*published), simulated, live])
    return TEXT.figure("dollars", rows)


def _costs(found: _LivePoints) -> Figure:
    rows: list[list[Cell]] = [
        [
            work.title,
            NAMES[system],
            variant.title,
            100 * found.usd(both, variant, _ONCE)[1],
            found.usd(both, variant, _LONG)[1],
        ]
        for work in LIVE_WORKS
        for system, both in found.of(work).items()
        for variant in found.variants
    ]
    return TEXT.figure("costs", rows)


def _verdicts(found: _LivePoints, work: LiveWork) -> Iterator[ClaimVerdict]:
    systems = found.of(work)
    for system, both in systems.items():
        case = f"{work.title}, {NAMES[system]}"
        yield from _same(case, both)
    yield _throughput(work, systems["caching"], systems["tiering"])
    printed = found.variants[0]
    low, high = PRINTED.slightly
    simulated, live = found.apart(work, printed, _ONCE)
    yield TEXT.judge(
        "once", work.title, ours=signed(live), agrees=low <= live <= high, simulated=signed(simulated)
    )
    low, high = PRINTED.workloads[work.key].long_run
    simulated, live = found.apart(work, printed, _LONG)
    yield TEXT.judge(
        "long-run", work.title, ours=signed(live), agrees=(live < 0) == (high < 0),
        published=signed_range(low, high), simulated=signed(simulated),
    )  # fmt: skip
    yield _ssd_only(found, work, systems)


def _same(case: str, both: Both) -> Iterator[ClaimVerdict]:
    ours, theirs = both.live, both.simulated
    if ours.hit is not None and theirs.hit is not None:
        apart = 100 * (ours.hit - theirs.hit)
        yield TEXT.judge("hits", case, ours=f"{apart:+.2f} points", agrees=abs(apart) <= _HITS)
    if theirs.migrations:
        apart = 100 * (ours.migrations / theirs.migrations - 1)
        agrees = abs(apart) <= _MIGRATIONS
        said = f"{signed(apart)} ({ours.migrations} and {theirs.migrations})"
        yield TEXT.judge("migrations", case, ours=said, agrees=agrees)


def _throughput(work: LiveWork, caching: Both, tiering: Both) -> ClaimVerdict:
    live = 100 * (caching.live.iops / tiering.live.iops - 1)
    simulated = 100 * (caching.simulated.iops / tiering.simulated.iops - 1)
    if work.key == "web-search":
        return TEXT.judge(
            "reads", work.title, ours=signed(live), agrees=live >= 0, simulated=signed(simulated)
        )
    (low, high) = PRINTED.workloads[work.key].throughput[None]
    agrees = low <= live <= high
    return TEXT.judge("writes", work.title, ours=signed(live), agrees=agrees, simulated=signed(simulated))


def _ssd_only(found: _LivePoints, work: LiveWork, systems: Mapping[str, Both]) -> ClaimVerdict:
    printed = found.variants[0]

    def dearest(side: int) -> Sequence[float]:
        own = found.usd(systems["ssd"], printed, _ONCE)[side]
        return [
            own / found.usd(systems[other], printed, _ONCE)[side] for other in ("tiering", "caching", "hdd")
        ]

    simulated, live = dearest(0), dearest(1)
    return TEXT.judge(
        "ssd-only", work.title, ours=f"{min(live):.2f} to {max(live):.2f} times the others",
        agrees=min(live) > 1, simulated=f"{min(simulated):.2f} to {max(simulated):.2f} times",
    )  # fmt: skip
