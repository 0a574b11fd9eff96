"""``iowatt run``: one system, its workloads, one Run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli import command_line
from iowatt.cli.options import SEED, AsJson, Force, Overrides, Scenario, output, print_json, shown

if TYPE_CHECKING:
    from rich.table import Table

    from iowatt.run.bundle import Run


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("run")(run)


def run(
    scenario: Scenario,
    *,
    overrides: Overrides = None,
    output: Annotated[
        Path | None, output("DIR", "Directory of the Run bundle.", "runs/<scenario name>")
    ] = None,
    force: Force = False,
    seed: Annotated[int | None, shown(SEED, False)] = None,
    save_back_end: Annotated[
        Path | None,
        typer.Option(
            "--save-back-end",
            metavar="FILE.parquet",
            help="Also write the requests that the pools were handed, as a trace.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Also write report.html into the bundle.")
    ] = False,
) -> None:
    """Simulate a scenario and write a Run bundle: summary, tables, plan."""
    import iowatt
    from iowatt.cli.progress import bar

    target = output or default_output(scenario, overrides or [])
    with bar(f"simulating {scenario.name}") as progress:
        done = iowatt.run(
            scenario,
            set=overrides or [],
            seed=seed,
            output=target,
            force=force,
            save_back_end=save_back_end,
            progress=progress,
            command=command_line.written(),
        )
    page = _write_report(done, target) if report else None
    warnings = _warnings(done)
    if as_json:
        print_json(done.summary)
        for warning in warnings:
            typer.echo(f"iowatt: warning: {warning}", err=True)
        return

    from rich.console import Console

    from iowatt.pages.budget import words

    console = Console(highlight=False)
    title = " with ".join(filter(None, [done.name, ", ".join(overrides or [])]))
    console.print(headline(done.summary, words.rows_of_run(done), title=title))
    for note in done.notes:
        console.print(f"note: {note}", markup=False, soft_wrap=True)
    for warning in warnings:
        console.print(f"warning: {warning}", markup=False, soft_wrap=True)
    console.print(f"run: {target}", markup=False, soft_wrap=True)
    if page is not None:
        console.print(f"report: {page}", markup=False, soft_wrap=True)


def _warnings(done: Run) -> list[str]:
    """What a reader of the figures must not miss: the warnings of the report."""
    from iowatt.lenses.findings import findings

    return [finding.text for finding in findings(done) if finding.weight == "warning"]


def _write_report(done: Run, bundle: Path) -> Path:
    from iowatt.pages import run as report

    return report.write([done], bundle / "report.html")


def default_output(scenario: Path, overrides: list[str]) -> Path:
    """``runs/<scenario name>``."""
    from iowatt.model.scenario import load

    return Path("runs") / load(scenario, overrides).name


def headline(
    summary: dict[str, Any], more: Sequence[tuple[str, str]] = (), title: str | None = None
) -> Table:
    """The figures that a person asks for first, as a table; ``more`` rows at its end."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=escape(title or summary["name"]),
        title_justify="left",
        show_header=False,
        box=None,
        pad_edge=False,
    )
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for label, text in [*figures(summary), *more]:
        table.add_row(label, text)
    return table


