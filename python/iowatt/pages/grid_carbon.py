"""What ``iowatt tariff carbon`` shows: kg by the hour, the best time to begin, what shifting saves."""

from __future__ import annotations

from iowatt.lenses.grid_carbon import GridCarbon
from iowatt.render import numbers, palette, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, text_columns


def document(found: GridCarbon) -> Document:
    """The document of a load's carbon."""
    shifted = found.shifted
    verdict = [
        f"{numbers.significant(found.kwh)} kWh are {numbers.significant(found.kg)} kg CO2e: "
        f"{numbers.with_unit(found.g_per_kwh, 'g/kWh')}, where the mean of the grid is "
        f"{numbers.with_unit(found.mean_g_per_kwh, 'g/kWh')}."
    ]
    if shifted is not None:
        saved = "" if shifted.saved_usd is None else _bill(shifted.saved_usd)
        verdict.append(
            f"{numbers.percent(shifted.movable_share)} of the work, done up to "
            f"{numbers.duration(shifted.delay_s)} later, saves {numbers.significant(shifted.saved_kg)} kg "
            f"({numbers.percent(shifted.saved_share)}){saved}."
        )
    verdict.append(
        f"A job of {numbers.duration(found.job_s)} is best begun at {_clock(found.best_start_h)}: "
        f"{numbers.percent(found.best_start_saves_share)} less than at a random time."
    )
    return Document(
        key="grid-carbon",
        kind="carbon of electricity",
        title=found.load,
        meta=f"{found.series} · {numbers.duration(found.seconds)} from {found.start[:16]}",
        verdict=verdict,
        chart=_day(found),
        sections=[Section("load", "Load", [_figures(found)])],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _bill(saved_usd: float) -> str:
    word = "falls" if saved_usd >= 0 else "rises"
    return f"; the bill {word} by ${abs(saved_usd):,.2f}"


def _clock(hours: float) -> str:
    whole, part = divmod(round(hours * 60), 60)
    return f"{whole:02d}:{part:02d}"


def _figures(found: GridCarbon) -> Figure:
    rows: list[list[Cell]] = [
        ["As it is", found.kg, found.peak_kw, found.usd],
        ["By the mean alone", found.kg_by_mean, None, None],
    ]
    if found.shifted is not None:
        rows.append(["Shifted", found.shifted.kg, found.shifted.peak_kw, found.shifted.usd])
    columns = [*text_columns("Load"), Column("Carbon", "kg CO2e"), Column("Peak", "kW"), Column("Bill", "$")]
    return Figure("load", "Load", "Over the whole time.", Table(columns, rows), brief=True)


def _day(found: GridCarbon) -> Figure:
    rows: list[list[Cell]] = [[_clock(one.start_h), one.g_per_kwh, one.job_g_per_kwh] for one in found.day]
    columns = [*text_columns("Time"), Column("Grid", "g/kWh"), Column("Job begun then", "g/kWh")]
    table = Table(columns, rows)
    times = table.column("Time")
    traces = [
        plot.line(times, table.column("Grid"), name="Grid", hover="%{y:,.4~r} g/kWh"),
        plot.line(times, table.column("Job begun then"), name="Job begun then", colour=palette.P95,
                  hover="%{y:,.4~r} g/kWh"),
    ]  # fmt: skip
    drawn = layout(axis("Time of the day"), axis("Intensity (g/kWh)", rangemode="tozero"), showlegend=True)
    caption = "Means over all days of the series."
    return Figure("day", "Intensity over the day", caption, table, plot.spec(traces, drawn))
