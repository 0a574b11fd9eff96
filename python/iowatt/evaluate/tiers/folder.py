"""The directory of a derivation: made aside, and in its place only when all of it is there.

tier.json      what was found
scenario.toml  the chosen tiers, ready for ``iowatt run``
one-pool  tiers  the two Runs
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import InputError

RESULT: Final = "tier.json"


def refuse_target(target: Path, *, force: bool) -> None:
    """Raise ``InputError`` where a derivation cannot be written to ``target``; before any work is done."""
    if not os.path.lexists(target) or (
        target.is_dir() and not target.is_symlink() and not any(target.iterdir())
    ):
        return
    if not _is_derivation(target):
        message = "exists and is not a derivation of tiers"
        hint = "choose another `output=`; `force=True` replaces only derivations"
        raise InputError("exists", str(target), message, hint=hint)
    if not force:
        message = "exists already, and results are never overwritten"
        hint = "choose another `output=`, or replace it with `force=True`"
        raise InputError("exists", str(target), message, hint=hint)


@contextmanager
def reserve(target: Path, *, force: bool) -> Iterator[Path]:
    """A folder beside ``target`` that becomes it when the block ends without an error."""
    with atomic_path.folder(target, lambda: refuse_target(target, force=force)) as made:
        yield made


def _is_derivation(target: Path) -> bool:
    if target.is_symlink():
        return False
    return input_file.schema_of(target / RESULT).startswith("iowatt.tier/")
