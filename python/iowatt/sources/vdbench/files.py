"""The reports of one run of vdbench: a folder, or files with a common beginning of their names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError

_MAIN: Final = ("flatfile.html", "summary.html")


@dataclass(frozen=True)
class Files:
    """Where the reports are. ``main`` is read for the figures; the others where they are there."""

    main: Path
    folder: Path
    prefix: str

    def other(self, name: str) -> Path | None:
        """A report by its name (``skew.html``); None where it is not there."""
        path = self.folder / f"{self.prefix}{name}"
        return path if path.is_file() else None


def locate(path: Path) -> Files:
    """The reports that belong to ``path``: an output folder of vdbench, or one of its files.

    Raises ``InputError`` where there are none, or several sets.
    """
    if path.is_dir():
        return _in_folder(path)
    if not path.exists():
        raise InputError("not-found", str(path), "there is no such file or directory")
    for name in _MAIN:
        if path.name.endswith(name):
            return Files(path, path.parent, path.name.removesuffix(name))
    # A workload's or a device's report: its siblings begin as the flat file beside it does.
    for main in sorted(path.parent.glob("*flatfile.html")) + sorted(path.parent.glob("*summary.html")):
        prefix = main.name.removesuffix("flatfile.html").removesuffix("summary.html")
        if path.name.startswith(prefix):
            return Files(path, path.parent, prefix)
    return Files(path, path.parent, "")


def _in_folder(folder: Path) -> Files:
    for name in _MAIN:
        found = sorted(folder.glob(f"*{name}"))
        if len(found) > 1:
            listed = ", ".join(path.name for path in found)
            raise InputError(
                "ambiguous",
                str(folder),
                f"there are several outputs of vdbench: {listed}",
                hint="name one of them",
            )
        if found:
            return Files(found[0], folder, found[0].name.removesuffix(name))
    raise InputError(
        "empty",
        str(folder),
        "there is no output of vdbench: neither flatfile.html nor summary.html",
        hint="name the directory that vdbench -o names",
    )
