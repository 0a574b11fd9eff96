"""The DiskSim files that the tests ship, and copies of them with a word changed."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from iowatt.model.library.disksim import convert, drives
from iowatt.model.library.disksim.layout import G4Layout

DATA = Path(__file__).parents[2] / "data" / "disksim"
CHEETAH = DATA / "cheetah9LP.diskspecs"
FIFTEEN = DATA / "Seagate-Cheetah15k5.diskspecs"
RAID5 = DATA / "raid5_32.parv"

#: Read once for all tests; what they give is frozen.
read_drive = cache(drives.read_drive)
import_drive = cache(convert.import_drive)


def changed(folder: Path, name: str, old: str, new: str) -> Path:
    """The Cheetah 9LP and the array, copied to ``folder``; in ``name``, the first ``old`` becomes ``new``."""
    for file in (
        "cheetah9LP.diskspecs",
        "cheetah9LP.model",
        "cheetah9LP.seek",
        "bench_disk.diskspecs",
        "raid5_32.parv",
    ):
        shutil.copyfile(DATA / file, folder / file)
    text = (folder / name).read_text()
    if old not in text:
        raise ValueError(f"{name} has no {old!r}")
    (folder / name).write_text(text.replace(old, new, 1))
    return folder / name


def locate(layout: G4Layout, lbn: int) -> tuple[int, int, int, float]:
    """Cylinder, head, sector and angle (in turns, of its start) of a block below `held`, slips and all.

    The reference for irregular layouts: it walks the slips one by one. The rule for slips was found by
    comparison with all extents that DIXtrac read from a Cheetah 15K.5.
    """
    for remap in layout.remaps:
        if remap.lbn <= lbn < remap.lbn + remap.sectors:
            sector = remap.sector + lbn - remap.lbn
            return remap.cylinder, remap.head, sector, sector / remap.sectors_per_track
    rest = lbn
    for position, count in layout.slips:
        if position > rest:
            break
        rest += count
    cylinder, angle, node = 0, 0.0, len(layout.nodes) - 1
    while True:
        run = next(run for run in reversed(layout.nodes[node]) if run.lbn <= rest)
        element, rest = divmod(rest - run.lbn, run.sectors)
        inward = 1 if run.run_cylinders >= 0 else -1
        cylinder += run.cylinder + inward * element * run.cylinders
        angle += run.angle + element * run.angle_step
        if run.head is not None:
            pattern = layout.patterns[run.child]
            sector = pattern.first + rest
            return cylinder, run.head, sector, (angle + rest / pattern.sectors_per_track) % 1.0
        node = run.child
