"""The DiskSim files that the tests ship, and copies of them with a word changed."""

from __future__ import annotations

import shutil
from pathlib import Path

DATA = Path(__file__).parents[2] / "data" / "disksim"
CHEETAH = DATA / "cheetah9LP.diskspecs"
FIFTEEN = DATA / "Seagate-Cheetah15k5.diskspecs"
RAID5 = DATA / "raid5_32.parv"


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
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    return folder / name
