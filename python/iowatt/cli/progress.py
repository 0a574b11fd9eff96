"""A progress bar on stderr, where stderr is a terminal; silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[float | None, int], None]


@contextmanager
def bar(label: str) -> Iterator[Report | None]:
    """Yields what to call with the fraction done (``None`` where unknown) and the requests so far.

    Yields ``None`` where nobody would see a bar. ``NO_COLOR`` is honoured.
    """
    if not sys.stderr.isatty():
        yield None
        return

    from rich.console import Console  # only for a terminal
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[requests]:,} requests"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, requests=0)

        def report(fraction: float | None, requests: int) -> None:
            total = None if fraction is None else 1.0
            progress.update(task, total=total, completed=fraction or 0.0, requests=requests)

        yield report
