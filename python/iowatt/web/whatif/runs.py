"""The Runs that what-if has made: each can be simulated again, so they may go."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.web.jobs import RUNS

#: The folder of a Run that a job made has the job's id.
_OF_A_JOB: Final = re.compile(r"[0-9a-f]{16}")


def delete_runs(root: Path, keep: Collection[str]) -> int:
    """Delete the Runs of the folder what-if but for those whose path in the workspace is in ``keep``.

    Folders with another name than a job's, links and files stay. Returns how many were deleted. Raises
    ``InputError`` (``unwritable``) where one cannot be; those before it are gone.
    """
    folder = root / RUNS
    if folder.is_symlink() or not folder.is_dir():
        return 0
    deleted = 0
    for run in sorted(folder.iterdir()):
        path = f"{RUNS}/{run.name}"
        if path in keep or not _OF_A_JOB.fullmatch(run.name) or run.is_symlink() or not run.is_dir():
            continue
        try:
            atomic_path.remove(run)
        except FileNotFoundError:  # somebody else was faster
            continue
        except OSError as error:
            raise InputError("unwritable", path, error.strerror or "cannot be deleted") from None
        deleted += 1
    return deleted
