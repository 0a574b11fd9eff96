"""Stages as job files of fio: what is in them, what fio 3.33 makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from emerald_plans import by_id, plan, run_fio, with_stage

import needs
from iowatt.emerald.plan.load import check, vdbench
from iowatt.emerald.plan.load.fio import job_text, shares_of_streams
from iowatt.emerald.plan.model import PlanDeviation
from iowatt.sources.observation import ObservedShare
from refused import refused

needs_fio = needs.mark("fio")
SHARES = {
    **{f"write{i}": 5 for i in (1, 2, 3)},
    **{f"read{i}": 5 for i in range(1, 6)},
    "uniform": 6, "hot1": 28, "hot2": 14, "hot3": 7, "hot4": 5,
}  # fmt: skip
# Points by which a share may be off, and the part of the requests that must have been made to judge it.
MOST = 1.0
KEPT_UP = 0.97


def jobs(text):
    """Sections of a job file, each a dict; the rate of jobs that share a name and a load is their sum."""
    found, part = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            part = {}
            found.setdefault(line.strip("[]"), []).append(part)
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            assert key not in part, f"{key} twice"
            part[key] = value
    return {name: joined(parts) for name, parts in found.items()}


def joined(parts):
    rates = [int(part.get("numjobs", 1)) * int(part.get("rate_iops", 0)) for part in parts]
    alike = [{k: v for k, v in part.items() if k not in ("numjobs", "rate_iops")} for part in parts]
    assert alike.count(alike[0]) == len(alike)
    return alike[0] | ({"rate_iops": str(sum(rates))} if sum(rates) else {})


def test_the_hot_band_is_18_jobs_with_rates_and_logs(tmp_path):
    made = plan(tmp_path)
    text = job_text(made, by_id(made)["HB"], folder=Path("logs"))
    found = jobs(text)
    common = found.pop("global")
    assert len(found) == 18
    assert sum(int(job["rate_iops"]) for job in found.values()) == 4000
    assert {job["rate_process"] for job in found.values()} == {"poisson"}
    assert (found["hot1-read"]["rate_iops"], found["hot1-write"]["rate_iops"]) == ("784", "336")
    assert found["hot1-read"]["random_distribution"].startswith("zoned_abs:")
    for name, job in found.items():
        for log in ("write_iops_log", "write_bw_log", "write_lat_log"):
            assert job[log] == f"logs/{name}"
    assert (common["log_unix_epoch"], common["log_avg_msec"], common["runtime"]) == ("1", "500", "1800")
    assert (common["allow_file_create"], common["refill_buffers"]) == ("0", "1")
    assert "group_reporting" not in text


def test_no_stage_repeats_the_random_numbers_of_another(tmp_path):
    made = plan(tmp_path)
    seeds = [jobs(job_text(made, s))["global"]["randseed"] for s in made.stages if s.workload]
    assert len(set(seeds)) == len(seeds)


@needs_fio
@pytest.mark.parametrize("block", [512, 4096])
@pytest.mark.parametrize("rules", ["emerald-1.0.0", "emerald-4.0.0"])
def test_fio_takes_every_stage(tmp_path, rules, block):
    rates = (
        {"MW1": 1000.0, "RR": 500.0, "RW": 300.0}
        if rules == "emerald-1.0.0"
        else {"HB": 150.0, "RR": 9e4, "RW": 7.0}
    )
    made = plan(tmp_path, rules=rules, block_size=block, rates=rates, streams={"": 3}, time_scale=0.013)
    for stage in made.stages:
        if stage.workload is not None:
            checked = check.fio(stage.id, job_text(made, stage))
            assert checked.problem is None, stage.id
            assert checked.parsed


@needs_fio
def test_the_parser_of_fio_refuses_what_is_no_job_file():
    assert "foo" in check.fio("x", "[a]\nrw=read\nsize=1m\nfoo=1\n").problem


@needs_fio
def test_shares_of_the_hot_band_on_the_null_engine(tmp_path):
    made = with_stage("/dev/null-of-fio", 100 * 10**9, workload="HB", rate_iops=2000.0, seconds=12.0)
    assert_shares(made, tmp_path, engine="null")


@needs_fio
def test_shares_of_the_hot_band_on_a_small_file(tmp_path):
    made = with_stage(small(tmp_path), 64 << 20, workload="HB", rate_iops=2000.0, seconds=12.0)
    assert_shares(made, tmp_path, engine="libaio")
    logs = sorted(path.name for path in tmp_path.glob("hot1-read_*.log"))
    assert {name.split("_")[1].split(".")[0] for name in logs} == {"clat", "lat"}  # of every request
    first = (tmp_path / logs[1]).read_text().splitlines()[0].split(",")
    assert int(first[0]) > 1_600_000_000_000  # ms since 1970


def assert_shares(made, folder, *, engine):
    """Within a point, in a run that kept up; where the machine is too busy, a share is no finding."""
    (stage,) = made.stages
    asked = stage.rate_iops * stage.seconds
    text = job_text(made, stage).replace("ioengine=libaio", f"ioengine={engine}")
    for _ in range(3):
        done = run_fio(text, folder)
        total = sum(requests for requests, _ in done.values())
        if total > KEPT_UP * asked:
            break
    else:
        pytest.skip(f"this machine is too busy: fio made {total} of {asked:g} requests, three times")
    for stream, share in SHARES.items():
        seen = sum(requests for job, (requests, _) in done.items() if job.split("-")[0] == stream)
        assert 100 * seen / total == pytest.approx(share, abs=MOST), stream


def small(tmp_path):
    target = tmp_path / "t.dat"
    with target.open("wb") as file:
        file.truncate(64 << 20)
    return target


@needs_fio
def test_the_fill_writes_every_block_once(tmp_path):
    target = tmp_path / "t.dat"
    size = 11 * 262144
    target.write_bytes(bytes(size))
    made = with_stage(target, size, role="prefill", workload="fill", closed=True, streams=3, outstanding=5)
    done = run_fio(job_text(made, made.stages[0]), tmp_path)
    assert {name: written // 262144 for name, (_, written) in done.items()} == {
        "fill1": 4,
        "fill2": 4,
        "fill3": 3,
    }
    data = target.read_bytes()
    blocks = [data[at : at + 4096] for at in range(0, size, 4096)]
    assert bytes(4096) not in blocks
    assert len(set(blocks)) == len(blocks)  # neither repeated nor empty: nothing to reduce


@needs_fio
@pytest.mark.parametrize(
    ("stage", "names"),
    [
        ({"workload": "MW1", "closed": True, "outstanding": 4}, {"mw1"}),
        ({"workload": "MW2", "rate_iops": 200.0}, {"mw2-read", "mw2-write"}),
        ({"workload": "RR", "rate_iops": 300.0}, {"rr"}),
        ({"workload": "SR", "closed": True, "outstanding": 5, "streams": 2}, {"sr1", "sr2"}),
        ({"workload": "SW", "rate_iops": 50.0}, {"sw"}),
    ],
)
def test_short_stages_run_on_a_small_file(tmp_path, stage, names):
    made = with_stage(small(tmp_path), 64 << 20, seconds=0.5, **{**stage, "interval_s": 0.05})
    done = run_fio(job_text(made, made.stages[0]), tmp_path)
    assert set(done) == names
    assert all(requests > 0 for requests, _ in done.values())


@needs_fio
def test_fio_goes_round_several_targets_within_their_ranges(tmp_path):
    each = 1 << 20
    paths = [tmp_path / name for name in ("a.dat", "b.dat")]
    for path in paths:
        path.write_bytes(bytes(2 * each))
    made = with_stage(
        ",".join(map(str, paths)), 2 * each, role="prefill", workload="fill", closed=True, outstanding=2
    )
    done = run_fio(job_text(made, made.stages[0]), tmp_path)
    assert done["fill"][1] == 2 * each
    for path in paths:
        data = path.read_bytes()
        assert all(any(data[at : at + 4096]) for at in range(0, each, 4096))
        assert not any(data[each:])


def test_depths_and_parts_of_streams_add_up(tmp_path):
    made = with_stage(tmp_path / "t", 10 * 262144, workload="SW", closed=True, streams=3, outstanding=8)
    found = jobs(job_text(made, made.stages[0]))
    parts = [found[f"sw{n}"] for n in (1, 2, 3)]
    assert sum(int(job["iodepth"]) for job in parts) == 8
    assert [int(job["offset"]) for job in parts] == [
        0,
        int(parts[0]["size"]),
        10 * 262144 - int(parts[2]["size"]),
    ]
    assert sum(int(job["size"]) for job in parts) == 10 * 262144


def test_logs_have_half_a_second_where_minutes_count_and_fewer_rows_in_conditioning(tmp_path):
    made = plan(tmp_path, rates={"HB": 200_000.0})
    windows = {
        stage.id: jobs(job_text(made, stage))["global"]["log_avg_msec"]
        for stage in made.stages
        if stage.workload in ("HB", "FILL") or stage.role == "conditioning"
    }
    assert (windows["HB-warmup"], windows["HB"], windows["conditioning"]) == ("500", "500", "10000")


def test_each_request_has_a_row_unless_there_are_too_many(tmp_path):
    slow = plan(tmp_path, rates={"HB": 200.0})
    assert "log_avg_msec" not in jobs(job_text(slow, by_id(slow)["HB"]))["global"]
    short = plan(tmp_path, time_scale=0.01)
    found = jobs(job_text(short, by_id(short)["HB"]))
    assert "log_avg_msec" not in found["global"]
    assert [key for key in found["read1"] if key.startswith("write_")] == ["write_lat_log"]
    fast = plan(tmp_path, time_scale=0.01, rates={"HB": 200_000.0})
    assert jobs(job_text(fast, by_id(fast)["HB"]))["global"]["log_avg_msec"] == "50"
    assert "log_avg_msec" in jobs(job_text(short, by_id(short)["prefill"]))["global"]


def test_a_smaller_mix_for_blocks_of_4096_is_that_of_the_rules(tmp_path):
    from iowatt.emerald.rules import load

    made = plan(tmp_path, block_size=4096)
    split = jobs(job_text(made, by_id(made)["HB"]))["write1"]["bssplit"]
    ruled = load("emerald-4.0.0").value("workloads.HB.sizes_4k")
    assert split == ":".join(f"{size}/{share}" for size, share in ruled)
    usual = plan(tmp_path)
    split = jobs(job_text(usual, by_id(usual)["HB"]))["write1"]["bssplit"]
    assert split == ":".join(f"{s}/{share}" for s, share in load("emerald-4.0.0").value("workloads.HB.sizes"))


@pytest.mark.parametrize(
    ("stage", "code", "key"),
    [
        ({"workload": None, "role": "idle"}, "not-applicable", ""),
        ({"workload": "RR"}, "missing", ": rate_iops"),
        ({"workload": "HB", "closed": True}, "unsupported", ""),
        ({"workload": "SR", "closed": True, "streams": 9, "outstanding": 9}, "out-of-range", ": streams"),
        ({"workload": "SR", "closed": True, "streams": 3, "outstanding": 2}, "out-of-range", ": outstanding"),
    ],
)
def test_what_fio_cannot_do_is_refused(tmp_path, stage, code, key):
    made = with_stage(tmp_path / "t", 8 * 262144, seconds=1.0, **stage)
    with refused(code, f"stage {made.stages[0].id}{key}"):
        job_text(made, made.stages[0])


@pytest.mark.parametrize("name", ["a#b", "a;b", "a$b", "a\nexec=reboot", "a "])
def test_a_name_that_would_be_read_as_something_else_is_refused(tmp_path, name):
    made = with_stage(f"/tmp/{name}", 8 * 262144, workload="SR", closed=True)
    with refused("unsupported", "target"):
        job_text(made, made.stages[0])
    made = with_stage("/tmp/t", 8 * 262144, workload="SR", closed=True)
    with refused("unsupported", "target"):
        job_text(made, made.stages[0], folder=Path(name))


def test_a_colon_in_a_name_does_not_split_it(tmp_path):
    made = with_stage("/dev/disk/by-path/pci-0000:00", 8 * 262144, workload="SR", closed=True)
    assert r"filename=/dev/disk/by-path/pci-0000\:00" in job_text(made, made.stages[0])


def test_shares_of_jobs_become_those_of_streams():
    shares = [
        *((f"write{i}", 5, 5.1) for i in (1, 2, 3)), *((f"read{i}", 5, 4.9) for i in range(1, 6)),
        ("uniform-read", 3, 3.2), ("uniform-write", 3, 2.9), ("hot1-read", 19.6, 19.5),
        ("hot1-write", 8.4, 8.6),
        ("hot2-read", 9.8, 9.7), ("hot2-write", 4.2, 4.3), ("hot3-read", 4.9, 5), ("hot3-write", 2.1, 2),
        ("hot4-read", 3.5, 3.5),
    ]  # fmt: skip
    jobs = [ObservedShare(*share) for share in shares]
    made = with_stage("/x", 1 << 30, workload="HB", rate_iops=10.0)
    found = {share.stream: (share.asked, share.observed) for share in shares_of_streams(made.stages[0], jobs)}
    assert {name: asked for name, (asked, _) in found.items()} == SHARES
    assert found["hot1"][1] == pytest.approx(28.1)
    assert found["hot4"][1] == 3.5  # a job that was too slow to be in the file leaves its share missing
    sequential = with_stage("/x", 1 << 30, workload="SR", closed=True).stages[0]
    assert shares_of_streams(sequential, jobs) == jobs


@needs_fio
def test_no_name_of_a_plan_becomes_an_option(tmp_path):
    made = with_stage(tmp_path / "t", 8 * 262144, workload="SR", closed=True)
    evil = "x\n[global]\nexec_prerun=touch hacked\n" + "y" * 9000
    made = made.model_copy(update={"name": evil, "deviations": [PlanDeviation(code="evil", text=evil)]})
    text = job_text(made, made.stages[0])
    assert not [line for line in text.splitlines() if line.startswith("exec_prerun")]
    assert max(map(len, text.splitlines())) < 4096
    assert check.fio("x", text).problem is None
    assert check.keywords(vdbench.stage_text(made, made.stages[0])) is None
