"""The command line: collects the verbs, turns errors into messages and exit codes."""

from __future__ import annotations

import signal
import sys
from types import FrameType

import typer

from iowatt.cli import (
    budget,
    cache,
    check,
    compare,
    cost,
    curve,
    devices,
    doctor,
    duty,
    emerald,
    explain,
    fabric,
    heat,
    idle,
    import_,
    init,
    meter,
    optimize,
    power,
    rate,
    replay,
    report,
    run,
    schema,
    study,
    sweep,
    tariff,
    tier,
    trace,
)
from iowatt.errors import IowattError

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

app = typer.Typer(
    name="iowatt",
    help="What a storage system costs in watts, milliseconds and dollars, and what would do better.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
budget.register(app)
cache.register(app)
check.register(app)
compare.register(app)
curve.register(app)
devices.register(app)
doctor.register(app)
cost.register(app)
duty.register(app)
emerald.register(app)
explain.register(app)
fabric.register(app)
heat.register(app)
idle.register(app)
import_.register(app)
init.register(app)
meter.register(app)
power.register(app)
rate.register(app)
replay.register(app)
report.register(app)
run.register(app)
schema.register(app)
study.register(app)
sweep.register(app)
optimize.register(app)
tariff.register(app)
tier.register(app)
trace.register(app)


def main() -> None:
    """Run the command line.

    Exit codes: 0 done, 1 a check failed, 2 wrong input, 3 a fault of ours, 130 interrupted (Ctrl-C), 143
    terminated. Both signals take the same way out: what was begun is cleared away.
    """
    terminated: list[int] = []

    def terminate(number: int, _frame: FrameType | None) -> None:
        terminated.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        app()
    except IowattError as error:
        typer.echo(f"iowatt: error: {error}", err=True)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, SystemExit) as left:
        # Typer makes an exit with code 130 of a KeyboardInterrupt that it sees.
        if isinstance(left, SystemExit) and left.code != INTERRUPTED:
            raise
        word = "terminated" if terminated else "interrupted"
        typer.echo(f"iowatt: {word}; nothing half-written was left", err=True)
        sys.exit(TERMINATED if terminated else INTERRUPTED)
