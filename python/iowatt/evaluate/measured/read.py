"""Files of measurements, whatever wrote them: each is told apart by its content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.evaluate.measured import fio_json
from iowatt.evaluate.measured.cell import Measured


def read_measured(paths: Sequence[Path]) -> list[Measured]:
    """The cells of all files, in order. Raises ``InputError`` with the file and the place."""
    return [one for path in paths for one in fio_json.read(path)]
