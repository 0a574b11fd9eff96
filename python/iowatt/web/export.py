"""A workspace as a folder of pages that any web host, or a browser without one, can show."""

from __future__ import annotations

import hashlib
import shutil
from functools import partial
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.pages.workspace import RunPrice, site_document
from iowatt.render.html import Site, assets
from iowatt.render.write import page
from iowatt.run.workspace import Workspace, WorkspaceEntry, listed
from iowatt.web.dollars import dollars_of
from iowatt.web.results import documents_of

ASSETS: Final = "assets"
_HOLDS: Final = (ASSETS, "results", "index.html")


def export_workspace(workspace: Path, target: Path, *, force: bool = False) -> int:
    """Write a page of each result, and an index with all Runs. Returns the number of pages.

    Raises ``InputError`` where there is no such directory, or ``target`` exists and ``force`` is not given.
    """
    found = listed(workspace)
    made = 0
    with atomic_path.folder(target, partial(_refuse, target, force=force)) as folder:
        (folder / ASSETS).mkdir()
        for name, file in assets().items():
            shutil.copyfile(file, folder / ASSETS / name)
        (folder / "results").mkdir()
        links: dict[str, str] = {}
        for entry in found.entries:
            address = f"results/{_name(entry)}.html"
            text = _page(workspace, entry)
            if isinstance(text, Path):
                shutil.copyfile(text, folder / address)
            elif text is None:
                continue
            else:
                (folder / address).write_text(text, "utf-8", newline="\n")
            links[entry.path] = address
            made += 1
        overview = site_document(_named(found, workspace), links, _prices(workspace, found))
        index = page([overview], site=Site(ASSETS))
        (folder / "index.html").write_text(index, "utf-8", newline="\n")
    return made + 1


def _refuse(target: Path, *, force: bool) -> None:
    """Replace only what an export made."""
    atomic_path.refuse_existing(target, force=force)
    if target.exists() and not atomic_path.holds_only(target, *_HOLDS):
        raise InputError("exists", str(target), "it holds something else; nothing is replaced")


def _page(workspace: Path, entry: WorkspaceEntry) -> str | Path | None:
    """The page of a result, or the file that was written with it; None where it is not finished."""
    try:
        found = documents_of(workspace / entry.path)
    except InputError:
        return None
    if isinstance(found, Path):
        return found
    return page(found, site=Site(f"../{ASSETS}", [("All results", "../index.html")]))


def _prices(workspace: Path, found: Workspace) -> dict[str, RunPrice]:
    runs = [one.path for one in found.entries if one.kind == "run"]
    priced = {path: dollars_of(workspace / path) for path in runs}
    return {path: RunPrice(one.usd, one.usd_per_tb, late=bool(one.late)) for path, one in priced.items()}


def _name(entry: WorkspaceEntry) -> str:
    """A file name that any host takes: the result's name, and what makes it unique."""
    plain = "".join(one if one.isalnum() and one.isascii() else "-" for one in entry.name)[:60].strip("-")
    return f"{plain or entry.kind}-{hashlib.sha256(entry.path.encode()).hexdigest()[:8]}"


def _named(found: Workspace, workspace: Path) -> Workspace:
    """The listing without the path of this machine."""
    return found.model_copy(update={"directory": workspace.resolve().name})
