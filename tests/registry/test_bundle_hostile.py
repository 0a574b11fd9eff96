"""Hostile uploads: every one is refused with a reason, and nothing is written outside its folder."""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile

import pytest
import submissions

from iowatt.base.errors import InputError
from iowatt.registry import bundle
from iowatt.registry.bundle.archive import ArchiveWriter, BundleLimits
from iowatt.registry.bundle.names import NameSet

NAMES = {
    "absolute": "/etc/passwd",
    "up": "../x",
    "up-inside": "a/../../x",
    "here": "./x",
    "empty-part": "a//b",
    "folder": "a/",
    "backslash": "..\\x",
    "drive": "C:x",
    "nul": "a\0b",
    "newline": "a\nb",
    "hidden-direction": "a\u202eb",
    "not-nfc": "cafe\u0301",
    "trailing-point": "a./b",
    "trailing-blank": "a ",
    "long": "x" * 300,
    "deep": "/".join("abcdefghijklmnopqrst"),
    "stream": "a:b",
    "empty": "",
}


def refusal(path, tmp_path, **limits):
    into = tmp_path / "into"
    into.mkdir(exist_ok=True)
    with pytest.raises(InputError) as caught:
        bundle.read(path, into=into, limits=BundleLimits(**limits) if limits else None)
    assert not any(path.is_symlink() for path in into.rglob("*"))
    return caught.value


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_that_leads_elsewhere_is_refused(name, small_zip, tmp_path, key):
    with pytest.raises(InputError) as caught:
        NameSet().add(name)
    assert caught.value.code == "not-accepted"
    folder = submissions.unpacked(small_zip, tmp_path / "folder")
    document = json.loads((folder / "submission.json").read_bytes())
    # In the archive alone, and in the list that is signed as well.
    files = [(one["name"], folder / one["name"]) for one in document["files"]]
    assert refusal(
        submissions.raw_bundle(document, key, [*files, (name, b"x")], tmp_path / "a.zip"), tmp_path
    )
    more = {**document["files"][0], "name": name}
    listed = document | {"files": sorted([*document["files"], more], key=lambda one: one["name"])}
    found = refusal(submissions.raw_bundle(listed, key, files, tmp_path / "b.zip"), tmp_path)
    assert found.code in ("not-accepted", "wrong-format")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.zip", "b.zip", "folder", "into", "small", "small.zip",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [("a", "a"), ("A/x", "a/y"), ("a", "A"), ("a", "a/b"), ("a/b", "a"), ("stra\u00dfe", "STRASSE")],
    ids=str,
)
def test_names_that_are_one_file_somewhere_are_refused(names):
    known = NameSet()
    known.add(names[0])
    with pytest.raises(InputError) as caught:
        known.add(names[1])
    assert caught.value.code == "duplicate"


