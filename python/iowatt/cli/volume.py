"""``iowatt volume``: a virtual pool of a scenario as a block device over real stores."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import Argument, InputError
from iowatt.cli import command_line
from iowatt.cli.options import (
    ERASE,
    METER,
    PORT,
    SAMPLE_INTERVAL,
    AsJson,
    Force,
    Notes,
    Overrides,
    Scenario,
    parsed,
    print_json,
    shown,
)
from iowatt.cli.options import output as output_option
from iowatt.cli.show import show

Stores = Annotated[
    list[Path],
    typer.Argument(metavar="STORE...", help="Files or block devices, in the order of the parts."),
]
POOL = typer.Option("--pool", metavar="NAME", help="The virtual pool.")
Socket = Annotated[Path, typer.Option("--socket", metavar="PATH", help="Unix socket of the volume.")]


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    volume = typer.Typer(
        name="volume",
        help="A hybrid volume on real files or devices, over NBD: create, serve, run, status, stop, check.",
        no_args_is_help=True,
    )
    volume.command("create")(create)
    volume.command("serve")(serve)
    volume.command("run")(run)
    volume.command("status")(status)
    volume.command("stop")(stop)
    volume.command("check")(check)
    app.add_typer(volume)


def create(
    scenario: Scenario,
    *,
    store: Annotated[
        list[Path],
        typer.Option(
            "--store",
            metavar="PATH",
            help="File or block device of a part; once per part, fastest first. A missing file is created.",
        ),
    ],
    erase: Annotated[list[Path] | None, shown(ERASE, False)] = None,
    pool: Annotated[str | None, shown(POOL, "the only one")] = None,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Create a volume from a scenario's virtual pool: linear, tiering, or caching of whole extents."""
    from iowatt.pages.volume import made
    from iowatt.sources import volume

    request = volume.NewVolume(Path(scenario), store, erase or [], overrides or [], pool)
    found = volume.create(request, tell=lambda text: typer.echo(f"iowatt: {text}", err=True))
    show(found, made, as_json=as_json)


def serve(
    stores: Stores,
    *,
    socket: Socket = Path("volume.sock"),
    port: Annotated[int | None, shown(PORT, "none: NBD over the socket")] = None,
    metrics: Annotated[
        int | None,
        typer.Option(
            "--metrics",
            min=0,
            max=65535,
            help="Port on 127.0.0.1 for Prometheus /metrics; 0 picks a free port.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--io-threads",
            min=1,
            max=256,
            help="I/O threads.",
            show_default="8, with --emulate 64",
        ),
    ] = None,
    emulate: Annotated[
        Path | None,
        typer.Option(
            "--emulate",
            metavar="SCENARIO",
            help="Emulate the speed of this scenario's drives and model their watts.",
            show_default="the stores' own speed",
        ),
    ] = None,
    overrides: Overrides = None,
    pool: Annotated[str | None, shown(POOL, "the only one")] = None,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="DIR", help="Write a Run bundle.", show_default="none"),
    ] = None,
    meter: Annotated[list[str] | None, shown(METER, False)] = None,
    sample_interval: Annotated[str, SAMPLE_INTERVAL] = "1s",
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Serve a volume over NBD until `iowatt volume stop`, Ctrl-C or SIGTERM; then show its status."""
    from iowatt.base.units import parse_duration
    from iowatt.pages.volume import status as document
    from iowatt.sources import volume

    def ready(service: volume.VolumeService) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: service.ask_stop())
        media = "" if emulate is None else " (emulated media, modelled watts)"
        typer.echo(f"iowatt: serving {service.status().uri}{media}", err=True)
        if service.metrics_port is not None:
            typer.echo(f"iowatt: metrics at http://127.0.0.1:{service.metrics_port}/metrics", err=True)

    request = volume.ServeRequest(
        stores,
        socket,
        port=port,
        metrics=metrics,
        threads=threads,
        media=None if emulate is None else volume.emulated_media(emulate, overrides or [], pool),
        record=record,
        force=force,
        meters=meter or [],
        meter_interval_s=parsed(sample_interval, parse_duration, "sample_interval"),
        command=command_line.written(),
    )
    for name, given, needed in (
        ("set", overrides, emulate),
        ("pool", pool, emulate),
        ("force", force, record),
    ):
        if given and needed is None:
            message = "a Run that is recorded" if name == "force" else "the scenario of emulated media"
            raise InputError("not-applicable", Argument(name), f"is about {message}, and there is none")
    found = volume.serve(request, ready, tell=lambda text: typer.echo(f"iowatt: {text}", err=True))
    show(found, document, as_json=as_json)
    if record is not None:
        typer.echo(f"iowatt: recorded {record}; show it with `iowatt report {record}`", err=True)


def run(
    scenario: Scenario,
    *,
    overrides: Overrides = None,
    pool: Annotated[str | None, shown(POOL, "the only one")] = None,
    output: Annotated[
        Path | None, output_option("DIR", "Directory of the Run bundle.", "runs/<scenario name>-live")
    ] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Run a scenario's workload on a live volume over emulated media, in real time."""
    from iowatt.cli.progress import bar
    from iowatt.cli.run import default_output, show_run
    from iowatt.evaluate.replay import run_live

    path = Path(scenario)
    target = output
    if target is None:
        usual = default_output(path, overrides or [])
        target = usual.with_name(f"{usual.name}-live")
    with bar("running live") as progress:
        done = run_live(
            path,
            overrides or [],
            output=target,
            pool=pool,
            force=force,
            command=command_line.written(),
            progress=progress,
        )
    if as_json:
        print_json(done.summary)
    else:
        show_run(done, target, notes=notes)


def status(*, socket: Socket = Path("volume.sock"), as_json: AsJson = False) -> None:
    """Show hits, moves and dirty bytes of a running volume."""
    from iowatt.pages.volume import status as document
    from iowatt.sources.volume import ask
    from iowatt.sources.volume.result import VolumeStatus

    show(VolumeStatus.model_validate(ask(socket, "status")), document, as_json=as_json)


def stop(*, socket: Socket = Path("volume.sock"), as_json: AsJson = False) -> None:
    """Stop a running volume: disconnect clients and flush everything to the stores."""
    from iowatt.pages.volume import status as document
    from iowatt.sources import volume
    from iowatt.sources.volume.result import VolumeStatus

    show(VolumeStatus.model_validate(volume.stop(socket)), document, as_json=as_json)


def check(stores: Stores, *, as_json: AsJson = False) -> None:
    """Check the labels and map of a stopped volume; report repairs."""
    from iowatt.pages.volume import checked
    from iowatt.sources import volume

    show(volume.check(stores), checked, as_json=as_json)
