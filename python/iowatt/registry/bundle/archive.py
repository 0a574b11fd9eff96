"""A zip archive that is a function of its files: same names and contents, same bytes.

Entries are stored, not compressed, with one date and one mode, in the order given; nothing stands between,
before or behind them. The reader computes every byte that is not content and compares, so that no changed
byte passes: no comment, no extra field, no other order, nothing appended. Logs that were compressed stay so.
Archives of other programs are refused with the reason (encrypted, compressed, a link).

The layout is that of PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16, without zip64.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from iowatt.base.errors import InputError
from iowatt.registry.bundle.names import NAME_BYTES, NameSet, check_name

CHUNK: Final = 1 << 20
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_CENTRAL: Final = struct.Struct("<4s6H3I5H2I")
_END: Final = struct.Struct("<4s4H2IH")
_LOCAL_MARK, _CENTRAL_MARK, _END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_VERSION, _UTF8, _STORED, _TIME, _DATE = 20, 0x0800, 0, 0, 0x0021  # 1980-01-01, the first date of zip
_UNIX, _MODE = 0x0314, 0o100644 << 16
_ENCRYPTED, _DESCRIPTOR = 0x0001, 0x0008
_MOST: Final = 0xFFFF_FFFF


@dataclass(frozen=True)
class BundleLimits:
    """What a bundle may have at most."""

    files: int = 5_000
    bytes: int = 2 << 30  #: Of all files together.
    file_bytes: int = 1 << 30  #: Of one file.

    def check(self, files: int, size: int, total: int, name: str) -> None:
        """Raise ``InputError`` where one more file of ``size`` bytes is too much; ``total`` includes it."""
        if files > self.files:
            raise InputError("too-large", name, f"the bundle has more than {self.files:,} files")
        if size > self.file_bytes:
            raise InputError("too-large", name, f"the file has {size:,} bytes; at most {self.file_bytes:,}")
        if total > self.bytes:
            raise InputError("too-large", name, f"the files have more than {self.bytes:,} bytes together")


@dataclass(frozen=True)
class ArchiveEntry:
    """A file of an archive."""

    name: str
    size: int
    crc: int
    offset: int  #: Of its header.

    @property
    def local(self) -> bytes:
        """Its header."""
        name = self.name.encode()
        fields = (_VERSION, _UTF8, _STORED, _TIME, _DATE, self.crc, self.size, self.size, len(name), 0)
        return _LOCAL.pack(_LOCAL_MARK, *fields) + name

    @property
    def central(self) -> bytes:
        """Its entry in the directory at the end."""
        name = self.name.encode()
        fields = (_UNIX, _VERSION, _UTF8, _STORED, _TIME, _DATE, self.crc, self.size, self.size, len(name))
        return _CENTRAL.pack(_CENTRAL_MARK, *fields, 0, 0, 0, 0, _MODE, self.offset) + name


def directory(entries: Iterable[ArchiveEntry]) -> bytes:
    """The end of an archive: its directory."""
    listed = list(entries)
    body = b"".join(one.central for one in listed)
    start = listed[-1].offset + len(listed[-1].local) + listed[-1].size if listed else 0
    return body + _END.pack(_END_MARK, 0, 0, len(listed), len(listed), len(body), start, 0)


class ArchiveWriter:
    """Writes an archive; :meth:`close` writes its end and returns the SHA-256 of it all.

    Without a file nothing is written, and the digest is that of what would be.
    """

    def __init__(self, file: BinaryIO | None) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._entries: list[ArchiveEntry] = []
        self._at = 0

    def add(self, name: str, content: bytes | Path) -> None:
        """Add a file. Raises ``InputError``: it changes while it is read, or the archive is too large."""
        size, crc = _measured(content)
        entry = ArchiveEntry(name, size, crc, self._at)
        if self._at + size > _MOST:
            raise InputError("too-large", name, "a bundle has at most 4 GiB")
        self._write(entry.local)
        written, again = 0, 0
        for chunk in _chunks(content):
            written, again = written + len(chunk), zlib.crc32(chunk, again)
            self._write(chunk)
        if (written, again) != (size, crc):
            raise InputError("changed", name, "the file was changed while it was read")
        self._entries.append(entry)

    def close(self) -> str:
        """Write the end."""
        self._write(directory(self._entries))
        return self._digest.hexdigest()

    def _write(self, data: bytes) -> None:
        if self._file is not None:
            self._file.write(data)
        self._digest.update(data)
        self._at += len(data)


class ArchiveReader:
    """Reads an archive from its begin to its end, once; ``sha256`` is that of all that was read."""

    def __init__(self, file: BinaryIO, place: str, limits: BundleLimits) -> None:
        self._file, self._place, self._limits = file, place, limits
        self._digest = hashlib.sha256()
        self._at = 0

    @property
    def sha256(self) -> str:
        """Of the bytes so far."""
        return self._digest.hexdigest()

    def entries(self) -> Iterator[tuple[ArchiveEntry, Iterator[bytes]]]:
        """Each file with its content in pieces, which must be taken before the next file.

        Raises ``InputError`` at the first byte that this archive would not have if :class:`ArchiveWriter` had
        written it.
        """
        found: list[ArchiveEntry] = []
        names, total = NameSet(), 0
        while (head := self._take(4)) == _LOCAL_MARK:
            entry = self._entry(head)
            names.add(entry.name)
            total += entry.size
            self._limits.check(len(found) + 1, entry.size, total, entry.name)
            yield entry, self._content(entry)
            found.append(entry)
        if not found:
            hint = "`iowatt registry submit -o FILE.zip` writes one"
            raise InputError("wrong-format", self._place, "this is not a bundle of a submission", hint=hint)
        self._compare_end(head, directory(found))

    def _entry(self, head: bytes) -> ArchiveEntry:
        offset = self._at - len(head)
        raw = head + self._take(_LOCAL.size - 4)
        if len(raw) < _LOCAL.size:
            raise self._cut()
        _, _, flags, method, _, _, crc, _, size, length, more = _LOCAL.unpack(raw)
        name_bytes = self._take(min(length, NAME_BYTES + 1))
        place = ascii(name_bytes.decode("utf-8", "replace"))[1:-1]
        if length > NAME_BYTES:
            raise InputError("not-accepted", place, f"the name of the file is longer than {NAME_BYTES} bytes")
        if flags & _ENCRYPTED:
            raise InputError("unsupported", place, "the file is encrypted")
        if method != _STORED or flags & _DESCRIPTOR:
            text = "the file is compressed, or of unknown length; a bundle stores its files as they are"
            raise InputError("unsupported", place, text, hint="create one with `iowatt registry submit`")
        try:
            name = name_bytes.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError("not-accepted", place, "the name of the file is not UTF-8") from None
        check_name(name)  # the reason that says most comes first
        entry = ArchiveEntry(name, size, crc, offset)
        if more or raw + name_bytes != entry.local:
            raise InputError("damaged", f"{place}: header", "the header is not the one that this file has")
        return entry

    def _content(self, entry: ArchiveEntry) -> Iterator[bytes]:
        left, crc = entry.size, 0
        while left:
            chunk = self._take(min(left, CHUNK))
            if not chunk:
                raise self._cut()
            left -= len(chunk)
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if crc != entry.crc:
            raise InputError("damaged", entry.name, "the content is not the one that its checksum is of")

    def _compare_end(self, head: bytes, wanted: bytes) -> None:
        found = head + self._take(len(wanted) - len(head) + 1)
        if found == wanted:
            return
        if found.startswith(_CENTRAL_MARK) and len(found) >= _CENTRAL.size:
            mode = _CENTRAL.unpack(found[: _CENTRAL.size])[15] >> 16
            if mode & 0o170000 not in (0, 0o100000):
                raise InputError("wrong-kind", self._place, "the archive has a link, a device or a folder")
        if found.startswith(wanted):
            raise InputError("damaged", f"{self._place}: end", "something follows the end of the archive")
        at = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), len(found))
        place = f"{self._place}: byte {self._at - len(found) + at}"
        raise InputError("damaged", place, "the directory of the archive is not the one that its files have")

    def _take(self, size: int) -> bytes:
        data = self._file.read(size)
        self._digest.update(data)
        self._at += len(data)
        return data

    def _cut(self) -> InputError:
        return InputError("damaged", f"{self._place}: byte {self._at}", "the archive ends too early")


def _chunks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _measured(content: bytes | Path) -> tuple[int, int]:
    size = crc = 0
    for chunk in _chunks(content):
        size, crc = size + len(chunk), zlib.crc32(chunk, crc)
    return size, crc
