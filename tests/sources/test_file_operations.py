"""`iowatt files`: operations on files, paced, as a measured Run."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from iowatt import core
from iowatt.base.problems import DocumentError
from iowatt.cli import main
from iowatt.lenses.compare.measurement import loop_of
from iowatt.model.library.files import file_workload_names, find_file_workload, operations
from iowatt.run.bundle import Run
from iowatt.sources.files import FilesRequest, MadeOperations, draw_timetable, observed, run_files
from refused import check, problems, refused

MIX = """
name = "small"
title = "A small mix"
transfer = "4KiB"
[operations]
stat = 50
read_file = 20
write_file = 20
create = 5
unlink = 5
[[sizes]]
size = "8KiB"
percent = 100
"""


@pytest.fixture
def mix(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(MIX)
    return file


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two seconds of `swbuild` at 400 operations per second."""
    place = tmp_path_factory.mktemp("files")
    (place / "under-test").mkdir()
    found = run_files(
        FilesRequest(
            target=place / "under-test",
            workload=find_file_workload("swbuild"),
            rate=400,
            duration_s=1.5,
            warmup_s=0.5,
            size_bytes=2 << 20,
            output=place / "run",
            depth=8,
        )
    )
    return found, Run.open(place / "run"), place


def test_the_library_has_mixes_of_known_operations_and_says_what_is_assumed():
    names = file_workload_names()
    assert {"swbuild", "vda", "vdi", "database", "eda", "genomics", "ai-image"} <= set(names)
    for name in names:
        found = find_file_workload(name)
        assert set(found.operations) <= set(operations())
        assert "operations" in found.unverified
        assert "not comparable" in found.assumptions[0]


def test_a_mix_that_is_wrong_is_refused_with_its_place(mix):
    for text, code, place in (
        ("stat = 50", "conflict", "operations"),  # 99 %
        ("read_file = 20", "unknown-name", "operations.seek"),
    ):
        changed = {"stat = 50": "stat = 49", "read_file = 20": "seek = 20"}[text]
        mix.write_text(MIX.replace(text, changed))
        with pytest.raises(DocumentError) as error:
            find_file_workload(str(mix))
        (one, where), *_ = problems(error.value)
        assert (one, where.rpartition(": ")[2]) == (code, place)
    with refused("unknown-name", None):
        find_file_workload("swbild")


def test_intended_times_are_those_of_the_rate_and_the_same_for_the_same_seed():
    workload = find_file_workload("swbuild")
    one, other = (draw_timetable(workload, 1000, 20, seed) for seed in (1, 1))
    assert np.array_equal(one.due_ns, other.due_ns) and np.array_equal(one.code, other.code)
    # 20,000 expected, of a Poisson process: within five standard deviations.
    assert abs(one.due_ns.size - 20_000) < 5 * 20_000**0.5
    assert (np.diff(one.due_ns.astype(np.int64)) >= 0).all() and one.due_ns[-1] < 20e9
    stats = int((one.code == operations()["stat"][0]).sum())
    assert abs(stats / one.code.size - 0.7) < 5 * (0.7 * 0.3 / 20_000) ** 0.5
    constant = workload.model_copy(update={"arrivals": "constant"})
    assert draw_timetable(constant, 100, 1, 1).due_ns.tolist() == [round(k * 1e7) for k in range(100)]


def test_response_times_count_from_the_intended_time_and_classes_add_up():
    code = np.array(
        [operations()[name][0] for name in ("stat", "read_file", "write_file", "create")], np.uint8
    )
    due = np.array([0, 100, 200, 300], np.uint64) * 1_000_000
    made = MadeOperations(
        code,
        {
            "due_ns": due,
            "sent_ns": due + 50_000_000,  # all held back for 50 ms
            "done_ns": due + np.array([51, 60, 70, 52], np.uint64) * 1_000_000,
            "error": np.array([0, 0, 0, 0], np.int32),
            "bytes": np.array([0, 8192, 4096, 0], np.uint64),
            "substituted": np.array([False, False, False, True]),
            "began_unix_ns": 10**18,
            "complete": True,
            "full": 0,
        },
    )
    seen = observed(made, find_file_workload("swbuild"), name="x", rate=10, threads=2)
    assert {name: len(list(one.intervals)) for name, one in seen.classes.items()} == {
        "metadata": 1,
        "read": 1,
        "write": 1,
    }
    by_name = {one.name: one for one in seen.operations}
    assert by_name["stat"].mean_s == pytest.approx(0.051)
    assert by_name["write_file"].max_s == pytest.approx(0.070)
    assert by_name["create"].substituted == 1
    whole = seen.intervals[0]
    assert (whole.read.requests, whole.write.requests) == (2, 2)
    assert (whole.read.bytes, whole.write.bytes) == (8192, 4096)
    later = made.since(150_000_000)
    assert later.stamps["due_ns"].tolist() == [50_000_000, 150_000_000]
    assert later.response_ns.tolist() == made.response_ns.tolist()[2:]


