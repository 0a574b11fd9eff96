"""Analyses what was received, one at a time: reproduced and published, or refused with findings."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import logging
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.registry.bundle import BundleLimits
from iowatt.registry.bundle import read as read_bundle
from iowatt.registry.reanalysis import AnalysisLimits, Reanalysis, analyse_apart
from iowatt.registry.store.changing import apply
from iowatt.registry.store.database import reading, writing
from iowatt.registry.store.outbox import put_mail
from iowatt.registry.store.registry import RegistryStore, identifier
from iowatt.registry.store.review import raise_if_known

_log = logging.getLogger(__name__)
_LISTED: Final = 20
"""Findings of one refusal; the last says how many more differ."""


def analyse_pending(store: RegistryStore) -> list[str]:
    """Analyse everything that waits, oldest first; the ids. What a kill interrupts waits again.

    Processes take turns. What fails by a fault of ours is refused with the finding ``internal``.
    """
    done = []
    with _turn(store.folder / "analysis.lock"):
        while (row := _next(store)) is not None:
            _analyse(store, row)
            done.append(identifier(row["number"]))
    return done


def _next(store: RegistryStore) -> sqlite3.Row | None:
    with reading(store.file) as connection:
        row: sqlite3.Row | None = connection.execute(
            "SELECT number, sha256, bytes FROM submissions WHERE analysis = 'pending' AND state = 'draft' "
            "ORDER BY number LIMIT 1"
        ).fetchone()
    return row


@contextlib.contextmanager
def unpacked(store: RegistryStore, sha256: str) -> Iterator[Path]:
    """The files of a bundle, checked again, in a folder that is removed afterwards. Raises ``InputError``."""
    place = Path(tempfile.mkdtemp(prefix="analysis-", dir=store.incoming))
    try:
        folder = place / "submission"
        folder.mkdir()
        limits = BundleLimits(bytes=store.settings.upload_bytes)
        bundle = read_bundle(store.bundle(sha256), limits=limits, into=folder)
        if bundle.sha256 != sha256:
            raise InputError(
                "damaged", str(store.bundle(sha256)), "the bundle is not the one that was received"
            )
        yield folder
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _analyse(store: RegistryStore, row: sqlite3.Row) -> None:
    problems: list[tuple[str, str]]
    result: Reanalysis | None = None
    try:
        with unpacked(store, row["sha256"]) as folder:
            result = analyse_apart(folder, AnalysisLimits(seconds=store.settings.analysis_s))
        problems = _problems(result)
    except InputError as error:
        problems = [(error.code, str(error))]
    except RuntimeError:
        # What waits behind it is not held up; the same bundle, submitted again, is analysed again.
        _log.exception("iowatt: the analysis of %s failed", identifier(row["number"]))
        problems = [
            ("internal", "the reanalysis failed because of a bug in iowatt; submit the same bundle again")
        ]
    with writing(store.file) as connection:
        _record(store, connection, row["number"], result, problems)


def _problems(result: Reanalysis) -> list[tuple[str, str]]:
    if result.reproduced:
        return []
    found = [
        ("not-reproduced", f"{one.place}: {one.claimed} is claimed; a new analysis gives {one.found}")
        for one in result.differences
    ]
    return found or [("not-reproduced", "the new analysis gives another result")]


def _record(
    store: RegistryStore,
    connection: sqlite3.Connection,
    number: int,
    result: Reanalysis | None,
    problems: list[tuple[str, str]],
) -> None:
    text = None if result is None else result.json_text()
    digest = None if text is None else hashlib.sha256(text.encode()).hexdigest()
    connection.execute("DELETE FROM findings WHERE submission = ? AND by = 'registry'", (number,))
    connection.execute("DELETE FROM figures WHERE submission = ?", (number,))
    if result is not None:
        connection.execute(
            "UPDATE submissions SET result = ?, basis = ?, metric_family = ?, standing = ?, "
            "unverified_rules = ?, year = ? WHERE number = ?",
            (
                text,
                result.basis,
                result.metric_family,
                result.standing,
                result.unverified_rules,
                result.year,
                number,
            ),
        )
        connection.executemany(
            "INSERT INTO figures (submission, position, metric, unit, value, shown) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(number, at, f.metric, f.unit, f.value, f.shown) for at, f in enumerate(result.figures)],
        )
    outcome = "refused" if problems else "reproduced"
    connection.execute("UPDATE submissions SET analysis = ? WHERE number = ?", (outcome, number))
    store.note(connection, "analysed", submission=number, outcome=outcome, result_sha256=digest)
    if problems:
        _refuse(store, connection, number, problems)
        return
    apply(store, connection, number, "submit", "registry")
    if store.settings.publish == "registry":
        apply(store, connection, number, "publish", "registry")
    raise_if_known(store, connection, number)


def _refuse(
    store: RegistryStore, connection: sqlite3.Connection, number: int, problems: list[tuple[str, str]]
) -> None:
    shown = problems[:_LISTED]
    if len(problems) > _LISTED:
        shown.append(("not-reproduced", f"{len(problems) - _LISTED} more figures differ"))
    connection.executemany(
        "INSERT INTO findings (submission, code, severity, text, by, at, status) "
        "VALUES (?, ?, 'invalid', ?, 'registry', ?, 'open')",
        [(number, code, text, store.now) for code, text in shown],
    )
    mail = connection.execute(
        "SELECT a.mail FROM accounts a JOIN submissions s ON s.account = a.id WHERE s.number = ?", (number,)
    ).fetchone()["mail"]
    body = "\n".join(text for _, text in shown)
    subject = f"{identifier(number)} was not reproduced"
    put_mail(connection, store.now, [mail], subject, f"{subject}; it stays a draft.\n\n{body}\n")


@contextlib.contextmanager
def _turn(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
