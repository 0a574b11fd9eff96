"""Digests of inputs, computed beside the simulation."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from iowatt.run.provenance import Digest, gather, now
from refused import refused


def digested(named):
    digest = Digest(named)
    digest.start()
    return digest, digest.inputs


def test_size_and_digest_of_every_file_once(tmp_path):
    content = bytes(range(256)) * 9000  # over two blocks
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "b").write_bytes(b"")
    digest, inputs = digested([("a", tmp_path / "a"), ("b", tmp_path / "b"), ("also a", tmp_path / "a")])
    first, second = inputs()
    assert (first.path, first.size, first.sha256) == ("a", len(content), hashlib.sha256(content).hexdigest())
    assert (second.path, second.size, second.sha256) == ("b", 0, hashlib.sha256(b"").hexdigest())
    assert digest.cpu_s > 0


def test_what_can_be_read_once_only_is_left_to_the_simulation(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    _, inputs = digested([("-", Path("-")), ("pipe", tmp_path / "pipe")])
    assert [(entry.path, entry.size, entry.sha256) for entry in inputs()] == [
        ("-", None, None),
        ("pipe", None, None),
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "a").touch()

    def refuse(self, *_args, **_options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    _, inputs = digested([("a", tmp_path / "a")])
    with refused("unreadable", str(tmp_path / "a")):
        inputs()


def test_a_cancelled_digest_ends(tmp_path):
    (tmp_path / "a").write_bytes(bytes(1 << 22))
    digest = Digest([("a", tmp_path / "a")])
    digest.start()
    digest.cancel()
    assert not digest.is_alive()


def test_what_is_gathered(tmp_path):
    found = gather(seed=3, inputs=[], scenario_text="x = 1\n", started_at=now(), command=None)
    assert found.seed == 3
    assert found.scenario_sha256 == hashlib.sha256(b"x = 1\n").hexdigest()
    assert found.started_at.endswith("Z")
    assert found.host.cpus >= 1