def test_a_run_names_its_classes_and_each_operation(measured):
    found, run, place = measured
    assert run.summary["source"] == "files" and run.summary["driver"]["tool"] == "files"
    assert {one["name"] for one in run.summary["workloads"]} == {"metadata", "read", "write"}
    assert sum(one["requests"]["completed"] for one in run.summary["workloads"]) == found.operations
    assert sum(one["completed"] for one in run.summary["driver"]["operations"]) == found.operations
    assert found.errors == 0
    # 600 operations are expected; five standard deviations of a Poisson process.
    assert abs(found.operations - 600) < 5 * 600**0.5
    assert abs(found.achieved_ops - 400) < 5 * 600**0.5 / 1.5
    rows = pl.read_parquet(place / "run" / "operations.parquet")
    assert rows.height == found.operations and (rows["late_ns"] >= 0).all()
    mean_ms = ((rows["done_ns"] - rows["due_ns"]) / 1e6).mean()
    assert run.summary["response_time_ms"]["all"]["mean"] == pytest.approx(mean_ms, rel=1e-6)
    assert loop_of(run, None).kind == "open"
    assert any(note.code == "not-spec" for note in found.notes)


def test_nothing_is_left_in_the_target(measured):
    assert list((measured[2] / "under-test").iterdir()) == []


def test_lenses_take_the_run(measured, tmp_path):
    run = str(measured[2] / "run")
    for words in (["report", run, "-o", str(tmp_path / "page.html")], ["compare", run, run]):
        done = CliRunner().invoke(main.app, words)
        assert done.exit_code == 0, (words, done.output, done.exception)


def test_errors_have_codes_and_leave_nothing(tmp_path, mix):
    (tmp_path / "file").write_text("")
    base = ["files", "run", str(mix), "--rate", "100", "--duration", "1s", "-o", str(tmp_path / "run")]
    for words, code in (
        (["--target", str(tmp_path / "none"), "--size", "1MiB"], "not-found"),
        (["--target", str(tmp_path / "file"), "--size", "1MiB"], "wrong-kind"),
        (["--target", str(tmp_path), "--size", "1000PB", "--depth", "1"], "unwritable"),
        (["--target", str(tmp_path), "--size", "1MiB", "--depth", "999"], "out-of-range"),
        (["--target", str(tmp_path), "--size", "1MiB", "--duration", "1000000h"], "too-large"),
    ):
        check(CliRunner().invoke(main.app, base + words).exception, code)
        assert not (tmp_path / "run").exists() and not (tmp_path / "iowatt-files").exists()
    (tmp_path / "iowatt-files").mkdir()
    again = [*base, "--target", str(tmp_path), "--size", "1MiB"]
    check(CliRunner().invoke(main.app, again).exception, "exists", str(tmp_path / "iowatt-files"))
    assert (tmp_path / "iowatt-files").is_dir()


def test_what_progress_raises_ends_the_run(tmp_path, mix):
    class Stop(Exception):
        pass

    def progress(_share, _done):
        raise Stop

    request = FilesRequest(
        tmp_path, find_file_workload(str(mix)), 10, 3600, 1 << 16, tmp_path / "run", depth=2
    )
    with pytest.raises(Stop):
        run_files(request, progress=progress)
    assert not (tmp_path / "iowatt-files").exists() and not (tmp_path / "run").exists()


def test_the_workloads_are_listed():
    done = CliRunner().invoke(main.app, ["files", "workloads", "--json"])
    listed = json.loads(done.output)
    assert listed["schema"] == "iowatt.file-workloads/1"
    assert [one["name"] for one in listed["workloads"]] == list(file_workload_names())


def test_the_core_names_each_operation_once():
    names = [name for name, _kind in core.file_operations()]
    assert len(set(names)) == len(names) == 21
