"""Reads a bundle, and refuses it unless every byte is what was signed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final, TypeVar

from pydantic import ValidationError

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.base.strict import Strict
from iowatt.registry.bundle import keys
from iowatt.registry.bundle.archive import CHUNK, ArchiveReader, ArchiveWriter, BundleLimits
from iowatt.registry.bundle.canonical_json import canonical
from iowatt.registry.bundle.names import NameSet
from iowatt.registry.bundle.submission import (
    SIGNATURE,
    SUBMISSION,
    Submission,
    SubmissionSignature,
    SubmittedFile,
    signed_bytes,
)

_SUBMISSION_BYTES: Final = 4 << 20
_SIGNATURE_BYTES: Final = 4096
_Model = TypeVar("_Model", bound=Strict)


@dataclass(frozen=True)
class SignedBundle:
    """A bundle whose every byte was compared with what its submitter signed."""

    submission: Submission
    key: str  #: Public key of the submitter.
    sha256: str  #: Of the archive.


def read(path: Path, *, limits: BundleLimits | None = None, into: Path | None = None) -> SignedBundle:
    """Read a bundle, an archive or a folder, once from begin to end; write its files ``into`` a folder.

    ``into`` must be new and empty. Raises ``InputError`` with the code and the place of what is wrong: a file
    that is missing, added, changed, twice or out of order, a name that leads elsewhere, a link, something
    that is encrypted, compressed or too large, another signature. What was written before stays in ``into``.
    """
    limits = limits or BundleLimits()
    if path.is_dir() and not path.is_symlink():
        return _read_folder(path, limits, into)
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError("wrong-kind", str(path), "a bundle is a file or a folder")
            reader = ArchiveReader(file, path.name, limits)
            entries = ((entry.name, entry.size, content) for entry, content in reader.entries())
            submission, key = _checked(entries, path.name, limits, into)
            return SignedBundle(submission, key, reader.sha256)
    except OSError as error:
        code = "not-found" if isinstance(error, FileNotFoundError) else "unreadable"
        raise InputError(code, str(path), f"cannot be read: {error.strerror}") from None


def _checked(
    entries: Iterator[tuple[str, int, Iterator[bytes]]], place: str, limits: BundleLimits, into: Path | None
) -> tuple[Submission, str]:
    """The submission and the key of its signature, after all files were compared."""
    head = _small(entries, SUBMISSION, _SUBMISSION_BYTES, place)
    submission = _parsed(head, Submission, SUBMISSION)
    _check_list(submission, limits)
    tail = _small(entries, SIGNATURE, _SIGNATURE_BYTES, place)
    signature = _parsed(tail, SubmissionSignature, SIGNATURE)
    if into is not None:  # as the folder of a bundle has them
        (into / SUBMISSION).write_bytes(head)
        (into / SIGNATURE).write_bytes(tail)
    keys.verify(signature.public_key, signature.signature, signed_bytes(head), SIGNATURE)
    for wanted, entry in zip_longest(submission.files, entries):
        if entry is None:
            raise InputError("not-found", wanted.name, "the submission lists this file, and it is not there")
        if wanted is None:
            raise InputError("unknown-name", entry[0], "the submission does not list this file")
        _compare(wanted, entry, into)
    return submission, signature.public_key


def _small(entries: Iterator[tuple[str, int, Iterator[bytes]]], name: str, most: int, place: str) -> bytes:
    found = next(entries, None)
    if found is None or found[0] != name:
        there = "it ends" if found is None else f"{found[0]} is"
        hint = "`iowatt registry submit -o FILE.zip` writes a bundle"
        raise InputError("wrong-format", place, f"expected {name}, and {there} in its place", hint=hint)
    if found[1] > most:
        raise InputError("too-large", name, f"the file has {found[1]:,} bytes; at most {most:,}")
    return b"".join(found[2])


def _parsed(raw: bytes, model: type[_Model], name: str) -> _Model:
    value = input_file.parsed(raw, name)
    try:
        same = canonical(value) == raw
    except ValueError:
        same = False
    if not same:
        raise InputError("damaged", name, "the text is not in the form that is signed")
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError("wrong-format", f"{name}: {place}", first["msg"]) from None


def _check_list(submission: Submission, limits: BundleLimits) -> None:
    names, total = NameSet(), 0
    names.add(SUBMISSION)
    names.add(SIGNATURE)
    for number, one in enumerate(submission.files, 1):
        names.add(one.name)
        total += one.size
        limits.check(number, one.size, total, one.name)
    listed = [one.name for one in submission.files]
    if listed != sorted(listed):
        raise InputError("out-of-order", f"{SUBMISSION}: files", "the files are not sorted by name")


def _compare(wanted: SubmittedFile, entry: tuple[str, int, Iterator[bytes]], into: Path | None) -> None:
    name, size, content = entry
    if name != wanted.name:
        raise InputError("out-of-order", name, f"expected {wanted.name} in its place")
    if size != wanted.size:
        raise InputError("damaged", name, f"the file has {size:,} bytes; {wanted.size:,} were signed")
    digest = hashlib.sha256()
    if into is None:
        for chunk in content:
            digest.update(chunk)
    else:
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            for chunk in content:
                digest.update(chunk)
                file.write(chunk)
    if digest.hexdigest() != wanted.sha256:
        raise InputError("damaged", name, "the content is not the one that was signed")


def _read_folder(path: Path, limits: BundleLimits, into: Path | None) -> SignedBundle:
    names = files_of(path, limits)
    ordered: list[str] = [name for name in (SUBMISSION, SIGNATURE) if name in names]
    ordered += [name for name in names if name not in ordered]
    found = ((name, (path / name).stat().st_size, _content(path / name)) for name in ordered)
    submission, key = _checked(found, str(path), limits, into)
    sink = ArchiveWriter(None)
    for name in ordered:
        sink.add(name, path / name)
    return SignedBundle(submission, key, sink.close())


def files_of(folder: Path, limits: BundleLimits) -> list[str]:
    """Names of the files below a folder, sorted.

    Raises ``InputError`` where anything in it is neither a file nor a folder (a link is neither), a name is
    not accepted, or there are too many.
    """
    found: list[str] = []
    names = NameSet()
    for place, folders, files in os.walk(folder, onerror=_unreadable):
        for name in [*folders, *files]:
            path = Path(place, name)
            mode = path.lstat().st_mode
            relative = path.relative_to(folder).as_posix()
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                kind = "a link" if stat.S_ISLNK(mode) else "a device, a pipe or a socket"
                raise InputError("wrong-kind", relative, f"this is {kind}; a bundle has files")
            if stat.S_ISREG(mode):
                names.add(relative)
                limits.check(len(found) + 1, 0, 0, relative)
                found.append(relative)
    return sorted(found)


def _unreadable(error: OSError) -> None:
    raise InputError("unreadable", str(error.filename), f"cannot be read: {error.strerror}")


def _content(path: Path) -> Iterator[bytes]:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
