"""A progress bar on stderr, where stderr is a terminal; silence elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iowatt.evaluate.search.tasks import SearchProgress

Report = Callable[[float | None, int], None]


@contextmanager
def bar(label: str, counted: str = "requests") -> Iterator[Report | None]:
    """Yields what to call with the fraction done (``None`` where unknown) and how many were done so far.

    The bar has the share that is done and the time that is left, where the fraction is known.

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
        TextColumn("{task.fields[requests]:,} " + counted),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    begun = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, requests=0, left="")

        def report(fraction: float | None, requests: int) -> None:
            done = fraction or 0.0
            progress.update(
                task,
                total=None if fraction is None else 1.0,
                completed=done,
                requests=requests,
                left=time_left(time.monotonic() - begun, done, 1.0 - done),
            )

        yield report


@contextmanager
def points_bar(label: str) -> Iterator[Callable[[SearchProgress], None] | None]:
    """The same for a search: yields what to call with its progress."""
    if not sys.stderr.isatty():
        yield None
        return

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[points]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    begun = time.monotonic()
    known_before: float | None = None
    shown = ""
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, points="", left="")

        def report(at: SearchProgress) -> None:
            nonlocal known_before, begun, shown
            if at.fraction is not None:
                known_before = at.fraction if known_before is None else known_before
                progress.update(
                    task,
                    total=1.0,
                    completed=at.fraction,
                    points=f"{at.what} {at.done}/{at.total}" if at.total else at.what,
                    left=time_left(time.monotonic() - begun, at.fraction - known_before, 1 - at.fraction),
                )
                return
            if at.what != shown:
                shown, known_before, begun = at.what, None, time.monotonic()
            if known_before is None:  # finished by an earlier command: no measure of this one's pace
                known_before = at.done
            worked, total = at.done + at.running, at.total
            failed = f", {at.failed} failed" if at.failed else ""
            progress.update(
                task,
                total=total,
                completed=worked,
                points=f"{at.done}/{total} points{failed}",
                left=time_left(time.monotonic() - begun, worked - known_before, total - worked),
            )

        yield report


def time_left(elapsed_s: float, worked: float, left: float) -> str:
    """How long the rest takes at the pace so far, in words; nothing before there is a pace."""
    if worked <= 0 or elapsed_s < 1:
        return ""
    seconds = round(elapsed_s / worked * left)
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02} left"
