"""fio runs exported files, does what they ask, and nothing of value is overwritten."""

from __future__ import annotations

import json

import exported as ex
import pytest

from iowatt.base.errors import InputError, IowattError
from iowatt.sources.export import check, fio
from iowatt.sources.export.check import JobResult, check_with_fio, compare
from iowatt.sources.export.sections import prepare
from iowatt.sources.target import scratch_target
from refused import refused


@ex.needs_fio
def test_fio_keeps_the_shares_of_the_hot_band(tmp_path):
    target = tmp_path / "hot.dat"
    prepared = prepare("hot-band", rate_iops=2000, span=256 << 20, duration_s=15, seed=1)
    found = check_with_fio(prepared, "fio", target)
    shares = {row.stream: row for row in found.rows if row.figure == "share"}
    assert len(shares) == 13
    assert all(abs(row.difference) < 1.0 for row in shares.values()), found.rows
    assert found.within
    reads = next(row for row in found.rows if (row.stream, row.figure) == ("all", "reads"))
    assert reads.asked == pytest.approx(65.8)
    assert abs(reads.difference) < 1.5
    assert found.requests == pytest.approx(30_000, rel=0.05)
    assert found.fio.startswith("fio-")
    assert not target.exists()


@ex.needs_fio
def test_fio_puts_requests_where_the_law_says(tmp_path):
    prepared = prepare("hot-band", rate_iops=6000, span=10 * 10**9, duration_s=4, seed=2)
    log = tmp_path / "hot1.log"
    text = fio.export(prepared).text
    # Addresses only: fio's null engine needs no storage; the log has them all.
    text = text.replace("ioengine=libaio", "ioengine=null").replace("filename=hot-band.dat\n", "")
    text = text.replace("[hot1-read]\n", f"[hot1-read]\nwrite_iolog={log}\n")
    check.run_fio(text, tmp_path)
    words = [line.split() for line in log.read_text().splitlines()]
    start, length = 10**9 // (1 << 20) * (1 << 20), 8e8
    offsets = [int(word[-2]) - start for word in words if word[-3] == "read"]
    assert len(offsets) > 3000
    assert min(offsets) >= 0 and max(offsets) < length * 1.01
    # Near the table's 0.451, 0.613, 0.814 for 1 GB; within 5 standard errors of so many draws.
    for fraction, expected in ((0.01, 0.445), (0.1, 0.604), (0.5, 0.81)):
        share = sum(offset < fraction * length for offset in offsets) / len(offsets)
        assert share == pytest.approx(expected, abs=0.04)


@ex.needs_fio
def test_every_kind_of_job_is_accepted_by_fio(tmp_path):
    laws = (
        '"sequential", streams = 3', '"sequential", run = "256KiB"', '"zipf", exponent = 0.9, extent = "8k"',
        '"zipf", exponent = 1.1', '"skew", k = 7', '"hot-band"', '"hierarchical-reuse", climb = 40',
    )  # fmt: skip
    streams = "".join(
        ex.UNIFORM.replace('"a"', f'"s{i}"')
        .replace("share = 100", "rate_iops = 40")
        .replace('"uniform"', law)
        for i, law in enumerate(laws)
    )
    phases = (
        '[[phase]]\nname = "one"\nduration = "1s"\n[[phase]]\nname = "two"\nduration = "1s"\nfactor = 2\n'
    )
    prepared = ex.profile(tmp_path, ex.HEAD + streams + phases)
    with scratch_target(tmp_path / "all.dat", prepared.span) as direct:
        from dataclasses import replace

        exported = fio.export(replace(prepared, target=str(tmp_path / "all.dat")), direct=direct)
        done = check.run_fio(exported.text, tmp_path)
    assert {part.job for part in done} == set(exported.jobs)
    by_phase = [sum(p.requests for p in done if p.job.startswith(phase)) for phase in ("one.", "two.")]
    assert by_phase[0] == pytest.approx(280, abs=90)
    assert by_phase[1] == pytest.approx(560, abs=130)


@ex.needs_fio
def test_a_job_that_fio_refuses_is_an_error_of_the_input(tmp_path):
    with refused("tool-failed", None):
        check.run_fio("[job]\nno_such_option=1\n", tmp_path)


