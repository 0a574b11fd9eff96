"""The folder of a measurement, opened for running: begun, resumed, or refused."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import platform
import secrets
import shutil
import threading
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TextIO

from iowatt.base import atomic_path, input_file
from iowatt.base.errors import Argument, InputError
from iowatt.emerald.measurement import JOURNAL, MANIFEST, MEASUREMENT_SCHEMA, STAGES, MeasurementJournal
from iowatt.emerald.plan import Plan, without_secrets

PLAN: Final = "plan.json"
LOCK: Final = "lock"
METERS: Final = "meters"
RESERVE: Final = "reserve"  #: Removed when the file system is full, so that the journal can still be written.
_RESERVE_BYTES: Final = 256 * 1024
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)


class MeasurementFolder:
    """A measurement that this process runs; no other process can open it meanwhile.

    Raises ``InputError``: ``path`` holds something else, or a measurement that is neither resumed nor
    replaced, follows another plan or is run by another process; or it cannot be written.
    """

    def __init__(self, path: Path, plan: Plan, *, resume: bool = False, force: bool = False) -> None:
        refuse(path, plan, resume=resume, force=force)
        force = force or _is_being_replaced(path)
        self.path = path
        self.fresh = force or not is_measurement(path)
        before = {} if self.fresh else _manifest(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = hold(path)
            atomic_path.sweep(path)
            if force:
                (path / PLAN).unlink(missing_ok=True)  # the rest no longer counts
                clear(path, but=(LOCK, MANIFEST))  # without a manifest --force would refuse what is left
            for folder in (path / STAGES, path / METERS):
                folder.mkdir(exist_ok=True)
            atomic_path.sync(path.parent)
        except OSError as error:
            raise InputError("unwritable", str(path), f"cannot be written: {error.strerror}") from None
        self.id = str(before.get("id") or secrets.token_hex(8))
        self._journal = MeasurementJournal(path)
        self.full = threading.Event()  #: Set once the file system was found full.
        self._reserve()
        if self.fresh:
            self._begin(plan)

    def note(self, event: str, **values: Any) -> None:
        """Append an event to the journal; where the file system is full, out of the reserve."""
        place = str(self.path / JOURNAL)
        try:
            self._journal.append(event, **values)
        except OSError as error:
            if error.errno not in _FULL:
                raise InputError("unwritable", place, f"cannot be written: {error.strerror}") from None
            self.full.set()
            (self.path / RESERVE).unlink(missing_ok=True)
            try:
                self._journal.append(event, **values)
            except OSError:
                text = "the file system is full, and the journal cannot be continued"
                hint = "free some space; the same command with `resume=True` continues"
                raise InputError("unwritable", place, text, hint=hint) from None

    def write(self, name: str, document: dict[str, Any]) -> None:
        """Write a JSON document whole or not at all."""
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        atomic_path.write_whole(self.path / name, lambda file: file.write_text(text, "utf-8"))

    def attempt(self, stage: str, number: int) -> Path:
        """A new folder for an attempt at a stage."""
        folder = self.path / STAGES / stage
        folder = folder if number == 1 else folder / f"attempt-{number}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if error.errno in _FULL:
                self.full.set()
            raise InputError("unwritable", str(folder), f"cannot be made: {error.strerror}") from None
        return folder

    def close(self) -> None:
        """Unlock it."""
        (self.path / RESERVE).unlink(missing_ok=True)
        self._lock.close()  # the file stays: if removed, two processes could each lock one of that name

    def _begin(self, plan: Plan) -> None:
        text = without_secrets(plan).model_dump_json(by_alias=True, indent=2) + "\n"
        uname = platform.uname()
        system = f"{uname.system} {uname.release}"
        manifest = {
            "schema": MEASUREMENT_SCHEMA,
            "id": self.id,
            "name": plan.name,
            "iowatt": version("iowatt"),
            "host": {"name": uname.node, "system": system, "machine": uname.machine},
            "begun": time.time(),
            "plan_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
        self.write(MANIFEST, manifest)
        atomic_path.write_whole(self.path / PLAN, lambda file: file.write_text(text, "utf-8"))

    def _reserve(self) -> None:
        with contextlib.suppress(OSError):  # then the free space that is watched must do
            (self.path / RESERVE).write_bytes(os.urandom(_RESERVE_BYTES))


def is_measurement(path: Path) -> bool:
    """Whether a directory holds a measurement."""
    return _manifest(path).get("schema") == MEASUREMENT_SCHEMA


def _is_unbegun(path: Path) -> bool:
    """Whether it is empty, or a process was killed before it had begun here."""
    if not (path / LOCK).exists():
        return atomic_path.holds_only(path)
    return atomic_path.holds_only(path, LOCK, RESERVE, STAGES, METERS) and not any(
        any(folder.iterdir()) for folder in (path / STAGES, path / METERS) if folder.is_dir()
    )


def _is_being_replaced(path: Path) -> bool:
    """Whether a process was killed between the manifest of a measurement and its plan, which comes last."""
    return is_measurement(path) and not (path / PLAN).exists()


def _manifest(path: Path) -> dict[str, Any]:
    try:
        return input_file.json_object(path / MANIFEST)
    except InputError:
        return {}


def refuse(path: Path, plan: Plan, *, resume: bool, force: bool) -> None:
    """Raise ``InputError`` where ``plan`` cannot be run or resumed in ``path``."""
    if resume and force:
        text = "`resume=True` continues a measurement, `force=True` overwrites it"
        raise InputError("conflict", Argument("resume"), text, hint="give one of them")
    if not os.path.lexists(path) or (path.is_dir() and _is_unbegun(path)):
        return
    if not is_measurement(path):
        text = "exists and is not a measurement"
        hint = "choose another directory with `output=`; `force=True` replaces measurements only"
        raise InputError("unsafe-target", str(path), text, hint=hint)
    if not (resume or force):
        text = "a measurement already exists"
        hint = (
            "continue it with `resume=True`, replace it with `force=True`, or choose another directory "
            "with `output=`"
        )
        raise InputError("exists", str(path), text, hint=hint)
    if resume and not _is_being_replaced(path):
        _refuse_other_plan(path, plan)


def _refuse_other_plan(path: Path, plan: Plan) -> None:
    file = path / PLAN
    before = input_file.json_object(file)
    now = json.loads(without_secrets(plan).model_dump_json(by_alias=True))
    changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    if changed:
        # A copy without its passwords cannot be resumed.
        copy = "" if "***" in json.dumps(before.get("instruments")) else f"continue with {file}, "
        text = "the measurement was begun with another plan"
        hint = f"{copy}replace it with `force=True`, or choose another directory with `output=`"
        raise InputError("changed", f"{file}: {', '.join(changed)}", text, hint=hint)


def hold(path: Path) -> TextIO:
    """The lock of a folder, held until it is closed or this process ends.

    Raises ``InputError`` where another process has it, ``OSError`` where it cannot be made.
    """
    while True:
        file = (path / LOCK).open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Its holder may have removed the folder between the two lines above.
            if os.fstat(file.fileno()).st_ino == (path / LOCK).stat().st_ino:
                return file
        except FileNotFoundError:
            pass
        except BlockingIOError:
            file.close()
            raise InputError("in-use", str(path), "another process is running it") from None
        except BaseException:
            file.close()
            raise
        file.close()


def clear(path: Path, *, but: Sequence[str]) -> None:
    """Remove what is in a folder, except entries of these names."""
    for entry in path.iterdir():
        if entry.name in but:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
