"""``iowatt study``: published studies remade from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import IowattError
from iowatt.cli import completion
from iowatt.cli.options import AsJson, Force, Jobs, Resume, output, print_json

app = typer.Typer(help="Published studies, reproduced from end to end.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the verb."""
    parent.add_typer(app, name="study")


@app.command("list")
def listed(*, as_json: AsJson = False) -> None:
    """The studies that can be run."""
    from iowatt.studies.find import studies

    if as_json:
        rows = [
            {"name": one.name, "title": one.title, "question": one.question, "source": one.source}
            for one in studies()
        ]
        print_json({"schema": "iowatt.studies/1", "studies": rows})
        return
    from rich.console import Console

    from iowatt.studies.text import listing

    Console(highlight=False).print(listing(studies()))


@app.command("run")
def run(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The study; `iowatt study list` names them.",
            autocompletion=completion.studies,
        ),
    ],
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="A coarse grid on short excerpts: for a look, not for figures.")
    ] = False,
    output: Annotated[Path | None, output("DIR", "Directory of the study.", "studies/<name>")] = None,
    jobs: Jobs = None,
    resume: Resume = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a study: its tables and figures remade, and for each of its conclusions agree or differ."""
    from iowatt.cli import searching
    from iowatt.cli.progress import points_bar
    from iowatt.studies.conduct import conduct, is_study
    from iowatt.studies.find import find

    study = find(name)
    target = output or Path("studies") / study.name
    try:
        with points_bar(f"running {study.name}") as progress:
            found = conduct(
                study,
                target,
                quick=quick,
                jobs=jobs,
                resume=resume,
                force=force,
                command=searching.command(),
                progress=progress,
            )
    except KeyboardInterrupt:
        if is_study(target):
            typer.echo(
                f"iowatt: what is finished is kept in {target}; the same command with --resume goes on",
                err=True,
            )
        raise
    if as_json:
        print_json({"path": str(target), **found.as_dict()})
    else:
        from rich.console import Console

        from iowatt.studies.text import verdicts

        console = Console(highlight=False)
        console.print(verdicts(found))
        console.print()
        if found.resumed:
            console.print(f"resumed: {found.resumed} points were finished before")
        if found.failed:
            console.print(f"warning: {found.failed} points could not be simulated; points.csv says why")
        for what, file in (("page", "report.html"), ("points", "points.parquet"), ("json", "study.json")):
            console.print(f"{what}: {target / file}", markup=False, soft_wrap=True)
    if found.faults:
        raise IowattError(
            "internal",
            None,
            f"{len(found.faults)} points ended in a fault of iowatt\n" + "\n".join(found.faults[:5]),
            hint="`resume=True` tries them again",
        )