def test_ten_thousand_files_are_refused(tmp_path, key):
    content = {"size": 0, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
    listed = [{"name": f"{number:05d}", **content} for number in range(10_000)]
    document = json.loads(submissions.small(tmp_path / "small").submission.model_dump_json(by_alias=True))
    files = [(one["name"], b"") for one in listed]
    path = submissions.raw_bundle(document | {"files": listed}, key, files, tmp_path / "many.zip")
    assert refusal(path, tmp_path).code == "too-large"
    # Not listed: the archive alone has them.
    path = tmp_path / "plain.zip"
    with path.open("wb") as file:
        writer = ArchiveWriter(file)
        for name, data in files:
            writer.add(name, data)
        writer.close()
    assert refusal(path, tmp_path).code == "wrong-format"


def test_what_is_too_large_is_refused_before_it_is_written(small_zip, tmp_path):
    assert refusal(small_zip, tmp_path, file_bytes=5).code == "too-large"
    assert refusal(small_zip, tmp_path, bytes=10).code == "too-large"
    assert refusal(small_zip, tmp_path, files=2).code == "too-large"


def test_a_size_that_is_claimed_and_not_there_is_refused(small_zip, tmp_path):
    whole = bytearray(small_zip.read_bytes())
    struct.pack_into("<2I", whole, 18, 0x7FFF_FFFF, 0x7FFF_FFFF)
    path = tmp_path / "claims.zip"
    path.write_bytes(whole)
    assert refusal(path, tmp_path).code == "too-large"


def ordinary(tmp_path, *, compression=zipfile.ZIP_STORED, name="submission.json", data=b"{}", mode=0o100644):
    path = tmp_path / "ordinary.zip"
    with zipfile.ZipFile(path, "w", compression) as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = compression
        archive.writestr(info, data)
    return path


def test_a_bomb_is_refused_unopened(tmp_path):
    path = ordinary(tmp_path, compression=zipfile.ZIP_DEFLATED, data=b"\0" * (64 << 20))
    assert path.stat().st_size < 100_000
    assert refusal(path, tmp_path).code == "unsupported"


def test_an_encrypted_file_is_refused(tmp_path):
    path = ordinary(tmp_path)
    whole = bytearray(path.read_bytes())
    whole[6] |= 1
    path.write_bytes(whole)
    assert refusal(path, tmp_path).code == "unsupported"


def test_paths_of_an_ordinary_archive_are_refused(tmp_path):
    for name in ("../x", "/etc/x"):
        assert refusal(ordinary(tmp_path, name=name), tmp_path).code == "not-accepted"


def test_a_link_in_an_archive_is_refused(small_zip, tmp_path):
    whole = bytearray(small_zip.read_bytes())
    at = whole.index(b"PK\x01\x02")
    struct.pack_into("<I", whole, at + 38, 0o120777 << 16)
    path = tmp_path / "link.zip"
    path.write_bytes(whole)
    assert refusal(path, tmp_path).code == "wrong-kind"


@pytest.mark.parametrize("kind", ["link", "folder-link", "pipe"])
def test_links_and_pipes_in_a_folder_are_refused(kind, small_zip, tmp_path):
    folder = submissions.unpacked(small_zip, tmp_path / "folder")
    if kind == "pipe":
        os.mkfifo(folder / "x")
    else:
        (folder / "x").symlink_to("/etc/passwd" if kind == "link" else "/etc")
    found = refusal(folder, tmp_path)
    assert (found.code, found.place) == ("wrong-kind", "x")


@pytest.mark.parametrize(
    "data", [b"", b"PK", b"\0" * 100, b"PK\x05\x06" + b"\0" * 18, b"PK\x03\x04" + b"\xff" * 200]
)
def test_what_is_no_bundle_is_refused(data, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    assert refusal(path, tmp_path).code in ("wrong-format", "unsupported", "not-accepted", "damaged")


@pytest.mark.parametrize(
    "head",
    [
        b'{"schema": "iowatt.submission/1"}',
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a": "\\ud800"}',
        b"\xff\xfe",
        b"{" + b'"a": 1, ' * 3 + b'"a": 2}',
        b"9" * 5000,
    ],
)
def test_a_hostile_document_is_refused(head, tmp_path):
    path = tmp_path / "x.zip"
    sink = io.BytesIO()
    writer = ArchiveWriter(sink)
    writer.add("submission.json", head)
    writer.close()
    path.write_bytes(sink.getvalue())
    assert refusal(path, tmp_path).place.startswith("submission.json")


def test_facets_are_checked(measurement):
    for facets, code in (
        ({"vendor": "Example"}, "missing"),
        ({"vendor": "Example", "name": "A", "colour": "red"}, "unknown-name"),
        ({"vendor": "Example", "name": "A\n"}, "not-accepted"),
        ({"vendor": "Example", "name": "A", "drives": "-1"}, "not-accepted"),
    ):
        with pytest.raises(InputError) as caught:
            bundle.prepare(measurement, facets)
        assert caught.value.code == code