def test_the_comparison_by_hand(tmp_path):
    text = (
        ex.HEAD
        + ex.POISSON
        + ex.UNIFORM.replace("100", "60", 1)
        + ex.UNIFORM.replace("100", "40", 1).replace('"a"', '"b"')
    )
    prepared = ex.profile(tmp_path, text, duration_s=10)
    exported = fio.export(prepared)
    done = [
        JobResult("a-read", "read", 4100, 4100 * 8192),
        JobResult("a-write", "write", 1700, 1700 * 8192),
        JobResult("b-read", "read", 3000, 3000 * 8192),
        JobResult("b-write", "write", 1200, 1200 * 4096),
    ]
    found = compare(prepared, exported, done)
    rows = {(row.stream, row.figure): row for row in found.rows}
    assert (rows["a", "share"].asked, rows["a", "share"].observed) == pytest.approx((60, 58))
    assert rows["a", "reads"].observed == pytest.approx(100 * 4100 / 5800)
    (mean_size,) = [row for row in found.rows if row.stream == "b" and row.unit == "bytes"]
    assert mean_size.observed == pytest.approx((3000 * 8192 + 1200 * 4096) / 4200)
    assert rows["all", "rate"].asked == pytest.approx(1000)
    assert rows["all", "rate"].observed == pytest.approx(1000)
    assert (found.requests, found.within) == (10_000, False)
    assert found.largest_share_difference == pytest.approx(2)
    assert check.NOT_KEPT_UP not in {note.code for note in found.notes}
    slow = compare(
        prepared, exported, [JobResult("a-read", "read", 4200, 1), JobResult("b-read", "read", 2800, 1)]
    )
    assert check.NOT_KEPT_UP in {note.code for note in slow.notes}


def test_output_of_fio_that_is_none():
    with refused("tool-output", None, IowattError):
        check.read_results("fio: out of memory\n")
    job = {"jobname": "a", "error": 5, **{op: {"total_ios": 1, "io_bytes": 1} for op in ("read", "write")}}
    with refused("tool-failed", None) as error:
        check.read_results("note: something\n" + json.dumps({"jobs": [job]}))
    assert error.value.message.endswith(" a")  # the job


def test_files_of_value_are_not_written_to(tmp_path):
    kept = tmp_path / "kept.dat"
    kept.write_bytes(b"x" * 8192)
    with refused("exists", str(kept)), scratch_target(kept, 4096):
        pass
    with refused("out-of-range", str(kept)), scratch_target(kept, 16_384, force=True):
        pass
    with scratch_target(kept, 8192, force=True):
        pass
    assert kept.read_bytes() == b"x" * 8192
    with pytest.raises(InputError) as error, scratch_target(tmp_path / "no" / "file", 4096):
        pass
    assert error.value.place == str(tmp_path / "no")
    with pytest.raises(InputError) as error, scratch_target(tmp_path, 4096, force=True):
        pass
    assert error.value.place == str(tmp_path)
    with pytest.raises(InputError) as error, scratch_target(tmp_path / "huge", 1 << 60):
        pass
    assert error.value.place == str(tmp_path / "huge")
    with pytest.raises(RuntimeError), scratch_target(tmp_path / "made", 4096):
        assert (tmp_path / "made").stat().st_size == 4096
        raise RuntimeError
    assert not (tmp_path / "made").exists()


def test_a_block_device_has_to_be_named_twice(tmp_path, monkeypatch):
    import os
    import stat as kinds
    from pathlib import Path

    device = tmp_path / "sdx"
    device.write_bytes(b"x" * 8192)
    real = Path.stat

    def pretending(self, **options):
        found = real(self, **options)
        if self != device:
            return found
        return os.stat_result([kinds.S_IFBLK | 0o600, *list(found)[1:]], {"st_rdev": 0})

    monkeypatch.setattr(Path, "stat", pretending)
    for erase in (None, tmp_path / "sdy"):
        with pytest.raises(InputError) as error, scratch_target(device, 4096, force=True, erase=erase):
            pass
        assert error.value.place == str(device)
    with scratch_target(device, 8192, erase=device):
        pass
    assert device.exists()
