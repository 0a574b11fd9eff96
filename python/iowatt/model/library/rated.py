"""What a drive's data sheet promises it to last, by the names that Runs keep ratings by."""

from __future__ import annotations

from iowatt.model.library import derive
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.ratings import Endurance
from iowatt.model.library.ssd import derive as ssd


def of_disk(endurance: Endurance) -> dict[str, float]:
    """Of a disk: bytes moved a year, loads and unloads of its heads, starts and stops of its spindle."""
    rated = {
        "bytes_per_year": endurance.workload_per_year,
        "load_unload_cycles": endurance.load_unload_cycles,
        "start_stop_cycles": endurance.start_stop_cycles,
    }
    return {name: float(value) for name, value in rated.items() if value is not None}


def of_file(file: DeviceFile) -> tuple[dict[str, float], tuple[str, ...]]:
    """Of any device file, one too poor to be simulated included; with what was derived or assumed for it.

    Of an SSD: bytes that hosts may write (``tbw``, else ``dwpd`` over the warranty), cycles of its flash.
    """
    if file.kind == "hdd":
        return of_disk(file.endurance), ()
    steps = derive.Steps()
    wear = ssd.wear(file, steps)
    rated = {"bytes_written": wear.rated_bytes, "pe_cycles": wear.pe_cycles}
    found = {name: float(value) for name, value in rated.items() if value is not None}
    return found, tuple(f"{file.name}: {text}" for text in steps.notes())
