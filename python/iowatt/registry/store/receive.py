"""A bundle that arrives: checked, put in its place, recorded; only then is it answered."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.registry.bundle import BundleLimits, SignedBundle, Submission
from iowatt.registry.bundle import read as read_bundle
from iowatt.registry.store import records
from iowatt.registry.store.accounts import Account
from iowatt.registry.store.database import reading, writing
from iowatt.registry.store.records import SubmissionRecord
from iowatt.registry.store.registry import RegistryStore

_MOST_WAITING: Final = 50
"""Submissions of one account that may wait: more would only fill the disk."""


@contextlib.contextmanager
def upload(store: RegistryStore) -> Iterator[tuple[Path, BinaryIO]]:
    """A file in the registry for a bundle that arrives; removed afterwards unless it was accepted."""
    handle, name = tempfile.mkstemp(prefix="upload-", suffix=".zip", dir=store.incoming)
    path = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)


def accept(store: RegistryStore, account: Account, path: Path) -> SubmissionRecord:
    """Accept the bundle in a file of :func:`upload` as a draft; it is on the disk when this returns.

    The same bundle again is the same submission: a draft that was refused is analysed again.
    Raises ``InputError``: anything in the bundle is wrong, its key is not one of the account's, or it was
    submitted by another account.
    """
    limits = BundleLimits(bytes=store.settings.upload_bytes)
    bundle = read_bundle(path, limits=limits)
    size = path.stat().st_size
    with reading(store.file) as connection:  # before anything is kept
        _check_key(connection, bundle.key, account)
    _keep(store, path, bundle.sha256)
    with writing(store.file) as connection:
        _check_key(connection, bundle.key, account)
        row = connection.execute(
            "SELECT number, account, state, analysis FROM submissions WHERE sha256 = ?", (bundle.sha256,)
        ).fetchone()
        if row is None:
            _check_waiting(connection, account)
            number = _insert(connection, bundle, account, size, store.now)
            store.note(
                connection, "received", actor=account.name, role=account.role, submission=number,
                sha256=bundle.sha256, key=bundle.key, state="draft",
            )  # fmt: skip
        else:
            number = row["number"]
            if row["account"] != account.id:
                raise InputError("exists", bundle.sha256, "another account submitted this bundle")
            if row["state"] == "draft" and row["analysis"] == "refused":
                connection.execute("UPDATE submissions SET analysis = 'pending' WHERE number = ?", (number,))
                store.note(
                    connection, "received-again", actor=account.name, role=account.role, submission=number,
                    sha256=bundle.sha256,
                )  # fmt: skip
        return records.one(connection, number)


def _check_key(connection: sqlite3.Connection, key: str, account: Account) -> None:
    row = connection.execute(
        "SELECT account, revoked FROM public_keys WHERE public_key = ?", (key,)
    ).fetchone()
    if row is None or row["account"] != account.id or row["revoked"] is not None:
        text = "the bundle is signed by a key that is not one of this account"
        hint = "the operator adds it: `iowatt registry account REGISTRY NAME --public-key FILE.pub`"
        raise InputError("not-signed", "signature.json", text, hint=hint)


def _check_waiting(connection: sqlite3.Connection, account: Account) -> None:
    waiting = connection.execute(
        "SELECT count(*) FROM submissions WHERE account = ? AND analysis = 'pending' AND state = 'draft'",
        (account.id,),
    ).fetchone()[0]
    if waiting >= _MOST_WAITING:
        text = f"{waiting} submissions of this account wait for their analysis"
        raise InputError("too-many", account.name, text, hint="submit again when they are done")


def _keep(store: RegistryStore, path: Path, sha256: str) -> None:
    """Put a bundle in its place: on the disk, read-only, whole or not at all."""
    target = store.bundle(sha256)
    try:
        if not target.exists():
            path.chmod(0o444)
            atomic_path.sync(path)
            path.rename(target)
        atomic_path.sync(store.bundles)
    except OSError as error:
        raise InputError("unwritable", str(target), f"cannot be written: {error.strerror}") from None


def _insert(
    connection: sqlite3.Connection, bundle: SignedBundle, account: Account, size: int, now: str
) -> int:
    submission: Submission = bundle.submission
    product = submission.product
    configuration = product.model_dump(include={"controller", "drive", "drives", "raid"}, exclude_none=True)
    values = {
        "sha256": bundle.sha256,
        "content_sha256": submission.content_sha256,
        "bytes": size,
        "account": account.id,
        "public_key": bundle.key,
        "document": submission.model_dump_json(by_alias=True, exclude={"files"}),
        "kind": submission.kind,
        "title": submission.title,
        "vendor": product.vendor,
        "product": product.name,
        "family": product.family_name,
        "form": product.form,
        "protocol": product.protocol,
        "category": submission.category,
        "profile": None if submission.rules is None else submission.rules.profile,
        "configuration": json.dumps(configuration, ensure_ascii=False, sort_keys=True),
        "state": "draft",
        "received": now,
    }
    names = ", ".join(values)
    marks = ", ".join("?" * len(values))
    made = connection.execute(f"INSERT INTO submissions ({names}) VALUES ({marks})", tuple(values.values()))
    return int(made.lastrowid or 0)
