"""What was recorded: instruments and conditions, stability, rates, shares of streams, and the minutes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from iowatt.emerald.analyze import figures
from iowatt.emerald.analyze.result import Analysis, InstrumentUsed, Part, PhaseResult, ReadyIdle
from iowatt.emerald.judge.stability import MEANING
from iowatt.emerald.report import blocks
from iowatt.emerald.report.blocks import Block, Lines, Page, rows
from iowatt.emerald.report.inputs import Given
from iowatt.render.figure import Column, Exact

#: Conditions that a report gives for each phase, with their units.
CONDITIONS: Final = {
    "watts": ("Power", "W"),
    "volts": ("Voltage", "V"),
    "amperes": ("Current", "A"),
    "hertz": ("Frequency", "Hz"),
    "power_factor": ("Power factor", ""),
    "thd_percent": ("THD", "%"),
    "celsius": ("Inlet temperature", "degC"),
}


_OF_MINUTE: Final = ("start_s", "operations_rate", "response_ms", "power_w", "pe", "ea")


def instruments(given: Given) -> Page:
    """Meters, and what they saw."""
    sentences = []
    if given.modelled:
        sentences.append("Power is modelled by the simulation; no instrument recorded it.")
    return Page(
        "instruments", "Instruments and conditions", [*_meters(given), *_conditions(given)], sentences
    )


def _meters(given: Given) -> Iterator[Block]:
    seen: dict[str, tuple[InstrumentUsed, list[str]]] = {}
    for part in given.parts:
        for one in part.instruments:
            seen.setdefault(_identity(one), (one, []))[1].append(part.phase)
    if not seen:
        return
    columns = [
        *blocks.text("Instrument", "Of", "Reader", "Model", "Serial", "Calibrated"),
        Exact("Sampled every", "s"), Exact("Uncertainty", "%"), *blocks.text("Grade", "Why", "Phases"),
    ]  # fmt: skip
    yield rows(
        "Instruments",
        columns,
        [
            [
                one.name, one.role, one.kind, one.model, one.serial,
                one.calibrated, one.sample_interval_s, one.uncertainty_percent,
                one.grade, one.why, ", ".join(phases),
            ]
            for one, phases in seen.values()
        ],
        "Grade emerald: its kind can meet the rules; indicative: it cannot.",
    )  # fmt: skip


def _identity(one: InstrumentUsed) -> str:
    keys = ("name", "role", "kind", "model", "serial", "calibrated", "grade", "uncertainty_percent")
    return repr([getattr(one, name) for name in keys])


def _conditions(given: Given) -> Iterator[Block]:
    cells: list[list[Any]] = []
    for part in given.parts:
        for one in part.instruments:
            readings = one.readings
            for quantity, (title, unit) in CONDITIONS.items():
                if quantity in readings:
                    found = readings[quantity]
                    cells.append(
                        [part.phase, one.name, title, unit, found.minimum, found.mean,
                         found.maximum, part.kind]
                    )  # fmt: skip
    if cells:
        columns = [
            *blocks.text("Phase", "Instrument", "Quantity", "Unit"), Exact("Minimum"), Exact("Mean"),
            Exact("Maximum"), *blocks.text("Kind"),
        ]  # fmt: skip
        yield rows("Conditions by phase", columns, cells, "Over the measurement interval of each phase.")


def stability(given: Given) -> Page:
    """The three readings; asked and achieved; shares."""
    found = given.analysis
    return Page(
        "stability",
        "Stability, rates and shares",
        [*_readings(found), *_rates(found), *_shares(found)],
    )


def _readings(found: Analysis) -> Iterator[Block]:
    cells = []
    for phase in found.phases:
        settled = phase.stability
        if settled is None:
            continue
        trend = settled.trend
        cells.append(
            [
                phase.phase,
                *(
                    figures.reading(settled.readings[name], mark=found.unverified_stability)
                    for name in MEANING
                ),
                *(
                    (None, None, None)
                    if trend is None
                    else (100 * trend.drift, 100 * trend.drift_half_width, trend.p)
                ),
                figures.verdict(settled, found),
                phase.kind,
            ]
        )
    if not cells:
        return
    rule = found.stability
    meaning = "; ".join(f"{name}: {said}" for name, said in MEANING.items())
    columns = [
        *blocks.text("Phase", *(_rule(one, judged=one == rule.reading) for one in MEANING)),
        Column("Drift", "%"), Column("Give or take", "%"), Column("p"), *blocks.text("Verdict", "Kind"),
    ]  # fmt: skip
    yield rows(
        "Stability of the ten-minute weighted average",
        columns,
        cells,
        f"Largest deviation under each reading of the rule, whose wording could not be read (weights "
        f"{rule.weights}, tolerance {100 * rule.tolerance:g} %). {meaning}. Drift: from first "
        "to last minute "
        "with its 95 % interval." + (f" {figures.MARK}" if found.unverified_stability else ""),
    )


def _rule(name: str, *, judged: bool) -> str:
    return f"Rule {name} (judged by)" if judged else f"Rule {name}"


def _rates(found: Analysis) -> Iterator[Block]:
    cells = []
    for phase in found.phases:
        asked, achieved = phase.asked_iops, phase.iops
        share = 100 * achieved / asked if asked and achieved is not None else None
        cells.append(
            [
                phase.phase,
                asked,
                achieved,
                share,
                phase.mib_per_s,
                phase.response_mean_ms,
                phase.response_largest_minute_ms,
                phase.kind,
            ]
        )  # fmt: skip
    if cells:
        columns = [
            *blocks.text("Phase"), Exact("Asked", "IOPS"), Exact("Achieved", "IOPS"), Column("Of asked", "%"),
            Exact("Throughput", "MiB/s"), Exact("Average latency", "ms"), Exact("Largest minute", "ms"),
            *blocks.text("Kind"),
        ]  # fmt: skip
        yield rows(
            "Asked and achieved",
            columns,
            cells,
            "No rate is asked for where requests follow each other as fast as they are answered.",
        )


def _shares(found: Analysis) -> Iterator[Block]:
    cells = []
    for phase in found.phases:
        for one in phase.shares:
            known = one.asked is not None and one.observed is not None
            cells.append(
                [
                    phase.phase,
                    one.stream,
                    _number(one.asked),
                    _number(one.observed),
                    float(one.observed - one.asked) if known else None,
                    _number(one.iops),
                    _number(one.response_mean_ms),
                ]
            )  # fmt: skip
    if cells:
        columns = [
            *blocks.text("Phase", "Stream"), Exact("Asked", "%"), Exact("Observed", "%"),
            Column("Difference", "points"), Exact("Achieved", "IOPS"), Exact("Average latency", "ms"),
        ]  # fmt: skip
        yield rows("Shares of the streams (skew)", columns, cells)


def minutes(given: Given) -> Iterator[Page]:
    """A page for each phase, and one for ready idle."""
    for phase in given.analysis.phases:
        if phase.minutes:
            yield Page(
                f"minutes-{phase.phase}",
                f"Minutes of {phase.phase}",
                [_phase(phase, given)],
            )
    rest = given.analysis.ready_idle
    if rest and rest.minutes:
        yield Page(f"minutes-{rest.phase}", "Minutes of ready idle", [_rest(rest, given)])


def _phase(phase: PhaseResult, given: Given) -> Block:
    unit = phase.operations_unit
    columns = [
        Column("Minute"), *blocks.text("Part"), Exact("Starts at", "s"), Exact("Operations rate", unit),
        Exact("Response time", "ms"), Exact("Power", "W"), Exact("PE", phase.unit), Exact("EA", phase.unit),
    ]  # fmt: skip
    cells = [
        [
            one.minute, "measured" if one.measured else "warm-up",
            *(getattr(one, name) for name in _OF_MINUTE),
        ]
        for one in phase.minutes
    ]  # fmt: skip
    made = rows(
        f"{phase.metric}, minute by minute ({phase.kind})",
        columns,
        cells,
        "PE: operations rate over power of the minute. EA: its weighted average over ten minutes. "
        "The measured "
        f"interval {_began(phase)}; minutes up to 0 are the warm-up. An empty "
        "cell is a minute "
        "without a complete figure.",
    )
    charts = [
        Lines("Operations rate", ["Operations rate"], unit),
        Lines("Response time", ["Response time"], "ms"),
        Lines("Power", ["Power"], "W"),
        Lines("Periodic efficiency and its weighted average", ["PE", "EA"], phase.unit, from_zero=False),
    ]
    drawn = figures.of_part(phase, given.analysis)
    return Block(made.title, made.table, made.caption, charts, drawn)


def _began(part: Part) -> str:
    return "is modelled" if part.start is None else f"began {blocks.moment(part.start)}"


def _rest(rest: ReadyIdle, given: Given) -> Block:
    cells = [[one.minute, _number(one.start_s), _number(one.power_w)] for one in rest.minutes]
    made = rows(
        f"{rest.metric}, minute by minute ({rest.kind})",
        [Column("Minute"), Exact("Starts at", "s"), Exact("Power", "W")],
        cells,
        f"The interval {_began(rest)}.",
    )
    return Block(
        made.title,
        made.table,
        made.caption,
        [Lines("Power", ["Power"], "W")],
        figures.of_part(rest, given.analysis),
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
