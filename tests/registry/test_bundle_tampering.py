"""A changed, missing, added, doubled or moved byte anywhere in a bundle is refused, with the place."""

from __future__ import annotations

import random
import shutil

import pytest
import submissions

from iowatt.base.errors import InputError
from iowatt.registry import bundle


def test_a_bundle_is_the_same_bytes_each_time(tmp_path, key):
    prepared = submissions.small(tmp_path / "small")
    one = submissions.written(prepared, key, tmp_path / "one.zip").read_bytes()
    other = submissions.written(prepared, key, tmp_path / "other.zip").read_bytes()
    assert one == other


def test_other_programs_read_it(small_zip):
    import zipfile

    with zipfile.ZipFile(small_zip) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[:2] == ["submission.json", "signature.json"]
        assert archive.read("inputs/x.toml") == b"a = 1\n"


def test_every_changed_byte_is_refused(small_zip, tmp_path):
    whole = small_zip.read_bytes()
    assert bundle.read(small_zip).submission.title == "small"
    draw = random.Random(7)
    damaged = tmp_path / "damaged.zip"
    for at in range(len(whole)):
        changed = bytearray(whole)
        changed[at] ^= draw.randrange(1, 256)
        damaged.write_bytes(changed)
        with pytest.raises(InputError) as caught:
            bundle.read(damaged)
        assert caught.value.code != "internal" and caught.value.place


def test_every_shorter_and_every_longer_archive_is_refused(small_zip, tmp_path):
    whole = small_zip.read_bytes()
    damaged = tmp_path / "damaged.zip"
    for length in range(0, len(whole), 7):
        damaged.write_bytes(whole[:length])
        with pytest.raises(InputError):
            bundle.read(damaged)
    for more in (b"\0", b"PK", whole):
        damaged.write_bytes(whole + more)
        with pytest.raises(InputError) as caught:
            bundle.read(damaged)
        assert caught.value.code == "damaged" and "end" in caught.value.place


def test_a_comment_is_refused(small_zip, tmp_path):
    whole = bytearray(small_zip.read_bytes())
    whole[-2:] = (5).to_bytes(2, "little")
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(bytes(whole) + b"hello")
    with pytest.raises(InputError) as caught:
        bundle.read(damaged)
    assert caught.value.code == "damaged"


def test_files_in_another_order_or_twice_are_refused(small_zip, tmp_path, key):
    import json

    folder = submissions.unpacked(small_zip, tmp_path / "folder")
    document = json.loads((folder / "submission.json").read_bytes())
    files = [(one["name"], folder / one["name"]) for one in document["files"]]
    with pytest.raises(InputError) as caught:
        bundle.read(submissions.raw_bundle(document, key, files[::-1], tmp_path / "turned.zip"))
    assert caught.value.code == "out-of-order"
    with pytest.raises(InputError) as caught:
        bundle.read(submissions.raw_bundle(document, key, [*files, files[0]], tmp_path / "twice.zip"))
    assert caught.value.code == "duplicate" and caught.value.place == files[0][0]
    with pytest.raises(InputError) as caught:
        bundle.read(submissions.raw_bundle(document, key, files[:-1], tmp_path / "less.zip"))
    assert (caught.value.code, caught.value.place) == ("not-found", files[-1][0])
    with pytest.raises(InputError) as caught:
        more = [*files, ("zz.txt", b"more")]
        bundle.read(submissions.raw_bundle(document, key, more, tmp_path / "more.zip"))
    assert (caught.value.code, caught.value.place) == ("unknown-name", "zz.txt")


def test_each_file_of_a_measurement_is_covered(emerald_zip, tmp_path):
    folder = submissions.unpacked(emerald_zip, tmp_path / "folder")
    whole = bundle.read(folder)
    assert whole.sha256 == bundle.read(emerald_zip).sha256
    names = [one.name for one in whole.submission.files]
    assert {"measurement/journal.jsonl", "measurement/analysis.json", "inputs/array.toml"} <= set(names)
    for name in names:
        path = folder / name
        kept = path.read_bytes()
        changed = bytearray(kept)
        changed[len(kept) // 2] ^= 1
        path.write_bytes(changed)
        with pytest.raises(InputError) as caught:
            bundle.read(folder)
        assert (caught.value.code, caught.value.place) == ("damaged", name)
        path.write_bytes(kept)
    (folder / "measurement" / "more.txt").write_text("more")
    with pytest.raises(InputError) as caught:
        bundle.read(folder)
    assert caught.value.place in ("measurement/more.txt", "measurement/plan.json")


def test_a_signature_of_another_key_or_thing_is_refused(small_zip, tmp_path, key):
    import json

    folder = submissions.unpacked(small_zip, tmp_path / "folder")
    other = submissions.signing_key(tmp_path, "other")
    signature = json.loads((folder / "signature.json").read_bytes())
    head = (folder / "submission.json").read_bytes()
    for wrong in (
        signature | {"public_key": other.public},
        signature | {"signature": other.sign(b"iowatt.submission/1\n" + head)},
        signature | {"signature": key.sign(head)},  # without what says that it is of a submission
        signature | {"signature": ""},
    ):
        (folder / "signature.json").write_bytes(bundle.canonical(wrong))
        with pytest.raises(InputError) as caught:
            bundle.read(folder)
        assert (caught.value.code, caught.value.place) == ("not-signed", "signature.json")


def test_a_private_key_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "key"
    public = bundle.make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "key.pub").read_text() == f"{public}\n"
    with pytest.raises(InputError) as caught:
        bundle.make_key(path)
    assert caught.value.code == "exists"
    path.chmod(0o644)
    with pytest.raises(InputError) as caught:
        bundle.SigningKey(path)
    assert caught.value.code == "unsafe-target"
    path.chmod(0o600)
    shutil.copyfile(tmp_path / "key.pub", path)
    with pytest.raises(InputError) as caught:
        bundle.SigningKey(path)
    assert caught.value.code == "wrong-format"