def figures(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text of each headline figure."""
    from iowatt.lenses.findings import moved_over_asked
    from iowatt.render.numbers import count, duration, percent, significant, with_unit

    requests, work, window = summary["requests"], summary["throughput"], summary["window"]
    counts = [count(requests[key]) for key in ("count", "reads", "writes", "in_flight_at_end")]
    response, energy, power = summary["response_time_ms"]["all"], summary["energy"], summary["power_w"]
    efficiency, total = summary["efficiency"], energy["total_j"]
    split = ", ".join(
        f"{state.replace('_', ' ')} {percent(joules / total)}"
        for state, joules in energy["by_state_j"].items()
        if total and joules > 0
    )
    rows = [
        (
            "window",
            duration(window["duration_s"]),
            f"after a warm-up of {duration(window['warmup_s'])}" if window["warmup_s"] else "",
        ),
        (
            "requests",
            f"{counts[0]}: {counts[1]} reads, {counts[2]} writes",
            f"{counts[3]} in flight at the end",
        ),
        ("throughput", with_unit(work["iops"], "IOPS"), with_unit(work["mib_per_s"], "MiB/s")),
        (
            "response time",
            f"mean {with_unit(response['mean'], 'ms')}{_within(response['mean_ci95'])}",
            f"p95 {with_unit(response['p95'], 'ms')}",
            f"p99 {with_unit(response['p99'], 'ms')}",
        ),
        (
            "power",
            f"mean {with_unit(power['mean'], 'W')}",
            f"highest interval {with_unit(power['max'], 'W')}",
            f"idle {with_unit(power['idle'], 'W')} (device)",
        ),
        ("energy", with_unit(total, "J"), split or energy.get("unknown") or ""),
        (
            "per request",
            with_unit(energy["per_request_j"], "J"),
            f"E x T {with_unit(energy['energy_delay_js'], 'Js')}",
        ),
        (
            "efficiency",
            with_unit(efficiency["iops_per_w"], "IOPS/W"),
            with_unit(efficiency["mib_per_s_per_w"], "MiB/s/W"),
            f"{significant(efficiency['raw_gb_per_w'])} GB/W raw",
            *_effective(summary),
        ),
    ]
    if power["wall_mean"] is not None:
        idle = power.get("wall_idle")
        rows.insert(
            5,
            (
                "at the wall",
                f"mean {with_unit(power['wall_mean'], 'W')}",
                f"highest interval {with_unit(power['wall_max'], 'W')}",
                "" if idle is None else f"idle {with_unit(idle, 'W')}",
            ),
        )
    if cache := summary.get("cache"):
        shares = [
            (way, cache[f"{way}_hit_ratio"], cache[f"{way}_hit_bytes_ratio"]) for way in ("read", "write")
        ]
        hits = [
            f"{percent(share)} of {way}s hit ({percent(of_bytes)} of their bytes)"
            for way, share, of_bytes in shares
            if share is not None
        ]
        rows.insert(4, ("cache", *hits, f"{with_unit(cache['destaged_bytes'], 'B')} destaged"))
    for virtual in summary.get("virtual_pools", ()):
        if reduction := virtual.get("reduction"):
            rows.insert(4, (virtual["name"], *_reduction(reduction)))
            continue
        tiers = [tier for tier in summary["tiers"] if tier["virtual_pool"] == virtual["name"]]
        parts = [(tier["name"].partition(".")[2], tier["hit_ratio"]) for tier in tiers]
        found = [f"{percent(share)} of requests on {part}" for part, share in parts if share is not None]
        moved, times = moved_over_asked(summary, virtual)
        ratio = f" ({significant(times)} x what was asked for)" if times is not None and times > 1 else ""
        rows.insert(4, (virtual["name"], *found, f"{with_unit(moved, 'B')} moved{ratio}"))
    return [(label, ", ".join(part for part in parts if part)) for label, *parts in rows]


def _within(interval: list[float] | None) -> str:
    """The confidence interval of the mean, where there is one."""
    from iowatt.render.phrases import between

    return "" if interval is None else f" (95 % within {between(interval)})"


def _reduction(found: dict[str, Any]) -> list[str]:
    """What capacity optimisation saves, and what it answered by itself."""
    from iowatt.render.numbers import significant, with_unit

    ratio, unwritten = found["reduction_ratio"], found["unallocated_bytes_read"]
    stored = f"{with_unit(found['logical_bytes'], 'B')} in {with_unit(found['stored_bytes'], 'B')}"
    return [
        "nothing stored" if ratio is None else f"reduction {significant(ratio)} : 1 ({stored})",
        f"{with_unit(found['snapshot_bytes'], 'B')} kept by snapshots" if found["snapshot_bytes"] else "",
        f"{with_unit(unwritten, 'B')} read that was never written, without I/O" if unwritten else "",
    ]


def _effective(summary: dict[str, Any]) -> list[str]:
    """Capacity per watt after redundancy and after optimisation, where capacity is optimised."""
    from iowatt.render.numbers import significant

    capacity, efficiency = summary["capacity_gb"], summary["efficiency"]
    reduced = any(virtual.get("reduction") for virtual in summary.get("virtual_pools", ()))
    if not reduced and capacity["effective"] == capacity["usable"]:
        return []
    ways = [(way, efficiency.get(f"{way}_gb_per_w")) for way in ("usable", "effective")]
    return [f"{significant(value)} GB/W {way}" for way, value in ways if value is not None]
