"""Writing an imported drive: the device file, and beside it the layout file where the layout is irregular."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.model.library.device_text import device_toml
from iowatt.model.library.disksim.convert import Imported
from iowatt.model.library.layout import layout_bytes


def written(imported: Imported, comments: Sequence[str] = ()) -> str:
    """The text of the device file; ``comments`` at its head take the place of where it comes from."""
    origin = (
        f"Imported from {imported.path.name} by `iowatt devices import`. "
        "What was read otherwise than DiskSim does, or not used, is under notes."
    )
    return device_toml(imported.tables, comments or [origin])


def write(
    imported: Imported, target: Path, *, force: bool = False, comments: Sequence[str] = ()
) -> list[Path]:
    """Write the device file to ``target``, and its layout file into the same folder; all that was written.

    Raises
    ------
    InputError
        Where a file is there already and ``force`` is not set, or cannot be written.
    """
    files = {target: written(imported, comments).encode()}
    if imported.indexed is not None:
        files[target.parent / imported.tables["geometry"]["layout"]] = layout_bytes(imported.indexed)
    for path in files:
        if path.exists() and not force:
            raise InputError("exists", str(path), "the file exists already", hint="`force=True` replaces it")
    for path, content in files.items():
        with atomic_path.file(path) as made:
            made.write_bytes(content)
    return list(files)
