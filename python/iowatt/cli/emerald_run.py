"""``iowatt emerald run``: a plan is run, recorded, and gone on with after an interruption."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli.options import ERASE, TARGET, AsJson, Force, Resume, output, print_json, shown

if TYPE_CHECKING:
    from iowatt.emerald.conduct.sequence import Progress
    from iowatt.emerald.conduct.state import State


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("run")(run)


def run(
    plan: Annotated[
        Path,
        typer.Argument(
            metavar="PLAN", help="What `emerald plan` or `emerald calibrate` wrote: folder or file."
        ),
    ],
    *,
    output: Annotated[
        Path | None, output("DIR", "Directory of the measurement.", "measurements/<plan name>")
    ] = None,
    target: Annotated[str | None, shown(TARGET, "the plan's")] = None,
    erase: Annotated[str | None, ERASE] = None,
    resume: Resume = False,
    restart_active: Annotated[
        bool,
        typer.Option(
            "--restart-active",
            help="With --resume: repeat a broken active test from its conditioning on, instead of one phase.",
        ),
    ] = False,
    retries: Annotated[
        int, typer.Option("--retries", min=0, help="How often a stage that failed is tried again at once.")
    ] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a plan: its stages without a break, instruments recorded beside them, and a journal of it all."""
    from iowatt.base.errors import Argument, InputError, IowattError
    from iowatt.emerald.conduct import begin
    from iowatt.emerald.conduct.interrupts import Interrupts
    from iowatt.emerald.conduct.sequence import Stopped, conduct

    if restart_active and not resume:
        raise InputError("not-applicable", Argument("restart_active"), "goes with `resume=True`")
    import threading

    stop = threading.Event()
    with (
        Interrupts(stop) as interrupts,
        begin.opened(
            plan, output, target=target, erase=erase, resume=resume, force=force, tell=_talk
        ) as ready,
    ):
        failure: IowattError | None = None
        stopped = False
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
            _print(ready.folder.path, ready.plan, as_json=as_json)
        if stopped:
            _talk(f"what is measured is kept in {ready.folder.path}; the same command with --resume goes on")
    if failure is not None:
        raise failure
    if stopped:
        interrupts.again()
        raise KeyboardInterrupt


def _print(path: Path, plan: object, *, as_json: bool) -> None:
    """The state as the journal has it, finished or not."""
    from iowatt.base.errors import InputError
    from iowatt.emerald.conduct.state import read_state
    from iowatt.emerald.conduct.text import lines
    from iowatt.emerald.plan.model import Plan

    assert isinstance(plan, Plan)
    try:
        state: State = read_state(path, plan)
    except InputError:  # it ended before its journal began
        return
    if as_json:
        print_json({"path": str(path), **state.as_dict()})
    else:
        for line in lines(state, path):
            typer.echo(line)


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

    def __call__(self, at: Progress) -> None:
        from iowatt.emerald.conduct.text import progress_line

        if not self._terminal:
            if at.number != self._stage:
                self._stage = at.number
                typer.echo(f"iowatt: {progress_line(at)}", err=True)
            return
        text = progress_line(at)[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)
