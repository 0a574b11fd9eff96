"""``iowatt emerald run``: a plan is run, recorded, and gone on with after an interruption."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli.options import (
    ADVANCED,
    ERASE,
    HOST,
    MAP,
    TARGET,
    AsJson,
    Force,
    Notes,
    Resume,
    load_hosts,
    output,
    pairs,
    shown,
)
from iowatt.cli.show import show

if TYPE_CHECKING:
    from iowatt.emerald.conduct import MeasurementProgress
    from iowatt.emerald.plan import Plan


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("run")(run)


def run(
    plan: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN", help="Output of `emerald plan` or `emerald calibrate`: folder or file."
        ),
    ],
    *,
    output: Annotated[
        Path | None, output("DIR", "Directory of the measurement.", "measurements/<plan name>")
    ] = None,
    target: Annotated[str | None, shown(TARGET, "the plan's")] = None,
    erase: Annotated[str | None, ERASE] = None,
    host: Annotated[list[str] | None, shown(HOST, "the plan's, or this host alone")] = None,
    script: Annotated[
        Path | None,
        typer.Option(
            "--script",
            metavar="FILE",
            help="vdbench parameter file to run in one call, in place of iowatt's own.",
            show_default=False,
        ),
    ] = None,
    site_file: Annotated[
        Path | None,
        typer.Option(
            "--site-file",
            metavar="FILE",
            help="With --script: file that vdbench reads first, with hosts and storage (hd=, sd=).",
            show_default=False,
        ),
    ] = None,
    run_map: Annotated[list[str] | None, shown(MAP, "runs have the names of their stages")] = None,
    variable: Annotated[
        list[str] | None,
        typer.Option(
            "--variable",
            metavar="NAME=VALUE",
            help="Value of a $NAME in the script. May be repeated.",
            show_default=False,
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    resume: Resume = False,
    restart_active: Annotated[
        bool,
        typer.Option(
            "--restart-active",
            help="With --resume: repeat an interrupted active test from its conditioning, not just one "
            "phase.",
        ),
    ] = False,
    retries: Annotated[
        int, typer.Option("--retries", min=0, help="Immediate retries of a failed stage.")
    ] = 0,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Run a plan: all stages without a break, with instruments recorded and a journal."""
    import threading

    from iowatt.base.errors import Argument, InputError, IowattError
    from iowatt.emerald.conduct import Interrupts, Stopped, conduct, opened
    from iowatt.emerald.script import planned

    if restart_active and not resume:
        raise InputError("not-applicable", Argument("restart_active"), "goes with `resume=True`")
    needless = {"site_file": site_file, "map": run_map, "variable": variable}
    if script is None and (given := next((name for name, value in needless.items() if value), None)):
        raise InputError("not-applicable", Argument(given), "goes with `script=FILE`")
    own = None
    if script is not None:
        files = [script] if site_file is None else [site_file, script]
        runs = pairs(run_map or [], "map", "SR_final=SR")
        own = planned(files, runs, pairs(variable or [], "variable", "rate=4000"))
    stop = threading.Event()
    failure: IowattError | None = None
    stopped = False
    with (
        Interrupts(stop) as interrupts,
        opened(
            plan,
            output,
            target=target,
            hosts=load_hosts(host or []),
            script=own,
            erase=erase,
            resume=resume,
            force=force,
            tell=_talk,
        ) as ready,
    ):
        try:
            with _Shown() as progress:
                conduct(
                    ready.plan,
                    ready.driver,
                    ready.folder,
                    restart_active=restart_active,
                    retries=retries,
                    stop=stop,
                    progress=progress,
                    talk=_talk,
                )
        except Stopped:
            stopped = True
        except IowattError as error:
            failure = error
        finally:
            _print(ready.folder.path, ready.plan, notes=notes, as_json=as_json)
        if stopped:
            _talk(
                f"the measured stages are kept in {ready.folder.path}; the same command with --resume "
                "continues"
            )
    if failure is not None:
        raise failure
    if stopped:
        interrupts.again()
        raise KeyboardInterrupt


def _print(path: Path, plan: Plan, *, notes: bool, as_json: bool) -> None:
    """The state by the journal, finished or not."""
    from iowatt.base.errors import InputError
    from iowatt.emerald.conduct import document, read_state

    try:
        state = read_state(path, plan)
    except InputError:  # it ended before its journal began
        return
    show(state.result(path), document, notes=notes, as_json=as_json)


def _talk(text: str) -> None:
    typer.echo(f"iowatt: {text}", err=True)


class _Shown:
    """Progress on stderr: a line that is rewritten on a terminal, else a line for each stage."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._stage = 0
        self._width = 0

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()

    def __call__(self, progress: MeasurementProgress) -> None:
        if not self._terminal:
            if progress.number != self._stage:
                self._stage = progress.number
                _talk(progress.line)
            return
        text = progress.line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)
