"""Uploads: the body of a request, streamed to a file of the workspace that appears whole or not at all."""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Request

from iowatt.base import atomic_path
from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Result
from iowatt.web.errors import RESPONSES
from iowatt.web.jobs import JobLimits, JobQueue, JobRecord
from iowatt.web.preview import UploadPreview, preview

FOLDER: Final = "traces"
_BLOCK: Final = 1 << 20
_MOST_CHARS: Final = 120
_MOST_NAME_BYTES: Final = 240
#: Control characters, separators, and what turns the direction of a text around.
_FORBIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f/\\\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffd]")
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


_Name = Annotated[str, Path(min_length=1, max_length=1000)]


class UploadedFile(Result):
    """A file that was uploaded, and the job that describes it."""

    path: str  #: Relative to the workspace.
    bytes: int
    sha256: str
    job: JobRecord


class RemovedFile(Result):
    """A file that was removed."""

    path: str  #: Relative to the workspace.


def uploads_router(queue: JobQueue, workspace: FilePath, limits: JobLimits) -> APIRouter:
    """The routes of uploads into ``workspace``, described by jobs of ``queue``."""
    router = APIRouter(responses=RESPONSES, tags=["uploads"])
    folder = workspace.resolve() / FOLDER
    #: Names that are being written now.
    busy: set[str] = set()

    @router.put("/api/uploads/{name:path}", openapi_extra=_BODY)
    async def upload(name: _Name, request: Request) -> UploadedFile:
        """Keep a file as it is sent; nothing in it is executed. The same file may be sent again."""
        _refuse_name(name)
        queue.refuse_when_full()
        _refuse_size(_announced(request), folder, limits)
        if name in busy:
            raise InputError("in-use", Argument("name", name), "a file of this name is being uploaded")
        busy.add(name)
        try:
            size, digest = await _kept(request, folder, name, limits)
        finally:
            busy.discard(name)
        path = f"{FOLDER}/{name}"
        job = await asyncio.to_thread(
            queue.submit, "describe", name, {"path": path}, key=f"describe {digest} {path}"
        )
        return UploadedFile(path=path, bytes=size, sha256=digest, job=job)

    @router.get("/api/uploads/{name:path}")
    def previewed(name: _Name) -> UploadPreview:
        """The first lines of an uploaded file, and what of it is recognised."""
        file = _uploaded(folder, name)
        try:
            return preview(file, f"{FOLDER}/{name}")
        except OSError as error:
            raise InputError("unreadable", name, error.strerror or "cannot be read") from None

    @router.delete("/api/uploads/{name:path}")
    def removed(name: _Name) -> RemovedFile:
        """Remove an uploaded file. Runs that were made of it stay; a folder or a link is not removed."""
        file = _uploaded(folder, name)
        if name in busy:
            raise InputError("in-use", Argument("name", name), "a file of this name is being uploaded")
        try:
            file.unlink()
        except FileNotFoundError:
            raise _no_upload(name) from None
        except OSError as error:
            raise InputError("unwritable", name, error.strerror or "cannot be removed") from None
        return RemovedFile(path=f"{FOLDER}/{name}")

    return router


def _uploaded(folder: FilePath, name: str) -> FilePath:
    """A plain file of the folder of uploads. Raises ``InputError`` where there is none of this name."""
    _refuse_name(name)
    file = folder / name
    if folder.is_symlink() or file.is_symlink() or not file.is_file():
        raise _no_upload(name)
    return file


def _no_upload(name: str) -> InputError:
    return InputError("not-found", Argument("name", name), "no such upload")


def _refuse_name(name: str) -> None:
    """Raise ``InputError`` where a name is not that of a plain file."""
    place = Argument("name", name[:_MOST_CHARS].encode("utf-8", "replace").decode())
    if len(name) > _MOST_CHARS or len(name.encode("utf-8", "replace")) > _MOST_NAME_BYTES:
        raise InputError("not-accepted", place, f"a name has at most {_MOST_CHARS} characters")
    if _FORBIDDEN.search(name) or name.startswith(".") or name != name.strip() or name == "-":
        message = "not a file name: no separators, leading dot or control characters"
        raise InputError("not-accepted", place, message)


def _announced(request: Request) -> int:
    text = request.headers.get("content-length", "")
    return int(text) if text.isdecimal() and len(text) < 20 else 0


def _refuse_size(size: int, folder: FilePath, limits: JobLimits) -> None:
    if size > limits.upload_bytes:
        raise InputError("too-large", None, f"a file has at most {limits.upload_bytes:,} bytes")
    there = next(part for part in (folder, *folder.parents) if part.exists())
    if shutil.disk_usage(there).free - size < limits.spare_bytes:
        raise InputError("too-large", None, "the disk of the workspace has no room for it")


async def _kept(request: Request, folder: FilePath, name: str, limits: JobLimits) -> tuple[int, str]:
    """Write the body to a file aside, then give it its name; its size and SHA-256."""
    target = folder / name
    await asyncio.to_thread(_make, folder)
    digest, size, block = hashlib.sha256(), 0, bytearray()
    with atomic_path.file(target) as made, made.open("xb") as file:

        def write() -> None:
            digest.update(block)
            file.write(block)
            block.clear()

        async for chunk in request.stream():
            size += len(chunk)
            if size > limits.upload_bytes:
                _refuse_size(size, folder, limits)
            block += chunk
            if len(block) >= _BLOCK:
                await asyncio.to_thread(write)
                _refuse_size(0, folder, limits)
        await asyncio.to_thread(write)
        if not size:
            raise InputError("empty", Argument("name", name), "the file is empty")
        file.flush()
        await asyncio.to_thread(atomic_path.sync, made)
        await asyncio.to_thread(_refuse_other, target, digest.hexdigest())
    with suppress(OSError):
        await asyncio.to_thread(atomic_path.sync, folder)
    return size, digest.hexdigest()


def _make(folder: FilePath) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError("unwritable", str(folder), f"cannot be written: {error.strerror}") from None
    if folder.is_symlink():
        raise InputError("unsafe-target", str(folder), "this is a link; expected a folder of the workspace")


def _refuse_other(target: FilePath, digest: str) -> None:
    """Raise ``InputError`` (``exists``) where another file has the name."""
    if not target.is_symlink() and target.is_file():
        with target.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                return
    elif not target.is_symlink() and not target.exists():
        return
    message = "another file already has this name"
    raise InputError("exists", f"{FOLDER}/{target.name}", message, hint="give it another name")
