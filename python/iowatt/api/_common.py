"""What several functions of the API share: scenarios, times, pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from iowatt.base.errors import Argument, InputError

if TYPE_CHECKING:
    from iowatt.evaluate.durability import Rebuild
    from iowatt.lenses.budget import ServiceLevel
    from iowatt.render.document import Document

PathLike = str | os.PathLike[str]
Changes = Iterable[str] | Mapping[str, object]
"""Overrides: texts ``"path=value"``, or a mapping of paths to values."""


class Page:
    """The page that a function writes where ``output`` is given.

    Raises ``InputError`` where it cannot be written, before any work is done.
    """

    def __init__(self, output: PathLike | None, *, force: bool) -> None:
        self.target = None if output is None else Path(output)
        self.force = force
        if self.target is not None:
            from iowatt.render import write

            write.check_target(self.target, force=force)

    def write(self, document: Callable[[], Document]) -> None:
        """Write it, if it is wanted."""
        if self.target is not None:
            from iowatt.render import write

            write.write(document(), self.target, force=self.force)


def seconds(value: str | float | None, argument: str) -> float | None:
    """A time in s, or a text such as ``"20ms"``, in s. Raises ``InputError`` at ``argument``."""
    from iowatt.base.units import parse_duration

    if value is None or isinstance(value, int | float):
        return value
    try:
        return parse_duration(value)
    except InputError as error:
        raise error.at(Argument(argument)) from None


def rebuild_time(value: str | float) -> Rebuild:
    """How long the rebuild of a drive takes: ``simulated``, ``stated``, or a time in s or as a text, in s."""
    if value == "simulated":
        return "simulated"
    if value == "stated":
        return "stated"
    found = seconds(value, "rebuild")
    assert found is not None
    return found


def service_level(within: str | float | None, of: str) -> ServiceLevel | None:
    """The statistic ``of`` within a time in s; None if ``within`` is left out."""
    from iowatt.lenses.budget import ServiceLevel

    limit_s = seconds(within, "within")
    return None if limit_s is None else ServiceLevel(within_ms=1e3 * limit_s, of=of)
