"""Groups of jobs that ran one after another, and what fio leaves when it fails or is ended early."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from figures import figures
from iowatt.sources import outputs
from iowatt.sources.fio import read, read_groups
from iowatt.sources.fio.document import seconds
from iowatt.sources.measured import MeasuredAbout, measured_run
from refused import refused

DATA = Path(__file__).parents[1] / "data" / "fio-runs"
GROUPS = DATA / "groups" / "out.json"


def changed(folder, change, of=GROUPS):
    text = of.read_text()
    document = json.loads(text[text.index("{") :])
    change(document)
    path = folder / "out.json"
    path.write_text(json.dumps(document))
    return path


def seen(found):
    return [
        (one.name, sum(part.requests for part in one.totals), one.asked_iops, round(one.end - one.start, 1))
        for one in found
    ]


@pytest.mark.parametrize("logs", [True, False])
def test_groups_behind_a_stonewall_are_runs_of_their_own(tmp_path, logs):
    shutil.copy(GROUPS, tmp_path)
    found = read_groups((DATA / "groups") if logs else tmp_path, interval_s=1.0)
    assert seen(found) == [("slow+also", 200, 200.0, 1.0), ("fast", 401, 400.0, 1.0)]
    assert found[0].end <= found[1].start + 0.01
    assert {file.name for one in found for file in one.files} == (
        {path.name for path in GROUPS.parent.iterdir()} if logs else {"out.json"}
    )
    # Nothing says 600 IOPS, the sum of both.
    rates = [
        measured_run(MeasuredAbout("x"), one, interval_s=10).summary["throughput"]["iops"] for one in found
    ]
    assert rates == pytest.approx([200, 400], rel=0.01)


def test_one_run_is_wanted_where_there_are_several():
    with refused("ambiguous", str(GROUPS)) as caught:
        read(GROUPS)
    assert ", ".join(("slow+also", "fast")) in caught.value.message


def test_groups_whose_times_prove_that_they_overlapped_are_one():
    # fio's new_group: 1.008 and 1.001 s within 2 s.
    (found,) = read_groups(DATA / "new_group.json", interval_s=1.0)
    assert sum(part.requests for part in found.totals) == 499
    assert found.asked_iops == 500


def three(document):
    job = json.loads(json.dumps(document["jobs"][2]))
    document["jobs"].append({**job, "jobname": "last", "groupid": 2})
    return document


def test_groups_of_which_some_overlapped_stay_apart_and_it_is_said(tmp_path):
    # Three groups of a second within 2.5 s: some ran together, and nothing says which.
    def change(document):
        three(document)
        for job in document["jobs"]:
            job["elapsed"] = 2.5

    found = read_groups(changed(tmp_path, change), interval_s=1.0)
    assert [one.name for one in found] == ["slow+also", "fast", "last"]
    assert all(any("new_group" in said for said in one.warnings) for one in found)


def test_starts_tell_which_groups_ran_together(tmp_path):
    # Since fio 3.36 each job has its start: the last group beside the second.
    def change(document):
        three(document)
        for job, start in zip(document["jobs"], (1000, 1000, 2500, 2600), strict=True):
            job["job_start"] = 1_795_411_856_000 + start

    found = read_groups(changed(tmp_path, change), interval_s=1.0)
    assert [one.name for one in found] == ["slow+also", "fast+last"]
    assert found[1].start - found[0].start == pytest.approx(1.5)


def test_groups_of_one_name_are_told_apart(tmp_path):
    def change(document):
        three(document)
        document["jobs"][3]["jobname"] = "fast"
        for job in document["jobs"]:
            job["elapsed"] = 4

    found = read_groups(changed(tmp_path, change), interval_s=1.0)
    assert [one.name for one in found] == ["slow+also", "fast", "fast 2"]


def test_a_job_that_failed_at_once_is_refused_with_its_error():
    with refused("empty", str(DATA / "failed.json")) as caught:
        outputs.read_output(DATA / "failed.json")
    assert "'t'" in caught.value.message and "25 (" in caught.value.message


def test_a_group_that_failed_is_left_out_and_said(tmp_path):
    def change(document):
        job = document["jobs"][2]
        job["error"] = 5
        for way in ("read", "write"):
            job[way] |= {"total_ios": 0, "io_bytes": 0, "runtime": 0}

    (found,) = read_groups(changed(tmp_path, change), interval_s=1.0)
    assert seen([found]) == [("out", 200, 200.0, 1.0)]
    assert any("'fast'" in said and figures(said) == [5] for said in found.warnings)


def test_requests_in_no_time_are_refused(tmp_path):
    def change(document):
        for job in document["jobs"]:
            for way in ("read", "write"):
                job[way]["runtime"] = 0

    with refused("out-of-range", str(tmp_path / "out.json")):
        read_groups(changed(tmp_path, change))


def test_a_run_that_was_ended_early_says_what_it_did_of_what_was_asked():
    (found,) = read_groups(DATA / "killed.json", interval_s=1.0)
    assert [1.64, 60] in [figures(said) for said in found.warnings]
    # What fio said in front of its JSON is skipped, and said.
    assert any("signal 2" in one for one in found.warnings)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"runtime": "1"}, False),
        ({"runtime": "1500ms"}, True),
        ({"runtime": "1m"}, True),
        ({"size": "1312k"}, False),  # 328 requests of 4 KiB
        ({"size": "64m"}, True),
        ({"size": "1312k", "runtime": "60"}, False),  # all of it was done before the time was up
        ({"size": "64m", "number_ios": "328"}, False),
        ({"size": "100%"}, False),
    ],
)
def test_asked_is_held_against_done(tmp_path, options, said):
    def change(document):
        document["jobs"][0]["job options"] = {"rw": "randread", **options}
        document["jobs"][0]["job_runtime"] = document["jobs"][0]["read"]["runtime"] = 1000

    (found,) = read_groups(changed(tmp_path, change, DATA / "killed.json"), interval_s=1.0)
    asked = [one for one in found.warnings if "'k'" in one]
    assert bool(asked) is said


@pytest.mark.parametrize(
    ("text", "expected"),
    [("60", 60), ("90s", 90), ("1m", 60), ("2h", 7200), ("500ms", 0.5), ("1.5", 1.5), ("3d", 259_200),
     ("10sec", 10), ("5min", 300), ("", None), ("1y", None), ("m", None)],
)  # fmt: skip
def test_times_of_options(text, expected):
    assert seconds(text) == expected


def test_errors_of_verify_in_front_of_the_json_are_skipped(tmp_path):
    (found,) = outputs.read_output(DATA / "verify-errors.json")
    assert found.totals[0].requests == 64
    assert any("verify: " in said for said in found.warnings)
    # More of them than the first look at a file holds, the last without its line's end, and no .json.
    text = (DATA / "verify-errors.json").read_text()
    error, _, rest = text.partition("\n")
    path = tmp_path / "out.txt"
    path.write_text((error + "\n") * 900 + error + rest)
    (again,) = outputs.read_output(path)
    assert again.totals == found.totals
    assert any(901 in figures(said) for said in again.warnings)


@pytest.mark.parametrize("form", ["normal", "terse"])
@pytest.mark.parametrize("suffix", [".txt", ".json"])
def test_other_formats_are_named_and_json_asked_for(tmp_path, form, suffix):
    path = tmp_path / f"out{suffix}"
    shutil.copy(DATA / f"{form}.txt", path)
    with refused("wrong-format", str(path)) as caught:
        outputs.read_output(path)
    assert form in caught.value.message
    assert "--output-format=json+" in (caught.value.hint or "")


def test_a_mean_in_the_json_is_kept_where_logs_have_rates_only():
    (found,) = outputs.read_output(DATA / "iops-only" / "out.json")
    assert len(found.intervals) > 1
    run = measured_run(MeasuredAbout("x"), found, interval_s=1.0)
    times = run.summary["response_time_ms"]
    said = found.totals[0]
    for kind in ("all", "read"):
        assert times[kind]["count"] == said.requests == 400
        assert times[kind]["mean"] == pytest.approx(said.response_mean_s * 1e3)
        assert times[kind]["std"] == pytest.approx(said.response_std_s * 1e3)
        assert times[kind]["max"] == pytest.approx(said.response_max_s * 1e3)
        assert times[kind]["mean_ci95"] is None
    # No interval has one of its own.
    assert run.table("intervals")["response_mean_ms"].null_count() == len(run.table("intervals"))


def test_the_extremes_of_directions_are_those_of_the_json():
    found = read(GROUPS.parents[2] / "fio" / "json_plus_3.33_sample.json", interval_s=1.0)
    times = measured_run(MeasuredAbout("x"), found, interval_s=1.0).summary["response_time_ms"]
    for kind, said in zip(("read", "write"), found.totals, strict=True):
        assert times[kind]["max"] == said.response_max_s * 1e3
        assert times[kind]["std"] == said.response_std_s * 1e3
    assert times["all"]["max"] == max(times["read"]["max"], times["write"]["max"])
