"""What measured: the load generator and the instruments of a Run, in a sentence and as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iowatt.render import numbers
from iowatt.render.figure import Cell, Column, Table


def what(summary: Mapping[str, Any]) -> str:
    """What was measured, in a sentence."""
    requests, span = summary["requests"], numbers.duration(summary["window"]["duration_s"])
    volumes = summary["volumes"]
    where = volumes[0]["name"] if volumes else "the storage"
    if not requests["count"]:
        return f"This run measured {where} without any request for {span}."
    reads = numbers.percent(requests["reads"] / requests["count"])
    driver = summary.get("driver")
    by = f" with {driver['version']}" if driver else ""
    return (
        f"This run measured {where}{by}: {numbers.count(requests['count'])} requests ({reads} reads) "
        f"in {span}, {numbers.significant(summary['throughput']['iops'])} completed per second."
    )


def outcome(summary: Mapping[str, Any]) -> list[tuple[str, Table]]:
    """Titled tables of the load generator and of the instruments; none of a simulation."""
    found = []
    if driver := summary.get("driver"):
        found.append(("Load generator", _driver(driver)))
        if driver["shares"]:
            found.append(("Shares of the streams", _shares(driver["shares"])))
    if instruments := summary.get("instruments"):
        found.append(("Instruments", _instruments(instruments)))
        if any(one["problems"] for one in instruments):
            found.append(("Problems of the instruments", _problems(instruments)))
    return found


def _driver(driver: Mapping[str, Any]) -> Table:
    asked = driver["asked_iops"]
    rows: list[list[Cell]] = [
        ["Program", driver["version"]],
        ["Asked for", "as fast as it could" if asked is None else numbers.with_unit(asked, "IOPS")],
        ["Achieved", numbers.with_unit(driver["achieved_iops"], "IOPS")],
    ]
    if said := driver.get("reported"):
        figures = (("iops", "IOPS"), ("mib_per_s", "MiB/s"), ("response_mean_ms", "ms"))
        printed = [numbers.with_unit(said[key], unit) for key, unit in figures if said[key] is not None]
        rows.append(["Its own summary", ", ".join(printed)])
    if driver["histogram"]:
        rows.append(["Response-time histogram", driver["histogram"]])
    return Table([Column("What", text=True), Column("How", text=True)], rows)


def _shares(shares: list[dict[str, Any]]) -> Table:
    columns = [
        Column("Stream", text=True),
        Column("Asked", "%"),
        Column("Observed", "%"),
        Column("Off", "points"),
    ]
    rows: list[list[Cell]] = [
        [one["stream"], one["asked"], one["observed"], one["observed"] - one["asked"]] for one in shares
    ]
    return Table(columns, rows)


def _instruments(instruments: list[dict[str, Any]]) -> Table:
    heads = ("Instrument", "Reads", "Kind", "Model", "Serial", "Calibrated", "Grade", "Because")
    rows: list[list[Cell]] = [
        [
            one["name"],
            one["role"],
            one["kind"],
            one["model"] or numbers.NO_VALUE,
            one["serial"] or numbers.NO_VALUE,
            one["calibrated"] or numbers.NO_VALUE,
            "Emerald grade" if one["grade"] == "emerald" else "indicative",
            one["why"],
        ]
        for one in instruments
    ]
    return Table([Column(head, text=True) for head in heads], rows)


def _problems(instruments: list[dict[str, Any]]) -> Table:
    rows: list[list[Cell]] = [
        [
            one["name"],
            problem["kind"],
            numbers.NO_VALUE if problem["at_s"] is None else f"{problem['at_s']:.0f} s",
            problem["text"],
        ]
        for one in instruments
        for problem in one["problems"]
    ]
    heads = ("Instrument", "Problem", "At", "What")
    return Table([Column(head, text=True) for head in heads], rows)
