"""A static site: every accepted result as a page, an index, facets, data. It needs no server.

index.html          all results        by-FACET-VALUE.html   those of one value of a facet
families.html       product families   results/ID.html       a result; ID.json its record
results.json        results.csv        families.json         log.jsonl      registry.pub
assets/             style, scripts and plotly.js, which the pages share
bundles/            SHA256.zip, on request
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.base.results import ResultDocument
from iowatt.registry.publish.families import families_of
from iowatt.registry.publish.links import FileLinks, facet_file
from iowatt.registry.publish.pages import bar, families_page, search_page
from iowatt.registry.publish.result_page import result_documents
from iowatt.registry.publish.searching import searched
from iowatt.registry.publish.tables import csv_text
from iowatt.registry.store import RegistryStore, State, SubmissionRecord, found, log_entries, reading
from iowatt.render import html
from iowatt.render import write as render_file
from iowatt.render.document import Document

_MARK: Final = "registry-export.json"
_ASSETS: Final = "assets"


class RegistryExport(ResultDocument):
    """A static site that was written."""

    schema_id: Literal["iowatt.registry-export/1"] = Field(default="iowatt.registry-export/1", alias="schema")
    folder: str
    results: int
    pages: int
    bytes: int
    head: str | None  #: Hash of the last entry of the log that it has.


def check_target(target: Path, *, force: bool) -> None:
    """Raise ``InputError`` where no site can be written to ``target``."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return
    if target.is_symlink() or not (target / _MARK).is_file():
        hint = "choose another directory with `output=`; `force=True` replaces exports only"
        raise InputError("unsafe-target", str(target), "exists and is not an export of a registry", hint=hint)
    if not force:
        hint = "choose another directory with `output=`, or replace it with `force=True`"
        raise InputError("exists", str(target), "an export already exists", hint=hint)


def export(
    store: RegistryStore,
    target: Path,
    *,
    provisional: bool = False,
    bundles: bool = False,
    force: bool = False,
) -> RegistryExport:
    """Write the site, whole or not at all; with ``provisional`` also what is not accepted yet.

    Raises ``InputError`` where the folder cannot be written.
    """
    states: tuple[State, ...] = ("accepted", "provisional") if provisional else ("accepted",)
    with reading(store.file) as connection:
        marks = ", ".join("?" * len(states))
        listed = found(connection, f"s.state IN ({marks})", states)
        rows = [dict(row) for row in log_entries(connection)]
    with atomic_path.folder(target, lambda: check_target(target, force=force)) as folder:
        pages = _write(store, folder, listed, bundles=bundles)
        _write_log(store, folder, rows)
        made = RegistryExport(
            folder=str(target),
            results=len(listed),
            pages=pages,
            bytes=sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
            head=rows[-1]["sha256"] if rows else None,
        )
        (folder / _MARK).write_text(made.json_text(), "utf-8")
    return made


def _write(store: RegistryStore, folder: Path, listed: Sequence[SubmissionRecord], *, bundles: bool) -> int:
    title = store.settings.title
    kept = {one.id: one.sha256 for one in listed} if bundles else None
    own, below = FileLinks(bundles=kept), FileLinks(up="../", bundles=kept)
    (folder / "results").mkdir()
    (folder / _ASSETS).mkdir()
    for name, file in html.assets().items():
        shutil.copyfile(file, folder / _ASSETS / name)
    everything = searched(listed, {})
    groups = families_of(listed)
    pages = {
        "index.html": [search_page(everything, title, own)],
        "families.html": [families_page(groups, title, own)],
    }
    for name, values in everything.values.items():
        for one in values:
            some = searched(listed, {name: one.value})
            # Every value stays in sight, and the chosen one is marked.
            shown = some.model_copy(update={"values": everything.values})
            pages[facet_file(name, one.value)] = [search_page(shown, title, own)]
    for name, documents in pages.items():
        _page(folder / name, documents, own)
    for record in listed:
        place = folder / "results" / record.id
        heading, documents = result_documents(store, record.id, below)
        _page(place.with_suffix(".html"), documents, below, heading)
        _json(place.with_suffix(".json"), _whole(store, record))
    _json(folder / "results.json", everything.as_dict())
    _json(folder / "families.json", groups.as_dict())
    (folder / "results.csv").write_text(csv_text(everything), "utf-8")
    for sha256 in (kept or {}).values():
        (folder / "bundles").mkdir(exist_ok=True)
        shutil.copyfile(store.bundle(sha256), folder / "bundles" / f"{sha256}.zip")
    return len(pages) + len(listed)


def _whole(store: RegistryStore, record: SubmissionRecord) -> dict[str, Any]:
    with reading(store.file) as connection:
        text = connection.execute(
            "SELECT result FROM submissions WHERE sha256 = ?", (record.sha256,)
        ).fetchone()
    return {**record.as_dict(), "result": json.loads(text["result"])["document"] if text["result"] else None}


def _page(file: Path, documents: Sequence[Document], links: FileLinks, title: str | None = None) -> None:
    site = html.Site(f"{links.up}{_ASSETS}", bar(links))
    file.write_text(render_file.page(documents, title, site=site), "utf-8", newline="\n")


def _json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _write_log(store: RegistryStore, folder: Path, rows: Sequence[dict[str, Any]]) -> None:
    """The log and the key that signs it, so that others can check both."""
    (folder / "log.jsonl").write_text("".join(_lines(rows)), "utf-8")
    (folder / "registry.pub").write_text(f"{store.public_key}\n", "utf-8")


def _lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
