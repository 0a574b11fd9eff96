"""``iowatt fleet``: classes of arrays or clusters over years."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import (
    ASSUME,
    PRESET,
    TARIFF,
    AsJson,
    Cluster,
    Force,
    Jobs,
    Notes,
    Overrides,
    Resume,
    output,
    shown,
)

WHAT_IF = typer.Option(
    "--what-if",
    metavar="PATH=VALUE[;...]",
    help="Compare with this change to the plan: class.old.refresh_after=4. May be repeated.",
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("fleet")(fleet)


def fleet(
    plan: Annotated[Path, typer.Argument(help="Fleet file (TOML).", show_default=False)],
    *,
    what_if: Annotated[list[str] | None, WHAT_IF] = None,
    overrides: Overrides = None,
    preset: Annotated[str, PRESET] = "default",
    assumptions: Annotated[list[str] | None, ASSUME] = None,
    tariff: Annotated[str | None, shown(TARIFF, "the preset's")] = None,
    output: Annotated[
        Path | None,
        output("DIR", "Directory; or a page alone: .html, .pdf, .xlsx.", "fleets/<file name>"),
    ] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Plan a fleet over several years: purchases, dollars, watts, carbon, failures, racks.

    One member of each class is simulated at the loads the plan needs. Exit 1 if the plan exceeds a limit.
    """
    import iowatt
    from iowatt.base.errors import Argument, CheckFailedError, InputError
    from iowatt.cli import command_line, searching
    from iowatt.cli.progress import points_bar
    from iowatt.cli.show import check_page, show
    from iowatt.cli.streams import print_line
    from iowatt.evaluate.fleet import FOLDER, PAGE, TABLE, WORKBOOK
    from iowatt.evaluate.search.tasks import refuse_target
    from iowatt.pages.fleet import document
    from iowatt.render.write import KINDS

    page = output if output is not None and output.suffix.lower() in KINDS else None
    target = None if page is not None else output or Path("fleets") / plan.stem
    check_page(page, force=force)
    with ExitStack() as stack:
        if target is not None:
            refuse_target(target, force=force, resume=resume, shape=FOLDER)
            stack.enter_context(searching.kept_on_interrupt(target, FOLDER))
        elif resume:
            raise InputError("not-applicable", Argument("resume"), "a page keeps no members to go on with")
        worker = stack.enter_context(searching.executor(cluster, jobs))
        progress = stack.enter_context(points_bar(f"simulating members of {plan.name}"))
        found = iowatt.fleet(
            plan,
            what_if=what_if or [],
            set=overrides or [],
            preset=preset,
            assume=assumptions or [],
            tariff=tariff,
            output=target,
            force=force,
            resume=resume,
            jobs=jobs,
            executor=worker,
            progress=progress,
            command=command_line.written(),
        )
    show(found.document, document, page, force=force, notes=notes, as_json=as_json)
    if target is not None and not as_json:
        for name, file in (("table", TABLE), ("workbook", WORKBOOK), ("report", PAGE)):
            print_line(f"{name}: {target / file}")
    searching.raise_for_missing_points(found.faults, found.machines)
    if not found.document.holds:
        first = found.document.broken[0]
        raise CheckFailedError(
            "check-failed",
            f"{plan}: {first.what}",
            f"limits that the plan breaks: {len(found.document.broken)}; the first, from {first.year}: "
            f"{first.text}",
        )
