"""``iowatt study``: published studies remade from end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iowatt.base.errors import IowattError
from iowatt.cli import command_line, completion
from iowatt.cli.options import AsJson, Force, Jobs, Notes, Resume, output, print_json
from iowatt.cli.show import show
from iowatt.cli.streams import print_line

app = typer.Typer(help="Reproduce published studies end to end.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the verb."""
    parent.add_typer(app, name="study")


@app.command("list")
def listed(*, as_json: AsJson = False) -> None:
    """List the studies that can be run."""
    from iowatt.studies import studies
    from iowatt.studies.document import listing
    from iowatt.studies.result import StudyEntry, StudyList

    entries = [
        StudyEntry(name=one.name, title=one.title, question=one.question, source=one.source)
        for one in studies()
    ]
    show(StudyList(studies=entries), listing, as_json=as_json)


@app.command("run")
def run(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The study, one of `iowatt study list`.",
            autocompletion=completion.studies,
        ),
    ],
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="A coarse grid on short excerpts: a preview, not figures to cite.")
    ] = False,
    output: Annotated[Path | None, output("DIR", "Directory of the study.", "studies/<name>")] = None,
    jobs: Jobs = None,
    resume: Resume = False,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Run a study: reproduce its tables and figures, and judge each of its conclusions."""
    from iowatt.cli.progress import points_bar
    from iowatt.studies import find
    from iowatt.studies.conduct import FILES, MANIFEST, conduct, is_study
    from iowatt.studies.document import document

    study = find(name)
    target = output or Path("studies") / study.name
    try:
        with points_bar(f"running {study.name}") as progress:
            done = conduct(
                study,
                target,
                quick=quick,
                jobs=jobs,
                resume=resume,
                force=force,
                command=command_line.written(),
                progress=progress,
            )
    except KeyboardInterrupt:
        if is_study(target):
            typer.echo(
                f"iowatt: finished points are kept in {target}; --resume continues the study", err=True
            )
        raise
    if as_json:
        print_json({"path": str(target), **done.result.as_dict()})
    else:
        show(done.result, lambda result: document(result, done.findings), notes=notes)
        if done.resumed:
            print_line(f"resumed: {done.resumed} points were finished before")
        if done.failed:
            print_line(f"warning: {done.failed} points could not be simulated; points.csv says why")
        for title, file in (("page", FILES.page), ("points", FILES.parquet), ("json", MANIFEST)):
            print_line(f"{title}: {target / file}")
    if done.faults:
        raise IowattError(
            "internal",
            None,
            f"{len(done.faults)} points ended with an internal error\n" + "\n".join(done.faults[:5]),
            hint="use `resume=True` to retry them",
        )
