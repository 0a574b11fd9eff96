"""``iowatt choose``: which storage to buy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.cli.options import AsJson, Cluster, Force, Jobs, Notes, Overrides, Resume, output


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("choose")(choose)


def choose(
    question: Annotated[Path, typer.Argument(help="Question file (TOML).")] = Path("question.toml"),
    *,
    init: Annotated[
        bool,
        typer.Option("--init", help="Ask for the requirements on the terminal and write the question file."),
    ] = False,
    overrides: Overrides = None,
    output: Annotated[Path | None, output("DIR", "Directory.", "choices/<file name>")] = None,
    resume: Resume = False,
    force: Force = False,
    jobs: Jobs = None,
    cluster: Cluster = None,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Find the cheapest storage that meets your needs: capacity, load, service levels, durability.

    Sizes candidates of many families; simulates, prices and compares the best of each.
    Exit 1 if none meets the requirements.
    """
    if init:
        from iowatt.cli.choose_init import write_question

        write_question(question, force=force)
        return
    import iowatt
    from iowatt.base.errors import CheckFailedError
    from iowatt.cli import command_line, searching
    from iowatt.cli.options import print_json
    from iowatt.cli.progress import points_bar
    from iowatt.cli.streams import print_line
    from iowatt.evaluate.choose import FOLDER, PAGE, WORKBOOK
    from iowatt.evaluate.search.tasks import refuse_target

    target = output or Path("choices") / question.stem
    refuse_target(target, force=force, resume=resume, shape=FOLDER)
    with (
        searching.kept_on_interrupt(target, FOLDER),
        searching.executor(cluster, jobs) as worker,
        points_bar(f"simulating systems for {question.stem}") as progress,
    ):
        found = iowatt.choose(
            question,
            set=overrides or [],
            output=target,
            force=force,
            resume=resume,
            jobs=jobs,
            executor=worker,
            progress=progress,
            command=command_line.written(),
        )
    if as_json:
        print_json(found.document.as_dict())
    else:
        from iowatt.pages.choose import document
        from iowatt.render import terminal

        terminal.show(document(found.document), notes=notes)
        for name, file in (("workbook", WORKBOOK), ("report", PAGE)):
            print_line(f"{name}: {target / file}")
    searching.raise_for_missing_points(found.faults, found.machines)
    if found.document.winner is None:
        raise CheckFailedError("check-failed", str(question), "no system meets the requirements")
