"""The measured cells that ship with iowatt, compared with their devices."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.measured.cell import Measured
from iowatt.evaluate.measured.compare import compare
from iowatt.evaluate.measured.read import read_measured
from iowatt.evaluate.measured.result import ComparedDevice, MeasuredDevices
from iowatt.model.library import shipped_cells


def shipped_measured(device: str) -> list[Measured]:
    """The shipped cells of a device. Raises ``InputError`` where there are none."""
    found = shipped_cells().get(device)
    if found is None:
        near = difflib.get_close_matches(device, shipped_cells(), 1)
        hint = f"did you mean {near[0]}?" if near else "give the files of a measurement"
        message = f"no measured cells of it are shipped; there are {', '.join(shipped_cells())}"
        raise InputError("not-found", Argument("drive", device), message, hint=hint)
    with as_file(files("iowatt.model.library").joinpath("validation/ssd", found["file"])) as path:
        return read_measured([path])


def validate_measured(paths: Sequence[str | Path] = (), device: str | None = None) -> MeasuredDevices:
    """Measured cells against the model of their device.

    Parameters
    ----------
    paths:
        Files of a measurement of ``device``; none: the shipped cells, of ``device`` or of all devices.

    Raises ``InputError`` with the file and place, or where files are given without their device.
    """
    if paths:
        if device is None:
            message = "the files do not say which device was measured"
            raise InputError(
                "missing", Argument("drive"), message, hint="`drive=NAME` (`iowatt devices list`)"
            )
        return MeasuredDevices(devices=[compare(device, read_measured(paths))])
    return MeasuredDevices(devices=[_of_shipped(name) for name in ([device] if device else shipped_cells())])


def _of_shipped(device: str) -> ComparedDevice:
    measured = shipped_measured(device)
    about = shipped_cells()[device]
    found = compare(device, measured)
    # The place of a shipped cell is its row, not the folder of this installation.
    cells = [
        cell.model_copy(update={"source": f"{about['file']}{cell.source.partition(about['file'])[2]}"})
        for cell in found.cells
    ]
    said = f"{about['tool']}: {about['how']} ({about['source']})"
    return found.model_copy(update={"cells": cells, "measured_by": said, "licence": about["licence"]})
