"""Pages of what was recorded: instruments and conditions, stability, rates, shares and minutes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from iowatt.emerald.analyze import (
    Analysis,
    instruments_figure,
    modelled_supplies,
    part_figures,
    stability_figure,
    supplies_figure,
)
from iowatt.emerald.analyze.result import Part, ReadyIdle, name_of
from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.report.tables import moment, table
from iowatt.render.document import Section
from iowatt.render.figure import Column, Exact, Figure, text_columns

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


def instruments(inputs: ReportInputs) -> Section:
    """The meters and their readings."""
    sentences = ["Power is modelled by the simulation; no instrument recorded it."] if inputs.modelled else []
    modelled = modelled_supplies(inputs.parts, inputs.runs) if inputs.modelled else None
    found = (instruments_figure(inputs.analysis), supplies_figure(inputs.analysis), modelled)
    made = [one for one in found if one is not None]
    return Section("instruments", "Instruments and conditions", [*made, *_conditions(inputs)], sentences)


def _conditions(inputs: ReportInputs) -> Iterator[Figure]:
    rows: list[list[Any]] = []
    for part in inputs.parts:
        for one in part.instruments:
            for quantity, (title, unit) in CONDITIONS.items():
                read = one.readings.get(quantity)
                if read is not None:
                    figures_ = (read.minimum, read.mean, read.maximum)
                    rows.append([part.phase, one.name, title, unit, *figures_, part.kind])
    if rows:
        columns = [
            *text_columns("Phase", "Instrument", "Quantity", "Unit"), Exact("Minimum"), Exact("Mean"),
            Exact("Maximum"), *text_columns("Kind"),
        ]  # fmt: skip
        caption = "Over the measurement interval of each phase."
        yield table("Conditions by phase", columns, rows, caption)


def stability(inputs: ReportInputs) -> Section:
    """The three readings; rates asked for and achieved; shares."""
    found = inputs.analysis
    readings = stability_figure(found)
    settled = [] if readings is None else [replace(readings, brief=False)]
    made = [*settled, *_rates(found), *_shares(found)]
    return Section("stability", "Stability, rates and shares", made)


def _rates(found: Analysis) -> Iterator[Figure]:
    rows = [
        [
            one.phase, one.asked_iops, one.iops,
            100 * one.iops / one.asked_iops if one.asked_iops and one.iops is not None else None,
            one.mib_per_s, one.response_mean_ms, one.response_largest_minute_ms, one.kind,
        ]
        for one in found.phases
    ]  # fmt: skip
    if rows:
        columns = [
            *text_columns("Phase"), Exact("Asked", "IOPS"), Exact("Achieved", "IOPS"),
            Column("Of asked", "%"), Exact("Throughput", "MiB/s"), Exact("Average latency", "ms"),
            Exact("Largest minute", "ms"), *text_columns("Kind"),
        ]  # fmt: skip
        caption = "No rate is asked for where each request follows the completion of another."
        yield table("Asked and achieved", columns, rows, caption)


def _shares(found: Analysis) -> Iterator[Figure]:
    rows = []
    for phase in found.phases:
        for one in phase.shares:
            known = one.asked is not None and one.observed is not None
            difference = one.observed - one.asked if known else None
            shares = (one.asked, one.observed, difference, one.iops, one.response_mean_ms)
            rows.append(
                [phase.phase, one.stream, *(None if each is None else float(each) for each in shares)]
            )
    if rows:
        columns = [
            *text_columns("Phase", "Stream"), Exact("Asked", "%"), Exact("Observed", "%"),
            Column("Difference", "points"), Exact("Achieved", "IOPS"), Exact("Average latency", "ms"),
        ]  # fmt: skip
        yield table("Shares of the streams (skew)", columns, rows)


def minutes(inputs: ReportInputs) -> Iterator[Section]:
    """A page for each phase and for ready idle: charts, then the table of all minutes."""
    for part in inputs.parts:
        if part.minutes:
            made = [*part_figures(part, inputs.analysis), _minutes(part)]
            yield Section(f"minutes-{part.phase}", f"Minutes of {name_of(part)}", made)


def _minutes(part: Part) -> Figure:
    title = f"{part.metric}, minute by minute ({part.kind})"
    began = "is modelled" if part.start is None else f"began {moment(part.start)}"
    if isinstance(part, ReadyIdle):
        columns = [Column("Minute"), Exact("Starts at", "s"), Exact("Power of ready idle", "W")]
        rows: list[list[Any]] = [[one.minute, one.start_s, one.power_w] for one in part.minutes]
        return table(title, columns, rows, f"The interval {began}.")
    columns = [
        Column("Minute"), *text_columns("Part"), Exact("Starts at", "s"),
        Exact("Operations rate", part.operations_unit), Exact("Response time", "ms"), Exact("Power", "W"),
        Exact("PE", part.unit), Exact("EA", part.unit),
    ]  # fmt: skip
    rows = [
        [one.minute, "measured" if one.measured else "warm-up", one.start_s, one.operations_rate,
         one.response_ms, one.power_w, one.pe, one.ea]
        for one in part.minutes
    ]  # fmt: skip
    return table(
        title,
        columns,
        rows,
        "PE: operations rate over power of the minute. EA: its weighted average over ten minutes. The "
        "measured "
        f"interval {began}; minutes up to 0 are the warm-up. An empty cell is a minute without a complete "
        "figure.",
    )
